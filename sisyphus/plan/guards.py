"""What a guard inside a pipelined body does where it does not hold; knows no loop bounds beyond their ranges.

if (g) x[i] = x[i] + a[j]   becomes   x[i] = g ? x[i] + a[j] : x[i]

where x[i] is an element of the buffer whatever g is; its banks are all as long as the longest, so that the tiles at
the edge of an array reach none beyond it.

One store that always happens leaves the body a straight chain, as in the 60 of 60 reported loops that meet their
target; a run of branches around stores of one element took 200 cycles instead of 14.
"""

from __future__ import annotations

from collections.abc import Mapping

from sisyphus.ir import ArrayId, Binary, Call, Lookup, Ref, Statement, StmtId, walk
from sisyphus.plan.plan import Buffer
from sisyphus.plan.ranges import Ranges, loop_range
from sisyphus.plan.tree import For, Guard, Hold, LoopRole, Node, Run, Skip, body_of, with_body
from sisyphus.poly import affine_range
from sisyphus.values import dataclass, replace


@dataclass(frozen=True)
class Skipping:
    """Decides for the guards of a task, from its statements and the buffers that it uses."""

    statements: Mapping[StmtId, Statement]
    buffers: Mapping[ArrayId, Buffer]

    def mark(
        self, nodes: tuple[Node, ...], ranges: Ranges, *, piped: bool = False, held: ArrayId | None = None
    ) -> tuple[Node, ...]:
        """The same nodes, every guard inside of a pipelined loop with what it does where it does not hold."""
        found: list[Node] = []
        for node in nodes:
            match node:
                case For():
                    inside = {**ranges, node.iterator: loop_range(node, ranges)}
                    within = piped or node.role is LoopRole.PIPELINED
                    node = with_body(node, self.mark(node.body, inside, piped=within, held=held))
                case Guard(body=(Run() as run,)) if piped:
                    node = replace(node, skip=self._skip(run, ranges, held))
                case _:
                    own = node.ref.array if isinstance(node, Hold) and piped else held
                    node = with_body(node, self.mark(body_of(node), ranges, piped=piped, held=own))
            found.append(node)
        return tuple(found)

    def _skip(self, run: Run, ranges: Ranges, held: ArrayId | None) -> Skip:
        """Whether the element written exists, was read before, and all that is read exists, too."""
        statement, values = self.statements[run.statement], dict(run.values)
        inside = {
            ref: ref.array == held or self._is_inside(ref.substitute(values), ranges)
            for ref in (statement.write, *statement.reads)
        }
        if statement.write not in statement.reads or not inside[statement.write]:
            return Skip.BRANCH
        is_float = self.buffers[statement.write.array].type.is_float
        return Skip.SELECT if is_float and all(inside.values()) and _is_harmless(statement) else Skip.KEEP

    def _is_inside(self, ref: Ref, ranges: Ranges) -> bool:
        """Whether an element lies in its buffer for all values of the loops around."""
        buffer = self.buffers[ref.array]
        for index, origin, extent in zip(ref.index, buffer.origin, buffer.declared, strict=True):
            low, high = affine_range(index - origin, ranges)
            if low < 0 or high >= extent:
                return False
        return True


def _is_harmless(statement: Statement) -> bool:
    """Whether the value may be computed where it is not asked for: floating-point arithmetic never traps.

    Integer operations may, and a table has no element at the subscripts of other iterations.
    """
    parts = list(walk(statement.rhs))
    is_float = all(part.type.is_float for part in parts if isinstance(part, Binary | Call))
    return is_float and not any(isinstance(part, Lookup) for part in parts)
