"""Extents of pointers that neither the source nor the user gives: as much as the subscripts reach; knows no C text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from sisyphus.frontend.c.diagnostics import Refused
from sisyphus.frontend.c.scope import MOST_ELEMENTS, Variable
from sisyphus.ir import Statement
from sisyphus.poly import largest_value


def open_extents(inner: Sequence[int]) -> tuple[int, ...]:
    """An open first extent before others: until all statements are known it is as large as that of any array may be."""
    return max(MOST_ELEMENTS // prod(inner), 1), *inner


def close_extents(variables: Iterable[Variable], statements: Sequence[Statement]) -> list[str]:
    """Gives each open argument the extent that it is used with; notes that say so."""
    notes = []
    for variable in (v for v in variables if v.open is not None):
        used = [(s.domain, ref) for s in statements for ref in (s.write, *s.reads) if ref.array == variable.id]
        reach = max((largest_value(domain, ref.index[0]) + 1 for domain, ref in used), default=1)
        variable.extents = (reach, *variable.extents[1:])
        if used:
            what, name = "rows" if len(variable.extents) > 1 else "elements", variable.name.partition(".")[0]
            words = f"`{variable.name}` is taken to have {reach:,} {what}, as far as its subscripts reach"
            notes.append(f"{words} (`--extent {name}=N` says otherwise)")
    return notes


def looked_up_of_open(variable: Variable) -> None:
    """Refuses to look up, where data say which, an element of an argument of open extent; told once."""
    if variable.open is not None:
        fault, variable.open = variable.open, Refused()
        raise fault
