"""Each rule that more than one reading asks for stands in one function, and no second one states it.

A second one has the body of the first under other names, or a name that says that it states the rule, or uses the words
that the rule cannot be stated without; unless it calls the first one. Rules of resources and of saved designs are in
`test_one_rule_one_place.py`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "sisyphus"
#: Where rules are asked for as integers, vectors, bounds or expressions.
ROOMS = ("space", "plan", "model", "nlp", "search", "solve")


@dataclass(frozen=True)
class Rule:
    """A rule and its `function`; another one states it if its name matches `names`, or it uses all of `words`.

    `others`, as patterns, share such a name or such words and state something else, which is said.
    """

    title: str
    function: str
    names: str
    words: frozenset[str] = frozenset()
    others: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.function.rpartition(".")[2]


#: One row for each rule; whoever adds a rule that two readings ask for adds a row.
RULES = (
    Rule("the facts of a nest", "model.facts.plan_facts.task_facts", r"(nest|plan|task)_facts$"),
    Rule("a statement run as facts", "model.facts.works._placed", r"^_?work(_of)?$"),
    Rule("the tree of a nest", "plan.nest.tree_of", r"tree_of$|nest_tree"),
    Rule("depth of operators", "model.formulas.iteration_latency.finish_of", r"finish_of|depth_of"),
    Rule("a pipelined accumulation", "model.formulas.recurrence.accumulation", r"accumulation|reduction_interval"),
    Rule("recurrences", "model.formulas.distances.flow_distance", r"flow_distance"),
    Rule("elements in sums of loops", "model.formulas.distances.shift_distance", r"shift_distance"),
    Rule("calls in conflict", "plan.conflicts.Touched.conflicts", r"conflict"),
    Rule("calls and transfers in steps", "plan.conflicts.in_steps", r"in_steps$"),
    Rule("transfers at the same time", "plan.conflicts.side_by_side", r"side_by_side"),
    Rule("latency of steps", "model.formulas.steps.latency", r"^(join|least_tiles)$"),
    Rule("what a step waits for", "model.formulas.steps.awaited", r"awaited|^_?longest$"),
    Rule("a nest with tiled arrays as steps", "model.formulas.steps.tiled_nest", r"tiled_nest|^least_nest"),
    Rule(
        "contiguous runs of a transfer",
        "model.formulas.burst_cycles._bursts_in_turn",
        r"transfer_cycles|bursts_in_turn",
    ),
    Rule(
        "copies that wait",
        "plan.conflicts.in_turn",
        r"^_?in_turn|copies_wait",
        frozenset({"in_registers", "either", "writes"}),
        {"solve.registry.in_turn": "solvers that are there, one after another"},
    ),
    Rule("held sums", "plan.nest.held_sum", r"held_(sum|loops)", frozenset({"REDUCTION", "in_registers"})),
    Rule("when a loop starts anew", "plan.loop_bounds.starts_anew", r"starts_anew|stands_alone"),
    Rule(
        "span of a tile",
        "space.space.DimUse.reach",
        r"^_?(span|reach)(_of)?$",
        frozenset({"coefficients", "sizes", "constant"}),
    ),
    Rule("the tile that a buffer holds", "plan.tiles.tile_of", r"tile_of$|tile_box"),
    Rule("beats of a tile", "plan.tiles.beats_of", r"^_?beats_of$"),
    Rule(
        "tiles over several ports",
        "space.stripes.over_ports",
        r"over_ports$",
        frozenset(),
        {"space.stripes.dealt_over_ports": "whole arrays, of any number of ports"},
    ),
    Rule("waits of transfers in a task", "model.formulas.bank_waits.waits_for_beats", r"waits_for_beats"),
    Rule("bursts of a tile", "plan.tiles.bursts_of", r"^_?bursts(_of)?$"),
    Rule("where memory has a packed tile", "plan.packed.in_memory", r"in_memory$"),
    Rule("how far a tile moves", "plan.tiles.strides_of", r"^_?(tile_)?strides(_of)?$"),
    Rule(
        "the factor that serves copies and beats",
        "space.choices.serving_factor",
        r"^_?(serving_)?factor$",
        frozenset({"smallest", "partitions", "copies"}),
    ),
    Rule("words in a bank", "plan.banks.words_per_bank", r"words_per_bank$"),
    Rule("banks of a partition", "plan.banks.bank_count", r"bank_count$|^banks$"),
    Rule(
        "arrays in registers",
        "plan.banks.in_registers",
        r"^_?in_registers$",
        others={
            r"search\..*\.in_registers": "which arrays a search tries in registers",
        },
    ),
    Rule("cores shared between starts", "plan.body_schedule.shared_cores", r"shared_cores"),
    Rule("precedence of loops", "space.precedence.precedence", r"^_?precedence$"),
    Rule("loops in an order that keeps precedence", "space.precedence.in_order", r"level\d_order$"),
    Rule(
        "products of trip counts",
        "model.paper.trips_of",
        r"^_?trips(_of)?$",
        others={r"nlp\.knobs\.Knobs\.trips": "the trip counts of some loops at one level"},
    ),
    Rule("starts until an element returns", "plan.starts.starts_to_return", r"starts_to_return|return_distance"),
    Rule("counting tiles", "model.counting.tilecount.TileCounts.visits", r"count_tiles|tiles_with_work"),
    Rule("what exceeds the budgets", "target.resources.Resources.exceeded_by", r"exceeded_by|over_budget"),
)


def functions(text: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Functions and methods of a module with their names, as `Class.method`."""

    def inside(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, ast.FunctionDef]]:
        for node in body:
            if isinstance(node, ast.FunctionDef):
                yield prefix + node.name, node
                yield from inside(node.body, prefix)
            elif isinstance(node, ast.ClassDef):
                yield from inside(node.body, f"{prefix}{node.name}.")

    yield from inside(ast.parse(text).body, "")


def called(function: ast.FunctionDef) -> set[str]:
    """Names of what a function calls, or hands on to be called."""
    return {
        getattr(n, "id", getattr(n, "attr", "")) for n in ast.walk(function) if isinstance(n, ast.Name | ast.Attribute)
    }


def words(function: ast.FunctionDef) -> set[str]:
    names = called(function) | {a.arg for a in ast.walk(function) if isinstance(a, ast.arg)}
    return names | {function.name}


def body(function: ast.FunctionDef) -> str:
    """What a function does, whatever it and its variables are called."""
    known: dict[str, str] = {}
    copy = ast.parse(ast.unparse(function)).body[0]
    assert isinstance(copy, ast.FunctionDef)
    if isinstance(copy.body[0], ast.Expr) and isinstance(copy.body[0].value, ast.Constant):
        copy.body.pop(0)
    own = {a.arg for a in ast.walk(copy) if isinstance(a, ast.arg)}
    own |= {n.id for n in ast.walk(copy) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for node in ast.walk(copy):
        if isinstance(node, ast.Name) and node.id in own:
            node.id = known.setdefault(node.id, f"v{len(known)}")
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
    return "\n".join(ast.dump(statement) for statement in copy.body)


@dataclass(frozen=True, eq=False)
class Stated:
    """A function, the words in it, what it calls, and its body."""

    name: str
    function: ast.FunctionDef

    @cached_property
    def called(self) -> set[str]:
        return called(self.function)

    @cached_property
    def words(self) -> set[str]:
        return words(self.function)

    @cached_property
    def body(self) -> str:
        return body(self.function)


@lru_cache(maxsize=1024)
def stated(text: str) -> tuple[Stated, ...]:
    return tuple(Stated(name, function) for name, function in functions(text))


@cache
def home(rule: str) -> Stated:
    """The function that states a rule."""
    module, path = rule, ""
    while not (PACKAGE / (module.replace(".", "/") + ".py")).is_file():
        module, _, last = module.rpartition(".")
        path = f"{last}.{path}" if path else last
        assert module, f"no module has `{rule}`"
    found = [s for s in stated((PACKAGE / (module.replace(".", "/") + ".py")).read_text()) if s.name == path]
    assert len(found) == 1, f"`{module}` has no `{path}`"
    return found[0]


def second_statements(rule: Rule, module: str, text: str) -> list[str]:
    """Functions of a module that state a rule again."""
    first, found = home(rule.function), []
    for one in stated(text):
        full = f"{module}.{one.name}"
        if full == rule.function or any(re.fullmatch(other, full) for other in rule.others):
            continue
        said = re.search(rule.names, one.function.name) or (rule.words and rule.words <= one.words)
        again = len(one.function.body) == len(first.function.body) and one.body == first.body
        if again or (said and rule.name not in one.called):
            found.append(full)
    return found


MODULES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts): path.read_text()
    for room in ROOMS
    for path in sorted((PACKAGE / room).rglob("*.py"))
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.title)
def test_a_rule_stands_in_one_function(rule: Rule) -> None:
    assert home(rule.function).function.body
    assert [again for name, text in MODULES.items() for again in second_statements(rule, name, text)] == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.title)
def test_its_body_under_another_name_is_seen(rule: Rule) -> None:
    twin = ast.parse(ast.unparse(home(rule.function).function)).body[0]
    assert isinstance(twin, ast.FunctionDef)
    twin.name = "something_else"
    assert second_statements(rule, "search.planted", ast.unparse(twin)) == ["search.planted.something_else"]


#: Second statements as they once stood in the tree, shortened.
ONCE = {
    "held sums": """
def anything(self, statement):
    found = False
    for name in reversed(level2_order(self.nest, tree_reduction=self.tree)):
        turns = self.alg.exceeds(self.numbers.tiles[name][2], 1)
        if self.nest.loop(name).kind is LoopKind.REDUCTION and name not in moved:
            found = self.alg.either(found, turns)
    return self.alg.both(in_registers(self.alg, self._access(statement).dims), found)
""",
    "copies that wait": """
def anything(self):
    for use in self.space.arrays:
        shared = self.alg.negation(self._fixed(use.array, loop))
        kept = in_registers(self.alg, self._dims(use.array))
        waits = self.alg.either(waits, shared if use.writes else self.alg.both(shared, self.alg.negation(kept)))
    return waits
""",
    "span of a tile": """
def anything(dim, sizes):
    total = dim.constant + sum(factor * sizes[name] for name, factor in dim.coefficients)
    return np.minimum(dim.extent, total)
""",
    "bursts of a tile": """
def _bursts(buffer, extents):
    outermost = len(extents) - 1
    while outermost > 0 and buffer.extents[outermost] == extents[outermost]:
        outermost -= 1
    return prod(buffer.extents[: max(outermost, 0)])
""",
    "calls in conflict": """
def _conflict(one, other):
    return bool(one.writes & (other.reads | other.writes) or one.reads & other.writes)
""",
}


@pytest.mark.parametrize("title", ONCE)
def test_a_second_statement_in_other_words_is_seen(title: str) -> None:
    [rule] = [rule for rule in RULES if rule.title == title]
    assert len(second_statements(rule, "search.planted", ONCE[title])) == 1
