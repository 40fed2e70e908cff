"""Rules on accesses: bursts of memory ports, and ports of on-chip banks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product

from sisyphus.lint.design import Design
from sisyphus.lint.finding import Finding, finding
from sisyphus.lint.index import CONSTANT, Linear, Reference, linear, references, step_of, trip_count, unrolled
from sisyphus.lint.syntax import Function, If, Loop, Place, Pragma, Statement, Variable, declared, places
from sisyphus.lint.tokens import CLOSE, OPEN, Token

BANK_PORTS = 2
#: Copies of a statement that are looked at.
MOST_COPIES = 1 << 14


def check_memory(design: Design) -> Iterator[Finding]:
    for function in design.unit.functions:
        told = set[str]()
        for statement, place in design.statements(function):
            for reference in references(statement):
                if (function.name, reference.name) in design.bus:
                    yield from _burst(design, reference, place)
                elif reference.name not in told:
                    found = _conflict(design, function, reference, place)
                    told |= {reference.name} if found else set()
                    yield from [found] if found else []


def _burst(design: Design, reference: Reference, place: Place) -> Iterator[Finding]:
    at = max((n for n, a in enumerate(place.around) if isinstance(a, Loop) and a.pragma("pipeline")), default=None)
    if at is None:
        return
    loop, inner = place.around[at], place.around[at + 1 :]
    name = reference.name
    if reference.chosen or any(isinstance(n, If) for n in inner):
        message = f"`{name}` is accessed only sometimes in a pipelined loop, so no burst is made"
        yield finding("burst-condition", reference.token, message, "copy whole runs first, and choose on chip")
    if isinstance(loop, Loop) and len(reference.index) > 0:
        loops = [loop, *(n for n in inner if isinstance(n, Loop))]
        said = _stride(reference.index[0], loops, design.unit.constants)
        if said:
            message = f"`{name}` is accessed {said} in a pipelined loop, so no burst is made"
            yield finding("burst-stride", reference.token, message, "access consecutive elements, and reorder on chip")


def _stride(index: Sequence[Token], loops: Sequence[Loop], constants: Mapping[str, int]) -> str | None:
    """What is wrong with a subscript, if anything; the first loop is the pipelined one."""
    body = [p.node for p in places(loops[0].body) if isinstance(p.node, Statement)]
    local = {v.name for s in body for v in declared(s)}
    counters = {n for s in body for n in _counted(s)}
    moving = {loop.iterator for loop in loops if loop.iterator}
    if any(t.is_mark("[") for t in index):
        return "at an address that comes from data"
    names = {t.text for t in index if t.kind == "name"}
    # A counter or a name of the body's own is not followed to its value.
    if names & (local | counters) or not names & moving:
        return None
    form: Linear = {}
    for term in _terms(index):
        if {t.text for t in term} & moving:
            part = linear(term, constants)
            if part is None:
                return "with a variable stride"
            form = {n: form.get(n, 0) + part.get(n, 0) for n in {**form, **part}}
    return _gap(form, loops, constants)


def _gap(form: Linear, loops: Sequence[Loop], constants: Mapping[str, int]) -> str | None:
    """Inner loops must fill what lies between two iterations of the pipelined one."""
    expected = 1
    steps = {n.iterator: form.get(n.iterator, 0) * (step_of(n, constants) or 1) for n in loops if n.iterator}
    inner = [n for n in loops[1:] if n.iterator and steps[n.iterator]]
    for loop in sorted(inner, key=lambda n: abs(steps[n.iterator or ""])):
        if steps[loop.iterator or ""] != expected:
            return f"with a stride of {steps[loop.iterator or '']}"
        expected *= trip_count(loop, constants) or 1
    stride = steps.get(loops[0].iterator or "", 0)
    return f"with a stride of {stride}" if stride not in (0, expected) else None


def _counted(statement: Statement) -> Iterator[str]:
    """Names that `++` or an assignment moves."""
    tokens = statement.tokens
    for at, token in enumerate(tokens[:-1]):
        following = tokens[at + 1]
        if token.is_mark("++", "--") and following.kind == "name":
            yield following.text
        elif token.kind == "name" and following.is_mark("++", "--", "+=", "-=", "="):
            yield token.text


def _terms(tokens: Sequence[Token]) -> list[tuple[Token, ...]]:
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += token.is_mark(*OPEN)
        depth -= token.is_mark(*CLOSE)
        if depth == 0 and token.is_mark("+", "-") and parts[-1]:
            parts.append([token] if token.text == "-" else [])
        else:
            parts[-1].append(token)
    return [tuple(p) for p in parts if p]


def _conflict(design: Design, function: Function, reference: Reference, place: Place) -> Finding | None:
    variable = design.variables[function.name].get(reference.name)
    if variable is None or not variable.dims or len(reference.index) < len(variable.dims):
        return None
    constants = design.unit.constants
    forms = [linear(i, constants) for i in reference.index[: len(variable.dims)]]
    known = [f for f in forms if f is not None]
    whole = function.pragma("pipeline")
    every = unrolled(place.loops, constants, inside=whole is not None)
    copies = {n: c for n, c in every.items() if any(n in f for f in known)}
    if len(known) < len(forms) or not copies:
        return None
    load, elements = _load(design, function.name, variable, known, copies)
    ports = BANK_PORTS * _interval(
        [*([whole] if whole else []), *(p for n in place.loops if (p := n.pragma("pipeline")))]
    )
    if load <= ports:
        return None
    message = f"`{variable.name}`: {elements} elements are accessed at once, {load} of them in one bank"
    return finding("port-conflict", reference.token, message, _advice(variable, known, copies))


def _load(
    design: Design, function: str, variable: Variable, forms: Sequence[Linear], copies: Mapping[str, int]
) -> tuple[int, int]:
    """Most accesses to one bank, and distinct elements, over all copies of a reference."""
    seen = _elements(forms, copies)
    banks = Counter(tuple(_bank(design, function, variable, dim, v) for dim, v in enumerate(e)) for e in seen)
    return max(banks.values()), len(seen)


def _elements(forms: Sequence[Linear], copies: Mapping[str, int]) -> set[tuple[int, ...]]:
    """Subscripts over all copies, where every other name is 0."""
    names = sorted(copies)
    seen = set[tuple[int, ...]]()
    for values in islice(product(*(range(copies[n]) for n in names)), MOST_COPIES):
        at = dict(zip(names, values, strict=True))
        seen.add(tuple(f.get(CONSTANT, 0) + sum(f.get(n, 0) * v for n, v in at.items()) for f in forms))
    return seen


def _bank(design: Design, function: str, variable: Variable, dim: int, value: int) -> int:
    banks, extent = design.banks_of(function, variable, dim), design.extent(variable, dim)
    if banks.factor is None:
        return value
    if banks.kind == "block" and extent:
        return value // -(-extent // banks.factor)
    return value % banks.factor


def _interval(pipelines: Sequence[Pragma]) -> int:
    """The initiation interval that the innermost pragma asks for."""
    asked = (pipelines[-1].value("ii") if pipelines else None) or "1"
    return max(int(asked), 1) if asked.isdigit() else 1


def _advice(variable: Variable, forms: Sequence[Linear], copies: Mapping[str, int]) -> str:
    parts = []
    for dim, form in enumerate(forms, start=1):
        values = {e[0] for e in _elements([form], {n: c for n, c in copies.items() if n in form})}
        apart = len({v % len(values) for v in values}) == len(values)
        kind = f"type=cyclic factor={len(values)}" if apart else "type=complete"
        if len(values) > 1:
            parts.append(f"`array_partition variable={variable.name} {kind} dim={dim}`")
    return "add " + " and ".join(parts)
