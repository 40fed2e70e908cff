"""The order of the front end's steps, from a path to a checked Scop; does none of them itself."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from pycparser import c_ast

from sisyphus.errors import InternalError
from sisyphus.frontend.c.affine_reader import Affines
from sisyphus.frontend.c.asides import step_apart
from sisyphus.frontend.c.c_types import declared
from sisyphus.frontend.c.context import Ledger
from sisyphus.frontend.c.diagnostics import Collector, Refused
from sisyphus.frontend.c.file import callers_of, check_pragmas, choose, names_of
from sisyphus.frontend.c.gotos import write_out_jumps
from sisyphus.frontend.c.inductions import name_inductions
from sisyphus.frontend.c.iterators import one_iterator_each
from sisyphus.frontend.c.kernel import FunctionReader, Given
from sisyphus.frontend.c.parse import parse
from sisyphus.frontend.c.pointers import index_pointers
from sisyphus.frontend.c.preprocess import preprocess, read_source, refuse_cpp
from sisyphus.frontend.c.prints import leave_out_prints, left_out
from sisyphus.frontend.c.punning import look_at_bits
from sisyphus.frontend.c.questions import TOO_COMPLEX, leashed
from sisyphus.frontend.c.returns import Returns, always_returns, hand_back
from sisyphus.frontend.c.statics import name_tables
from sisyphus.frontend.c.steps import name_steps
from sisyphus.frontend.c.structs import Structures
from sisyphus.frontend.c.swapped import count_turns
from sisyphus.frontend.c.whiles import count_whiles
from sisyphus.ir import Origin, Role, Scop, promises
from sisyphus.poly import IslError
from sisyphus.source import Span
from sisyphus.values import dataclass, replace

# How many questions' worth of work the checks of a whole kernel may do.
CHECKING = 50
# pycparser descends a dozen calls per pair of brackets.
DEEPEST = 20_000


def read(
    path: str | Path,
    *,
    function: str | None = None,
    defines: Sequence[str] = (),
    include_dirs: Sequence[str] = (),
    params: Mapping[str, int] | None = None,
    extents: Sequence[str] = (),
    text: bytes | None = None,
    sandboxed: bool = False,
) -> Scop:
    """The kernel in a C file; raises `KernelError` with every fault found.

    `defines` are `NAME` or `NAME=VALUE`, `params` fix integer parameters of the function, `extents` are
    `NAME=N` or `NAME=N,N...` for pointers. With `text`, `path` is only what the file is called.
    `sandboxed`: it may include nothing outside of its folder and `include_dirs`.
    """
    collector = Collector()
    deepest = sys.getrecursionlimit()
    sys.setrecursionlimit(max(deepest, DEEPEST))
    try:
        given = ReadOptions(
            function, tuple(defines), tuple(include_dirs), dict(params or {}), tuple(extents), sandboxed
        )
        return _read(str(path), text, given, collector)
    except Refused as refused:
        collector.add(refused)
    except RecursionError:
        collector.report("too-complex", "an expression is nested too deeply", Span(str(path), 1))
    finally:
        sys.setrecursionlimit(deepest)
    collector.stop_if_failed()
    raise InternalError("a refusal without a reason")


@dataclass(frozen=True)
class ReadOptions:
    """What the command line says about a file."""

    function: str | None
    defines: tuple[str, ...]
    include_dirs: tuple[str, ...]
    params: Mapping[str, int]
    extents: tuple[str, ...]
    sandboxed: bool = False

    def sizes(self) -> dict[str, tuple[int, ...]]:
        """The extents of pointers by name."""
        split = (text.partition("=") for text in self.extents)
        return {name: tuple(int(size) for size in sizes.split(",")) for name, _, sizes in split}


def _hand_back(returns: Returns, chosen: c_ast.FuncDef, affines: Affines) -> None:
    """Lets a kernel write its result, and refuses calls for structures that only some values ask for."""
    tree, collector, kind = affines.tree, affines.collector, declared(chosen.decl.type.type, affines.typedefs)
    for call in returns.misplaced:
        words = f"`{call.name.name}` returns a structure, where it is not always called"
        collector.report("unknown-call", words, tree.span(call), hint="give its result to a variable before")
    if not kind.is_void and (kind.scalar is None or kind.layers):
        words = f"the kernel returns what is no number: {kind.problem or 'an address'}"
        collector.report("return-value", words, tree.start(chosen.decl))
    elif not kind.is_void:
        if not always_returns(chosen.body):
            words, hint = "the kernel may end without a value", "end it with `return`, or declare it as `void`"
            collector.report("return-value", words, tree.start(chosen.decl), hint=hint)
        hand_back(chosen)
    collector.stop_if_failed()


def _read(path: str, text: bytes | None, given: ReadOptions, collector: Collector) -> Scop:
    source = read_source(path, text, collector)
    collector.files[path] = source
    refuse_cpp(source, collector)
    found = preprocess(
        source,
        defines=given.defines,
        include_dirs=given.include_dirs,
        collector=collector,
        sandboxed=given.sandboxed,
    )
    collector.stop_if_failed()
    if not any(t.span.path == path for t in found.tokens):
        raise collector.fault("empty-file", f"`{path}` has no code", Span(path, 1))
    tree = parse(found.tokens, collector)
    prints = leave_out_prints(tree)
    write_out_jumps(tree)
    look_at_bits(tree)
    structures = Structures(tree)
    name_tables(tree)
    count_turns(tree)
    step_apart(tree)
    index_pointers(tree)
    count_whiles(tree)
    one_iterator_each(tree)
    name_inductions(tree)
    name_steps(tree)
    affines = Affines(tree, collector, {}, Ledger())
    names = names_of(tree, affines)
    chosen = choose(names, given.function, affines)
    check_pragmas(chosen, tree, collector)
    callers = callers_of(chosen, names, affines)
    _hand_back(structures.returns, chosen, affines)
    kernel = FunctionReader(
        chosen, names, Given(given.params, given.sizes(), callers, structures.spelled, structures.places), affines
    )
    digest = hashlib.sha256(source.text.encode()).hexdigest()
    origin = Origin(
        path, source.text, chosen.decl.name, digest, given.defines, given.include_dirs, given.extents, found.widths
    )
    unheard = left_out(prints, chosen, names.functions)
    kernel.notes += [f"calls of `{name}` are left out: hardware prints nothing" for name in sorted(unheard)]
    kernel.notes += [f"`-D {name}` has no effect: the file defines `{name}` itself" for name in found.overridden]
    scop = kernel.translate(origin)
    bytes_ = sum(array.elements * array.type.bytes for array in scop.arrays if array.role is Role.LOCAL)
    scop = replace(scop, origin=replace(origin, local_bytes=bytes_))
    try:
        with leashed(CHECKING):
            return promises.run(scop)
    except IslError:
        raise collector.fault("too-complex", TOO_COMPLEX, tree.start(chosen.decl)) from None
