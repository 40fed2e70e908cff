"""What loops over few turns do in each of them, as statements over all iterations; knows no cost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property

from sisyphus.forms.building import every_ref
from sisyphus.ir import ArrayId, Expr, Index, Read, Ref, Statement, StmtId, rebuild
from sisyphus.poly import Affine, Map, const, fix, make_map, var
from sisyphus.values import dataclass, replace


def groups_of(by_turn: Sequence[Sequence[Statement]], depth: int, iteration: str) -> tuple[Group, ...] | None:
    """What is one statement in all turns, over a loop of a name inside of so many; None where these are not alike."""
    shapes = [_shapes(own, depth + 2) for own in by_turn]
    if any(shape != shapes[0] for shape in shapes):
        return None
    places = (place for place, _ in shapes[0])
    groups = zip(zip(*by_turn, strict=True), places, strict=True)
    return tuple(Group(old, depth, iteration, place) for old, place in groups)


def in_turn(inside: Sequence[Statement], depth: int, turn: int) -> list[Statement]:
    """What there is of statements in one turn, which the loop inside of so many and one more counts."""
    own = [replace(s, domain=fix(s.domain, {s.iterators[depth + 1]: turn})) for s in inside]
    return [statement for statement in own if not statement.domain.is_empty()]


@dataclass(frozen=True, eq=False)
class Group:
    """What is one statement over all iterations: its instances in each turn, turn 0 first."""

    turns: tuple[Statement, ...]
    depth: int
    iteration: str
    place: tuple[int, ...]

    @property
    def id(self) -> StmtId:
        return self.turns[0].id

    @property
    def loops(self) -> tuple[str, ...]:
        names = self.turns[0].iterators
        return (*names[: self.depth], self.iteration, *names[self.depth + 2 :])

    @cached_property
    def moves(self) -> list[tuple[StmtId, Map]]:
        """From the instances of each turn to those over all iterations."""
        found = []
        for turn, old in enumerate(self.turns):
            names, depth = old.iterators, self.depth
            whole = var(names[depth]) * len(self.turns) + turn
            values = [*map(var, names[:depth]), whole, *map(var, names[depth + 2 :])]
            relation = make_map(old.id, names, self.id, self.loops, values)
            found.append((old.id, relation.intersect_domain(old.domain)))
        return found

    @cached_property
    def refs(self) -> list[tuple[Ref, ...]]:
        """What the statement writes, and all that it reads: what that is in each turn."""
        return list(zip(*map(every_ref, self.turns), strict=True))

    def value(self, subscripts: Sequence[Affine]) -> Affine | None:
        """An affine expression over all iterations that is one of these in each turn."""
        found = {self._value(*one) for one in enumerate(subscripts)}
        return found.pop() if len(found) == 1 else None

    def _value(self, turn: int, subscript: Affine) -> Affine | None:
        names, depth = self.turns[turn].iterators, self.depth
        factor, rest = divmod(subscript.coefficient(names[depth]), len(self.turns))
        same = zip((*names[:depth], *names[depth + 2 :]), (*self.loops[:depth], *self.loops[depth + 1 :]), strict=True)
        given = {old: var(new) for old, new in same} | {names[depth]: const(0), names[depth + 1]: const(turn)}
        return None if rest else subscript.substitute(given) + (var(self.iteration) - turn) * factor

    def index(self, refs: Sequence[Ref], but: int | None = None) -> tuple[Affine | None, ...]:
        """The subscripts over all iterations of what there is in each turn, but one dimension; None what is none."""
        if len({len(ref.index) for ref in refs}) > 1:
            return (None,)
        dims = zip(*(ref.index for ref in refs), strict=True)
        return tuple(self.value(own) for at, own in enumerate(dims) if at != but)


def _shapes(turn: Sequence[Statement], depth: int) -> list[tuple[tuple[int, ...], Expr]]:
    """Of each statement where it is in its loops inside of so many, counted anew, and what it computes of something."""
    ranks: dict[tuple[int, ...], list[int]] = defaultdict(list)
    found = []
    for statement in turn:
        place, own = statement.position, []
        for at in range(depth, len(place)):
            known = ranks[place[:at]]
            known += [place[at]] * (place[at] not in known)
            own.append(known.index(place[at]))
        found.append((tuple(own), rebuild(statement.rhs, _anything)))
    return found


def _anything(leaf: Expr) -> Expr:
    """The leaf of an expression without what it is, so that others compare equal."""
    if isinstance(leaf, Read):
        return replace(leaf, ref=Ref(ArrayId(""), ()))
    return replace(leaf, value=const(0)) if isinstance(leaf, Index) else leaf
