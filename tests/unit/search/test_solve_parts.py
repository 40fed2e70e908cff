"""The parts of the exact search against plain definitions: partitions, candidates, nested sets, prices, the choice."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import permutations, product
from math import lcm, prod

import numpy as np
import pytest
from best_of_space import find_best
from builders import scop as build_scop
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.search.listening import wholes
from unit.search.solve_spaces import gemm_space, matvec_space, random_space, space_of

from sisyphus.ir import ArrayId
from sisyphus.search import PaperCosts, Problem, Terms, agenda, branch_and_bound
from sisyphus.search.agenda import Agenda
from sisyphus.search.candidates import candidates_of
from sisyphus.search.chains import Chains
from sisyphus.search.costs import Costs, Floats, Move, Placement, Step
from sisyphus.search.deadline import Deadline
from sisyphus.search.effort import EFFORT
from sisyphus.search.lower_bounds import LowerBounds
from sisyphus.search.multipliers import SharedGroup, multipliers
from sisyphus.search.partitions import IMPOSSIBLE, Lattice, States, states_of
from sisyphus.search.placements import assignments
from sisyphus.search.tables import Table, pareto
from sisyphus.space import Factors, Space, precedence
from sisyphus.target import Budget

EXAMPLES = settings(max_examples=60, deadline=None, derandomize=True)


@EXAMPLES
@given(st.lists(st.integers(1, 12), max_size=4), st.lists(st.integers(1, 48), min_size=1, max_size=8))
def test_a_lattice_joins_by_least_common_multiples(seeds: list[int], legal: list[int]) -> None:
    lattice = Lattice(seeds, Factors(tuple(sorted({1, *legal})), 1000))
    for (a, left), (b, right) in product(enumerate(lattice.values), repeat=2):
        joined = int(lattice.joins[a, b])
        fitting = [factor for factor in [1, *legal] if factor % lcm(left, right) == 0]
        if fitting:
            assert lattice.values[joined] == lcm(left, right)
            assert lattice.covers[joined] == min(fitting)
        else:
            assert joined == IMPOSSIBLE


@EXAMPLES
@given(st.sampled_from([(6, 4), (4, 8), (12,), (5, 3)]), st.sampled_from([4, 12, 64]), st.integers(0, 10_000))
def test_states_are_what_banks_allow_with_the_widest_beat(extents: tuple[int, ...], most: int, seed: int) -> None:
    divisors = [[d for d in range(1, n + 1) if n % d == 0] for n in extents]
    widths = [w for w in (1, 2, 4) if extents[-1] % w == 0]
    factors = [Factors(tuple(d), n, whole_beats=True) for d, n in zip(divisors, extents, strict=True)]
    states = States([Lattice(f.legal, f) for f in factors], widths, most)
    rng = random.Random(seed)
    one, other = ([rng.choice(d) for d in divisors] for _ in range(2))
    numbers = [number_of(states, demand) for demand in (one, other)]
    for demand, number in zip((one, other), numbers, strict=True):
        assert (number == IMPOSSIBLE) == (prod(demand) > most)
        if number != IMPOSSIBLE:
            beats = [w for w in widths if prod(demand[:-1]) * lcm(demand[-1], w) <= most]
            assert states.width[number] == max(beats)
    if IMPOSSIBLE not in numbers:
        joined = [lcm(a, b) for a, b in zip(one, other, strict=True)]
        assert states.joined_with(numbers[0])[numbers[1]] == number_of(states, joined)
        assert states.joined(numbers[1], np.array(numbers[:1]))[0] == number_of(states, joined)  # without a whole row


@EXAMPLES
@given(st.sampled_from([(6, 4), (5, 7), (13,), (12, 10)]), st.sampled_from([4, 12, 70, 200]), st.integers(0, 10_000))
def test_states_serve_unrolled_loops_and_take_a_beat_in_one_cycle(
    extents: tuple[int, ...], most: int, seed: int
) -> None:
    """A bank for every element serves any demand; a beat needs half as many banks as it has elements."""
    rng = random.Random(seed)
    legal = [sorted({1, n, *rng.sample(range(1, n + 1), min(n, 4))}) for n in extents]
    factors = [Factors(tuple(found), n) for found, n in zip(legal, extents, strict=True)]
    seeds = [[d for d in (2, 3, 4, 5, 6) if d <= n] for n in extents]
    widths = [w for w in (1, 2, 4, 8, 16) if w < 2 * extents[-1]]
    states = States([Lattice(s, f) for s, f in zip(seeds, factors, strict=True)], widths, most)
    one, other = ([rng.choice([1, *s]) for s in seeds] for _ in range(2))
    numbers = [number_of(states, demand) for demand in (one, other)]
    wanted = [one, other]
    if IMPOSSIBLE not in numbers:
        numbers.append(int(states.joined_with(numbers[0])[numbers[1]]))
        wanted.append([lcm(a, b) for a, b in zip(one, other, strict=True)])
    for demand, number in zip(wanted, numbers, strict=True):
        beats = {w: banks_for(legal, extents, demand, w) for w in widths}
        assert (number == IMPOSSIBLE) == (prod(beats[1]) > most)
        if number != IMPOSSIBLE:
            assert states.width[number] == max(w for w, banks in beats.items() if prod(banks) <= most)
            assert states.bare[number].tolist() == beats[1]
            assert states.served[number].tolist() == beats[int(states.width[number])]


def banks_for(legal: list[list[int]], extents: tuple[int, ...], demand: list[int], width: int) -> list[int]:
    """The smallest factors by the rule in words."""
    found = []
    for at, (values, extent, copies) in enumerate(zip(legal, extents, demand, strict=True)):
        lanes = min(width, extent) if at == len(extents) - 1 else 1
        found.append(min(f for f in values if f == extent or (f % copies == 0 and -(-lanes // f) <= 2)))
    return found


def number_of(states: States, demand: list[int]) -> int:
    places = [np.array([la.index.get(v, IMPOSSIBLE)]) for la, v in zip(states.lattices, demand, strict=True)]
    return int(states.number(places, 1)[0])


@pytest.mark.parametrize("seed", range(12))
def test_candidates_are_all_tilings_that_are_allowed(seed: int) -> None:
    space = random_space(random.Random(seed))
    states = states_of(space)
    for nest in space.nests:
        if prod(len(loop.tiles) for loop in nest.loops) > 30_000:
            continue
        batch = candidates_of(space, nest, states).batch
        counts = np.stack([batch.level0, batch.level1, batch.level2]).transpose(2, 1, 0).tolist()
        found = {tuple(map(tuple, columns)) for columns in counts}
        assert len(found) == batch.count
        assert found == set(allowed_tilings(space, nest.id))


def allowed_tilings(space: Space, nest_id: str) -> list[tuple[tuple[int, int, int], ...]]:
    nest = space.nest(nest_id)
    names = [loop.iterator for loop in nest.loops]
    kept = []
    for tiles in product(*(loop.tiles for loop in nest.loops)):
        chosen = dict(zip(names, tiles, strict=True))
        if sum(tile.level1 > 1 for tile in tiles) > 1 or any(
            chosen[loop].level1 > 1 and loop not in nest.pipelines for loop in names
        ):
            continue
        if all(_is_outside(chosen, nest.order, pair) for pair in precedence(nest.nest, tree_reduction=False)) and all(
            _has_banks(space, nest_id, use.array, {n: t.level2 for n, t in chosen.items()}) for use in nest.arrays
        ):
            kept.append(tuple((t.level0, t.level1, t.level2) for t in tiles))
    return kept


def _is_outside(chosen: dict[str, object], order: tuple[str, ...] | None, pair: tuple[str, str]) -> bool:
    """No test space has such a pair; a kernel that has is in the tests against SCIP."""
    raise AssertionError(f"{pair} in {order} of {chosen}")


def _has_banks(space: Space, nest_id: str, array: ArrayId, unroll: dict[str, int]) -> bool:
    use = space.nest(nest_id).use(array)
    assert use is not None
    for width in space.widths[array]:
        banks = 1
        for at, dim in enumerate(use.dims):
            needed = lcm(*(unroll[loop] for loop in dim.loops), width if at == len(use.dims) - 1 else 1)
            banks *= min((f for f in space.partitions[array][at] if f % needed == 0), default=10**9)
        if banks <= space.target.max_partition:
            return True
    return False


@pytest.mark.parametrize("active", [0b000, 0b101, 0b110, 0b111])
def test_families_are_prefixes_of_the_orders(active: int) -> None:
    """Of three loops and two tiled arrays, without precedence."""
    space = gemm_space(4, 4, 4)
    nest = space.nests[1]
    chains = Chains(space, nest, [ArrayId("A"), ArrayId("C")])
    expected = set()
    for order in permutations(range(3)):
        prefixes = [sum(1 << loop for loop in order[:n]) for n in (1, 2, 3)]
        expected |= {(a & active, c & active) for a, c in product(prefixes, repeat=2)}
    assert {tuple(map(int, family)) for family in chains.families(active)} == expected
    for family in chains.families(active):
        level0 = np.array([2 if active >> loop & 1 else 1 for loop in range(3)])
        whole = chains.whole(level0, family)
        assert all(whole)
        assert whole[0] <= whole[1] or whole[1] <= whole[0]


def test_a_reduction_keeps_the_order_of_its_loops_in_families() -> None:
    """With (p, q) in the precedence no set has q without p while both have iterations."""
    text = "for i in range(4):\n for p in range(4):\n  for q in range(4):\n   Y[i] += A[i + p, q] * W[p, q]"
    space = space_of(build_scop(text, Y=(4,), A=(7, 4), W=(4, 4)))
    [nest] = space.nests
    assert precedence(nest.nest, tree_reduction=False) == {("p", "q")}
    chains = Chains(space, nest, [ArrayId("Y"), ArrayId("A"), ArrayId("W")])
    assert all(bits & 0b010 for family in chains.families(0b111) for bits in family if bits & 0b100)
    assert any(bits == 0b100 for family in chains.families(0b101) for bits in family)


@EXAMPLES
@given(st.integers(0, 10_000))
def test_pareto_keeps_one_as_good_as_each(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = random_table("S", rng, 30, {ArrayId("A"): 3})
    kept = pareto(table)
    assert list(kept.cycles) == sorted(kept.cycles)
    for entry in range(table.count):
        assert any(
            kept.states[ArrayId("A")][k] == table.states[ArrayId("A")][entry]
            and kept.cycles[k] <= table.cycles[entry]
            and (kept.usage["dsp"][:, k] <= table.usage["dsp"][:, entry]).all()
            for k in range(kept.count)
        )


def random_table(nest: str, rng: np.random.Generator, count: int, states: dict[ArrayId, int]) -> Table:
    return Table(
        nest=nest,
        cycles=rng.integers(1, 40, count).astype(np.float64),
        states={array: rng.integers(0, most, count) for array, most in states.items()},
        usage={"dsp": rng.integers(0, 8, (2, count)).astype(np.float64)},
        rows=np.arange(count),
        families=np.zeros((count, 0), np.int64),
    )


def random_problem(seed: int) -> Problem:
    """Three nests, two arrays, steps with one and with several members, groups with one and with several nests."""
    rng = np.random.default_rng(seed)
    factors = Factors((1, 2, 3, 4, 6, 12), 24, whole_beats=True)
    states = {
        ArrayId(name): States([Lattice([2, 3, 4, 6], factors)], [1, 2, 4], int(rng.choice([4, 6, 12]))) for name in "AB"
    }
    uses = {"S0": "A", "S1": "AB", "S2": "B"}
    tables = [
        random_table(nest, rng, 7, {ArrayId(a): states[ArrayId(a)].count for a in arrays})
        for nest, arrays in uses.items()
    ]
    load, store = Move(ArrayId("A"), True), Move(ArrayId("B"), False)
    both = rng.random() < 0.5
    steps = [Step(nests=("S0", "S2"), moves=(load,)), Step(nests=("S1",)), Step(moves=(store,))]
    if both:
        steps = [Step(nests=(nest,)) for nest in uses] + [Step(moves=(load, store))]
    groups = (("S0", "S1", "S2"),) if rng.random() < 0.5 else (("S0",), ("S1", "S2"))
    moves = {
        move: np.array([24.0 / w for w in states[move.array].width]) * int(rng.integers(1, 3)) for move in (load, store)
    }
    return Problem(tables, steps, [Budget("dsp", float(rng.integers(8, 30)), groups)], states, moves)


def by_enumeration(problem: Problem) -> float:
    """The least cost of all combinations; infinite where none is legal."""
    best = float("inf")
    for picks in product(*(range(table.count) for table in problem.tables)):
        state = {array: s.start for array, s in problem.states.items()}
        cycles, used = {}, {}
        for table, entry in zip(problem.tables, picks, strict=True):
            cycles[table.nest], used[table.nest] = float(table.cycles[entry]), table.usage["dsp"][:, entry]
            for array, demands in table.states.items():
                if state[array] != IMPOSSIBLE:
                    state[array] = int(problem.states[array].joined_with(state[array])[demands[entry]])
        [budget] = problem.budgets
        groups = np.array([np.sum([used[n] for n in group], axis=0) for group in budget.groups])
        taken = groups[:, :-1].max(axis=0).sum() + groups[:, -1].sum()
        if IMPOSSIBLE not in state.values() and taken <= budget.limit:
            members = [
                [*(cycles[n] for n in step.nests), *(float(problem.moves[m][state[m.array]]) for m in step.moves)]
                for step in problem.steps
            ]
            best = min(best, sum(map(max, members)))
    return best


@pytest.mark.parametrize("seed", range(40))
def test_branch_and_bound_finds_what_enumeration_finds(seed: int) -> None:
    problem = random_problem(seed)
    found = [float("inf"), *(whole.cycles for whole in wholes(branch_and_bound, problem, []))]
    assert found == sorted(found, reverse=True)
    assert found[-1] == by_enumeration(problem)


@EXAMPLES
@given(st.integers(0, 10_000))
def test_prices_give_lower_bounds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cycles = {nest: rng.integers(1, 50, 6).astype(np.float64) for nest in "ab"}
    usage = {nest: rng.integers(1, 20, 6).astype(np.float64) for nest in "ab"}
    group = SharedGroup(float(rng.integers(4, 40)), usage)
    legal = [
        cycles["a"][i] + cycles["b"][j]
        for i, j in product(range(6), repeat=2)
        if usage["a"][i] + usage["b"][j] <= group.limit
    ]
    for priced in multipliers([group], cycles):
        assert priced.multiplier > 0
        least: list[Floats] = [cycles[n] + priced.multiplier * usage[n] for n in "ab"]
        bound = sum(float(v.min()) for v in least) - priced.multiplier * group.limit
        assert bound <= min(legal, default=float("inf")) + 1e-6


def test_assignments_come_lowest_first_and_leave_out_what_is_always_resident() -> None:
    space = matvec_space(4, 6)
    weights = {"Y": 1.0, "A": 5.0, "X": 2.0}

    def floor(placement: Placement, tiled: frozenset[ArrayId]) -> float:
        assert placement.registers <= placement.residents
        assert not placement.residents & tiled
        return sum(weights[a] for a in tiled)

    found = list(assignments(space, floor, frozenset()))
    assert [bound for bound, _ in found] == sorted(bound for bound, _ in found)
    assert found[0] == (0.0, None), "the floor of a part comes before that part is decided further"
    assert len([placement for _, placement in found if placement]) == 8
    some = [placement for _, placement in assignments(space, floor, frozenset({ArrayId("A")})) if placement]
    assert len(some) == 4
    assert all(ArrayId("A") in placement.residents for placement in some)
    registers = frozenset({ArrayId("X")})
    more = [placement for _, placement in assignments(space, floor, frozenset({ArrayId("A")}), registers) if placement]
    assert len(more) == 6
    assert sum(ArrayId("X") in placement.registers for placement in more) == 2


def test_parts_of_placements_that_are_bounded_later_change_no_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    spaces = [random_space(random.Random(2000 + seed)) for seed in range(8)]
    before = [find_best(PaperCosts(space), Terms()) for space in spaces]
    monkeypatch.setattr(agenda, "EFFORT", replace(EFFORT, parts_of_placements=0))
    after = [find_best(PaperCosts(space), Terms()) for space in spaces]
    assert [(r.solution and r.solution.cycles, r.bound) for r in after] == [
        (r.solution and r.solution.cycles, r.bound) for r in before
    ]


def test_all_arrays_on_chip_are_searched_before_every_placement_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    bounds, floor = LowerBounds(PaperCosts(matvec_space(4, 6)), Deadline()), LowerBounds.floor
    assert bounds.prepare()
    asked = list[Placement]()

    def counted(self: LowerBounds, placement: Placement, tiled: frozenset[ArrayId]) -> float:
        asked.append(placement)
        return floor(self, placement, tiled)

    monkeypatch.setattr(LowerBounds, "floor", counted)
    monkeypatch.setattr(agenda, "EFFORT", replace(EFFORT, parts_of_placements=1))
    first = Agenda(bounds, frozenset()).pop()
    assert first is not None and len(first.placement.residents) == 3
    assert len(asked) <= 4


def test_arrays_said_to_be_always_resident_change_no_optimum() -> None:
    class Doubtful(PaperCosts):
        """Looks at tiles of every array."""

        def always_resident(self) -> frozenset[ArrayId]:
            return frozenset()

    for seed in range(8):
        space = random_space(random.Random(1000 + seed))
        sure, doubtful = (find_best(make(space), Terms()).solution for make in (PaperCosts, Doubtful))
        assert (sure and sure.cycles) == (doubtful and doubtful.cycles)


def test_costs_of_tiles_are_no_less_than_their_floor() -> None:
    space = gemm_space(4, 6, 4)
    costs, nest = PaperCosts(space), space.nests[1]
    batch = candidates_of(space, nest, states_of(space)).batch
    loops = [loop.iterator for loop in nest.loops]
    for use in nest.arrays:
        least = costs.least_tile(nest, use)
        for inside in product([False, True], repeat=len(loops)):
            outside = frozenset(name for name, is_in in zip(loops, inside, strict=True) if is_in)
            tile: Costs = costs.tile(nest, use, batch, outside)
            assert tile.cycles.min() >= least.cycles
            assert tile.usage["memory"].min() >= least.usage["memory"]
