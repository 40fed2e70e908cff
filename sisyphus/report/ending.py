"""How a search ended, in words; knows no design."""

from __future__ import annotations

from sisyphus.solve import Stop

#: How a search ended that proved nothing.
STOPS = {
    Stop.TIME: "stopped by its {limit}",
    Stop.INTERRUPTED: "stopped by Ctrl-C",
    Stop.UNPROVED: "ended without a proof",
    Stop.FAILED: "stopped by a failure of the solver",
    Stop.INFEASIBLE: "stopped where the solver found nothing",
}
#: Gaps up to this one are none: solvers compute with tolerances.
EXACTLY = 1e-5


def ending_told(stop: Stop, gap: float | None, *, is_effort: bool) -> str:
    """As in `stopped by its time limit, gap 3.10 %`; `is_effort`: the limit was one of counted work."""
    percent = "unknown" if gap is None else f"{100 * gap:.2f} %"
    if stop is not Stop.PROVED:
        return f"{STOPS[stop].format(limit='effort' if is_effort else 'time limit')}, gap {percent}"
    return f"searched until the gap was {percent}" if (gap or 0.0) > EXACTLY else "searched to the end"
