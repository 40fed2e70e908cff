"""Braced initialisers of arrays: which element gets which expression; emits nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from pycparser import c_ast

from sisyphus.frontend.c.affine_reader import Affines
from sisyphus.frontend.c.c_types import integer_literal
from sisyphus.frontend.c.context import Context, OpenLoop
from sisyphus.frontend.c.declarations import Variables
from sisyphus.frontend.c.literals import literal
from sisyphus.frontend.c.scope import Variable
from sisyphus.ir import INT32
from sisyphus.poly import var

MOST_VALUES = 256
Values = dict[tuple[int, ...], c_ast.Node]


def values_of(
    init: c_ast.Node, variable: Variable, affines: Affines, *, most: int = MOST_VALUES
) -> tuple[list[tuple[tuple[int, ...], c_ast.Node]], bool]:
    """The elements set one by one, and whether all others are zero."""
    if not isinstance(init, c_ast.InitList):
        raise affines.fault("initialiser", f"`{variable.name}` needs its values in braces", init)
    found: Values = {}
    _spread(init, (), variable, found, affines)
    total = prod(variable.extents)
    zeros = {at for at, node in found.items() if _is_zero(node)}
    rest_is_zero = len(found) < total or len(zeros) == total
    kept = [(at, node) for at, node in sorted(found.items(), key=lambda v: v[0]) if not (rest_is_zero and at in zeros)]
    if len(kept) > most:
        words = f"`{variable.name}` has {len(kept)} values, more than {most}"
        raise affines.fault("initialiser", words, init, "make it `const`, or pass it as an argument")
    return kept, rest_is_zero


def _is_zero(node: c_ast.Node) -> bool:
    found = literal(node.value) if isinstance(node, c_ast.Constant) and node.type != "string" else None
    if found is None:
        return False
    if found.type.is_float:
        return float(found.text.rstrip("f")) == 0.0
    whole = integer_literal(found.text)
    return whole is not None and whole[0] == 0


def _spread(init: c_ast.InitList, at: tuple[int, ...], variable: Variable, found: Values, affines: Affines) -> None:
    """Every value by its subscripts; a flat list fills the rest of the array in the order of memory."""
    rest = variable.extents[len(at) :]
    nested = len(rest) > 1 and any(isinstance(e, c_ast.InitList) for e in init.exprs)
    if len(init.exprs) > (rest[0] if nested else prod(rest)):
        raise affines.fault("initialiser", f"`{variable.name}` gets more values than it has elements", init)
    for number, item in enumerate(init.exprs):
        if nested and isinstance(item, c_ast.InitList):
            _spread(item, (*at, number), variable, found, affines)
        elif nested or isinstance(item, c_ast.InitList | c_ast.NamedInitializer):
            raise affines.fault("initialiser", "braces and values are mixed, or elements are named", item)
        else:
            found[(*at, *_unravel(number, rest))] = item


def _unravel(number: int, extents: Sequence[int]) -> tuple[int, ...]:
    index = list[int]()
    for extent in reversed(extents):
        index.insert(0, number % extent)
        number //= extent
    return tuple(index)


def filling(variable: Variable, context: Context, variables: Variables) -> tuple[Context, tuple[str, ...]]:
    """The context of a statement that runs over every element of an array, and its iterators."""
    names = list[str]()
    for extent in variable.extents:
        name = variables.iterator("z", context.names)
        names.append(name)
        counter = variables.counter(name, INT32, variable.span)
        loop = OpenLoop(name, counter, var(name), (0, extent - 1))
        inside = replace(context, loops=(*context.loops, loop))
        context = inside.under(((var(name), extent - 1 - var(name)),))
    return context, tuple(names)
