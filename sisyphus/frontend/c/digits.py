"""Loops whose bodies divide their iterators by constants, as loops over quotients and remainders.

for (t = 0; t < n; t++) a[t % 4] += b[t / 4];   becomes
for (q = 0; ...; q++) for (r = 0; r < 4; r++) where 4 * q + r < n: a[r] += b[q];   with t = 4 * q + r

Where a body divides by several constants there is a loop for each, as digits of a number have places: by 4 and by 12,
t is 12 * q + 4 * s + r. It asks nothing of inner loops, whose iterators may have digits of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise
from math import lcm

from pycparser import c_ast

from sisyphus.frontend.c.affine_faults import CONSTANT
from sisyphus.frontend.c.affine_reader import Affines
from sisyphus.frontend.c.bound import Fork, SourceBound
from sisyphus.frontend.c.context import Context, OpenLoop
from sisyphus.frontend.c.declarations import Variables, shaping_parts
from sisyphus.frontend.c.diagnostics import Refused
from sisyphus.frontend.c.parse import walk
from sisyphus.frontend.c.scope import Variable
from sisyphus.poly import Affine, var
from sisyphus.values import replace

DIVIDING = ("/", "%", ">>", "&", "^", "|")
#: Places that are no multiples of each other have the least common one, up to this.
MOST_COMMON = 64


def count_in_digits(node: c_ast.For, variable: Variable, affines: Affines, variables: Variables) -> None:
    """Digits in place of the loop that the affine reader has just entered, where its body asks for them."""
    context = affines.context
    places = _places_of(node, context.loops[-1], affines)
    if places:
        around = context.names[:-1]
        context = _in_digits(context, places, lambda name: variables.iterator(name, around))
        affines.context, variable.binding = context, SourceBound.of(context.loops[-1].value)


def _places_of(node: c_ast.For, loop: OpenLoop, affines: Affines) -> list[int]:
    """The numbers by which quotients of the loop's own counter make the body affine, each a multiple of the one before.

    None where all values of the counter lie between two multiples.
    """
    if loop.range is None or not any(isinstance(n, c_ast.BinaryOp) and n.op in DIVIDING for n in walk(node.stmt)):
        return []
    step, many = loop.value.coefficient(loop.name), loop.range[1] - loop.range[0]
    slopes = _Slopes(node, loop.variable.name, affines)
    asked = {abs(Fraction(by) / (slope * step)).numerator for by, slope in slopes.divided()}
    places = list[int]()
    for place in sorted(asked - {1}):
        common = lcm(place, places[-1]) if places else place
        if common == place or common <= MOST_COMMON:
            places.append(common)
    return [place for place in dict.fromkeys(places) if place <= many]


def _in_digits(inside: Context, places: list[int], named: Callable[[str], str]) -> Context:
    """The context with a loop for each digit in place of its innermost one; `named` makes a name of one proposed."""
    *outer, loop = inside.loops
    first, last = loop.range or (0, 0)
    step, top = loop.value.coefficient(loop.name), places[-1]
    # The counter is shifted so that its digits are those of what the source divides, also of what begins at 5 or falls.
    at = loop.value.constant // abs(step)
    shift = at if step > 0 else (top - 1 - at) % top
    units = [top, *reversed(places[:-1]), 1]
    ranges = [((first + shift) // top, (last + shift) // top)]
    ranges += [(0, above // unit - 1) for above, unit in pairwise(units)]
    names = [named(f"{loop.name}_d{unit}" if unit > 1 else f"{loop.name}_m{places[0]}") for unit in units]
    counter = {loop.name: Affine.of(zip(names, units, strict=True), -shift)}
    value = loop.value.substitute(counter)
    digits = [OpenLoop(name, loop.variable, value, ends) for name, ends in zip(names, ranges, strict=True)]
    held = [t for digit in digits[1:] if digit.range for t in (var(digit.name), digit.range[1] - var(digit.name))]
    condition = tuple((*(test.substitute(counter) for test in tests), *held) for tests in inside.condition)
    return replace(inside, loops=(*outer, *digits), condition=condition)


class _Slopes:
    """How values of a body change with the iterator of the loop; None for what is no number of it times constants."""

    def __init__(self, node: c_ast.For, name: str, affines: Affines) -> None:
        self.parts, self.affines = shaping_parts(node.stmt), affines
        self.values: dict[str, c_ast.Node | None] = {
            n.name: n.init for n in walk(node.stmt) if isinstance(n, c_ast.Decl)
        }
        self.known: dict[str, Fraction | None] = {name: Fraction(1)}

    def divided(self) -> Iterator[tuple[int, Fraction]]:
        """The numbers that divide values which change with the iterator, and how these change."""
        for node in (n for part in self.parts for n in walk(part)):
            if isinstance(node, c_ast.BinaryOp) and node.op in DIVIDING:
                slope, by = self.of(node.left), self._divisor(node)
                if slope and by is not None:
                    yield by, slope
                    if self._is_of_bit(node):
                        yield 2 * by, slope

    def of(self, node: c_ast.Node) -> Fraction | None:
        """How much the value changes with one more of the iterator; of a quotient a fraction of what it divides."""
        match node:
            case c_ast.Constant():
                return Fraction(0)
            case c_ast.ID(name=name):
                if name not in self.known:
                    self.known[name] = None  # of what is defined by itself
                    value = self.values.get(name)
                    self.known[name] = Fraction(0) if value is None else self.of(value)
                return self.known[name]
            case c_ast.UnaryOp(op="+" | "-" as op):
                slope = self.of(node.expr)
                return slope if op == "+" or slope is None else -slope
            case c_ast.Cast():
                return self.of(node.expr)
            case c_ast.BinaryOp(op="+" | "-" as op):
                left, right = self.of(node.left), self.of(node.right)
                return None if left is None or right is None else left + right if op == "+" else left - right
            case c_ast.BinaryOp(op="*"):
                for slope, other in ((self.of(node.left), node.right), (self.of(node.right), node.left)):
                    if slope != 0:
                        by = self._constant(other)
                        return None if slope is None or by is None else slope * by
                return Fraction(0)
            case c_ast.BinaryOp(op=op) if op in DIVIDING:
                slope, by = self.of(node.left), self._divisor(node)
                return None if slope is None or by is None else slope / by if op in ("/", ">>") else slope
        return None

    def _divisor(self, node: c_ast.BinaryOp) -> int | None:
        by = self._constant(node.right)
        if by is None or by < 0 or (node.op == ">>" and by > 30):
            return None
        if self._is_of_bit(node):
            return by
        by = {">>": 1 << by, "&": by + 1}.get(node.op, by)
        return by if by > 1 and (node.op not in ("&", "^", "|") or not by & (by - 1)) else None

    def _is_of_bit(self, node: c_ast.BinaryOp) -> bool:
        """Whether it asks for one bit, which is the remainder by two of a quotient; that of 1 is a remainder."""
        by = self._constant(node.right) if node.op in ("&", "^", "|") else None
        return by is not None and by > 0 and not by & (by - 1) and not (node.op == "&" and by == 1)

    def _constant(self, node: c_ast.Node) -> int | None:
        asked = self.affines.ledger.questions
        before = len(asked)
        try:
            return self.affines.constant(node, CONSTANT)
        except (Refused, Fork):  # a number in one case alone is none
            return None
        finally:
            del asked[before:]
