"""`static` variables of functions: what is only read is a table, what lives on from call to call an argument.

void f(float x[8]) { static float z; for (i = 0; i < 8; i++) { z = z + x[i]; x[i] = z; } }   becomes
void f(float x[8], float z[1]) { float z' = z[0]; ... ; z[0] = z'; }

What every call writes before it reads it is a local variable like others; isl says which do (`initialised.py`). All
calls of a function share the variable.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pycparser import c_ast

from sisyphus.frontend.c.affine_reader import Affines
from sisyphus.frontend.c.c_types import declared
from sisyphus.frontend.c.declarations import Variables, element_type
from sisyphus.frontend.c.diagnostics import Refused
from sisyphus.frontend.c.parse import Tree, walk
from sisyphus.frontend.c.places import STEPS, base_of, names_in
from sisyphus.frontend.c.scope import Variable
from sisyphus.ir import Kept
from sisyphus.values import dataclass


@dataclass(frozen=True, eq=False)
class Static:
    """A variable that may live on: what stands for it in a call, and the argument for what it was and will be.

    These are one for an array. `kept` is where its declaration ends, None where no text can be put there.
    """

    local: Variable
    argument: Variable
    kept: Kept | None
    node: c_ast.Decl


def name_tables(tree: Tree) -> None:
    """Makes `static` variables that nothing writes constant."""
    functions = {n.decl.name: n for n in tree.root.ext if isinstance(n, c_ast.FuncDef)}
    for function in functions.values():
        for node in _of(function):
            leaf = node.type
            while isinstance(leaf, c_ast.ArrayDecl):
                leaf = leaf.type
            if isinstance(leaf, c_ast.TypeDecl) and not _writes(function, node.name, functions, ()):
                leaf.quals = [*leaf.quals, "const"]
                if node.init is None:
                    zero = c_ast.Constant("int", "0", node.coord)
                    node.init = zero if leaf is node.type else c_ast.InitList([zero], node.coord)


def _of(function: c_ast.FuncDef) -> Iterator[c_ast.Decl]:
    """The `static` variables that a function declares."""
    for node in walk(function.body):
        if isinstance(node, c_ast.Decl) and node.name and "static" in (node.storage or ()):
            yield node


def _writes(
    function: c_ast.FuncDef, name: str, functions: dict[str, c_ast.FuncDef], around: tuple[tuple[str, str], ...]
) -> bool:
    """Whether a function may change what a name stands for, itself or in what it calls."""
    for node in walk(function.body):
        match node:
            case c_ast.Assignment(lvalue=target) if name in base_of(target):
                return True
            case c_ast.UnaryOp(op=op, expr=target) if op in STEPS and name in base_of(target):
                return True
            case c_ast.Decl(type=c_ast.PtrDecl(), init=c_ast.Node() as init) if name in names_in(init):
                return True
            case c_ast.FuncCall(name=c_ast.ID(name=called), args=c_ast.ExprList(exprs=given)):
                at = [number for number, part in enumerate(given) if name in names_in(part)]
                if called in ("memcpy", "memset", "memmove") and 0 in at:
                    return True
                inner = functions.get(called)
                taken = inner.decl.type.args.params if inner is not None and inner.decl.type.args else []
                for parameter in (taken[n] for n in at if n < len(taken)):
                    key = (called, str(parameter.name))
                    if inner is None or key in around or not isinstance(parameter, c_ast.Decl):
                        continue
                    if not isinstance(parameter.type, c_ast.TypeDecl) and _writes(
                        inner, parameter.name, functions, (*around, key)
                    ):
                        return True
    return False


def declare(
    functions: Sequence[c_ast.FuncDef],
    variables: Variables,
    affines: Affines,
    places: Mapping[tuple[str, str], str],
) -> list[Static]:
    """The variables of functions that a kernel has, which get their names in the scope where they are declared.

    `places` are how C writes those that are fields of structures, by function and name.
    """
    found = list[Static]()
    for function in functions:
        for node in _of(function):
            kind = declared(node.type, affines.typedefs)
            dims = kind.dims if kind.layers else ()
            if kind.const or dims is None or node.name in variables.facts.counting:
                continue
            try:
                scalar, extents = element_type(node, kind, affines), variables.extents(node, dims, None, affines)
            except Refused:
                continue  # told where the translation comes to it
            span = affines.tree.start(node)
            argument = variables.array(node.name, scalar, extents or (1,), span)
            local = argument if extents else variables.array(node.name, scalar, (), span)
            local.is_static = True
            variables.statics[id(node)] = local
            found.append(
                Static(
                    local, argument, _kept(node, places.get((function.decl.name, node.name), node.name), affines), node
                )
            )
    return found


def _kept(node: c_ast.Decl, place: str, affines: Affines) -> Kept | None:
    """The `;` behind a declaration in the text of the kernel's own file."""
    end = affines.tree.end_of(node)
    files = affines.collector.files
    own = next(iter(files), None)
    if end is None or end.path != own:
        return None
    line = files[own].line(end.line)
    is_there = line is not None and line[end.column - 1 : end.column] == ";"
    return Kept(str(node.name), place, end.line, end.column) if is_there else None
