"""A whole file: its types, constants and functions, which function to take, and what its callers say about it."""

from __future__ import annotations

from collections.abc import Sequence

from pycparser import c_ast, c_generator

from sisyphus.frontend.c.affine_faults import CONSTANT, EXTENT
from sisyphus.frontend.c.affine_reader import Affines
from sisyphus.frontend.c.c_types import Declared, convert, declared, enum_key, fits, integer_expression
from sisyphus.frontend.c.diagnostics import Collector, Refused
from sisyphus.frontend.c.expressions import Expressions
from sisyphus.frontend.c.parse import Tree, is_of_widths, walk
from sisyphus.frontend.c.scope import Constant, Function, Scope, Unusable
from sisyphus.ir import INT32, ScalarType, any_width
from sisyphus.ir.types import INT64, UINT32
from sisyphus.values import dataclass, field

PREFIX = "kernel_"


@dataclass
class CFile:
    """The names at file level, and the definitions of functions in the order of the text.

    `tables` are constant arrays, `variables` what any function may change.
    """

    scope: Scope
    functions: list[c_ast.FuncDef] = field(default_factory=list)
    tables: dict[str, c_ast.Decl] = field(default_factory=dict)
    variables: dict[str, c_ast.Decl] = field(default_factory=dict)


@dataclass
class Callers:
    """What the calls in the same file agree on: values and first extents by parameter, arguments passed twice.

    `twice` are pairs of parameters, `given` variables of the file with the parameters that they are passed for.
    """

    values: dict[str, int] = field(default_factory=dict)
    extents: dict[str, int] = field(default_factory=dict)
    disagree: set[str] = field(default_factory=set)
    twice: set[tuple[str, str]] = field(default_factory=set)
    given: set[tuple[str, str]] = field(default_factory=set)


def names_of(tree: Tree, affines: Affines) -> CFile:
    """Everything declared at file level; what a kernel cannot use is kept with the reason, for it may not use it."""
    found, names = CFile(affines.scope), affines.scope.names
    for node in tree.root.ext:
        try:
            match node:
                case c_ast.Typedef() if is_of_widths(node, tree):
                    named = any_width.named(node.name)
                    affines.typedefs[node.name] = Declared(named.type if named else None)
                case c_ast.Typedef():
                    enumerate_constants(node.type, affines)
                    affines.typedefs[node.name] = declared(node.type, affines.typedefs)
                case c_ast.FuncDef():
                    if not is_of_widths(node, tree):
                        found.functions.append(node)
                    found.scope.names[node.decl.name] = Function(node.decl.name, node.decl, node.body)
                case c_ast.Decl():
                    enumerate_constants(node.type, affines)
                    if node.name:
                        _declare(node, found, affines)
                case c_ast.Pragma() if pragma_words(node)[:1] in (["scop"], ["endscop"]):
                    words = "a scop pragma outside of any function"
                    affines.collector.report("scop-pragma", words, affines.tree.span(node))
        except Refused as refused:
            names.update((name, unusable(refused)) for name in _named(node))
    return found


def unusable(refused: Refused) -> Unusable:
    """A name with a faulty declaration: the fault counts where the name is used."""
    found = refused.diagnostic
    return Unusable(found.rule, found.message, found.hint) if found else Unusable()


def _named(node: c_ast.Node) -> set[str]:
    return {str(n.name) for n in walk(node) if isinstance(n, c_ast.Decl | c_ast.Enumerator) and n.name}


def enumerate_constants(node: c_ast.Node, affines: Affines) -> None:
    """Enumerators of any `enum` inside a declaration become constants; it is `unsigned` where none of them is negative.

    C leaves the type to the compiler: this is what GCC takes, which Vitis and the reference are compiled with.
    """
    for inner in walk(node):
        if isinstance(inner, c_ast.Enum) and inner.values is not None:
            following, values = 0, list[int]()
            for item in inner.values.enumerators:
                if not isinstance(item, c_ast.Enumerator):
                    continue
                value = affines.constant(item.value, EXTENT) if item.value is not None else following
                affines.scope.names[item.name] = integer_constant(value)
                following = value + 1
                values.append(value)
            kind = INT32 if min(values, default=0) < 0 else UINT32
            is_wide = not all(fits(value, kind) for value in values)
            known = Declared(None, problem="an `enum` of more than 32 bits") if is_wide else Declared(kind)
            affines.typedefs[enum_key(inner)] = known


def integer_constant(value: int, kind: ScalarType | None = None) -> Constant:
    """A known integer of a type, by default the narrowest of `int` and `long` that holds it."""
    kind = kind or (INT32 if fits(value, INT32) else INT64)
    return Constant(integer_expression(value, kind), value, kind)


def _declare(node: c_ast.Decl, found: CFile, affines: Affines) -> None:
    kind = declared(node.type, affines.typedefs)
    names = found.scope.names
    if kind.is_function:
        names.setdefault(node.name, Function(node.name, node, None))
    elif "extern" in (node.storage or ()) and node.init is None:
        names.setdefault(node.name, _outside(node.name))
    elif kind.const and kind.scalar is not None and not kind.problem and node.init is not None:
        if kind.is_scalar:
            _declare_number(node, found, affines)
        elif kind.dims is not None:
            found.tables[node.name] = node
    elif kind.problem and kind.problem != "void":
        names[node.name] = Unusable("unsupported-type", f"`{node.name}` is of a type with no place in a kernel")
    else:
        names[node.name] = _outside(node.name)
        if kind.scalar is not None and not kind.const and (kind.is_scalar or kind.dims):
            found.variables[node.name] = node


def _outside(name: str) -> Unusable:
    return Unusable(
        "global-variable",
        f"`{name}` is a variable outside the function",
        "pass it as an argument, or make it `const` with a value",
    )


def _declare_number(node: c_ast.Decl, found: CFile, affines: Affines) -> None:
    kind = declared(node.type, affines.typedefs).scalar
    if kind is None:
        return
    if not kind.is_float:
        bound, _ = affines.typed(node.init, CONSTANT)
        affines.checked(bound, kind, node.init)
        found.scope.names[node.name] = integer_constant(affines.constant(node.init, CONSTANT), kind)
    else:
        found.scope.names[node.name] = Constant(convert(Expressions(affines).value(node.init), kind), None, kind)


# -- which function ------------------------------------------------------------------------------------------------


def choose(found: CFile, wanted: str | None, affines: Affines) -> c_ast.FuncDef:
    """The function to take; a refusal names those that there are."""
    tree, collector = affines.tree, affines.collector
    names = [f.decl.name for f in found.functions]
    place = tree.start(found.functions[0].decl if found.functions else tree.root)
    if wanted is not None:
        for function in found.functions:
            if function.decl.name == wanted:
                return function
        raise collector.fault("no-function", f"there is no function `{wanted}`", place, hint=_choices(names))
    marked = [f for f in found.functions if scop_pragmas(f)]
    if not marked:
        marked = _candidates(found, affines)
    if len(marked) > 1:
        named = [f for f in marked if f.decl.name.startswith(PREFIX)]
        marked = named if len(named) == 1 else marked
    if not marked:
        raise collector.fault("no-function", "no function of the file looks like a kernel", place)
    if len(marked) > 1:
        raise collector.fault(
            "several-functions",
            "several functions look like a kernel: " + ", ".join(f"`{f.decl.name}`" for f in marked),
            tree.start(marked[1].decl),
            hint="choose one with `--function NAME`, or enclose its loops in `#pragma scop` and `#pragma endscop`",
        )
    return marked[0]


def _choices(names: Sequence[str]) -> str:
    others = ", ".join(f"`{n}`" for n in names if n != "main")
    return f"the file has {others}" if others else "the file defines no function"


def _candidates(found: CFile, affines: Affines) -> list[c_ast.FuncDef]:
    """The functions that look most like a kernel: with `for` loops, else any other loops, else arrays alone.

    One that another of them calls is part of that one; a `static` one nobody outside of the file can call, so that only
    its name makes it a kernel. Those without `for` are refused or compute little; but taken they get the reason, with
    its place.
    """
    known = [f for f in found.functions if f.decl.name != "main"]
    able = [f for f in known if _takes_arrays(f, affines)] or [f for f in known if _names_arrays(f, found, affines)]
    helpers = set().union(*(_called_by(f) - {f.decl.name} for f in able))
    able = [f for f in able if f.decl.name not in helpers] or able
    able = [f for f in able if f.decl.name.startswith(PREFIX) or "static" not in (f.decl.storage or ())] or able
    others = (c_ast.While, c_ast.DoWhile, c_ast.Goto)
    looping = [f for f in able if _has(f, (c_ast.For, *others))]
    likely = [f for f in looping if _has(f, (c_ast.For,)) or f.decl.name.startswith(PREFIX)]
    return likely or looping or able


def _takes_arrays(function: c_ast.FuncDef, affines: Affines) -> bool:
    arguments = function.decl.type.args
    taken = (p for p in (arguments.params if arguments else ()) if isinstance(p, c_ast.Decl))
    return any(_is_array(node, affines) for node in taken)


def _names_arrays(function: c_ast.FuncDef, found: CFile, affines: Affines) -> bool:
    """It works on arrays of the file, which it may change, or on static ones of its own."""
    own = (n for n in walk(function.body) if isinstance(n, c_ast.Decl) and "static" in (n.storage or ()))
    if any(_is_array(node, affines) for node in own):
        return True
    named = (found.variables.get(n.name) for n in walk(function.body) if isinstance(n, c_ast.ID))
    return any(_is_array(node, affines) for node in named if node is not None)


def _is_array(node: c_ast.Decl, affines: Affines) -> bool:
    return bool(declared(node.type, affines.typedefs).layers)


def _called_by(function: c_ast.FuncDef) -> set[str]:
    """Names of the functions that a function calls."""
    calls = (n for n in walk(function.body) if isinstance(n, c_ast.FuncCall))
    return {str(n.name.name) for n in calls if isinstance(n.name, c_ast.ID)}


def _has(function: c_ast.FuncDef, kinds: tuple[type[c_ast.Node], ...]) -> bool:
    return any(isinstance(n, kinds) for n in walk(function.body))


def pragma_words(node: c_ast.Pragma) -> list[str]:
    """The words behind `#pragma` or inside `_Pragma("...")`."""
    text = node.string.value.strip('"') if isinstance(node.string, c_ast.Constant) else node.string
    return str(text).split()


def scop_pragmas(function: c_ast.FuncDef) -> list[c_ast.Pragma]:
    """The `scop` and `endscop` pragmas inside a function."""
    return [
        n for n in walk(function.body) if isinstance(n, c_ast.Pragma) and pragma_words(n)[:1] in (["scop"], ["endscop"])
    ]


def check_pragmas(function: c_ast.FuncDef, tree: Tree, collector: Collector) -> None:
    """One region at most, opened and closed."""
    pragmas = scop_pragmas(function)
    words = [pragma_words(p)[0] for p in pragmas]
    if words not in ([], ["scop", "endscop"]):
        more = len(words) > 2
        message = "more than one scop in the function" if more else "`scop` and `endscop` do not pair up"
        at = pragmas[2] if more else pragmas[0]
        collector.report("scop-pragma", message, tree.span(at))


# -- what callers say ----------------------------------------------------------------------------------------------


def callers_of(function: c_ast.FuncDef, found: CFile, affines: Affines) -> Callers:
    """Facts about the parameters that every call in the file agrees on."""
    result = Callers()
    arguments = function.decl.type.args
    parameters = [p for p in (arguments.params if arguments else []) if isinstance(p, c_ast.Decl)]
    outer = affines.scope
    for caller in found.functions:
        calls = [
            n
            for n in walk(caller.body)
            if isinstance(n, c_ast.FuncCall) and isinstance(n.name, c_ast.ID) and n.name.name == function.decl.name
        ]
        if not calls or caller is function:
            continue
        affines.scope = Scope(outer)
        try:
            arrays = _locals_of(caller, affines)
            for call in calls:
                _note_call(call, parameters, arrays, affines, result)
                result.given |= _variables_given(call, parameters, found)
        finally:
            affines.scope = outer
    for name in result.disagree:
        result.values.pop(name, None)
        result.extents.pop(name, None)
    return result


def _locals_of(caller: c_ast.FuncDef, affines: Affines) -> dict[str, int]:
    """Constant integers of a caller go into the scope; first extents of its arrays are returned."""
    changed, arrays = assigned_names(caller.body), dict[str, int]()
    names = affines.scope.names
    arguments = caller.decl.type.args
    names.update((p.name, Unusable()) for p in (arguments.params if arguments else []) if isinstance(p, c_ast.Decl))
    for decl in (n for n in walk(caller.body) if isinstance(n, c_ast.Decl)):
        try:
            enumerate_constants(decl.type, affines)
            if decl.name:
                # Two blocks of a caller may use one name: then it stands for nothing.
                known = decl.name not in names and decl.name not in changed
                names[decl.name] = Unusable()
                _note_local(decl, affines, arrays, known=known)
        except Refused:
            continue
    return arrays


def _note_local(decl: c_ast.Decl, affines: Affines, arrays: dict[str, int], *, known: bool) -> None:
    kind = declared(decl.type, affines.typedefs)
    if kind.is_scalar and kind.scalar and not kind.scalar.is_float and known and decl.init is not None:
        affines.scope.names[decl.name] = integer_constant(affines.constant(decl.init, EXTENT))
    elif kind.dims and kind.dims[0] is not None:
        arrays[decl.name] = affines.constant(kind.dims[0], EXTENT)


def _note_call(
    call: c_ast.FuncCall,
    parameters: list[c_ast.Decl],
    arrays: dict[str, int],
    affines: Affines,
    result: Callers,
) -> None:
    arguments = list(call.args.exprs) if call.args else []
    passed = dict[str, str]()
    for parameter, argument in zip(parameters, arguments, strict=False):
        name = parameter.name
        kind = declared(parameter.type, affines.typedefs)
        if kind.is_scalar and kind.scalar and not kind.scalar.is_float:
            try:
                _agree(name, affines.constant(argument, EXTENT), result.values, result.disagree)
            except Refused:
                result.disagree.add(name)
        elif not kind.is_scalar:
            text = str(c_generator.CGenerator().visit(argument))
            if text in passed:
                result.twice.add((passed[text], name))
            passed.setdefault(text, name)
            if isinstance(argument, c_ast.ID) and argument.name in arrays:
                _agree(name, arrays[argument.name], result.extents, result.disagree)


def _variables_given(call: c_ast.FuncCall, parameters: list[c_ast.Decl], found: CFile) -> set[tuple[str, str]]:
    """Variables of the file that a call gives to parameters, which have two names then."""
    given = zip(call.args.exprs if call.args else [], parameters, strict=False)
    return {
        (n.name, p.name) for e, p in given for n in walk(e) if isinstance(n, c_ast.ID) and n.name in found.variables
    }


def _agree(name: str, value: int, known: dict[str, int], disagree: set[str]) -> None:
    if known.setdefault(name, value) != value:
        disagree.add(name)


def assigned_names(node: c_ast.Node | None) -> set[str]:
    """Names that are written, stepped or have their address taken anywhere below a node."""
    found = set[str]()
    for inner in walk(node):
        target: c_ast.Node | None = None
        if isinstance(inner, c_ast.Assignment):
            target = inner.lvalue
        elif isinstance(inner, c_ast.UnaryOp) and inner.op in ("++", "--", "p++", "p--", "&"):
            target = inner.expr
        if isinstance(target, c_ast.ID):
            found.add(target.name)
    return found


def touched_names(node: c_ast.Node) -> set[str]:
    """Names of all that a piece of text may change: written whole or in part, or given to a function."""
    found = assigned_names(node)
    for inner in walk(node):
        if isinstance(inner, c_ast.FuncCall) and inner.args is not None:
            found |= {n.name for n in walk(inner.args) if isinstance(n, c_ast.ID)}
        target = inner.lvalue if isinstance(inner, c_ast.Assignment) else None
        if isinstance(inner, c_ast.UnaryOp) and inner.op in ("++", "--", "p++", "p--"):
            target = inner.expr
        found |= {n.name for n in walk(target) if isinstance(n, c_ast.ID)}
    return found
