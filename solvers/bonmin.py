"""Bonmin by its AMPL executable: proves optima of convex mixed-integer problems, and only of those."""

from __future__ import annotations

from collections.abc import Mapping

from sisyphus.solve import Form, Limits, SolveRequest, find_tool

from .asl import AslAdapter


class BonminAdapter(AslAdapter):
    """The program `bonmin` on PATH."""

    forms = frozenset({Form.NONLINEAR})

    def __init__(self) -> None:
        super().__init__("bonmin")
        self.name = "bonmin"

    def missing(self) -> str | None:
        if find_tool(self.executable) is None:
            return "the program `bonmin` is not on PATH (it comes with COIN-OR's and AMPL's solver bundles)"
        return None

    def option_files(self, limits: Limits) -> Mapping[str, str]:
        lines = [f"bonmin.allowable_fraction_gap {max(limits.gap, 1e-9):g}"]
        if limits.seconds is not None:
            lines.append(f"bonmin.time_limit {max(limits.seconds, 0.1):g}")
        return {"bonmin.opt": "\n".join(lines) + "\n"}

    def proves(self, request: SolveRequest) -> bool:
        """Its optimum of a nonconvex problem is only a local one."""
        return request.is_convex
