"""Small design spaces for tests of the search: products and convolutions of small sizes, random budgets, fixes."""

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
    in_paper: bool = True,
) -> Space:
    """The design space of a scop on a board, by default with the paper's rules for tiles and beats."""
    found = dependences(scop)
    board = load_device("u200")
    target = make_target(board, budget="chip", dsp=dsp, onchip_bytes=onchip_bytes, max_partition=max_partition)
    options = Options(tree_reduction=tree, reuse="pessimistic" if pessimistic else "optimistic")
    options = options.as_in_paper() if in_paper else options
    return build_space(scop, found, distribute(scop, found), liveness(scop), target, options)


def gemm_scop(ni: int, nj: int, nk: int) -> Scop:
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
    return build_scop(text, C=(ni, nj), A=(ni, nk), B=(nk, nj))


def gemm_space(
    ni: int = 8,
    nj: int = 12,
    nk: int = 6,
    *,
    tree: bool = False,
    pessimistic: bool = False,
    dsp: int | None = None,
    onchip_bytes: int | None = None,
) -> Space:
    """The design space of a small gemm."""
    scop = gemm_scop(ni, nj, nk)
    return space_of(scop, tree=tree, pessimistic=pessimistic, dsp=dsp, onchip_bytes=onchip_bytes)


def matvec_space(rows: int, columns: int, *, onchip_bytes: int | None = None, dsp: int | None = None) -> Space:
    """y += A x, one nest of two loops."""
    text = f"for i in range({rows}):\n for j in range({columns}):\n  Y[i] += A[i, j] * X[j]"
    scop = build_scop(text, Y=(rows,), A=(rows, columns), X=(columns,))
    return space_of(scop, onchip_bytes=onchip_bytes, dsp=dsp)


def random_space(rng: random.Random, *, in_paper: bool = True) -> Space:
    """Budgets loose or tight, sometimes a fixed order, pipelined loop, width or place."""
    text, extents = random_text(rng)
    space = space_of(
        build_scop(text, **extents),
        tree=rng.random() < 0.5,
        pessimistic=rng.random() < 0.5,
        dsp=rng.choice([None, 200, 60, 25]),
        onchip_bytes=rng.choice([None, None, 1500, 600, 250]),
        max_partition=rng.choice([1024, 32, 12]),
        in_paper=in_paper,
    )
    return apply_fixes(space, _random_fixes(rng, space))


def random_text(rng: random.Random) -> tuple[str, dict[str, tuple[int, ...]]]:
    """Some products, convolutions and sweeps over shared arrays, with the extents of the arrays they use."""
    n, m, k = (rng.choice(SIZES) for _ in range(3))
    extents: dict[str, tuple[int, ...]] = {"A": (n, k), "B": (k, m), "C": (n, m), "D": (m, k), "E": (n, k)}
    extents |= {"X": (k,), "Y": (n,), "P": (n + 2, m), "W": (3,)}
    nests = {
        "zero": ([("i", n), ("j", m)], "C[i, j] = 0.0"),
        "scale": ([("i", n), ("j", m)], "C[i, j] = C[i, j] * beta"),
        "product": ([("i", n), ("j", m), ("k", k)], "C[i, j] += A[i, k] * B[k, j]"),
        "second": ([("i", n), ("j", k), ("k", m)], "E[i, j] += C[i, k] * D[k, j]"),
        "vector": ([("i", n), ("k", k)], "Y[i] += A[i, k] * X[k]"),
        "transposed": ([("i", n), ("k", k)], "X[k] += A[i, k] * Y[i]"),
        "stencil": ([("i", n), ("j", m), ("p", 3)], "C[i, j] += P[i + p, j] * W[p]"),
    }
    lines = []
    for name in rng.sample(sorted(nests), rng.randint(1, 3)):
        loops, statement = nests[name]
        lines += [" " * depth + f"for {loop} in range({trips}):" for depth, (loop, trips) in enumerate(loops)]
        lines.append(" " * len(loops) + statement)
    text = "\n".join(lines)
    return text, {array: shape for array, shape in extents.items() if f"{array}[" in text}


def _random_fixes(rng: random.Random, space: Space) -> list[str]:
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
