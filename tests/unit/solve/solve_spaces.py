"""Small design spaces for tests of the search: random affine kernels with divisible sizes, random budgets and fixes."""

from __future__ import annotations

import random

from builders import scop as build_scop

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.ir import Scop
from sisyphus.space import KERNEL_PLACE, Options, Space, apply_fixes, build_space
from sisyphus.target import load_device, make_target

SIZES = (4, 6, 8, 12)


def space_of(
    scop: Scop,
    *,
    tree: bool = False,
    pessimistic: bool = False,
    dsp: int | None = None,
    onchip_bytes: int | None = None,
    max_partition: int = 1024,
) -> Space:
    """The design space of a scop on a board."""
    found = dependences(scop)
    target = make_target(load_device("u200"), dsp=dsp, onchip_bytes=onchip_bytes, max_partition=max_partition)
    options = Options(tree_reduction=tree, reuse="pessimistic" if pessimistic else "optimistic")
    return build_space(scop, found, distribute(scop, found), liveness(scop), target, options)


def gemm_space(ni: int = 8, nj: int = 12, nk: int = 6, **limits: int | bool | None) -> Space:
    """C = beta C + alpha A B."""
    text = f"""
    for i in range({ni}):
        for j in range({nj}):
            C[i, j] = C[i, j] * beta
    for i in range({ni}):
        for k in range({nk}):
            for j in range({nj}):
                C[i, j] += alpha * A[i, k] * B[k, j]
    """
    return space_of(build_scop(text, C=(ni, nj), A=(ni, nk), B=(nk, nj)), **limits)  # type: ignore[arg-type]


def random_text(rng: random.Random) -> tuple[str, dict[str, tuple[int, ...]]]:
    """Some products, convolutions and sweeps over shared arrays, as text with the extents of its arrays."""
    n, m, k = (rng.choice(SIZES) for _ in range(3))
    shapes: dict[str, tuple[int, ...]] = {"A": (n, k), "B": (k, m), "C": (n, m), "D": (m, k), "E": (n, k)}
    shapes |= {"X": (k,), "Y": (n,), "P": (n + 2, m), "W": (3,)}
    nests = {
        "zero": (f"for i in range({n}):\n for j in range({m}):\n  C[i, j] = 0.0", "C"),
        "scale": (f"for i in range({n}):\n for j in range({m}):\n  C[i, j] = C[i, j] * beta", "C"),
        "product": (f"for i in range({n}):\n for j in range({m}):\n  for k in range({k}):\n   C[i, j] += A[i, k] * B[k, j]", "CAB"),
        "second": (f"for i in range({n}):\n for j in range({k}):\n  for k in range({m}):\n   E[i, j] += C[i, k] * D[k, j]", "ECD"),
        "vector": (f"for i in range({n}):\n for k in range({k}):\n  Y[i] += A[i, k] * X[k]", "YAX"),
        "transposed": (f"for i in range({n}):\n for k in range({k}):\n  X[k] += A[i, k] * Y[i]", "XAY"),
        "stencil": (f"for i in range({n}):\n for j in range({m}):\n  for p in range(3):\n   C[i, j] += P[i + p, j] * W[p]", "CPW"),
    }  # fmt: skip
    chosen = rng.sample(sorted(nests), rng.randint(1, 3))
    used = {array for name in chosen for array in nests[name][1]}
    return "\n".join(nests[name][0] for name in chosen), {a: s for a, s in shapes.items() if a in used}


def random_space(rng: random.Random) -> Space:
    """Budgets loose or tight, sometimes a fixed order or place."""
    text, extents = random_text(rng)
    space = space_of(
        build_scop(text, **extents),
        tree=rng.random() < 0.5,
        pessimistic=rng.random() < 0.5,
        dsp=rng.choice([None, 200, 60, 25]),
        onchip_bytes=rng.choice([None, None, 1500, 600, 250]),
        max_partition=rng.choice([1024, 32, 12]),
    )
    return apply_fixes(space, _fixes(rng, space))


def _fixes(rng: random.Random, space: Space) -> list[str]:
    nest = rng.choice(space.nests)
    loops = [loop.iterator for loop in nest.loops]
    use = rng.choice(nest.arrays)
    places = [place for place in use.places if place != KERNEL_PLACE]
    wishes = [
        f"{nest.id}.order={','.join(rng.sample(loops, len(loops)))}",
        f"{nest.id}.pipeline={rng.choice(nest.pipelines) or 'none'}",
        f"{use.array}.width={rng.choice(space.widths[use.array])}",
    ]
    if places and len(list(space.users(use.array))) == 1:
        wishes.append(f"{nest.id}.{use.array}.place={rng.choice(places)}")
    return [rng.choice(wishes)] if rng.random() < 0.5 else []
