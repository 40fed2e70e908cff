"""Strips whose steps run in another order of the kernel, as wavefronts; proves nothing.

An order of all instances is one of those in a strip, too. What of its times stands still there is left out: the time
2 i + j + 4 t is 2 i + j + 2 t in a strip that moves up by one row with each step.
"""

from __future__ import annotations

from sisyphus.analysis import Dependences
from sisyphus.forms.completion import inner_times
from sisyphus.forms.proposals import schedule_text
from sisyphus.forms.strips import Build, Strips, steps_of_rows
from sisyphus.ir import Statement
from sisyphus.poly import Affine, Timed, const, read_times, var


def order_in_strips(found: Dependences, strips: Strips, order: str) -> str | None:
    """An order of a kernel, in isl's notation, as one of the kernel in strips.

    None where nothing runs in strips, or the order runs parts of a statement apart. `ValueError` where it is no order.
    """
    steps = steps_of_rows(found.scop)
    if steps is None:
        return None
    timed = read_times(order, {s.id: s.domain for s in found.scop.statements})
    if len(timed) != len(found.scop.statements):
        return None
    of_source = {t.name: t for t in timed}
    built = Build(steps, strips)
    scop = built.windowed(built.ordered().scop)
    inside = {s.id: s for s in steps.statements}

    def times(statement: Statement) -> list[Affine]:
        old = inside.get(statement.id)
        if old is None:
            return [*inner_times(statement, scop.statements)]
        return [*_around(statement), *_inside(built, old, of_source[old.id])]

    return schedule_text({statement: times(statement) for statement in scop.statements})


def _around(statement: Statement) -> list[Affine]:
    """Its times down to what a strip does after its windows are filled."""
    (place, at, after), (block, strip) = statement.position[:3], statement.iterators[:2]
    return [const(place), var(block), const(at), var(strip), const(after)]


def _inside(built: Build, old: Statement, timed: Timed) -> list[Affine]:
    """The times of the source in the loops of a strip."""
    values = built.values(old)
    moved = (time.substitute(values) for time in timed.times)
    return [
        time - sum((var(n) * time.coefficient(n) for n in (built.block.name, built.strip.name)), Affine())
        for time in moved
    ]
