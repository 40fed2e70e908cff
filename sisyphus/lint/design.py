"""What a file says of memory: which names are m_axi arguments, how arrays are partitioned, through calls; no rule."""

from __future__ import annotations

from collections.abc import Iterator

from sisyphus.lint.index import number
from sisyphus.lint.syntax import Function, Place, Pragma, Statement, Unit, Variable, declared, places
from sisyphus.lint.tokens import Token, closing, split
from sisyphus.values import dataclass

#: Arrays of up to so many elements become registers by themselves.
SMALL = 4


@dataclass(frozen=True)
class Banks:
    """How one dimension is divided; `factor` is None for one bank per element."""

    kind: str
    factor: int | None


Key = tuple[str, str]


class Design:
    """A unit with its functions looked at together: what a caller says of an argument holds in the called function."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.functions = {f.name: f for f in unit.functions}
        self.places = {f.name: tuple(places(f.body)) for f in unit.functions}
        self.variables = {f.name: self._variables(f) for f in unit.functions}
        self.bus: set[Key] = set()
        self.banks: dict[tuple[str, str, int], Banks] = {}
        for function in unit.functions:
            for pragma in self.pragmas(function):
                self._note(function, pragma)
        self._spread()

    def pragmas(self, function: Function) -> Iterator[Pragma]:
        return (p.node for p in self.places[function.name] if isinstance(p.node, Pragma))

    def statements(self, function: Function) -> Iterator[tuple[Statement, Place]]:
        return ((p.node, p) for p in self.places[function.name] if isinstance(p.node, Statement))

    def extent(self, variable: Variable, dim: int) -> int | None:
        return number(variable.dims[dim], self.unit.constants)

    def banks_of(self, function: str, variable: Variable, dim: int) -> Banks:
        """The division of a dimension (from 0), whole arrays that are tiny included."""
        total = 1
        for at in range(len(variable.dims)):
            total *= self.extent(variable, at) or SMALL + 1
        if total <= SMALL:
            return Banks("complete", None)
        return self.banks.get((function, variable.name, dim), Banks("cyclic", 1))

    def _variables(self, function: Function) -> dict[str, Variable]:
        found = {v.name: v for v in function.parameters}
        for place in self.places[function.name]:
            if isinstance(place.node, Statement):
                found |= {v.name: v for v in declared(place.node)}
        return found

    def _note(self, function: Function, pragma: Pragma) -> None:
        if is_bus(pragma):
            self.bus.add((function.name, pragma.value("port") or ""))
        name = pragma.value("variable") or ""
        variable = self.variables[function.name].get(name)
        if pragma.name not in ("array_partition", "array_reshape") or variable is None:
            return
        kind = partition_type(pragma)
        factor, dim = _whole(pragma.value("factor")), _whole(pragma.value("dim"))
        for at in range(len(variable.dims)) if dim == 0 else [(dim or 1) - 1]:
            self.banks[function.name, name, at] = Banks(kind, None if kind == "complete" else factor or 1)

    def _spread(self) -> None:
        """From arguments to parameters, until nothing changes."""
        known = -1
        while known != len(self.bus) + len(self.banks):
            known = len(self.bus) + len(self.banks)
            for function in self.unit.functions:
                for statement, _ in self.statements(function):
                    for callee, arguments in calls(statement):
                        if callee.text in self.functions:
                            self._pass(function.name, self.functions[callee.text], arguments)

    def _pass(self, caller: str, callee: Function, arguments: list[tuple[Token, ...]]) -> None:
        for parameter, argument in zip(callee.parameters, arguments, strict=False):
            name = argument[0].text if argument else ""
            if (caller, name) in self.bus and (parameter.pointer or parameter.dims):
                self.bus.add((callee.name, parameter.name))
            picked = _picked(argument)
            for at in range(len(parameter.dims)):
                if picked is not None and (caller, name, at + picked) in self.banks:
                    self.banks.setdefault((callee.name, parameter.name, at), self.banks[caller, name, at + picked])


def _picked(argument: tuple[Token, ...]) -> int | None:
    """How many dimensions an argument leaves out, `array[2]` one; None where it is more than an array."""
    at, found = 1, 0
    while at < len(argument) and argument[at].is_mark("["):
        at, found = closing(argument, at) + 1, found + 1
    return found if at == len(argument) else None


def calls(statement: Statement) -> Iterator[tuple[Token, list[tuple[Token, ...]]]]:
    """Names that are called, with their arguments."""
    tokens = statement.tokens
    for at, token in enumerate(tokens[:-1]):
        if token.kind == "name" and tokens[at + 1].is_mark("("):
            yield token, split(tokens[at + 2 : closing(tokens, at + 1)], ",")


def is_bus(pragma: Pragma) -> bool:
    return pragma.name == "interface" and "m_axi" in (pragma.value("mode"), *(o for o in pragma.options))


def partition_type(pragma: Pragma) -> str:
    bare = next((k for k in ("complete", "cyclic", "block") if k in pragma.options), "complete")
    return (pragma.value("type") or bare).lower()


def _whole(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdigit() else None
