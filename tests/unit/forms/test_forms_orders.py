"""Other orders of a kernel: what they look like, that they compute the same, and that wrong ones are refused."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import brute
import pytest
from batch_kernels import systems
from builders import scop
from compiled_scops import run
from plan_interpreter import computes_the_same
from points_run import differences_of_points

from sisyphus.analysis import dependences, distribute, privatise
from sisyphus.analysis.rewrite import with_refs
from sisyphus.forms import (
    BLOCKS,
    INSIDE,
    LATCH,
    PRIVATE,
    SCHEDULE,
    SUCCESSIVE,
    ScheduleError,
    blocks,
    latched,
    proposals,
    rewritten,
    scheduled,
    steps_of,
)
from sisyphus.forms.proposals import least_steps
from sisyphus.frontend import read
from sisyphus.ir import ArrayId, Ref, Scop, promises
from sisyphus.ir.scop_text import dump
from sisyphus.kernel_forms import load_kernels
from sisyphus.poly import affine_times, const
from sisyphus.promise import by_promise
from sisyphus.request import Source

KERNELS = Path(__file__).parents[3] / "kernels" / "polybench"
LU = """
for i in range(6):
    for j in range(i):
        for k in range(j):
            A[i, j] -= A[i, k] * A[k, j]
        A[i, j] = A[i, j] / A[j, j]
    for j in range(i, 6):
        for k in range(i):
            A[i, j] -= A[i, k] * A[k, j]
"""
RIGHT_LOOKING = "{ S1[i, j] -> [j, 0, i]; S0[i, j, k] -> [k, 1, i, j]; S2[i, j, k] -> [k, 1, i, j] }"
INVERSE = """
void inverse(float a[12][12], float x[12][12])
{
    for (int k = 0; k < 12; k++) {
        float p = 1.0f / a[k][k];
        for (int j = 0; j < 12; j++) { a[k][j] *= p; x[k][j] *= p; }
        for (int i = 0; i < 12; i++) {
            if (i == k) continue;
            float f = a[i][k];
            for (int j = 0; j < 12; j++) { a[i][j] -= f * a[k][j]; x[i][j] -= f * x[k][j]; }
        }
    }
}
"""


def lu() -> Scop:
    return scop(LU, A=(6, 6))


def is_same(one: Scop, other: Scop) -> bool:
    numbers: dict[object, int] = {}
    return brute.results(one, numbers) == brute.results(other, numbers)


def test_right_looking_lu_is_two_statements_over_boxes() -> None:
    found = scheduled(dependences(lu()), RIGHT_LOOKING)
    promises.run(found)
    assert dump(found).splitlines()[2:] == [
        "S1[k, i] at (0, 0, 0)",
        "  for 0 <= k, i <= 5, k + 1 <= i",
        "  A[i][k]: float = (A[i][k] / A[k][k])",
        "S0[k, i, j] at (0, 1, 0, 0)",
        "  for 0 <= k, i <= 5, j <= 5, k + 1 <= i, k + 1 <= j",
        "  A[i][j]: float = (A[i][j] - (A[i][k] * A[k][j]))",
    ]
    assert is_same(lu(), found)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (RIGHT_LOOKING.replace("[j, 0, i]", "[j, 2, i]"), "S1[i: 2, j: 0] must run before S0[i: 2, j: 1, k: 0]"),
        (RIGHT_LOOKING.replace("[j, 0, i]", "[j, 0, i] : i < 5"), "instance {'i': 5, 'j': 4} of `S1` never runs"),
        (RIGHT_LOOKING.replace("[j, 0, i]", "[j, 0]"), "do not fix its iterators"),
        (RIGHT_LOOKING.replace("[j, 0, i]", "[j, 0, 2 i]"), "or not by affine expressions"),
        (RIGHT_LOOKING.replace("[j, 0, i]", "[j, 0, floor(i/2)]"), "a time is not affine"),
        (RIGHT_LOOKING.replace("[j, 0, i]", "[j, 0, x] : x < 2"), "several times"),
        (RIGHT_LOOKING.replace("S1[i, j]", "S7[i, j]"), "no statement `S7` with 2 iterators"),
        ("[N] -> { S0[i, j, k] -> [N] }", "a parameter"),
        ("S0 first", "not a relation in isl's notation"),
    ],
)
def test_a_schedule_that_is_none_or_makes_another_program_is_refused(text: str, told: str) -> None:
    with pytest.raises(ScheduleError) as refused:
        scheduled(dependences(lu()), text)
    assert told in refused.value.message
    assert refused.value.hint


def test_the_refused_order_of_lu_computes_something_else() -> None:
    """What the proof refuses above is wrong by the values, too: the proof is not just strict."""
    right = scheduled(dependences(lu()), RIGHT_LOOKING)
    divide, update = right.statements
    late = (update, replace(divide, position=(0, 2, 0)))
    assert not is_same(lu(), replace(right, statements=late))


def test_a_split_schedule_runs_parts_of_a_statement_one_after_another() -> None:
    built = scop("for i in range(5):\n    A[i] = A[2] + B[i]", A=(5,), B=(5,))
    text = "{ S0[i] -> [0, i] : i < 2; S0[i] -> [1, i] : i = 2; S0[i] -> [2, i] : i > 2 }"
    found = scheduled(dependences(built), text)
    assert [(s.id, s.position) for s in found.statements] == [("S0", (0, 0)), ("S0_2", (1,)), ("S0_3", (2, 0))]
    assert is_same(built, found)
    with pytest.raises(ScheduleError, match=r"S0\[i: 0\] must run before S0\[i: 2\]"):
        scheduled(dependences(built), text.replace("[0, i]", "[3, i]"))


@pytest.mark.parametrize(
    ("name", "size", "outer"),
    [
        ("lu", 8, "outer-k"),
        ("cholesky", 8, "outer-k"),
        ("trisolv", 16, "outer-j"),
        ("seidel-2d", 12, "wave-2i+j+4t"),
        ("nussinov", 8, "wave-i+j"),
    ],
)
def test_proposed_orders_have_shorter_chains_and_the_same_results(name: str, size: int, outer: str) -> None:
    source = read(str(KERNELS / f"{name}.c"), defines=(f"N={size}", "TSTEPS=3"))
    found = dependences(source)
    body = distribute(source, found).body
    first, *_ = proposals(found, distribute(source, found))
    assert first.name == outer and first.steps * 4 <= steps_of(body)
    form = rewritten(source, [SCHEDULE + first.text, LATCH])
    promises.run(form)
    assert is_same(source, first.scop) and is_same(source, form)


def test_a_batch_takes_each_of_its_steps_at_once() -> None:
    """Each element of a batch is a chain of its own: 9 systems of equations in the steps of one."""
    source = systems(9, 6)
    found = dependences(source)
    own = distribute(source, found)
    [order] = [p for p in proposals(found, own) if p.name == "inner-b"]
    assert order.steps == 5 * (5 + 1) and steps_of(own.body) == 9 * order.steps
    assert is_same(source, order.scop)
    assert [s.iterators[-1] for s in order.scop.statements] == ["b", "b"]


def test_inside_of_a_batch_steps_have_an_order_of_a_scheduler() -> None:
    """With column k outside, all that it is taken from is parallel, as in one system alone."""
    source = systems(9, 6)
    found = dependences(source)
    first, *_ = proposals(found, distribute(source, found))
    assert first.name == "outer-k" and first.steps <= 2 * 6
    assert is_same(source, first.scop)


def test_a_wave_is_proposed_beside_a_chain_that_stays() -> None:
    """The largest element of the table takes as many steps as the table: half of the kernel's chain is left."""
    text = """
for i in range(1, 40):
    for j in range(1, 40):
        A[i, j] = A[i - 1, j] + A[i, j - 1]
for i in range(40):
    for j in range(40):
        B[0] = B[0] * 0.5 + A[i, j]
"""
    kernel = scop(text, A=(40, 40), B=(1,))
    found = dependences(kernel)
    [wave] = proposals(found, distribute(kernel, found))
    assert wave.name == "wave-i+j" and wave.steps == 1600 + 77
    assert is_same(kernel, wave.scop)


#: Distances to the zeros of an image: what is nearer by a neighbour, at each of four that there are.
DISTANCES = """
static int least(int a, int b) { return a < b ? a : b; }
void distances(const unsigned char m[H][W], int d[H][W])
{
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++) {
            int v = m[i][j] ? 0 : 10000;
            if (i > 0) v = least(v, d[i - 1][j] + 3);
            if (j > 0) v = least(v, d[i][j - 1] + 3);
            if (i > 0 && j < W - 1) v = least(v, d[i - 1][j + 1] + 4);
            d[i][j] = v;
        }
}
"""


def test_a_body_of_several_statements_is_a_wave(tmp_path: Path) -> None:
    """On its own each of them could run earlier than others; together a diagonal at a time, in one nest."""
    path = tmp_path / "distances.c"
    path.write_text("#define H 40\n#define W 48\n" + DISTANCES)
    forms = {kernel.name: kernel for kernel in load_kernels(Source(str(path)))}
    wave, steps = forms["wave-2i+j"], forms["wave-2i+j-successive"]
    assert len(wave.distribution.nests) > len(steps.distribution.nests)
    assert 4 * steps_of(steps.distribution.body) <= steps_of(wave.distribution.body)
    assert run(steps.scop, path, tmp_path) == "equal"


def test_points_of_a_wave_of_bodies_compute_what_the_source_computes(tmp_path: Path) -> None:
    path = tmp_path / "distances.c"
    path.write_text("#define H 20\n#define W 24\n" + DISTANCES)
    made = rewritten(read(path), [PRIVATE])
    found = dependences(made)
    wave = next(p for p in proposals(found, distribute(made, found)) if p.name == "wave-2i+j")
    steps = rewritten(wave.scop, [SUCCESSIVE])
    assert differences_of_points(steps, seed=3, points=8) == []


def test_loops_that_hand_something_over_are_no_batch() -> None:
    source = systems(9, 6, divisor="X[b + 1, i]")
    found = dependences(source)
    assert not [p for p in proposals(found, distribute(source, found)) if p.name.startswith("inner")]


def test_kernels_that_are_parallel_as_they_are_get_no_other_order(monkeypatch: pytest.MonkeyPatch) -> None:
    source = read(str(KERNELS / "gemm.c"), defines=("NI=4", "NJ=5", "NK=6"))
    found = dependences(source)
    assert [least_steps(statement) for statement in source.statements] == [1, 6]
    monkeypatch.setattr(sys.modules[proposals.__module__], "computed_times", None)  # no scheduler is asked
    assert proposals(found, distribute(source, found)) == ()


@pytest.mark.parametrize("name", ["lu", "trisolv", "seidel-2d", "nussinov", "gramschmidt", "durbin"])
def test_no_order_has_fewer_steps_than_an_element_has_writes(name: str) -> None:
    source = read(str(KERNELS / f"{name}.c"), defines=("N=8", "M=6", "TSTEPS=3"))
    found = dependences(source)
    own = distribute(source, found)
    bodies = [(source, own), *((p.scop, p.distribution) for p in proposals(found, own))]
    for built, distribution in bodies:
        assert max(map(least_steps, built.statements)) <= steps_of(distribution.body)


def test_the_row_and_the_column_of_lu_are_latched() -> None:
    right = scheduled(dependences(lu()), RIGHT_LOOKING)
    found = latched(dependences(right))
    assert found is not None
    promises.run(found)
    assert [str(s.write) for s in found.statements] == ["A_1", "A[i][k]", "A_2[i]", "A_3[j]", "A[i][j]"]
    assert found.array(ArrayId("A_2")).extents == (6,) and found.array(ArrayId("A_1")).extents == ()
    assert is_same(lu(), found)


def test_what_is_written_before_it_is_read_is_not_latched() -> None:
    """Row k of the shortest paths changes while it is read, where the corner is negative."""
    text = """
    for k in range(4):
        B[k] = A[k, k]
        for i in range(4):
            for j in range(4):
                A[i, j] = fmin(A[i, j], A[i, k] + A[k, j]) + B[k]
        C[k] = A[k, k]
        B[k + 1] = C[k]
    """
    built = scop(text, A=(4, 4), B=(5,), C=(4,))
    assert latched(dependences(built)) is None


def test_what_takes_as_long_to_fetch_as_to_use_is_not_latched() -> None:
    """Over i and j, each A[j][i] is read once; over i alone, what the nest would wait for is fetched before."""
    text = """
    for k in range(4):
        for i in range(k + 1, 5):
            for j in range(k + 1, 5):
                A[i, j] = A[i, j] + A[j - k - 1, i - k - 1]
        for i in range(k + 1, 5):
            A[i, i] = A[i, i] + A[i, k]
    """
    found = latched(dependences(scop(text, A=(5, 5))))
    assert found is not None
    assert [str(s.write) for s in found.statements] == ["A[i][j]", "A_1[i]", "A[i][i]"]


def test_what_a_nest_alone_wrote_in_an_earlier_step_is_latched() -> None:
    """As b[k] of an elimination, of which each step changes what is below: no loop is around the nest before."""
    text = """
    for k in range(6):
        for i in range(k + 1, 6):
            B[i] -= A[i, k] * B[k]
    """
    built = scop(text, A=(6, 6), B=(6,))
    found = latched(dependences(built))
    assert found is not None
    promises.run(found)
    assert [str(s.write) for s in found.statements] == ["B_1", "B[i]"]
    assert is_same(built, found)
    assert [nest.outer for nest in distribute(found, dependences(found)).nests] == [("k",), ("k",)]


def test_what_a_nest_alone_reads_before_it_writes_it_is_not_latched() -> None:
    text = """
    for k in range(6):
        for i in range(k):
            B[i] += A[i, k] * B[k]
    """
    assert latched(dependences(scop(text, A=(6, 6), B=(6,)))) is None


def test_a_mirrored_triangle_is_latched_whole_before_it_is_written() -> None:
    """No step is around: what is read is filled in a nest of its own, and no unrolled copy waits for another one."""
    text = """
    for i in range(6):
        for j in range(i, 6):
            A[i, j] = B[i] * B[j]
            A[j, i] = A[i, j]
    """
    built = scop(text, A=(6, 6), B=(6,))
    found = latched(dependences(built))
    assert found is not None
    promises.run(found)
    assert [str(s.write) for s in found.statements] == ["A[i][j]", "A_1[i][j]", "A[j][i]"]
    assert found.array(ArrayId("A_1")).extents == (6, 6)
    assert is_same(built, found)
    assert len(distribute(found, dependences(found)).nests) == 3


def test_a_row_that_was_partly_written_before_is_latched_in_its_step() -> None:
    text = """
    for i in range(6):
        for j in range(6):
            A[j, i] = A[i, j]
    """
    built = scop(text, A=(6, 6))
    found = latched(dependences(built))
    assert found is not None
    promises.run(found)
    assert [str(s.write) for s in found.statements] == ["A_1[j]", "A[j][i]"]
    assert is_same(built, found)


def test_what_a_nest_wrote_in_the_same_step_is_not_latched() -> None:
    text = """
    for i in range(6):
        for j in range(5):
            A[i, j + 1] = A[i, 0] + A[j, i]
    """
    built = scop(text, A=(6, 6))
    found = latched(dependences(built))
    assert found is not None  # the first column is, which no step changes
    assert [str(ref) for ref in found.statements[-1].reads] == ["A_1[i]", "A[j][i]"]
    assert is_same(built, found)


def test_steps_with_local_variables_have_latches_where_these_have_a_place_each(tmp_path: Path) -> None:
    """The factor of each row ties its row together in the source; what reads row k is serial without a latch."""
    path = tmp_path / "inverse.c"
    path.write_text(INVERSE)
    kernels = load_kernels(Source(str(path)))
    latch = next(kernel for kernel in kernels if kernel.name == LATCH)
    assert latch.rewrites == (PRIVATE, LATCH)
    assert computes_the_same(kernels[0].scop, latch.scop, 5)
    assert by_promise(kernels)[0] is latch


def test_local_variables_of_every_iteration_let_ludcmp_go_right_looking() -> None:
    source = read(str(KERNELS / "ludcmp.c"), defines=("N=9",))
    found = dependences(source)
    distribution = distribute(source, found)
    private = rewritten(source, [PRIVATE])
    assert proposals(found, distribution) == ()
    (first, *_) = proposals(dependences(private), distribution)
    assert private.array(ArrayId("w_1")).extents == (8, 8)
    assert is_same(source, private) and is_same(source, rewritten(private, [SCHEDULE + first.text]))


def test_temporaries_of_one_iteration_are_smaller_by_that_loop() -> None:
    source = read(str(KERNELS / "symm.c"), defines=("M=5", "N=6"))
    inside = rewritten(source, [INSIDE])
    assert inside.array(ArrayId("temp2")).extents == (6,)
    assert is_same(source, inside)
    steps, before = (steps_of(distribute(one, dependences(one)).body) for one in (inside, source))
    assert steps < before


@pytest.mark.parametrize(("rows", "size"), [(16, 4), (17, 4), (18, 3)])
def test_temporaries_of_a_block_of_iterations(rows: int, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "MOST_IN_BLOCK", 4)
    source = read(str(KERNELS / "symm.c"), defines=(f"M={rows}", "N=3"))
    found = rewritten(source, [BLOCKS])
    promises.run(found)
    assert found.array(ArrayId("temp2")).extents == (size, 3)
    assert [s.iterators[0] for s in found.statements] == ["i_block"] * 3 + ["i"]
    assert is_same(source, found)
    loop, other = distribute(found, dependences(found)).body
    assert [nest.outer for nest in loop.nests] == [("i_block",)] * 3
    assert [one.iterator for one in other.band] == ["i", "j", "k"]


def test_a_place_too_few_for_a_block_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "MOST_IN_BLOCK", 4)
    source = read(str(KERNELS / "symm.c"), defines=("M=16", "N=3"))
    found = rewritten(source, [BLOCKS])

    def shared(ref: Ref) -> Ref:
        return replace(ref, index=(const(0), ref.index[1])) if ref.array == "temp2" else ref

    assert is_same(source, found)
    apart = distribute(found, dependences(found))  # as if each iteration had a place of its own
    wrong = replace(found, statements=tuple(with_refs(s, shared) for s in found.statements))
    places = {s: at for at, nest in enumerate(apart.nests) for s in nest.statements}
    moved = (replace(s, position=(0, places[s.id], *s.position[2:])) for s in wrong.statements)
    assert not is_same(source, replace(wrong, statements=tuple(moved)))


def test_short_loops_make_no_blocks() -> None:
    source = read(str(KERNELS / "symm.c"), defines=("M=500", "N=3"))
    assert rewritten(source, [BLOCKS]) is source


def test_a_variable_that_carries_a_value_on_is_nobodys_own() -> None:
    built = scop("for i in range(4):\n    s[0] = s[0] + A[i]\n    B[i] = s[0]", A=(4,), B=(4,), s=(1,))
    assert privatise(built, dependences(built)) is None


def test_shortest_paths_are_cut_at_row_and_column_k() -> None:
    """What is negative on the diagonal changes row and column k while they are read: the pieces keep that order."""
    source = read(str(KERNELS / "floyd-warshall.c"), defines=("N=7",))
    found = dependences(source)
    (first, *_) = proposals(found, distribute(source, found))
    assert first.name == "split-j-k,i-k" and first.steps <= 7 * 9
    assert len(first.scop.statements) == 9
    form = rewritten(source, [SCHEDULE + first.text, LATCH])
    promises.run(form)
    assert len(form.arrays) > len(source.arrays)
    assert is_same(source, first.scop) and is_same(source, form)


def test_a_wrong_cut_of_the_shortest_paths_is_refused() -> None:
    source = read(str(KERNELS / "floyd-warshall.c"), defines=("N=7",))
    text = "{ S0[k, i, j] -> [k, 1, i, j] : j <= k; S0[k, i, j] -> [k, 0, i, j] : j > k }"
    with pytest.raises(ScheduleError, match="must run before"):
        scheduled(dependences(source), text)


def test_pieces_that_lose_the_outermost_loop_are_no_proposal() -> None:
    source = scop(
        "for i in range(1):\n    for j in range(6):\n        for k in range(6):\n            A[j] += A[k]", A=(6,)
    )
    found = dependences(source)
    assert not any(p.name.startswith("split") for p in proposals(found, distribute(source, found)))


def test_statements_that_meet_in_some_iterations_only_are_not_cut() -> None:
    source = scop(
        "for i in range(4):\n    for j in range(6):\n        for k in range(6):\n            A[2*j] += A[3*k]", A=(18,)
    )
    found = dependences(source)
    assert not any(p.name.startswith("split") for p in proposals(found, distribute(source, found)))


def test_a_scheduler_that_takes_too_long_proposes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = dependences(lu())
    assert proposals(found, distribute(found.scop, found))
    monkeypatch.setattr(affine_times, "apart", lambda _work, _seconds: None)
    assert proposals(found, distribute(found.scop, found)) == ()


@pytest.mark.long
def test_places_for_fewer_loops_where_those_for_all_are_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Points of a picture run beside each other, steps do not: squares need no place for each of these."""
    monkeypatch.setattr("sisyphus.analysis.rewrite.SMALL", 0)
    path = tmp_path / "points.c"
    path.write_text("""
void points(const float cx[20], const float cy[18], unsigned char out[18][20])
{
    for (int i = 0; i < 18; i++)
        for (int j = 0; j < 20; j++) {
            float x = 0, y = 0;
            int n = 0;
            for (int k = 0; k < 6; k++) {
                float xx = x * x, yy = y * y;
                int in = xx + yy < 4.0f;
                y = in ? 2 * x * y + cy[i] : y;
                x = in ? xx - yy + cx[j] : x;
                n += in;
            }
            out[i][j] = n;
        }
}
""")
    forms = {form.name: form for form in load_kernels(Source(str(path)))}
    assert max(a.elements for a in forms["expanded"].scop.arrays) == 6 * 18 * 20
    assert max(a.elements for a in forms["private"].scop.arrays) == 18 * 20
    assert steps_of(forms["private"].distribution.body) <= steps_of(forms["expanded"].distribution.body)
    assert run(forms["private"].scop, path, tmp_path) == "equal"


@pytest.mark.long
def test_a_cascade_of_filters_runs_its_channels_beside_each_other(tmp_path: Path) -> None:
    """What a stage hands on has a place for each channel and sample, and none for each stage."""
    path = tmp_path / "cascade.c"
    path.write_text("""
void cascade(const float x[96][24], const float b[3][3], const float a[3][2], float y[96][24])
{
    for (int c = 0; c < 96; c++) {
        float z[3][2];
        for (int s = 0; s < 3; s++) { z[s][0] = 0; z[s][1] = 0; }
        for (int n = 0; n < 24; n++) {
            float v = x[c][n];
            for (int s = 0; s < 3; s++) {
                float o = b[s][0] * v + z[s][0];
                z[s][0] = b[s][1] * v - a[s][0] * o + z[s][1];
                z[s][1] = b[s][2] * v - a[s][1] * o;
                v = o;
            }
            y[c][n] = v;
        }
    }
}
""")
    forms = {form.name: form for form in load_kernels(Source(str(path)))}
    others = min(steps_of(form.distribution.body) for name, form in forms.items() if "-n" not in name)
    assert 16 * steps_of(forms["outer-n"].distribution.body) <= others
    assert run(forms["outer-n"].scop, path, tmp_path) == "equal"
