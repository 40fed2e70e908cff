"""Which forms of a kernel are searched before others, and which not at all, by their chains and temporaries."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sisyphus.forms import BLOCKS, INSIDE, INTERIORS, SHORTER, SUMS_WRITTEN_OUT, elsewhere, steps_of
from sisyphus.ir import Role
from sisyphus.request import Kernel
from sisyphus.target import Target
from sisyphus.too_large import have_room

#: Temporaries take much of the memory on chip if so many times as many do not fit.
MUCH = 4


def of_temporaries(kernels: Sequence[Kernel], target: Target) -> Sequence[Kernel]:
    """The forms without those that save places for temporaries, unless these take much of the memory elsewhere."""
    every = [[a for a in k.scop.arrays if a.role is Role.LOCAL] for k in kernels if k.expanded]
    taken = max((sum(a.elements * a.type.bytes for a in locals_) for locals_ in every), default=0)
    if not taken or taken * MUCH > target.budget.onchip_bytes:
        return kernels
    saving = {INSIDE, BLOCKS, SUMS_WRITTEN_OUT}
    return [kernel for kernel in kernels if INTERIORS in kernel.rewrites or not saving & {*kernel.rewrites}]


def longest_chain(kernel: Kernel) -> int:
    """The longest chain of iterations for synthesis, to which nests that read elsewhere what they update are serial."""
    serial = [s.id for s in kernel.scop.statements if any(elsewhere(s))]
    return steps_of(kernel.distribution.body, serial)


def for_temporaries(kernels: Sequence[Kernel], target: Target) -> list[Kernel]:
    """The forms in blocks, where temporaries with a place for every iteration do not fit on chip with the arrays.

    And those with shorter chains that have no such temporaries at all.
    """
    whole = [kernel for kernel in kernels if kernel.expanded]
    blocks = [kernel for kernel in kernels if BLOCKS in kernel.rewrites]
    if not blocks or any(have_room(kernel.scop.arrays, target) for kernel in whole):
        return []
    least = min(longest_chain(kernel) for kernel in blocks)
    return [*blocks, *(kernel for kernel in kernels if not kernel.expanded and longest_chain(kernel) < least)]


def by_promise(kernels: Sequence[Kernel], first: Sequence[Collection[Kernel]] = ()) -> list[Kernel]:
    """Forms with chains of iterations far shorter than the source's come first, the shortest foremost; then others.

    Some are `first` in any case, one group after another. Statements in one body have one chain for several, which
    tells little of what they take: such forms come behind the best one of all others, unless theirs is far shorter than
    that one's.
    """
    own = [longest_chain(kernel) for kernel in kernels]
    least = min((steps for steps, kernel in zip(own, kernels, strict=True) if not kernel.scop.fused), default=0)
    alike = [kernel.scop.fused and steps > least // SHORTER for steps, kernel in zip(own, kernels, strict=True)]
    chains = [max(steps, least) if is_alike else steps for steps, is_alike in zip(own, alike, strict=True)]
    far = chains[0] // SHORTER
    groups = [next((at for at, group in enumerate(first) if kernel in group), len(first)) for kernel in kernels]
    order = sorted(range(len(kernels)), key=lambda at: (groups[at], min(chains[at], far + 1), at))
    return [kernels[at] for at in order]
