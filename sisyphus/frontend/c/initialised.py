"""Whether every local is written before it is read, decided by isl on the order of the source; knows no syntax."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from sisyphus.frontend.c.bound import Condition, TooManyCases
from sisyphus.frontend.c.diagnostics import Collector
from sisyphus.frontend.c.drafts import Draft
from sisyphus.frontend.c.questions import leashed, points
from sisyphus.frontend.c.scope import Variable
from sisyphus.ir import ArrayId, Read, Ref, reads
from sisyphus.poly import Affine, IslError, Set, project_onto, sample, var
from sisyphus.values import dataclass


@dataclass(frozen=True, eq=False)
class Unset:
    """A local with an element that `draft` reads as `ref` before any write, at a point."""

    variable: Variable
    draft: Draft
    ref: Ref
    point: dict[str, int]


def check(drafts: Sequence[Draft], variables: Sequence[Variable], collector: Collector) -> list[Unset]:
    """Reports locals with an element that is read before any write; where isl gives up, nothing is claimed.

    What only copies read so is returned: whether it is seen depends on what becomes of these (`passed_on.py`).
    """
    passed_on, readers = [], readers_of(drafts)
    for variable in variables:
        if variable.is_argument or not variable.read:
            continue
        first = read_first(drafts, readers, variable)
        unset = [Unset(variable, draft, ref, at) for draft, ref, at in first if at is not None]
        others = [one for one in unset if not _is_passed_on(one)]
        if others:
            report(others[0], collector)
        passed_on += [] if others else unset[:1]
    return passed_on


def _is_passed_on(unset: Unset) -> bool:
    """Is it a local of the whole kernel, and copied to a local as it is?"""
    draft, variable = unset.draft, unset.variable
    is_copy = isinstance(draft.rhs, Read) and draft.rhs.type == draft.variable.type and not draft.guards
    return is_copy and not draft.variable.is_argument and not variable.is_static and not variable.depth


#: Who reads an array, and how, in the order of the source.
Readers: TypeAlias = Mapping[ArrayId, Sequence[tuple[Draft, Ref]]]


def readers_of(drafts: Sequence[Draft]) -> Readers:
    """The readers of all arrays; each with each of its references once."""
    found: dict[ArrayId, list[tuple[Draft, Ref]]] = {}
    for draft in drafts:
        for ref in dict.fromkeys(reads(draft.value)):
            found.setdefault(ref.array, []).append((draft, ref))
    return found


def read_first(
    drafts: Sequence[Draft], readers: Readers, variable: Variable
) -> Iterator[tuple[Draft, Ref, dict[str, int] | None]]:
    """The reads of a variable that come before any write, each with a point; without one where isl gave up."""
    writers = [d for d in drafts if d.variable is variable]
    for draft, ref in readers.get(variable.id, ()):
        if any(_is_just_before(writer, draft, ref) for writer in writers):
            continue
        try:
            with leashed():
                found = _uncovered(draft, ref, writers, variable)
        except (IslError, TooManyCases):
            yield draft, ref, None
            continue
        if found is not None:
            yield draft, ref, found


def _is_just_before(writer: Draft, reader: Draft, ref: Ref) -> bool:
    """Whether the same iteration wrote the element before, which needs no question."""
    same = writer.write == ref and writer.context.names == reader.context.names
    same = same and writer.context.condition == reader.context.condition
    return same and writer.position[:-1] == reader.position[:-1] and writer.position < reader.position


def report(unset: Unset, collector: Collector) -> None:
    """Blames the first read of it."""
    draft, ref, point, variable = unset.draft, unset.ref, unset.point, unset.variable
    element = variable.name + "".join(f"[{e.evaluate(point)}]" for e in ref.index)
    rule, said = "uninitialised", f"local `{element}` is read before it is written"
    hint = f"set `{variable.name}` first" + (", as by `= {0}` where it is declared" if ref.index else "")
    if variable.is_static:
        rule, said = "static-local", f"`{element}` is read before it is written: it keeps its value from call to call"
        hint = "declare it in the text of this file, as a number or an array, or outside of the function"
    collector.report(rule, said, draft.span, notes=draft.context.where(point), hint=hint)


def _uncovered(reader: Draft, ref: Ref, writers: Sequence[Draft], variable: Variable) -> dict[str, int] | None:
    """A point of the reader whose element no earlier instance has written."""
    dims = reader.context.names
    open_points = points("", dims, reader.context.condition)
    for writer in writers:
        if open_points.is_empty():
            return None
        open_points = open_points.subtract(_covered(reader, ref, writer, variable))
    return None if open_points.is_empty() else sample(open_points.lexmin())


def _covered(reader: Draft, ref: Ref, writer: Draft, variable: Variable) -> Set:
    """Points of the reader whose element an earlier instance of the writer has written."""
    dims = reader.context.names
    renamed = {name: f"w__{at}" for at, name in enumerate(writer.context.names)}
    theirs = tuple(renamed[name] for name in writer.context.names)
    same = tuple(a - b.rename(renamed) for a, b in zip(ref.index, writer.write.index, strict=True))
    both = (*same, *(-s for s in same))
    result: Set | None = None
    for order in _before(writer, reader, theirs, dims, variable.depth):
        condition: Condition = tuple(
            (*mine, *(t.rename(renamed) for t in other), *both, *order)
            for mine in reader.context.condition
            for other in writer.context.condition
        )
        part = project_onto(points("", (*dims, *theirs), condition), dims)
        result = part if result is None else result.union(part)
    return result if result is not None else points("", dims, ())


def _before(
    writer: Draft, reader: Draft, theirs: Sequence[str], mine: Sequence[str], depth: int
) -> list[tuple[Affine, ...]]:
    """The cases in which an instance of the writer comes before one of the reader, within one life of the variable."""
    shared = 0
    limit = min(len(theirs), len(mine))
    while shared < limit and writer.position[shared] == reader.position[shared]:
        shared += 1
    cases = list[tuple[Affine, ...]]()
    equal = tuple[Affine, ...]()
    for at in range(shared):
        ahead = var(mine[at]) - var(theirs[at])
        if at >= depth:
            cases.append((*equal, ahead - 1))
        equal = (*equal, ahead, -ahead)
    if writer.position[shared] < reader.position[shared]:
        cases.append(equal)
    return cases
