"""Values of local variables computed where they are read, so that statements of one body become one; knows no cost.

for i: for j: { b = s[i-1][j-1] + m   b = max(b, s[i-1][j] - 2)   s[i][j] = max(b, s[i][j-1] - 2) }   becomes
for i: for j: s[i][j] = max(max(s[i-1][j-1] + m, s[i-1][j] - 2), s[i][j-1] - 2)

Such variables tie the iterations of all loops around them together, and statements that each have a nest of their own
once the variable has a place for each iteration hand every value over through memory.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from itertools import combinations

from sisyphus.analysis import Dependences
from sisyphus.forms.values_apart import values_apart
from sisyphus.ir import (
    ArrayId,
    Binary,
    Cast,
    Expr,
    Read,
    Ref,
    ScalarType,
    Scop,
    Select,
    Statement,
    StmtId,
    Unary,
    children,
    is_pick,
    reads,
    rebuild,
    walk,
    with_picks,
)
from sisyphus.values import dataclass, replace

#: Nodes of an expression, repeats included, and of one that several statements compute.
MOST_NODES, MOST_SHARED = 1024, 64
#: Operators that take little area and no cycle of their own, on integers.
CHEAP = ("+", "-", "<", "<=", ">", ">=", "==", "!=", "&", "|", "^", "&&", "||")


def inlined(found: Dependences) -> Scop | None:
    """The kernel without the local variables that are read in the iteration that gives them their value; None: none.

    A value is computed by one other statement alone, or by several where it is a few sums, comparisons and selections
    of integers; what it is computed of stays as it is until then. Results are the same bit for bit.
    """
    made = without_variables(found, together=False)
    return None if made is None else made[0]


def without_variables(
    found: Dependences, *, together: bool, kept: Collection[ArrayId] = ()
) -> tuple[Scop, Walk] | None:
    """The kernel without such variables, as many as can go, and how they went; None where none can.

    `together`: any value may be computed by several statements; those of `kept` stay. Variables that hold one value
    after another are several where some of these can go.
    """
    variables = {*found.scop.variables} & {ref.array for s in found.scop.statements for ref in s.reads}
    scop, origins = values_apart(found, frozenset(variables))
    made = _without({*variables, *origins}.difference(kept), scop, together=together)
    if made is None or not origins:
        return made
    left = {a.id for a in made[0].arrays}
    apart = frozenset(old for new, old in origins.items() if not {new, old} <= left)
    if apart == {*origins.values()}:
        return made
    scop, origins = values_apart(found, apart)
    return _without({*variables, *origins}.difference(kept), scop, together=together)


def _without(variables: set[ArrayId], scop: Scop, *, together: bool) -> tuple[Scop, Walk] | None:
    """The kernel without as many of some variables as can go, and how they went; None where none can."""
    in_calls = False
    while variables:
        walked = Walk(scop, variables, in_calls=in_calls)
        left = [new for old in scop.statements if (new := walked.visit(old)) is not None]
        if walked.is_too_large and not in_calls:
            in_calls = True
            continue
        if not together:
            walked.bar_shared(left)
        if not walked.barred:
            arrays = tuple(a for a in scop.arrays if a.id not in variables)
            return replace(scop, statements=tuple(left), arrays=arrays), walked
        variables = variables - walked.barred
    return None


@dataclass(frozen=True)
class _Value:
    """What a variable holds since a statement gave it that value."""

    expr: Expr
    by: Statement


class Walk:
    """One pass over the statements in the order of the text; `barred` are variables that cannot go after all.

    `in_calls`: choices between two values, which have each of them twice, are calls, which have them once.

    `shared` are the values in each statement that only statements of one body may compute again: by variable and the
    statement that gave it that value.
    """

    def __init__(self, scop: Scop, variables: Collection[ArrayId], *, in_calls: bool = False) -> None:
        self.variables = {a.id: a.type for a in scop.arrays if a.id in variables}
        self.barred: set[ArrayId] = set()
        self.in_calls, self.is_too_large = in_calls, False
        self.shared: dict[StmtId, set[tuple[ArrayId, StmtId]]] = defaultdict(set)
        self._values: dict[ArrayId, _Value] = {}

    def visit(self, old: Statement) -> Statement | None:
        """The statement with values in place of variables; None where it only gives one its value.

        One that would be too large stays as it is, or values of it would be as many times larger again.
        """
        rhs = with_picks(old.rhs, self._repeats) if self.in_calls else old.rhs
        new = replace(old, rhs=rebuild(rhs, lambda leaf: self._instead(leaf, old)))
        if sum(1 for _ in walk(new.rhs)) > MOST_NODES:
            self.is_too_large = True
            self.barred |= {ref.array for ref in old.reads if ref.array in self.variables}
            new = old
        if old.write.array in self.variables:
            self._values[old.write.array] = _Value(new.rhs, old)
            return None
        self._forget(old.write.array)
        match old.rhs:
            case Read(ref=Ref(array=array)) if self.variables.get(array) == old.write_type:
                self._values[array] = _Value(Read(old.write, old.write_type), old)
        return new

    def _instead(self, leaf: Expr, reader: Statement) -> Expr:
        """What a leaf of a statement becomes: the value of a variable, as its type has it."""
        if not isinstance(leaf, Read) or leaf.ref.array not in self.variables:
            return leaf
        variable = leaf.ref.array
        known = self._values.get(variable)
        if known is None or not _in_one_iteration(known.by, reader):
            self.barred.add(variable)
            return leaf
        if not _is_cheap(known.expr):
            self.shared[reader.id] |= {(variable, known.by.id), *self.shared[known.by.id]}
        return _as_type(known.expr, leaf.type)

    def _repeats(self, choice: Select) -> bool:
        """Whether a choice reads a variable that goes more than once."""
        return any(
            uses > 1 for array, uses in Counter(ref.array for ref in reads(choice)).items() if array in self.variables
        )

    def bar_shared(self, left: Sequence[Statement]) -> None:
        """Bars what several of the statements that are left have in common in some iteration."""
        for one, other in combinations([s for s in left if self.shared[s.id]], 2):
            common = self.shared[one.id] & self.shared[other.id]
            if common and are_both(one, other):
                self.barred |= {variable for variable, _ in common}

    def _forget(self, written: ArrayId) -> None:
        """Values that are computed of an array are other ones once it is written."""
        stale = [v for v, known in self._values.items() if any(_reads(e, written) for e in walk(known.expr))]
        for variable in stale:
            del self._values[variable]


def _is_cheap(expr: Expr) -> bool:
    """Whether several statements may compute a value: an element, or a few sums and selections of integers."""
    nodes = list(walk(expr))
    inner = [node for node in nodes if children(node)]
    return len(nodes) <= MOST_SHARED and not any(node.type.is_float for node in inner) and all(map(_is_plain, inner))


def _is_plain(node: Expr) -> bool:
    return isinstance(node, Select | Cast | Unary) or is_pick(node) or (isinstance(node, Binary) and node.op in CHEAP)


def _reads(expr: Expr, array: ArrayId) -> bool:
    return isinstance(expr, Read) and expr.ref.array == array


def _in_one_iteration(writer: Statement, reader: Statement) -> bool:
    """Whether a reader runs in iterations of the body of a writer alone, and in each of these after it."""
    return writer.body == reader.body and bool(reader.domain.reset_tuple_id().is_subset(writer.domain.reset_tuple_id()))


def are_both(one: Statement, other: Statement) -> bool:
    """Whether some iteration of a body has both statements; true of those of different bodies."""
    return not (one.body == other.body and one.domain.reset_tuple_id().is_disjoint(other.domain.reset_tuple_id()))


def _as_type(expr: Expr, kind: ScalarType) -> Expr:
    return expr if expr.type == kind else Cast(expr, kind)
