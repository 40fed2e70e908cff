"""Formulas written down once and computed for many batches of candidates; knows no formula.

A tape is a symbolic reading of the formulas: what they do with its symbols are steps. Equal steps are one, and what
depends on constants alone is computed at once. A program has the steps that some results need and runs them on NumPy
arrays, by what `VECTOR` does with these.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache, partial
from operator import itemgetter
from typing import Any, NoReturn

import numpy as np

from sisyphus.algebra.readings import EXACT, VECTOR, Condition, Value
from sisyphus.errors import InternalError
from sisyphus.values import dataclass

#: A function of arrays and constants.
Function = Callable[..., Any]
#: The slot of a result, its function, what takes the operands out of the slots, the slots that no later step needs.
Step = tuple[int, Function, Callable[[Sequence[Any]], Sequence[Any]], Sequence[int]]
#: As many places of operands are remembered: programs of one kernel have most of them in common, and millions of steps.
TAKEN = 1 << 17
#: What a step does, by name: with constants, and with arrays.
OPERATIONS: Mapping[str, tuple[Function, Function]] = {
    "maximum": (EXACT.maximum, np.maximum),
    "minimum": (EXACT.minimum, np.minimum),
    "gcd": (EXACT.gcd, np.gcd),
    "abs": (abs, np.abs),
    "both": (EXACT.both, np.logical_and),
    "either": (EXACT.either, np.logical_or),
    "negation": (EXACT.negation, np.logical_not),
    "select": (EXACT.select, np.where),
    "exceeds": (EXACT.exceeds, operator.gt),
    "equals": (EXACT.equals, operator.eq),
    "ceil_div": (EXACT.ceil_div, VECTOR.ceil_div),
    "log2_ceil": (EXACT.log2_ceil, VECTOR.log2_ceil),
    "log2_floor": (EXACT.log2_floor, VECTOR.log2_floor),
    "lowest_bit": (EXACT.lowest_bit, VECTOR.lowest_bit),
    "is_power_of_two": (EXACT.is_power_of_two, VECTOR.is_power_of_two),
    "nearest": (EXACT.nearest, VECTOR.nearest),
    **{name: (getattr(operator, name), getattr(operator, name)) for name in ("add", "sub", "mul", "floordiv")},
}


class Symbol:
    """A number or a condition that is not known yet: an input, or the result of a step."""

    __slots__ = ("function", "number", "operands", "tape")

    def __init__(self, tape: Tape, number: int, function: Function | None, operands: tuple[Value, ...]) -> None:
        self.tape, self.number, self.function, self.operands = tape, number, function, operands

    def __add__(self, other: Value) -> Value:
        return self.tape.step("add", self, other) if other.__class__ is Symbol or other else self

    def __radd__(self, other: Value) -> Value:
        return self + other

    def __sub__(self, other: Value) -> Value:
        return self.tape.step("sub", self, other) if other.__class__ is Symbol or other else self

    def __rsub__(self, other: Value) -> Value:
        return self.tape.step("sub", other, self)

    def __mul__(self, other: Value) -> Value:
        if other.__class__ is not Symbol and other in (0, 1):
            return self if other else 0
        return self.tape.step("mul", self, other)

    def __rmul__(self, other: Value) -> Value:
        return self * other

    def __floordiv__(self, other: Value) -> Value:
        return self if _is(other, 1) else self.tape.step("floordiv", self, other)

    def __rfloordiv__(self, other: Value) -> Value:
        return self.tape.step("floordiv", other, self)

    def __neg__(self) -> Value:
        return 0 - self

    def __abs__(self) -> Value:
        """Numbers of an algebra are at least 0, but for sums with, and multiples of, negative ones."""
        if self.function is operator.mul:
            return abs(self.operands[0]) * abs(self.operands[1])
        return self.tape.step("abs", self) if self.function in (operator.add, operator.sub) else self

    def __bool__(self) -> NoReturn:
        raise InternalError("a formula asks Python whether a symbol is true")


class Tape:
    """The reading of an `Algebra` that writes down what formulas do."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Value] = {}
        self._symbols: list[Symbol] = []
        self._inputs: list[Symbol] = []

    def input(self) -> Symbol:
        """A column that every run of the program is given, in the order of these calls."""
        self._inputs.append(self._new(None, ()))
        return self._inputs[-1]

    def step(self, name: str, *operands: Value) -> Value:
        """The result of an operation."""
        key = (name, operands)
        found = self._known.get(key)
        if found is None:
            exact, vector = OPERATIONS[name]
            found = self._known[key] = self._result(exact, vector, operands)
        return found

    def program(self, results: Mapping[str, Value]) -> Program:
        """What it takes to compute some results; the tape forgets its symbols."""
        inputs = [symbol.number for symbol in self._inputs]
        needed = {*inputs, *(value.number for value in results.values() if value.__class__ is Symbol)}
        slots: list[Any] = [None] * len(self._symbols)
        constants: dict[Hashable, int] = {}

        def place(value: Value) -> int:
            if isinstance(value, Symbol):
                return value.number
            at = constants.setdefault((type(value), value), len(slots))
            if at == len(slots):
                slots.append(np.asarray(value))  # NumPy would convert a number in every run
            return at

        steps: list[Step] = []
        for symbol in reversed(self._symbols):
            if symbol.function is None or symbol.number not in needed:
                continue
            own = [place(value) for value in symbol.operands]
            dead = tuple(at for at in own if at < symbol.number and at not in needed)
            needed.update(dead)
            steps.append((symbol.number, symbol.function, _taking(tuple(own)), dead))
        wanted = {name: place(value) for name, value in results.items()}
        self._known.clear()
        self._symbols.clear()
        return Program(slots, inputs, steps[::-1], wanted)

    def maximum(self, *values: Value) -> Value:
        return self._of_several("maximum", values)

    def minimum(self, *values: Value) -> Value:
        return self._of_several("minimum", values)

    def ceil_div(self, value: Value, divisor: Value) -> Value:
        return value if _is(divisor, 1) or _is(value, 0) else self.step("ceil_div", value, divisor)

    def log2_ceil(self, value: Value) -> Value:
        return self.step("log2_ceil", value)

    def log2_floor(self, value: Value) -> Value:
        return self.step("log2_floor", value)

    def gcd(self, left: Value, right: Value) -> Value:
        if left is right or _is(right, 0) or _is(left, 1):
            return left
        return right if _is(left, 0) or _is(right, 1) else self.step("gcd", left, right)

    def lowest_bit(self, value: Value) -> Value:
        return self.step("lowest_bit", value)

    def is_power_of_two(self, value: Value) -> Condition:
        return self.step("is_power_of_two", value)

    def exceeds(self, left: Value, right: Value) -> Condition:
        return left is not right and self.step("exceeds", left, right)

    def equals(self, left: Value, right: Value) -> Condition:
        return left is right or self.step("equals", left, right)

    def both(self, *conditions: Condition) -> Condition:
        found: Condition = True
        for condition in conditions:
            found = self._both(found, condition)
        return found

    def _both(self, left: Condition, right: Condition) -> Condition:
        if left is True or left is right or right is False:
            return right
        return left if left is False or right is True else self.step("both", left, right)

    def either(self, *conditions: Condition) -> Condition:
        found: Condition = False
        for condition in conditions:
            found = self._either(found, condition)
        return found

    def _either(self, left: Condition, right: Condition) -> Condition:
        if left is False or left is right or right is True:
            return right
        return left if left is True or right is False else self.step("either", left, right)

    def negation(self, condition: Condition) -> Condition:
        if condition.__class__ is Symbol and condition.function is np.logical_not:
            return condition.operands[0]
        return self.step("negation", condition)

    def select(self, condition: Condition, then: Value, other: Value) -> Value:
        if condition.__class__ is not Symbol:
            return then if condition else other
        if then is other:
            return then
        # as a factor, a condition is 1 or 0
        return self.step("mul", condition, then) if _is(other, 0) else self.step("select", condition, then, other)

    def lookup(self, table: Sequence[int], at: Value) -> Value:
        return self._with_function("lookup", tuple(table), (at,))

    def apply(self, function: Callable[..., int], *values: Value) -> Value:
        return self._with_function("apply", function, values)

    def nearest(self, value: Value) -> Value:
        return self.step("nearest", value)

    def may_hold(self, condition: Condition) -> bool:
        return isinstance(condition, Symbol) or bool(condition)

    def _of_several(self, name: str, values: Sequence[Value]) -> Value:
        """A function of several values in any order, two at a time, equal ones once."""
        found, *others = dict.fromkeys(values)
        for value in others:
            found = self.step(name, found, value)
        return found

    def _with_function(self, name: str, function: Any, operands: tuple[Value, ...]) -> Value:
        """A step whose first argument is no value."""
        key = (name, function, operands)
        if key not in self._known:
            exact, vector = partial(getattr(EXACT, name), function), partial(getattr(VECTOR, name), function)
            self._known[key] = self._result(exact, vector, operands)
        return self._known[key]

    def _result(self, exact: Function, vector: Function, operands: tuple[Value, ...]) -> Value:
        for operand in operands:
            if operand.__class__ is Symbol:
                return self._new(vector, operands)
        return exact(*operands)

    def _new(self, function: Function | None, operands: tuple[Value, ...]) -> Symbol:
        self._symbols.append(Symbol(self, len(self._symbols), function, operands))
        return self._symbols[-1]


@lru_cache(maxsize=TAKEN)
def _taking(places: tuple[int, ...]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """What takes the operands out of these slots."""
    return itemgetter(*places) if len(places) > 1 else itemgetter(slice(places[0], places[0] + 1))


def _is(value: Value, number: int) -> bool:
    return value.__class__ is not Symbol and bool(value == number)


@dataclass(frozen=True, eq=False)
class Program:
    """Steps over slots, with constants behind those of inputs and steps; which slots are inputs and which results."""

    slots: Sequence[Any]
    inputs: Sequence[int]
    steps: Sequence[Step]
    results: Mapping[str, int]

    def run(self, columns: Sequence[Any]) -> dict[str, Any]:
        """The results for some columns, one per input; those that depend on none of them are constants."""
        slots = [*self.slots]
        for slot, column in zip(self.inputs, columns, strict=True):
            slots[slot] = column
        for slot, function, operands, dead in self.steps:
            slots[slot] = function(*operands(slots))
            for last in dead:
                slots[last] = None
        return {name: slots[slot] for name, slot in self.results.items()}
