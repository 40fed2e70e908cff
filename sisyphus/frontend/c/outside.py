"""Variables of the file that a kernel reads or changes, as arguments behind its own; knows no loops.

float state[8]; void f(float x[8]) { ... state[i] ... }   becomes   void f(float x[8], float state[8])

A number that is written arrives as an array of one element, and a local variable stands for it meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pycparser import c_ast

from sisyphus.frontend.c.affine_faults import CONSTANT
from sisyphus.frontend.c.affine_reader import Affines
from sisyphus.frontend.c.c_types import Declared, declared
from sisyphus.frontend.c.declarations import Variables, element_type, facts_of
from sisyphus.frontend.c.diagnostics import Refused
from sisyphus.frontend.c.drafts import Draft
from sisyphus.frontend.c.file import CFile, assigned_names, unusable
from sisyphus.frontend.c.initialised import read_first, readers_of
from sisyphus.frontend.c.parse import walk
from sisyphus.frontend.c.scope import Entity, Parameter, Variable
from sisyphus.frontend.c.statics import Static, declare
from sisyphus.ir import Kept, reads
from sisyphus.values import dataclass


@dataclass(frozen=True)
class Carried:
    """A number of the file that is written: the local variable for it, and the argument that brings and gets it."""

    local: Variable
    argument: Variable


class Outside:
    """The variables of the file that one function uses, itself or in those that it calls, and static ones of these.

    `arguments` are what they become, by their names in C; `carried` the numbers among them that are written. `kept` are
    static variables of functions that became arguments.
    """

    def __init__(
        self,
        function: c_ast.FuncDef,
        found: CFile,
        variables: Variables,
        affines: Affines,
        places: Mapping[tuple[str, str], str],
    ) -> None:
        self.found, self.variables, self.affines, self.places = found, variables, affines, places
        self.arguments: dict[str, Parameter | Variable] = {}
        self.carried: list[Carried] = []
        self.statics: list[Static] = []
        self.kept: dict[Kept, Variable] = {}
        self.notes: list[str] = []
        self.functions = list(_reached(function, found.functions))

    def declare(self, params: dict[str, int]) -> None:
        """Puts them into the scope of the file; `params` are values that the user gives."""
        used = set().union(*map(_free_names, self.functions))
        changed = set().union(*(assigned_names(f.body) & _free_names(f) for f in self.functions))
        for name, node in self.found.variables.items():
            if name not in used:
                continue
            kind = declared(node.type, self.affines.typedefs)
            try:
                found = self._variable(node, kind, params.get(name), is_written=name in changed)
            except Refused as refused:
                found = unusable(refused)
            self.found.scope.names[name] = found
        self.statics = declare(self.functions, self.variables, self.affines, self.places)

    def moved(self) -> list[Carried]:
        """The numbers that arrive in and leave by an element of memory."""
        return [*self.carried, *(Carried(s.local, s.argument) for s in self.statics if s.local is not s.argument)]

    def decide(self, drafts: list[Draft]) -> list[Draft]:
        """Makes arguments of the static variables that a call reads first; the drafts without moves of all others."""
        for one in self.statics:
            is_number = one.local is not one.argument
            own = one.argument
            moves = [d for d in drafts if d.variable is own or any(r.array == own.id for r in reads(d.value))]
            others = [d for d in drafts if d not in moves] if is_number else drafts
            lives_on = any(True for _ in read_first(others, readers_of(others), one.local))
            if lives_on and one.kept is not None:
                own.is_argument = True
                self.kept[one.kept] = own
                first = "zero" if one.node.init is None else f"`{self.affines.text(one.node.init)}`"
                said = f"`{one.kept.name}` lives from call to call, so that it is an argument, at first {first}"
                self.notes.append(f"{own.span.path}:{own.span.line}: {said}")
                continue
            one.local.is_static = lives_on
            if is_number:
                drafts = others
                self.variables.all.remove(own)
        return drafts

    def _variable(self, node: c_ast.Decl, kind: Declared, value: int | None, *, is_written: bool) -> Entity:
        scalar, span, name = element_type(node, kind, self.affines), self.affines.tree.start(node), str(node.name)
        if not kind.is_scalar:
            extents = self.variables.extents(node, kind.dims or (), None, self.affines)
            return self._array(name, self.variables.array(name, scalar, extents, span))
        if name in self.variables.facts.counting:
            self.notes.append(f"{span.path}:{span.line}: `{name}` counts loops, and its last value is not handed back")
            return self.variables.counter(name, scalar, span)
        if is_written:
            argument = self._array(name, self.variables.array(name, scalar, (1,), span))
            local = self.variables.array(name, scalar, (), span)
            self.carried.append(Carried(local, argument))
            return local
        parameter = Parameter(self.variables.reserve(name), scalar, span, value)
        if not scalar.is_float:
            parameter.shapes_loops = any(name in facts_of(f.decl, f.body).shaping for f in self.functions)
            first = parameter.shapes_loops and value is None and node.init is not None
            if first and not any(name in assigned_names(f.body) for f in self.found.functions):
                parameter.value = self.affines.constant(node.init, CONSTANT)
                said = f"`{name}` is {parameter.value}, its first value, as nothing in the file changes it"
                self.notes.append(f"{span.path}:{span.line}: {said}")
        self.arguments[name] = parameter
        return parameter

    def _array(self, name: str, variable: Variable) -> Variable:
        variable.is_argument = True
        self.arguments[name] = variable
        return variable


def _reached(function: c_ast.FuncDef, others: Sequence[c_ast.FuncDef]) -> Iterator[c_ast.FuncDef]:
    """A function and those of the file that it calls, each once."""
    by_name, waiting, seen = {f.decl.name: f for f in others}, [function], set[str]()
    while waiting:
        one = waiting.pop()
        if one.decl.name in seen:
            continue
        seen.add(one.decl.name)
        yield one
        waiting += [by_name[name] for name in sorted(_names(one)) if name in by_name]


def _names(function: c_ast.FuncDef) -> set[str]:
    return {str(n.name) for n in walk(function.body) if isinstance(n, c_ast.ID)}


def _free_names(function: c_ast.FuncDef) -> set[str]:
    """Names in a function that it does not declare itself."""
    own = {n.name for n in walk(function) if isinstance(n, c_ast.Decl) and n is not function.decl}
    return _names(function) - own
