"""Small systems of equations, solved in place: those of a batch share nothing."""

from __future__ import annotations

from builders import scop

from sisyphus.ir import Scop


def systems(batch: int, unknowns: int, *, divisor: str = "L[b, i, i]") -> Scop:
    """So many of them, forwards; the first unknown of each is known."""
    text = f"""
for b in range({batch}):
    for i in range(1, {unknowns}):
        for k in range(i):
            X[b, i] -= L[b, i, k] * X[b, k]
        X[b, i] = X[b, i] / {divisor}
"""
    return scop(text, X=(batch + 1, unknowns), L=(batch, unknowns, unknowns))
