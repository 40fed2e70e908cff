"""Over how many ports the elements of an array are dealt; knows no cost and no code.

With n ports, element j of a row is in stripe j % n, behind port j % n. Each stripe is an array of its own, with rows an
n-th as long: it is loaded and stored by itself, through its port and from a bank of the board of its own, into a part
of the buffer of its own. So the stripes travel side by side, as different arrays do, and all of them move as much in a
cycle as one beat that is as wide as all of theirs: that is what widths beyond those of one port mean.
"""

from __future__ import annotations

from collections.abc import Sequence

from sisyphus.ir import ArrayId, Role, Scop

#: What an m_axi port moves in one beat at most (docs/model.md); the port's own width may allow less.
MAX_BEAT_BITS = 512
#: Elements in the widest beat that reports have: of 32 bits each.
MEASURED_BEAT = 16
#: Over how many ports an array may be dealt.
STRIPES = (2, 4)


def port_width(bits: int, port_bits: int = MAX_BEAT_BITS) -> int:
    """Elements of so many bits in the widest beat of one port."""
    return max(1, min(port_bits, MAX_BEAT_BITS) // bits)


def beats_up_to(widest: int) -> tuple[int, ...]:
    """Elements of beats that are no wider: the powers of two."""
    return tuple(1 << power for power in range(widest.bit_length()))


def beat_widths(extents: Sequence[int], bits: int, port_bits: int, *, padding: bool) -> tuple[int, ...]:
    """Elements per beat of one port: powers of two that fit it and divide the last dimension (docs/model.md).

    With `padding` those that do not divide it too, as long as a row is longer than half a beat.
    """
    return tuple(w for w in beats_up_to(port_width(bits, port_bits)) if _fits(extents, w, padding=padding))


def dealt_widths(extents: Sequence[int], widest: int, banks: int, *, padding: bool) -> tuple[int, ...]:
    """Elements per beat over several ports, whose own beats are as wide as they may be."""
    every = (count * widest for count in STRIPES if count <= banks)
    return tuple(w for w in every if extents and _fits(extents, w, padding=padding))


def _fits(extents: Sequence[int], width: int, *, padding: bool) -> bool:
    last = extents[-1] if extents else 1
    return last % width == 0 or (padding and width < 2 * last)


def may_be_dealt(scop: Scop, array: ArrayId) -> bool:
    """Whether an array and each copy of it have ports of their own: no view or look-up of it goes through them."""
    declared = scop.array(array)
    alone = all(other.port == other.id for other in scop.arrays if other.home == declared.home)
    return alone and declared.port == array and declared.role is not Role.LOCAL and array not in scop.looked_up


def port_names(array: str, count: int) -> tuple[str, ...]:
    """How a design point names the ports of an array; one is named like the array, and need not be named."""
    return () if count == 1 else tuple(f"{array}_{number}" for number in range(count))
