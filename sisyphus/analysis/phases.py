"""A kernel cut into phases that follow one another, each a kernel of its own; knows no unit and no cost.

3mm is E = A * B, F = C * D, G = E * F. Its first phase has E and F as outputs, its second one has them as inputs, so
that each of several units computes a part of all three products, which none could without the others' values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from sisyphus.analysis.dependence import Dependences
from sisyphus.ir import Argument, Array, ArrayId, Role, Scop, StmtId
from sisyphus.values import dataclass, replace

if TYPE_CHECKING:
    import networkx as nx

#: The statements of each phase.
Cut = tuple[tuple[StmtId, ...], ...]
#: Levels of a kernel up to which every way to cut between them is listed; of more, those into two phases.
MOST_LEVELS = 4
#: Steps of a kernel up to which every way to place them apart is listed; of more, no way.
MOST_STEPS = 8


@dataclass(frozen=True, eq=False)
class Phase:
    """Statements of a kernel as a kernel; what later phases read of it is an output, what earlier ones wrote an input.

    `temporaries` are the arguments that it writes and whose last values nobody wants of it.
    """

    scop: Scop
    temporaries: tuple[str, ...]


def cuts(found: Dependences) -> Iterator[Cut]:
    """The ways to cut a kernel into two phases or more; every dependence stays in a phase or points to a later one.

    All statements that write an array are in one phase, so that an array is handed over once.
    """
    levels = _levels(found)
    inner = range(1, len(levels))
    counts = inner if len(levels) <= MOST_LEVELS else range(1, 2)
    for count in counts:
        for chosen in combinations(inner, count):
            bounds = pairwise((0, *chosen, len(levels)))
            parts = [{name for level in levels[low:high] for name in level} for low, high in bounds]
            yield tuple(tuple(s.id for s in found.scop.statements if s.id in part) for part in parts)


def apart(found: Dependences, count: int) -> Iterator[Cut]:
    """The ways to deal the steps of a kernel over `count` phases, of which none comes back to one before.

    Other than in `cuts`, phases next to each other may need nothing of each other: E, F and G of 3mm are three.
    """
    import networkx as nx

    steps, scop = _steps(found), found.scop
    if len(steps) > MOST_STEPS:
        return
    for owner in _dealt(len(steps), count):
        ways: nx.DiGraph[int] = nx.DiGraph()
        ways.add_nodes_from(range(count))
        ways.add_edges_from((owner[a], owner[b]) for a, b in steps.edges if owner[a] != owner[b])
        if nx.is_directed_acyclic_graph(ways):
            phase_at = {name: owner[step] for step in steps for name in steps.nodes[step]["members"]}
            order = nx.lexicographical_topological_sort(ways)
            yield tuple(tuple(s.id for s in scop.statements if phase_at[s.id] == phase) for phase in order)


def _dealt(steps: int, count: int) -> Iterator[list[int]]:
    """Owners of so many steps: every way to make `count` groups of them, the first step in group 0."""
    if not steps:
        yield from [[]] if not count else []
        return
    for before in _dealt(steps - 1, count):
        yield from ([*before, group] for group in range(count))
    for before in _dealt(steps - 1, count - 1) if count else ():
        yield [*before, count - 1]


def _levels(found: Dependences) -> list[list[StmtId]]:
    """Statements by the most steps that lead to them."""
    import networkx as nx  # takes a tenth of a short run

    steps = _steps(found)
    levels = list[list[StmtId]]()
    for generation in nx.topological_generations(steps):
        levels.append([name for step in generation for name in steps.nodes[step]["members"]])
    return levels


def _steps(found: Dependences) -> nx.DiGraph[int]:
    """Groups of statements that are in one phase, as they need each other or write one array, and what needs what."""
    import networkx as nx

    graph: nx.DiGraph[StmtId] = nx.DiGraph()
    graph.add_nodes_from(s.id for s in found.scop.statements)
    graph.add_edges_from((e.source, e.sink) for e in found.edges)
    for array in found.scop.arrays:
        writers = [s.id for s in found.scop.writers(array.id)]
        alone = array.role is Role.LOCAL and not array.extents  # no memory of the board holds a scalar variable
        together = [*writers, *(s.id for s in found.scop.readers(array.id) if alone and writers)]
        graph.add_edges_from(edge for one, other in pairwise(together) for edge in ((one, other), (other, one)))
    steps: nx.DiGraph[int] = nx.condensation(graph)
    return steps


def phase_of(scop: Scop, cut: Sequence[Sequence[StmtId]], at: int, temporaries: Collection[str] = ()) -> Phase:
    """Phase `at` of a cut of a kernel whose arguments in `temporaries` nobody wants."""
    own = [s for s in scop.statements if s.id in cut[at]]
    earlier, later = ({name for part in parts for name in part} for parts in (cut[:at], cut[at + 1 :]))
    given = {s.write.array for s in scop.statements if s.id in earlier}
    asked = {ref.array for s in scop.statements if s.id in later for ref in s.reads}
    written = {s.write.array for s in own}
    read = {ref.array for s in own for ref in s.reads} | {a for s in own for a in s.looked_up}
    arrays = list[Array]()
    for array in (a for a in scop.arrays if a.id in written | read):
        is_local = array.role is Role.LOCAL and not (array.id in given or array.id in written & asked)
        arrays.append(replace(array, role=Role.LOCAL if is_local else _role(array, array.id in written, read | given)))
    known = {a.name for a in scop.arguments}
    new = [Argument(a.id, "array", a.type) for a in arrays if a.role is not Role.LOCAL and a.id not in known]
    dropped = {a.id for a in scop.arrays} - {a.id for a in arrays}
    arguments = tuple(a for a in scop.arguments if a.kind != "array" or a.name not in dropped)
    part = replace(scop, statements=tuple(own), arrays=tuple(arrays), arguments=(*arguments, *new))
    local = {a.id for a in scop.arrays if a.role is Role.LOCAL}
    unwanted = {a for a in written - asked if a in temporaries} - local
    return Phase(part, tuple(sorted(unwanted)))


def _role(array: Array, is_written: bool, read: Collection[ArrayId]) -> Role:
    """Of an argument of a phase: what it does with it, as the text says."""
    if not is_written:
        return Role.IN
    return Role.INOUT if array.id in read or array.role is Role.INOUT else Role.OUT


def handed_over(cut: Sequence[Sequence[StmtId]], scop: Scop) -> frozenset[ArrayId]:
    """The arrays that one phase writes and a later one reads."""
    found = set[ArrayId]()
    for at, part in enumerate(cut):
        later = {name for other in cut[at + 1 :] for name in other}
        asked = {ref.array for s in scop.statements if s.id in later for ref in s.reads}
        found |= asked & {s.write.array for s in scop.statements if s.id in part}
    return frozenset(found)
