"""Results that are lists or data, in a form that shows itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sisyphus.report import device_text, devices_text, kernel_text, solvers_text
from sisyphus.shown import Shown
from sisyphus.solve import SolverInfo
from sisyphus.target import Device


class Devices(tuple[Device, ...], Shown):
    """Boards, in the order of their names."""

    __slots__ = ()

    def __str__(self) -> str:
        return device_text(self[0]) if len(self) == 1 else devices_text(self)


class Solvers(tuple[SolverInfo, ...], Shown):
    """Solvers, with what is missing of those that cannot run."""

    __slots__ = ()

    def __str__(self) -> str:
        return solvers_text(self)


@dataclass(frozen=True, eq=False, repr=False)
class Analysis(Shown):
    """What is known of a kernel before any choice; `data` is what `sisy analyze --json` prints, `graph` in DOT."""

    data: dict[str, Any]
    graph: str

    def __str__(self) -> str:
        return kernel_text(self.data)

    def __repr__(self) -> str:
        return f"<analysis of {self.data['kernel']}>"
