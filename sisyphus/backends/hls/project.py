"""The files of a design as one frozen value; knows no file system beyond the source's own headers."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from types import MappingProxyType

from sisyphus.backends.hls.build_files import print_build_files
from sisyphus.backends.hls.host import print_host
from sisyphus.backends.hls.identifiers import plan_names
from sisyphus.backends.hls.interface import live_ports
from sisyphus.backends.hls.reference import exact_flags, print_reference
from sisyphus.backends.hls.testbench import print_testbench
from sisyphus.backends.hls.top_function import print_kernel
from sisyphus.plan import Plan, Port
from sisyphus.shown import Shown
from sisyphus.target import Target
from sisyphus.values import dataclass


@dataclass(frozen=True, eq=False)
class Project(Shown):
    """The emitted files by name, the top function, its arguments in order, and the SHA-256 over all files."""

    files: Mapping[str, str]
    top: str
    interface: tuple[Port, ...]
    digest: str

    def __str__(self) -> str:
        return self.files["kernel.cpp"]


def project(plan: Plan, target: Target | None = None, *, temporaries: Collection[str] = ()) -> Project:
    """All files of a plan; those that name a device only with a target.

    `temporaries` are arguments whose final values nobody wants (`--local`).
    """
    kernel, names = print_kernel(plan), plan_names(plan)
    kept = tuple(sorted(temporaries))
    files = {
        "kernel.cpp": kernel.source,
        "kernel.h": kernel.header,
        "reference.c": print_reference(plan.scop),
        "testbench.cpp": print_testbench(plan, names, temporaries=kept),
        "host.cpp": print_host(plan, names, temporaries=kept),
    }
    if target is not None:
        files |= print_build_files(plan, target, names, exact_flags(files["reference.c"]))
    return Project(MappingProxyType(dict(sorted(files.items()))), kernel.top, live_ports(plan), digest_of(files))


def digest_of(files: Mapping[str, str]) -> str:
    whole = hashlib.sha256()
    for name in sorted(files):
        whole.update(f"{name}\0{len(files[name].encode())}\0".encode())
        whole.update(files[name].encode())
    return whole.hexdigest()
