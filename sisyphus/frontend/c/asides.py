"""Steps inside of expressions as statements of their own, on the syntax tree; knows no types.

b[n++] = f(*++p);   becomes   ++p; b[n] = f(*p); n++;

Only where all of them always run, and each moves what the expression names nowhere else. What a function of the file
could see of it, a variable of the file, stays where it is.
"""

from __future__ import annotations

from pycparser import c_ast

from sisyphus.frontend.c.parse import Tree, walk
from sisyphus.frontend.c.places import COMPARES, STEPS, blocks_in, in_blocks, with_value

#: Operators whose last operand does not always run.
NOT_ALWAYS = ("&&", "||", "sizeof")


def step_apart(tree: Tree) -> None:
    """Changes the functions of a file."""
    outside = {n.name for n in tree.root.ext if isinstance(n, c_ast.Decl)}
    for function in tree.root.ext:
        if isinstance(function, c_ast.FuncDef) and any(_has_inner(n) for n in walk(function.body)):
            in_blocks(function.body)
            _apart_in(function.body.block_items, outside)


def _has_inner(node: c_ast.Node) -> bool:
    """Whether it is a statement with a step inside of its expression."""
    if not isinstance(node, c_ast.Assignment | c_ast.Decl | c_ast.FuncCall | c_ast.If):
        return False
    return any(isinstance(n, c_ast.UnaryOp) and n.op in STEPS for n in walk(getattr(node, "cond", node)))


def _apart_in(items: list[c_ast.Node], outside: set[str]) -> None:
    """The statements of a block and of those inside of it."""
    for at in reversed(range(len(items))):
        for inner, _ in blocks_in(items[at]):
            _apart_in(inner, outside)
        if _has_inner(items[at]):
            node = items[at]
            asked = getattr(node, "cond", node)
            steps = _single_steps(asked, calls=True)
            is_seen = any(isinstance(n, c_ast.FuncCall) for n in walk(asked)) and {n.expr.name for n in steps} & outside
            if steps and not is_seen:
                items[at : at + 1] = (
                    _asked_first(node, steps) if isinstance(node, c_ast.If) else apart(node, calls=True)
                )


def _asked_first(node: c_ast.If, steps: list[c_ast.UnaryOp]) -> list[c_ast.Node]:
    """An `if` behind the steps of its condition, whose truth has a name where some come after it."""
    before = [step for step in steps if step.op in ("++", "--")]
    after = [step for step in steps if step not in before]
    for step in steps:
        node.cond = _in_place_of(step, node.cond)
    if not after:
        return [*before, node]
    name, coord, asked = f"{after[0].expr.name}.asked", node.coord, node.cond
    if getattr(asked, "op", "") not in COMPARES:
        asked = c_ast.BinaryOp("!=", asked, c_ast.Constant("int", "0", coord), coord)
    kind = c_ast.TypeDecl(name, [], None, c_ast.IdentifierType(["int"]), coord)
    node.cond = c_ast.ID(name, coord)
    truth = c_ast.Decl(name, ["const"], [], [], [], kind, asked, None, coord)
    return [c_ast.Compound([*before, truth, *after, node], coord)]


def apart(node: c_ast.Node, *, calls: bool = False) -> list[c_ast.Node]:
    """A statement, which it changes, with the steps inside of its expression as some of their own."""
    if isinstance(node, c_ast.If):
        cond, step, is_before = without_step(node.cond)
        return [step, c_ast.If(cond, node.iftrue, node.iffalse, node.coord)] if step and is_before else [node]
    if not isinstance(node, c_ast.Assignment | c_ast.Decl | c_ast.FuncCall):
        return [node]
    before, after = list[c_ast.Node](), list[c_ast.Node]()
    for step in _single_steps(node, calls=calls):
        node = _in_place_of(step, node)
        (before if step.op in ("++", "--") else after).append(step)
    return [*before, node, *after]


def without_step(node: c_ast.Node) -> tuple[c_ast.Node, c_ast.Node | None, bool]:
    """A text without the one `++` or `--` in it, that as a statement, and whether it comes before; else as it is."""
    steps = _single_steps(node)
    if len(steps) != 1:
        return node, None, False
    return _in_place_of(steps[0], node), steps[0], steps[0].op in ("++", "--")


def _single_steps(node: c_ast.Node, *, calls: bool = False) -> list[c_ast.UnaryOp]:
    """Each `++` and `--` of a text that always runs all of them, and names what they move nowhere else; else none.

    With `calls` the text may call functions, none of which sees what it moves.
    """
    steps = [n for n in walk(node) if isinstance(n, c_ast.UnaryOp) and n.op in STEPS and isinstance(n.expr, c_ast.ID)]
    odd = c_ast.TernaryOp if calls else (c_ast.TernaryOp, c_ast.FuncCall)
    sometimes = steps and any(isinstance(n, odd) or getattr(n, "op", "") in NOT_ALWAYS for n in walk(node))
    named = [n.name for n in walk(node) if isinstance(n, c_ast.ID)] if steps else []
    return [] if sometimes or any(named.count(step.expr.name) != 1 for step in steps) else steps


def _in_place_of(step: c_ast.UnaryOp, node: c_ast.Node) -> c_ast.Node:
    return with_value(node, step, c_ast.ID(step.expr.name, step.coord))
