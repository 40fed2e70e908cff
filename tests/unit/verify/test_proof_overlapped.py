"""Tiles loaded ahead into one of several copies, beside what is computed: the proof tells versions apart."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hand_plans import gemm_overlapped

from sisyphus.analysis import dependences
from sisyphus.plan import Buffer, Copy, For, Plan, Together
from sisyphus.poly import const, var
from sisyphus.verification import prove

LATER = ", at the same time"


def failures(plan: Plan) -> set[str]:
    return {check.name for check in prove(plan, dependences(plan.scop)).failures}


def changed(plan: Plan, buffer_id: str, **fields: object) -> Plan:
    def change(buffer: Buffer) -> Buffer:
        return replace(buffer, **fields) if buffer.id == buffer_id else buffer  # type: ignore[arg-type]

    return replace(plan, buffers=tuple(map(change, plan.buffers)))


@pytest.mark.parametrize(("copies", "ahead"), [(2, 1), (3, 1), (3, 2)])
@pytest.mark.parametrize("load_first", [True, False])
def test_tiles_loaded_ahead_are_proved(copies: int, ahead: int, load_first: bool) -> None:
    assert failures(gemm_overlapped(copies, ahead, load_first=load_first)) == set()


def test_one_copy_is_too_few() -> None:
    assert {"data of A", "data of B"} <= failures(gemm_overlapped(copies=1))


def test_a_copy_that_is_still_read_is_seen_in_either_order() -> None:
    assert {"data of A", "data of B"} <= failures(gemm_overlapped(copies=2, ahead=2))
    found = failures(gemm_overlapped(copies=2, ahead=2, load_first=False))
    assert {f"data of A{LATER}", f"data of B{LATER}"} <= found and "data of A" not in found


def test_a_wrong_version_is_seen() -> None:
    """The loads of A fill the other copy than the one that is read next."""
    plan = gemm_overlapped()
    assert "data of A" in failures(changed(plan, "buf_A", turn=const(0)))
    assert failures(changed(plan, "buf_A", turn=var("k0") + 1)) == set()
    assert "data of B" in failures(changed(plan, "buf_B", turn=2 * var("k0")))


def test_a_first_tile_that_nothing_loads_is_seen() -> None:
    plan = gemm_overlapped()
    scale, multiply = plan.tasks
    late = replace(multiply, body=multiply.body[1:])
    assert {"data of A", "data of B"} <= failures(replace(plan, tasks=(scale, late)))


def test_a_last_tile_that_nothing_loads_is_seen() -> None:
    """The load of A finds no tile one iteration too early."""
    plan = gemm_overlapped()
    scale, multiply = plan.tasks
    first, tiles = multiply.body
    assert isinstance(tiles, For)
    [step] = tiles.body
    assert isinstance(step, Together)
    load, *others = step.body
    assert isinstance(load, Copy)
    early = Together((replace(load, within=(3 - var("k0"),)), *others))
    body = (first, replace(tiles, body=(early,)))
    found = failures(replace(plan, tasks=(scale, replace(multiply, body=body))))
    assert "data of A" in found and "data of B" not in found
