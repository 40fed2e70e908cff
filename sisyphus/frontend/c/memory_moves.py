"""`memcpy` and `memset` as the loops that they stand for, on the syntax tree; knows no data.

memcpy(line, img[y], sizeof line);   becomes   for (i = 0; i < W; i++) line[i] = img[y][i];
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod

from pycparser import c_ast

from sisyphus.frontend.c.affine_faults import Purpose
from sisyphus.frontend.c.affine_reader import Affines
from sisyphus.frontend.c.calls import view_of
from sisyphus.frontend.c.parse import counted
from sisyphus.frontend.c.punning import Bits, typename
from sisyphus.frontend.c.scope import SubArray

MOVES = ("memcpy", "memset")
_BYTES = Purpose("number of bytes", "unknown-call", "unknown-call")


def as_loops(node: c_ast.FuncCall, affines: Affines) -> c_ast.Node:
    """The loops over all elements, for which the scope gets names of their own for the arrays.

    Whole elements of one type, in one dimension or in whole rows of one length, or a variable, whose type may be
    another; memory is set to zero, or bytewise where elements are bytes. All else is refused (`call-arguments`,
    `type-mismatch`, `unknown-call`).
    """
    name, coord = node.name.name, node.coord
    given = list(node.args.exprs) if node.args is not None else []
    if len(given) != 3:
        raise affines.fault("call-arguments", f"`{name}` takes 3 arguments, here it gets {len(given)}", node)
    places = given[: 2 if name == "memcpy" else 1]
    views = [view_of(place, affines) for place in places]
    kind = views[0].variable.type
    if name == "memcpy" and all(view.offset is None for view in views):
        return _one_number(node, views, given[2], affines)
    for view, place in zip(views, places, strict=True):
        if view.variable.type != kind:
            words = f"`{affines.text(place)}` has elements of `{view.variable.type.c_name}`, not of `{kind.c_name}`"
            raise affines.fault("type-mismatch", words, place, "convert each element in a loop")
    count, rest = divmod(affines.constant(given[2], _BYTES), kind.stored.bytes)
    rows = [view.variable.extents[len(view.index) + 1 :] for view in views]
    row = prod(rows[0])
    is_whole = count >= 0 and not rest and not count % row and all(other == rows[0] for other in rows)
    if not is_whole or any(view.offset is None for view in views):
        words = f"`{name}` moves what is not whole elements, or not rows of one length"
        raise affines.fault("unknown-call", words, node, "write it as loops")
    if name == "memset" and kind.bits != 8 and affines.constant(given[1], _BYTES) != 0:
        raise affines.fault("unknown-call", "`memset` writes a value into each byte", node, "write it as loops")

    loops = list(zip("ijklmnop", (count // row, *rows[0]), strict=False))
    elements = list[c_ast.Node]()
    for view, word in zip(views, ("target", "source"), strict=False):
        affines.scope.names[hidden := f"{word} of {name}"] = view
        indices = (c_ast.ID(index, coord) for index, _ in loops)
        elements.append(reduce(lambda a, b: c_ast.ArrayRef(a, b, coord), indices, c_ast.ID(hidden, coord)))
    value = elements[1] if name == "memcpy" else given[1]
    body: c_ast.Node = c_ast.Assignment("=", elements[0], value, coord)
    for index, extent in reversed(loops):
        body = counted(index, c_ast.Constant("int", str(extent), coord), body, coord)
    return body


def _one_number(node: c_ast.FuncCall, views: Sequence[SubArray], size: c_ast.Node, affines: Affines) -> c_ast.Node:
    """The assignment of the bits of one variable to another one, which is as long."""
    kind, other = (view.variable.type for view in views)
    if affines.constant(size, _BYTES) != kind.stored.bytes or kind.stored.bytes != other.stored.bytes:
        raise affines.fault("unknown-call", "`memcpy` moves what is not one whole number", node, "assign it")
    names = list[c_ast.Node]()
    for view, word in zip(views, ("target", "source"), strict=True):
        affines.scope.names[hidden := f"{word} of memcpy"] = view.variable
        names.append(c_ast.ID(hidden, node.coord))
    words = tuple(kind.c_name.split())
    return c_ast.Assignment("=", names[0], Bits(typename(words, node.coord), names[1], node.coord), node.coord)
