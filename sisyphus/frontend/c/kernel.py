"""One function to a Scop: parameters, body, the questions put off, roles of the arrays."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from pycparser import c_ast

from sisyphus.frontend.c import initialised
from sisyphus.frontend.c.affine_reader import Affines
from sisyphus.frontend.c.c_types import Declared, declared, fits, integer_expression
from sisyphus.frontend.c.declarations import Variables, element_type, open_extent, undeclared_yet
from sisyphus.frontend.c.diagnostics import Refused
from sisyphus.frontend.c.drafts import Draft
from sisyphus.frontend.c.file import Callers, CFile, unusable
from sisyphus.frontend.c.lookups import looked_up
from sisyphus.frontend.c.open_extents import close_extents, open_extents
from sisyphus.frontend.c.outside import Outside
from sisyphus.frontend.c.parse import base_of, subscripts_of
from sisyphus.frontend.c.parse import walk as walk_tree
from sisyphus.frontend.c.passed_on import begun
from sisyphus.frontend.c.pointers import is_one_element
from sisyphus.frontend.c.questions import TOO_COMPLEX, ask, leashed, points
from sisyphus.frontend.c.returns import RESULT
from sisyphus.frontend.c.scope import MOST_ELEMENTS, Parameter, Scope, Unusable, Variable
from sisyphus.frontend.c.statements import StatementReader
from sisyphus.frontend.c.structs import Spelled
from sisyphus.ir import (
    Argument,
    Array,
    Lookup,
    Member,
    Origin,
    Read,
    Ref,
    Role,
    Scalar,
    Scop,
    Statement,
    StmtId,
    Table,
    walk,
)
from sisyphus.poly import Affine, IslError, Set, const
from sisyphus.values import dataclass, replace


@dataclass(frozen=True)
class Given:
    """What the user and the callers say about parameters, and how C writes fields of structures."""

    params: Mapping[str, int]
    extents: Mapping[str, tuple[int, ...]]
    callers: Callers
    spelled: Mapping[tuple[str, str], Spelled]
    places: Mapping[tuple[str, str], str]


class FunctionReader:
    """Translates one function of a file."""

    def __init__(self, function: c_ast.FuncDef, found: CFile, given: Given, affines: Affines) -> None:
        self.function, self.found, self.given, self.affines = function, found, given, affines
        self.variables = Variables(function)
        self.body = StatementReader(affines, self.variables)
        self.outside = Outside(function, found, self.variables, affines, given.places)
        self.arguments: list[Parameter | Variable] = []
        self.members: list[Member | None] = []
        self.returned: list[bool] = []
        self.notes: list[str] = []
        self.drafts: list[Draft] = []

    def translate(self, origin: Origin) -> Scop:
        """The whole kernel, or all its faults."""
        collector = self.affines.collector
        self.affines.scope = Scope(self.found.scope)
        self._parameters()
        self.outside.declare(dict(self.given.params))
        self._copies_and_tables()
        for carried in self.outside.moved():
            self._moved(carried.local, (), carried.argument, (const(0),))
        self.body.run(self.function)
        for carried in self.outside.moved():
            self._moved(carried.argument, (const(0),), carried.local, ())
        self.drafts = self.outside.decide(self.body.drafts)
        self.notes += self.outside.notes
        ask(self.affines.ledger.questions, collector)
        self._aliases()
        unset = [] if collector.failed else initialised.check(self.drafts, self.variables.all, collector)
        collector.stop_if_failed()
        statements, notes = begun(self._statements(), unset, self.variables.all, collector)
        self.notes += notes
        collector.stop_if_failed()
        self.notes += close_extents(self.variables.all, statements)
        arrays = self._arrays(statements)
        collector.stop_if_failed()
        return Scop(
            name=self.variables.function,
            arguments=(
                *map(self._argument, self.arguments, self.members, self.returned),
                *(
                    replace(self._argument(v), outside=self.given.places.get(("", name), name))
                    for name, v in self.outside.arguments.items()
                ),
                *(replace(self._argument(v), kept=kept) for kept, v in self.outside.kept.items()),
            ),
            arrays=arrays,
            statements=statements,
            origin=origin,
            notes=tuple(self.notes),
            tables=self._tables_used(statements),
        )

    # -- parameters --------------------------------------------------------------------------------------------

    def _parameters(self) -> None:
        affines = self.affines
        arguments = self.function.decl.type.args
        nodes = [p for p in (arguments.params if arguments else []) if isinstance(p, c_ast.Decl)]
        self._odd_parameters(arguments)
        kinds = {p.name: declared(p.type, affines.typedefs) for p in nodes}
        for node in nodes:
            try:
                if node.name in affines.scope.names:
                    affines.collector.add(affines.fault("redeclared", f"`{node.name}` is declared twice", node))
                    continue
                affines.scope.names[node.name] = undeclared_yet(node)
                affines.scope.names[node.name] = self._parameter(node, kinds[node.name])
            except Refused as refused:
                affines.collector.add(refused)
                affines.scope.names[node.name] = Unusable()
        for node in nodes:
            entity = affines.scope.names[node.name]
            if isinstance(entity, Parameter | Variable):
                self.arguments.append(entity)
                self.members.append(self._member_of(node))
                self.returned.append(node.name.partition(".")[0] == RESULT)
        self._unknown(kinds)

    def _odd_parameters(self, arguments: c_ast.ParamList | None) -> None:
        """Parameters without a type, without a name, or without a number."""
        affines, place = self.affines, self.affines.tree.start(self.function.decl)
        if self.function.param_decls:
            affines.collector.report("syntax", "parameters declared in the style of K&R C", place)
        for node in arguments.params if arguments else []:
            if isinstance(node, c_ast.EllipsisParam):
                affines.collector.report("unsupported-type", "a variable number of arguments", place)
            elif isinstance(node, c_ast.Typename) and not declared(node, affines.typedefs).is_void:
                affines.collector.report("syntax", "a parameter without a name", affines.tree.start(node))

    def _unknown(self, kinds: Mapping[str, Declared]) -> None:
        """Values given for names that are no integer parameters."""
        integers = [n for n, k in kinds.items() if k.is_scalar and k.scalar and not k.scalar.is_float]
        outside = {name: declared(node.type, self.affines.typedefs) for name, node in self.found.variables.items()}
        integers += [n for n, k in outside.items() if k.is_scalar and k.scalar and not k.scalar.is_float]
        for name in self.given.extents:
            if not any(n.split(".")[0] == name and kind.layers for n, kind in kinds.items()):
                words = f"`{self.variables.function}` has no pointer `{name}` that `--extent` could be for"
                place = self.affines.tree.start(self.function.decl)
                self.affines.collector.report(
                    "unknown-parameter", words, place, hint="name an argument like `float *a`"
                )
        for name in self.given.params:
            if name not in integers:
                known = ", ".join(f"`{n}`" for n in integers)
                hint = f"it has {known}" if known else "set a macro with `-D`"
                self.affines.collector.report(
                    "unknown-parameter",
                    f"`{self.variables.function}` has no integer parameter `{name}`",
                    self.affines.tree.start(self.function.decl),
                    hint=hint,
                )

    def _parameter(self, node: c_ast.Decl, kind: Declared) -> Parameter | Variable:
        affines, variables = self.affines, self.variables
        span = affines.tree.start(node)
        if kind.is_scalar:
            return self._number(node, kind)
        given = self.given.extents.get(node.name.split(".")[0])
        is_open = kind.dims is None or (kind.dims[0] is None and len(kind.dims) == 1)
        if given is not None and kind.scalar is not None and not kind.problem and len(kind.layers) == 1 and is_open:
            return self._sized(node, kind, given)
        if len(kind.layers) == 1 and kind.dims is None and not kind.problem and self._is_one_element(node.name):
            return self._sized(node, kind, (1,))
        if kind.dims is None:
            if (kind.problem and kind.problem != "void") or len(kind.layers) > 1:
                words = kind.problem or "an array of pointers or a pointer to a function"
                element_type(node, replace(kind, problem=words), affines)
            fault = affines.fault(
                "pointer-extent",
                f"pointer `{node.name}` has no extents",
                node,
                f"give its extent with `--extent {node.name}=...`, or declare it as `{self._as_array(node.name)}`",
            )
            if kind.problem:
                raise fault
            return self._sized(node, kind, open_extents(()), fault)
        scalar = element_type(node, kind, affines)
        first = given[0] if given is not None else self.given.callers.extents.get(node.name)
        if first is None and kind.dims[0] is None and self._is_one_element(node.name):
            first = 1  # rows of which the first alone is named, as of an array in a structure that is given by address
        hint = f"give it with `--extent {node.name.split('.')[0]}=...`, or as a constant"
        is_unsaid = kind.dims[0] is None and first is None
        extents = variables.extents(node, kind.dims, 1 if is_unsaid else first, affines, hint)
        if given is not None and given != extents[: len(given)]:
            said, has = ",".join(map(str, given)), "x".join(map(str, extents))
            words = f"`--extent {node.name.split('.')[0]}={said}` is not what the source says: `{node.name}` has {has}"
            raise affines.fault("array-extent", words, node, "leave it out, or change the source")
        extents = open_extents(extents[1:]) if is_unsaid else extents
        variable = variables.array(node.name, scalar, extents, span, const=kind.const)
        variable.is_argument = True
        variable.open = open_extent(node, 0, affines, hint) if is_unsaid else None
        return variable

    def _sized(
        self, node: c_ast.Decl, kind: Declared, extents: tuple[int, ...], fault: Refused | None = None
    ) -> Variable:
        """A pointer whose extents the command line gives; rows are one vector, as its subscripts say.

        With a `fault` they are open, which it says where data tell which element is meant.
        """
        scalar = element_type(node, kind, self.affines)
        if prod(extents) > MOST_ELEMENTS:
            words = f"`{node.name}` has {prod(extents)} elements, more than 2^31 - 1"
            raise self.affines.fault("extent-overflow", words, node)
        span = self.affines.tree.start(node)
        name = node.name.replace(RESULT, f"{self.variables.function}_result", 1)
        variable = self.variables.array(name, scalar, (prod(extents),), span, const=kind.const)
        variable.is_argument, variable.open = True, fault
        return variable

    def _is_one_element(self, name: str) -> bool:
        """Whether the element at the place of a pointer is all that is asked for; of a field nobody need ask."""
        is_named = "." in name or name in self.variables.facts.occurring
        return is_named and is_one_element(name, self.function, self.found.functions)

    def _as_array(self, name: str) -> str:
        """The name with as many subscripts as the text gives it, one where it gives none."""
        refs = [n for n in walk_tree(self.function.body) if isinstance(n, c_ast.ArrayRef)]
        own = [n for n in refs if isinstance(base := base_of(n), c_ast.ID) and base.name == name]
        return name + "[N]" * max((len(subscripts_of(n)) for n in own), default=1)

    def _number(self, node: c_ast.Decl, kind: Declared) -> Parameter:
        """A scalar parameter, with its value if the user gives one, or if it shapes loops and the callers agree."""
        variables, scalar = self.variables, element_type(node, kind, self.affines)
        parameter = Parameter(variables.reserve(node.name), scalar, self.affines.tree.start(node), const=kind.const)
        if scalar.is_float:
            return parameter
        parameter.shapes_loops = variables.shapes_loops(node.name)
        if node.name in self.given.params:
            parameter.value = self.given.params[node.name]
        elif parameter.shapes_loops or node.name not in variables.facts.occurring:
            parameter.value = self.given.callers.values.get(node.name)
        parameter.callers_differ = node.name in self.given.callers.disagree
        if parameter.value is not None and not fits(parameter.value, scalar):
            message = f"`{node.name}` = {parameter.value} leaves the range of `{scalar.c_name}`"
            raise self.affines.fault("integer-overflow", message, node)
        return parameter

    def _moved(self, left: Variable, at: tuple[Affine, ...], right: Variable, source: tuple[Affine, ...]) -> None:
        """A statement that copies one element."""
        right.read = True
        self.body.put(Ref(left.id, at), left, Read(Ref(right.id, source), right.type), left.span)

    def _copies_and_tables(self) -> None:
        """Scalar arguments that are written get a local copy; constant tables of the file become locals."""
        affines = self.affines
        scope = Scope(affines.scope)
        for name, entity in list(affines.scope.names.items()):
            is_written = name in self.variables.facts.assigned and name not in self.variables.facts.counting
            if isinstance(entity, Parameter) and is_written and entity.is_data and not entity.const:
                copy = self.variables.array(name, entity.type, (), entity.span)
                scope.names[name] = copy
                given = name in self.given.params
                entity.value = entity.value if given else None
                start = Scalar(entity.name, entity.type) if entity.value is None else None
                value = start or integer_expression(entity.value or 0, entity.type)
                self.body.put(Ref(copy.id, ()), copy, value, entity.span)
        self._tables()
        affines.scope = scope

    def _tables(self) -> None:
        """Constant tables of the file, for the kernel and the functions that it calls."""
        affines, outer = self.affines, self.affines.scope
        affines.scope = self.found.scope
        for name, node in self.found.tables.items():
            try:
                kind = declared(node.type, affines.typedefs)
                variable = self.variables.local(node, kind, affines)
                self.body.initialise(node, variable)
                self.found.scope.names[name] = variable
            except Refused as refused:
                self.found.scope.names[name] = unusable(refused)
        affines.scope = outer

    def _aliases(self) -> None:
        """One array passed for two parameters, one of which is written."""
        outside = self.outside.arguments
        # Of these, one may have the name of a parameter.
        hidden = {id(a) for a in (*outside.values(), *self.outside.kept.values())}
        by_name = {a.name: a for a in self.variables.all if a.is_argument and id(a) not in hidden}
        pairs = [(by_name.get(first), first, second) for first, second in sorted(self.given.callers.twice)]
        given = [(outside.get(first), first, second) for first, second in sorted(self.given.callers.given)]
        for left, first, second in [*pairs, *given]:
            right = by_name.get(second)
            if isinstance(left, Variable) and right and (left.written or right.written):
                self.affines.collector.report(
                    "aliasing",
                    f"a call in this file passes one array for both `{first}` and `{second}`, and the kernel writes it",
                    self.affines.tree.start(self.function.decl),
                    hint="pass distinct arrays, or give the kernel one parameter",
                )

    # -- results -----------------------------------------------------------------------------------------------

    def _statements(self) -> tuple[Statement, ...]:
        kept = list[Statement]()
        for draft in self.drafts:
            name = StmtId(f"S{len(kept)}")
            try:
                with leashed():
                    domain: Set = points(name, draft.context.names, draft.context.condition)
                    empty = domain.is_empty()
            except IslError:
                self.affines.collector.report("too-complex", TOO_COMPLEX, draft.span)
                continue
            if empty:
                self.notes.append(f"{draft.span.path}:{draft.span.line}: this statement never runs")
                continue
            kept.append(_statement(name, draft, domain))
        kept = looked_up(kept, self.variables.all, self.affines.collector)
        if not kept:
            rule, words = "no-statement", f"`{self.variables.function}` computes nothing"
            self.affines.collector.report(rule, words, self.affines.tree.start(self.function.decl))
        return tuple(kept)

    def _arrays(self, statements: tuple[Statement, ...]) -> tuple[Array, ...]:
        written = {s.write.array for s in statements}
        read = {name for s in statements for name in (*(r.array for r in s.reads), *s.looked_up)}
        arrays = list[Array]()
        for variable in self.variables.all:
            used = variable.id in written or variable.id in read
            if (not variable.is_argument and not used) or variable.table is not None:
                continue
            if not used:
                self.notes.append(f"argument `{variable.name}` is not used")
            role = _role(variable, is_written=variable.id in written, is_read=variable.id in read)
            arrays.append(Array(variable.id, variable.type, variable.extents, role, variable.span))
        arguments = [f"`{a.id}`" for a in arrays if a.role is not Role.LOCAL]
        if len(arguments) > 1:
            self.notes.append(f"taken as disjoint in memory: {', '.join(arguments)}")
        if not any(a.role in (Role.OUT, Role.INOUT) for a in arrays):
            self.affines.collector.report(
                "no-output",
                f"`{self.variables.function}` writes none of its arguments",
                self.affines.tree.start(self.function.decl),
                hint="pass the arrays that it computes as parameters",
            )
        return tuple(arrays)

    def _tables_used(self, statements: tuple[Statement, ...]) -> tuple[Table, ...]:
        used = {e.table for s in statements for e in walk(s.rhs) if isinstance(e, Lookup)}
        return tuple(v.table for v in self.variables.all if v.table is not None and v.id in used)

    def _argument(self, entity: Parameter | Variable, member: Member | None = None, returned: bool = False) -> Argument:
        if isinstance(entity, Variable):
            return Argument(entity.id, "array", entity.type, member=member, returned=returned)
        if entity.value is not None:
            return Argument(entity.name, "parameter", entity.type, entity.value, member)
        return Argument(entity.name, "scalar", entity.type, member=member)

    def _member_of(self, node: c_ast.Decl) -> Member | None:
        """Of which structure an argument is a field, if of any."""
        name, dot, path = node.name.partition(".")
        spelled = self.given.spelled.get((self.variables.function, name)) if dot else None
        if spelled is None:
            return None
        return Member(name, spelled.type, spelled.structure.written(path), spelled.by_value)


def _statement(name: StmtId, draft: Draft, domain: Set) -> Statement:
    return Statement(
        id=name,
        iterators=draft.context.names,
        domain=domain,
        position=draft.position,
        write=draft.write,
        write_type=draft.variable.type,
        rhs=draft.value,
        span=draft.span,
    )


def _role(variable: Variable, *, is_written: bool, is_read: bool) -> Role:
    if not variable.is_argument:
        return Role.LOCAL
    if is_written:
        return Role.INOUT if is_read else Role.OUT
    return Role.IN
