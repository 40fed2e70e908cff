"""When buffers that live for a whole body are loaded and stored."""

from __future__ import annotations

import pytest

from sisyphus.errors import KernelError
from sisyphus.ir import ArrayId
from sisyphus.plan import Direction
from sisyphus.plan.residency import Resident, Usage, merged, transfers_around

READ, WRITE = Usage(True, True, False), Usage(True, False, True)
MEMORY_READ, MEMORY_WRITE = Usage(False, True, False), Usage(False, False, True)


def moves(*usages: Usage | None, load: bool = True, store: bool = True, early: bool = False) -> list[str]:
    """`<` a load and `>` a store before each entry, and behind the last."""
    found = transfers_around([Resident("A", usages, load, store, early)], len(usages))
    return ["".join("<" if d is Direction.LOAD else ">" for d, _ in slot) for slot in found]


def test_loaded_first_and_stored_last() -> None:
    assert moves(None, READ, WRITE, None) == ["<", "", "", "", ">"]


def test_what_is_not_needed_is_not_moved() -> None:
    assert moves(WRITE, READ, load=False) == ["", "", ">"]
    assert moves(READ, WRITE, store=False) == ["<", "", ""]
    assert moves(READ, READ) == ["<", "", ""]
    assert moves(None, None) == ["", "", ""]


def test_stored_before_memory_is_read_and_kept_then() -> None:
    assert moves(WRITE, None, MEMORY_READ, READ) == ["<", "", ">", "", ""]


def test_stored_before_memory_is_written_and_loaded_again() -> None:
    assert moves(WRITE, MEMORY_WRITE, None, READ) == ["<", ">", "<", "", ""]


def test_memory_written_first() -> None:
    assert moves(MEMORY_WRITE, READ, load=False) == ["", "<", ""]


def test_stored_early_where_another_buffer_waits() -> None:
    assert moves(WRITE, None, MEMORY_READ, early=True) == ["<", ">", "", ""]


def test_loads_in_one_place_come_by_first_use() -> None:
    residents = [Resident("A", (None, READ), True, True), Resident("B", (READ, None), True, True)]
    assert transfers_around(residents, 2)[0] == [(Direction.LOAD, "B"), (Direction.LOAD, "A")]


def test_body_of_an_outer_loop_as_a_whole() -> None:
    assert merged([None, READ, WRITE], ArrayId("A"), "t") == Usage(True, True, True)
    assert merged([None], ArrayId("A"), "t") is None
    with pytest.raises(KernelError, match="`A` stays on chip in some of the nests under loop `t`"):
        merged([READ, MEMORY_READ], ArrayId("A"), "t")
