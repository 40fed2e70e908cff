"""Each rule of the cost model on cases small enough to work out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders import scop
from model_candidates import Kernel, kernel_of

from sisyphus.algebra import EXACT
from sisyphus.ir import DOUBLE, FLOAT, ArrayId, Binary, Cast, Literal, Read, Ref
from sisyphus.model import VITIS_2023_2, estimate
from sisyphus.model.area.movers import mover_lut, mover_of
from sisyphus.model.area.multiplexers import Users, bank_lut, core_lut
from sisyphus.model.facts.moves import move_of
from sisyphus.model.facts.task_facts import Dim, Move
from sisyphus.model.formulas.addresses import bank_count, remainder_cycles, words_per_bank
from sisyphus.model.formulas.bank_ports import spread
from sisyphus.model.formulas.burst_cycles import move_cycles, move_depth, move_interval
from sisyphus.model.formulas.cores import core_of
from sisyphus.model.formulas.iteration_latency import Setting
from sisyphus.model.study import Study
from sisyphus.plan import Call, Plan, narrowed, walk
from sisyphus.poly import var
from sisyphus.space import KERNEL_PLACE, BufferPoint, DesignPoint, NestPoint, Tile, TransferPoint
from sisyphus.target import load_device, make_target

TARGET = make_target(load_device("u200"), budget="chip", clock_mhz=250)
SETTING = Setting(EXACT, VITIS_2023_2, TARGET.operators)

GEMM = """
for i in range(8):
    for k in range(12):
        for j in range(16):
            C[i, j] += alpha * A[i, k] * B[k, j]
"""
GEMM_EXTENTS = {"C": (8, 16), "A": (8, 12), "B": (12, 16)}


def one_nest(
    kernel: Kernel,
    *,
    order: str,
    pipeline: str | None,
    factors: dict[str, tuple[int, ...]],
    width: int = 1,
    tree: bool = False,
    places: dict[str, str] | None = None,
    **tiles: tuple[int, int, int],
) -> Plan:
    """The plan of a kernel of one nest."""
    [nest] = kernel.space.nests
    chosen = NestPoint(nest.nest.statements, tuple(order), tuple((k, Tile(*t)) for k, t in tiles.items()), pipeline)
    where = places or {}
    buffers = tuple(
        BufferPoint(ArrayId(a), (nest.id,), where.get(a, KERNEL_PLACE), factors[a]) for a in map(str, factors)
    )
    transfers = tuple(TransferPoint(b.id, width) for b in buffers)
    return kernel.plan(DesignPoint("built", (chosen,), buffers, transfers, tree))


def body_of(plan: Plan) -> tuple[int, int]:
    """II and iteration latency of the only pipelined loop."""
    study = Study(plan, TARGET)
    [call] = [node for node in walk(plan.body) if isinstance(node, Call)]
    [found] = study.task(call).pipes
    return int(found.body.interval), int(found.body.depth)


def test_parallel_pipelined_loop_inside_a_reduction() -> None:
    kernel = kernel_of(scop(GEMM, **GEMM_EXTENTS), TARGET)
    factors = {"C": (1, 1), "A": (1, 1), "B": (1, 1)}
    plan = one_nest(kernel, order="ikj", pipeline="j", factors=factors, i=(8, 1, 1), k=(12, 1, 1), j=(1, 16, 1))
    # read 2, alpha * A 4, times B 4, one addition 7, write 1; the element comes again after the 16 of j
    assert body_of(plan) == (1, 2 + 4 + 4 + 7 + 1)
    cycles = {term.name: term for term in estimate(plan, TARGET).terms["cycles"].children[1].children}
    assert cycles["task0"].value == (8 * 12 * 16 - 1) * 1 + (18 - 1) + 2


def test_a_recurrence_counts_the_starts_to_the_same_address() -> None:
    kernel = kernel_of(scop(GEMM, **GEMM_EXTENTS), TARGET)
    # j2 only picks a bank, so that the address of an element comes again with the next k
    plan = one_nest(
        kernel,
        order="ikj",
        pipeline="j",
        factors={"C": (1, 8), "A": (1, 1), "B": (1, 8)},
        i=(8, 1, 1),
        k=(12, 1, 1),
        j=(1, 2, 8),
    )
    # the addition, read and write take 7 + 3 cycles, the address comes again after 2 starts
    assert body_of(plan)[0] == (7 + 3) // 2


TRIANGLE = """
for i in range(24):
    for j in range(i + 1):
        for k in range(8):
            C[i, j] += A[i, k] * B[j, k]
"""
PYRAMID = TRIANGLE.replace("range(8)", "range(j + 1)")
OF_A_TRIANGLE = {"C": (1, 1), "A": (1, 1), "B": (1, 1)}


@pytest.mark.parametrize(
    ("order", "pipeline", "i", "j", "runs", "starts", "construct"),
    [
        # j0 moves with i0 and is flattened with all inside of it: one run for each i0
        ("ijk", "i", (2, 12, 1), (6, 1, 4), 2, (3 + 6) * 8 * 12, "semi-perfect-nest"),
        # the pipelined loop moves inside of j0, and runs anew in each of its iterations
        ("kij", "j", (24, 1, 1), (6, 4, 1), 8 * 84, 8 * 300, "restarts-in-moving-bounds"),
    ],
)
def test_the_outermost_of_loops_that_become_one_may_have_moving_bounds(
    order: str, pipeline: str, i: tuple[int, int, int], j: tuple[int, int, int], runs: int, starts: int, construct: str
) -> None:
    kernel = kernel_of(scop(TRIANGLE, C=(24, 24), A=(24, 8), B=(24, 8)), TARGET)
    plan = one_nest(kernel, order=order, pipeline=pipeline, factors=OF_A_TRIANGLE, i=i, j=j, k=(8, 1, 1))
    found, (interval, depth) = estimate(plan, TARGET), body_of(plan)
    [task] = [term for step in found.terms["cycles"].children for term in step.children if term.name == "task0"]
    parts = {leaf.name: leaf.value for leaf in task.leaves()}
    assert (parts["starts"], parts["fill"]) == ((starts - runs) * interval, runs * (depth - 1))
    assert construct in found.constructs["task0"] and found.is_trusted == (construct == "semi-perfect-nest")


def test_of_two_loops_with_moving_bounds_the_outer_one_starts_the_other_anew() -> None:
    kernel = kernel_of(scop(PYRAMID, C=(24, 24), A=(24, 24), B=(24, 24)), TARGET)
    tiles = {"i": (2, 12, 1), "j": (6, 1, 4), "k": (24, 1, 1)}
    plan = one_nest(kernel, order="ijk", pipeline="i", factors=OF_A_TRIANGLE, **tiles)
    assert {"restarts-in-moving-bounds", "tile-loop-around-a-subscript"} <= {
        *estimate(plan, TARGET).constructs["task0"]
    }


@pytest.mark.parametrize("order", ["ijk", "kij"])
def test_a_tile_loop_stands_still_in_a_run_or_is_part_of_it(order: str) -> None:
    kernel = kernel_of(scop(TRIANGLE, C=(24, 24), A=(24, 8), B=(24, 8)), TARGET)
    tiles = {"i": (2, 12, 1), "k": (8, 1, 1)}
    inside = one_nest(kernel, order=order, pipeline="i", factors=OF_A_TRIANGLE, j=(1, 1, 24), **tiles)
    around = one_nest(kernel, order=order, pipeline="i", factors=OF_A_TRIANGLE, j=(6, 1, 4), **tiles)
    assert "two-loops-in-one-subscript" in estimate(inside, TARGET).constructs["task0"]
    assert "tile-loop-around-a-subscript" in estimate(around, TARGET).constructs["task0"]
    assert "two-loops-in-one-subscript" not in estimate(around, TARGET).constructs["task0"]


@pytest.mark.parametrize(
    ("unrolled", "tree", "interval"), [(1, False, 6), (2, False, 14), (4, False, 28), (4, True, 6)]
)
def test_a_pipelined_reduction(unrolled: int, tree: bool, interval: int) -> None:
    kernel = kernel_of(scop(GEMM, **GEMM_EXTENTS), TARGET, tree=tree)
    factors = {"C": (1, 1), "A": (1, unrolled), "B": (unrolled, 1)}
    plan = one_nest(
        kernel,
        order="ijk",
        pipeline="k",
        factors=factors,
        tree=tree,
        i=(8, 1, 1),
        j=(16, 1, 1),
        k=(1, 12 // unrolled, unrolled),
    )
    assert body_of(plan)[0] == interval


TRMM = """
for i in range(8):
    for j in range(16):
        for k in range(i + 1, 8):
            B[i, j] += A[k, i] * B[k, j]
"""
TRMM_EXTENTS = {"A": (8, 8), "B": (8, 16)}


@pytest.mark.parametrize(
    ("pipeline", "tiles", "banks", "interval", "why"),
    [
        ("k", {"k": (1, 7, 1), "i": (7, 1, 1), "j": (16, 1, 1)}, 16, 7 + 3, "each subscript is one loop"),
        ("k", {"k": (1, 7, 1), "i": (7, 1, 1), "j": (16, 1, 1)}, 1, 7 + 3 + 1, "the array has a single bank"),
        ("k", {"k": (2, 4, 1), "i": (7, 1, 1), "j": (16, 1, 1)}, 16, 4 + 7 + 3, "a subscript is a sum of two loops"),
        ("j", {"k": (7, 1, 1), "i": (7, 1, 1), "j": (1, 16, 1)}, 1, 2, "both move alike: three accesses at two ports"),
        (
            "i",
            {"k": (2, 1, 4), "i": (1, 7, 1), "j": (1, 1, 16)},
            16,
            4 * (4 + 7 + 3),
            "the row read may be the one written, by each of the copies before",
        ),
    ],
)
def test_an_array_read_at_another_subscript_than_the_updated_one(
    pipeline: str, tiles: dict[str, tuple[int, int, int]], banks: int, interval: int, why: str
) -> None:
    kernel = kernel_of(scop(TRMM, **TRMM_EXTENTS), TARGET)
    factors = {"A": (4, 1), "B": (4 if pipeline == "i" else 1, banks)}
    order = "".join(loop for loop in "ijk" if loop != pipeline) + pipeline
    plan = one_nest(kernel, order=order, pipeline=pipeline, factors=factors, **dict(sorted(tiles.items())))
    found, depth = body_of(plan)
    assert found == interval, why
    # what is written in the end of a start is read in the next one, so that no start is shorter than they are apart
    assert depth >= interval or banks == 1, why


@pytest.mark.parametrize(("words", "interval"), [(4, 7), (5, 1)])
def test_few_words_in_a_bank_wait_as_registers_do(words: int, interval: int) -> None:
    columns = 4 * words
    text = f"for k in range(12):\n    for j in range({columns}):\n        C[j] += A[k] * B[k, j]"
    kernel = kernel_of(scop(text, C=(columns,), A=(12,), B=(12, columns)), TARGET)
    tiles = {"k": (12, 1, 1), "j": (1, columns, 1)}
    plan = one_nest(kernel, order="kj", pipeline="j", factors={"C": (4,), "A": (1,), "B": (1, 1)}, **tiles)
    assert body_of(plan)[0] == interval


@pytest.mark.parametrize(
    ("banks", "interval"),
    [((8, 1), 1), ((1, 8), 1), ((4, 1), 1), ((2, 1), 2), ((2, 2), 2), ((1, 1), 4)],
)
def test_copies_on_a_diagonal_are_apart_where_one_dimension_keeps_them_so(
    banks: tuple[int, ...], interval: int
) -> None:
    """Copies of i are in rows and in columns of their own; in 2 x 2 banks only two banks have any."""
    text = "for w in range(12):\n    for i in range(8):\n        B[i, w] = A[i, w + i]"
    kernel = kernel_of(scop(text, A=(8, 20), B=(8, 12)), TARGET)
    factors = {"A": banks, "B": (8, 1)}
    plan = one_nest(kernel, order="iw", pipeline="w", factors=factors, w=(1, 12, 1), i=(1, 1, 8))
    assert body_of(plan)[0] == interval


def test_common_subexpressions_count_once() -> None:
    kernel = kernel_of(scop(GEMM, **GEMM_EXTENTS), TARGET)
    plan = one_nest(
        kernel,
        order="kij",
        pipeline="i",
        factors={"C": (1, 16), "A": (1, 1), "B": (1, 16)},
        i=(1, 8, 1),
        k=(12, 1, 1),
        j=(1, 1, 16),
    )
    # one alpha * A, and per j one product and one addition: 3 + 16 * (3 + 2) DSP; II is 2: 7 + 3 over 8 starts
    found = estimate(plan, TARGET)
    assert found.intervals == {"task0": (2,)}
    assert found.terms["dsp"].children[0].value == 9 * 3 + 8 * 2


def test_tiles_under_a_loop_are_loaded_before_the_work() -> None:
    kernel = kernel_of(scop(GEMM, **GEMM_EXTENTS), TARGET)
    factors = {"C": (1, 1), "A": (1, 1), "B": (1, 1)}
    places = {"A": "i"}
    tiles = {"i": (4, 1, 2), "k": (12, 1, 1), "j": (1, 16, 1)}
    plan = one_nest(kernel, order="ikj", pipeline="j", factors=factors, places=places, **tiles)
    interval, depth = body_of(plan)
    load = (2 * 12 - 1) * 1 + (3 - 1) + 2 + 72 + 1
    work = (12 * 16 - 1) * interval + depth - 1 + 2
    cycles = {term.name: term for term in estimate(plan, TARGET).terms["cycles"].children[1].children}
    assert cycles["task0"].value == 4 * (load + 2 + work + 2) + 1


def dim(extent: int, factor: int) -> Dim:
    return Dim(extent, factor, {})


def move(width: int, *dims: Dim, is_load: bool = True) -> Move:
    beats = 1
    for d in dims[:-1]:
        beats *= d.extent
    return Move("load_A", "A", "A", "A", is_load, dims, width, 32, beats * (dims[-1].extent // width))


@pytest.mark.parametrize(
    ("moved", "interval", "depth", "total"),
    [
        (move(2, dim(410, 410)), 1, 2, 205 - 1 + 1 + 74),  # registers
        (move(2, dim(180, 180), dim(190, 2)), 1, 3, 17175),  # measured: 2mm, tmp
        (move(16, dim(400, 1)), 8, 3 + 7, 275),  # measured: gemver, u2
        (move(4, dim(200, 50), dim(220, 20)), 1, 12, 11084),  # measured: gemm, C
        (move(4, dim(200, 50), dim(220, 20), is_load=False), 1, 13, 11083),
        (move(2, dim(210, 2), dim(190, 2)), 1, 4, 20026),  # measured: 2mm, B
        (move(8, dim(20, 1), dim(8, 4)), 1, 3, 20 - 1 + 2 + 74),  # two lanes of a beat in each bank
        (move(16, dim(160, 1), dim(48, 8)), 1, 3, 480 - 1 + 2 + 74),
    ],
)
def test_transfers(moved: Move, interval: int, depth: int, total: int) -> None:
    assert move_interval(SETTING, moved) == interval
    assert move_depth(SETTING, moved) == depth
    assert move_cycles(SETTING, moved).value == total


def test_a_stream_costs_a_region_a_process_and_a_fifo() -> None:
    """docs/model.md: longest process + 1, called for 4 instead of 2 cycles; FIFO 512 x 1024 in 98 reports."""
    kernel = kernel_of(scop(GEMM, **GEMM_EXTENTS), TARGET)
    plan = one_nest(
        kernel,
        order="ikj",
        pipeline="j",
        factors={"C": (1, 16), "A": (1, 4), "B": (1, 16)},
        width=4,
        i=(8, 1, 1),
        j=(1, 16, 1),
        k=(12, 1, 1),
    )
    wide = [replace(t, width=16) if t.array == "B" else t for t in plan.transfers]
    ports = [replace(p, width=16) if p.name == "B" else p for p in plan.ports]
    direct = replace(plan, transfers=tuple(wide), ports=tuple(ports))
    stream = replace(direct, transfers=tuple(replace(t, stream=t.array == "B") for t in wide))
    before, after = estimate(direct, TARGET), estimate(stream, TARGET)
    [moved] = [t for t in direct.transfers if t.array == "B"]
    one, two = (move_cycles(SETTING, move_of(p, p.transfer(moved.id))).value for p in (direct, stream))
    assert two == one + 3
    assert (after.bram18k - before.bram18k, after.ff - before.ff) == (15, 1056 + 190 + 512)
    assert after.lut - before.lut == 557 + 700


def test_a_row_shorter_than_a_beat_fills_as_many_lanes_as_it_has_elements() -> None:
    assert move_interval(SETTING, Move("load_A", "A", "A", "A", True, (dim(4, 1), dim(3, 2)), 16, 32, 4)) == 1
    assert move_interval(SETTING, Move("load_A", "A", "A", "A", True, (dim(4, 1), dim(5, 2)), 16, 32, 4)) == 2


def test_banks_that_get_other_lanes_from_beat_to_beat_choose_among_all() -> None:
    """165 to 187 LUT per bank were measured for beats of 16 elements (docs/model.md)."""

    def lanes(factor: int, extent: int = 400) -> float:
        terms = mover_lut(SETTING, mover_of(SETTING, move(16, dim(3, 1), dim(extent, factor))))
        return next(t.value for t in terms if t.name == "lanes and banks")

    assert lanes(8) == lanes(16) == lanes(32) == 0
    assert all(150 * factor <= lanes(factor) <= 187 * factor for factor in (10, 12, 40, 250))
    assert lanes(131, extent=131) == 0


def test_a_tile_in_rows_is_a_burst_for_each() -> None:
    rows = Move("load_A", "A", "A", "A", True, (dim(8, 1), dim(16, 1)), 4, 32, 32, 8, (3,), True)
    whole = Move("load_A", "A", "A", "A", True, (dim(8, 1), dim(16, 1)), 4, 32, 32, 1, (3,), True)
    assert move_cycles(SETTING, rows).value > move_cycles(SETTING, whole).value + 7 * 74
    assert "transfer-by-rows" in {leaf.construct for leaf in move_cycles(SETTING, rows).leaves()}


def test_remainders_need_an_odd_factor_and_two_rounds() -> None:
    rules = VITIS_2023_2
    assert remainder_cycles(EXACT, rules, dim(240, 16), 5) == 0
    assert remainder_cycles(EXACT, rules, dim(240, 48), 48) == 0
    assert remainder_cycles(EXACT, rules, dim(240, 160), 1) == 0
    assert remainder_cycles(EXACT, rules, dim(240, 48), 1) == 8 + 4
    assert remainder_cycles(EXACT, rules, dim(240, 48), 12, whole=True) == 0
    assert remainder_cycles(EXACT, rules, dim(240, 36), 12, whole=True) == 8 + 4


def test_banks() -> None:
    dims = [dim(250, 249), dim(250, 4)]
    assert bank_count(EXACT, dims) == 996
    assert words_per_bank(EXACT, dims) == 2 * 63
    assert bank_count(EXACT, [dim(10, 64)]) == 10


def test_a_stencil_meets_its_banks_twice() -> None:
    star = ((-1, 0), (0, -1), (0, 0), (0, 1), (1, 0))
    # 249 rows in 249 banks, columns over 2 banks: 251 + 2 x 249 elements, two of them in the fullest bank
    assert spread(star, 1, (249, 2, 250, 250, 249, 1, 0)) == (749, 2)
    assert spread(star, 1, (249, 1, 250, 250, 249, 1, 0))[1] == 4
    assert spread(star, 1, (1, 1, 250, 250, 100000, 1, 0))[0] == 500000


X, Y = (Read(Ref(ArrayId(a), (var("i"),)), FLOAT) for a in "XY")


def double(text: str) -> Literal:
    return Literal(text, DOUBLE)


def test_doubles_that_hold_floats_become_floats() -> None:
    half = Cast(Binary("*", Cast(X, DOUBLE), double("0.5"), DOUBLE), FLOAT)
    fifth = Cast(Binary("*", Cast(X, DOUBLE), double("0.2"), DOUBLE), FLOAT)
    assert narrowed(half) == Binary("*", X, Literal("0.5", FLOAT), FLOAT)
    assert narrowed(fifth) == fifth
    kinds = [core_of(TARGET.operators, part) for part in (fifth, fifth.operand)]
    assert [(core.kind, core.cost.dsp) for core in kinds if core] == [("double to float", 0), ("mul double", 8)]


def test_addition_and_subtraction_share_a_core() -> None:
    minus, plus = (core_of(TARGET.operators, Binary(op, X, Y, FLOAT)) for op in "-+")
    assert minus is not None and plus is not None and minus.kind == plus.kind


def test_multiplexers_in_front_of_banks() -> None:
    table = TARGET.operators
    # loaded by one function and read by another: address and enable among both, write enable of the one
    assert bank_lut(table, Users(reads=1, writes=1)) == 14 + 14 + 9
    # loaded, set, updated and stored
    assert bank_lut(table, Users(reads=2, writes=3, updates=1)) == 2 * 26 + 2 * 20 + 9
    assert bank_lut(table, Users(writes=1)) == 0


def test_multiplexers_in_front_of_shared_cores() -> None:
    table = TARGET.operators
    alone = [[{"mul float": 10}]]
    assert core_lut(table, alone) == 0
    assert core_lut(table, [[{"mul float": 10}], [{"mul float": 4}]]) == 4 * 3 * 14 + 6 * 9
    assert core_lut(table, [[{"add float": 5}, {"add float": 5}]]) == 10 * 9
