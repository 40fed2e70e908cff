"""Rules on dataflow regions: nothing but calls, one producer and one consumer of each variable."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from sisyphus.lint.design import Design, calls
from sisyphus.lint.finding import Finding, finding
from sisyphus.lint.index import references
from sisyphus.lint.syntax import Function, If, Loop, Node, Pragma, Statement, declared
from sisyphus.lint.tokens import Token

CALLS_ONLY = "move it into a function and call that"


def check_dataflow(design: Design) -> Iterator[Finding]:
    for function in design.unit.functions:
        for body in _regions(function.body):
            yield from _form(body)
            yield from _channels(design, function, body)


def _regions(nodes: Sequence[Node]) -> Iterator[Sequence[Node]]:
    """Bodies of functions and loops that a dataflow pragma stands in."""
    if any(isinstance(n, Pragma) and n.name == "dataflow" for n in nodes):
        yield nodes
    for node in nodes:
        if isinstance(node, If | Loop):
            yield from _regions(node.body)


def _form(body: Sequence[Node]) -> Iterator[Finding]:
    for at, node in enumerate(body):
        if isinstance(node, If | Loop):
            what = "a loop" if isinstance(node, Loop) else "a condition"
            yield finding("dataflow-form", node.token, f"{what} stands in a dataflow region", CALLS_ONLY)
        elif isinstance(node, Statement) and not (_is_fit(node) or _is_condition(body, at)):
            message = "a statement that is no call stands in a dataflow region"
            yield finding("dataflow-form", node.tokens[0], message, CALLS_ONLY)


def _is_condition(body: Sequence[Node], at: int) -> bool:
    return at + 1 < len(body) and isinstance(body[at + 1], If)


def _is_fit(statement: Statement) -> bool:
    """A declaration without a computed value, or a call."""
    if declared(statement):
        return not any(t.is_mark("=") for t in statement.tokens)
    texts = [t.text for t in statement.tokens]
    if texts == ["return"]:
        return True
    opening = texts.index("(") if "(" in texts else 0
    return opening > 0 and all(t.kind == "name" or t.is_mark("::") for t in statement.tokens[:opening])


def _channels(design: Design, function: Function, body: Sequence[Node]) -> Iterator[Finding]:
    producers, consumers = defaultdict[str, list[Token]](list), defaultdict[str, list[Token]](list)
    for statement in (n for n in body if isinstance(n, Statement)):
        for callee, arguments in calls(statement):
            called = design.functions.get(callee.text)
            for parameter, argument in zip(called.parameters if called else (), arguments, strict=False):
                if len(argument) == 1 and called is not None and not parameter.is_scalar:
                    written, read = _use(design, called, parameter.name, depth=0)
                    if written:
                        producers[argument[0].text].append(argument[0])
                    if read:
                        consumers[argument[0].text].append(argument[0])
    for kind, users in (("producer", producers), ("consumer", consumers)):
        for name, places in users.items():
            if len(places) > 1 and name in design.variables[function.name]:
                message = f"`{name}` has {len(places)} {kind}s in a dataflow region"
                hint = "give each pair of functions a variable of its own"
                yield finding("dataflow-channel", places[1], message, hint)


def _use(design: Design, function: Function, name: str, *, depth: int) -> tuple[bool, bool]:
    """Whether a function writes and reads what a parameter stands for."""
    written = read = False
    for statement, _ in design.statements(function):
        tokens = statement.tokens
        for reference in references(statement):
            if reference.name == name:
                written, read = written or reference.written, read or not reference.written
        for at, token in enumerate(tokens[:-1]):
            if token.text == name and not tokens[at + 1].is_mark("["):
                following = "".join(t.text for t in tokens[at + 1 : at + 3])
                written = written or following.startswith((".write", "<<", "="))
                read = read or following.startswith((".read", ">>"))
        for callee, arguments in calls(statement):
            called = design.functions.get(callee.text)
            for parameter, argument in zip(called.parameters if called else (), arguments, strict=False):
                if called is not None and depth < len(design.functions) and [t.text for t in argument] == [name]:
                    deeper = _use(design, called, parameter.name, depth=depth + 1)
                    written, read = written or deeper[0], read or deeper[1]
    return written, read
