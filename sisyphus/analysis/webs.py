"""Statements that pass the values of an array to each other and to nobody else; knows nothing of rewriting."""

from __future__ import annotations

from functools import cached_property

from sisyphus.analysis.dataflow import Flow, flows_of, schedules
from sisyphus.analysis.dependence import Dependences
from sisyphus.analysis.isl_limits import Patience
from sisyphus.ir import Array, ArrayId, Scop, Statement, StmtId
from sisyphus.poly import compare, dim_range, last_write_times
from sisyphus.values import dataclass

#: A statement that reads an array, or writes it.
Use = tuple[StmtId, bool]


@dataclass(frozen=True, eq=False)
class Web:
    """Statements that pass values of one array to each other and to nobody else."""

    array: Array
    statements: tuple[Statement, ...]
    flows: tuple[Flow, ...]

    @cached_property
    def shared_loops(self) -> int:
        """How many outermost loops all its statements have in common."""
        first = self.statements[0]
        return min(first.shared_loops(s) for s in self.statements)

    def stays_within(self, depth: int) -> bool:
        """Does no value pass from one iteration of the loop at this depth to another?"""
        name = self.statements[0].iterators[depth]
        moves = (compare(f.relation, name, sign, name) for f in self.flows for sign in (-1, 1))
        return all(move.is_empty() for move in moves)


def webs_of(scop: Scop, dependences: Dependences, array: ArrayId, patience: Patience) -> list[Web]:
    """The users of an array, grouped by the values that they pass on."""
    users = [s for s in scop.statements if any(a.array == array for a in s.accesses)]
    found = flows_of(dependences, array, patience)
    import networkx as nx  # takes a tenth of a short run

    graph: nx.Graph[StmtId] = nx.Graph()
    graph.add_nodes_from(s.id for s in users)
    graph.add_edges_from((f.source, f.sink) for f in found)
    groups = [tuple(s for s in users if s.id in names) for names in nx.connected_components(graph)]
    groups.sort(key=lambda group: users.index(group[0]))
    return [Web(scop.array(array), g, tuple(f for f in found if f.source in {s.id for s in g})) for g in groups]


def values_of(dependences: Dependences, variable: ArrayId, patience: Patience) -> list[set[Use]]:
    """Uses of a local variable, grouped by the values that pass from one to the other; those of no group come first.

    Where a statement reads one value and gives the variable another, these are uses of two groups.
    """
    uses = [(s.id, a.is_write) for s in dependences.scop.statements for a in s.accesses if a.array == variable]
    if sum(is_write for _, is_write in uses) < 2:
        return [{*uses}]
    import networkx as nx  # takes a tenth of a short run

    graph: nx.Graph[Use] = nx.Graph()
    graph.add_nodes_from(uses)
    graph.add_edges_from(((f.source, True), (f.sink, False)) for f in flows_of(dependences, variable, patience))
    groups = [group for group in nx.connected_components(graph) if len({is_write for _, is_write in group}) > 1]
    return [{*uses}.difference(*groups[1:]), *groups[1:]]


def last_iteration(scop: Scop, web: Web, depth: int) -> int | None:
    """The one iteration of the loop at this depth in which all elements of an array get their final value."""
    order = schedules(scop)
    writes = [
        (a.relation, order[s.id]) for s in web.statements for a in s.accesses if a.is_write and a.array == web.array.id
    ]
    low, high = dim_range(last_write_times(*zip(*writes, strict=True)), f"t{2 * depth + 1}")
    return low if low == high else None
