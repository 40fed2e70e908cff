"""Random programs of any shape and of some kinds (`kinds.py`), each small enough to be run at once."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from fuzz.kinds import (
    colours,
    delayed,
    elimination,
    faces,
    held,
    in_place,
    intervals,
    lines,
    pivots,
    rows,
    shared_values,
    stencil,
    sums,
    temporaries,
    tiled,
    triangles,
    wedges,
)
from fuzz.programs import (
    COMPLEX,
    FIELDS,
    FLOATS,
    INTEGERS,
    NAMES,
    PAIR,
    PLAIN,
    REAL,
    WIDTHS,
    Affine,
    Array,
    Assign,
    For,
    If,
    Jump,
    Node,
    Program,
    Ref,
    Test,
)

#: Kinds of programs, with the share of all programs that are of this one or of one before it.
KINDS: tuple[tuple[float, Callable[[random.Random, str], Program]], ...] = (
    (0.06, stencil),
    (0.1, elimination),
    (0.13, rows),
    (0.16, delayed),
    (0.18, held),
    (0.2, faces),
    (0.23, wedges),
    (0.245, temporaries),
    (0.265, pivots),
    (0.285, in_place),
    (0.305, intervals),
    (0.315, tiled),
    (0.325, lines),
    (0.335, sums),
    (0.35, triangles),
    (0.37, shared_values),
    (0.385, colours),
)


#: Of so many programs, one uses variables of the file or returns a value.
OF_A_FILE = 0.12


def draw(seed: str, name: str = "k") -> Program:
    """The program of a seed."""
    rng, kind = random.Random(seed), random.Random(f"{seed} kind").random()
    shape = next((made for below, made in KINDS if kind < below), _draw)
    while True:
        program = shape(rng, name)
        program = _with_parts(rng, program) if kind > 0.87 else program
        program = _walking(rng, program) if 0.8 < kind < 0.93 else program
        program = _of_a_file(program, seed)
        try:
            program.text()
        except ValueError:
            continue
        return program


def _draw(rng: random.Random, name: str) -> Program:
    float_kind = rng.choices(FLOATS, (4, 4, 1))[0]
    kinds = rng.choices(((float_kind,), (*FLOATS, *INTEGERS), (*INTEGERS, *WIDTHS), WIDTHS), (10, 4, 2, 1))[0]
    arrays = []
    for letter in "ABCDE"[: rng.randint(2, 5)]:
        kind = rng.choice(kinds)
        role = rng.choices(("argument", "local"), (5, 1))[0]
        rank = rng.choice((0, 1, 1, 2, 2, 3))
        made_of = rng.choices((PLAIN, PAIR, COMPLEX if kind in ("float", "double") else PAIR), (12, 1, 1))[0]
        arrays.append(Array(letter, kind, rank, role, made_of))
    scalars = "xy"[: rng.randint(0, 2)]
    arrays += [Array(letter, rng.choice((float_kind, "int")), 0, "scalar") for letter in scalars]
    maker = _Maker(rng, tuple(arrays), rng.randint(1, 5))
    body = list[Node]()
    while maker.left > 0:
        body.append(maker.block(()))
    return Program(name, tuple(arrays), tuple(body))


def _of_a_file(program: Program, seed: str) -> Program:
    """Of some programs, some arguments are variables of the file, and some return the first element of an array."""
    rng = random.Random(f"{seed} file")
    if rng.random() > OF_A_FILE:
        return program
    # The fields of a structure alone would be arguments of both kinds.
    legal = {a.name for a in program.arrays if a.role != "local" and (a.rank or a.made_of == PLAIN)}
    chosen = {name for name in sorted(legal) if rng.random() < 0.5}
    moved = [replace(a, role="outside") if a.name in chosen else a for a in program.arrays]
    result = rng.choice([a.name for a in program.arrays]) if rng.random() < 0.6 else ""
    return replace(program, arrays=tuple(moved), result=result)


#: Quotients and remainders as subscripts and conditions have them.
PARTS = ("/ 2", "/ 3", "/ 4", "% 2", "% 3", "% 4", "& 1", "& 3", ">> 1", ">> 2")


def _with_parts(rng: random.Random, program: Program) -> Program:
    """Some subscripts of some arrays, and some conditions, become quotients or remainders."""
    divided = {a.name for a in program.arrays if rng.random() < 0.7}

    def part(index: Affine) -> Affine:
        return replace(index, part=rng.choice(PARTS)) if index.factors and rng.random() < 0.4 else index

    def named(ref: Ref) -> Ref:
        return replace(ref, index=tuple(map(part, ref.index))) if ref.array in divided else ref

    def changed(node: Node) -> Node:
        match node:
            case Assign():
                return replace(node, target=named(node.target), reads=tuple(map(named, node.reads)))
            case If(condition=(left, op)):
                inner = replace(node, body=tuple(map(changed, node.body)), other=tuple(map(changed, node.other)))
                return replace(inner, condition=(part(left), op))
            case Test():
                return replace(node, body=tuple(map(changed, node.body)), other=tuple(map(changed, node.other)))
            case For():
                return replace(node, body=tuple(map(changed, node.body)))
        return node

    return replace(program, body=tuple(map(changed, program.body)))


def _walking(rng: random.Random, program: Program) -> Program:
    """Some loops move pointers and counters along."""

    def changed(node: Node) -> Node:
        match node:
            case If() | Test():
                return replace(node, body=tuple(map(changed, node.body)), other=tuple(map(changed, node.other)))
            case For():
                return replace(node, body=tuple(map(changed, node.body)), walks=rng.random() < 0.6)
        return node

    return replace(program, body=tuple(map(changed, program.body)))


@dataclass
class _Maker:
    """Draws blocks until `left` statements are made."""

    rng: random.Random
    arrays: tuple[Array, ...]
    left: int

    def block(self, loops: tuple[str, ...]) -> Node:
        rng = self.rng
        if len(loops) == len(NAMES) or (loops and rng.random() < 0.45):
            self.left -= 1
            assign = self.assign(loops)
            if loops and rng.random() < 0.2:
                return self.test(loops, assign)
            if loops and rng.random() < 0.25:
                other = (self.assign(loops),) if rng.random() < 0.4 else ()
                condition = (self.affine(loops), rng.choice(("<", ">=", "==")))
                return If(condition, (assign,), other)
            return assign
        name = NAMES[len(loops)]
        inner = (*loops, name)
        body = [self.block(inner)]
        while self.left > 0 and rng.random() < 0.45:
            body.append(self.block(inner))
        low = self.bound(loops, rng.choice((0, 0, 0, 1, 2)))
        high = self.bound(loops, rng.choice((2, 3, 4, 5, 7, 8, 12)))
        return For(name, low, high, rng.choice((1, 1, 1, 1, 1, -1, 2, 3, -2)), tuple(body))

    def test(self, loops: tuple[str, ...], assign: Assign) -> Test:
        """The assignment on a condition on data, which may end the iteration or the loop instead."""
        rng, left = self.rng, self.ref(loops)
        op = rng.choice(("<", ">", "==", ">="))
        if rng.random() < 0.2:
            return Test(left, op, (Jump(rng.choice(("continue", "continue", "break"))),), (assign,))
        return Test(left, op, (assign,), (self.assign(loops),) if rng.random() < 0.4 else ())

    def bound(self, loops: tuple[str, ...], constant: int) -> Affine:
        if loops and self.rng.random() < 0.25:
            return Affine(((self.rng.choice(loops), self.rng.choice((1, 1, -1))),), constant)
        return Affine((), constant)

    def affine(self, loops: tuple[str, ...]) -> Affine:
        rng = self.rng
        picked = [n for n in loops if rng.random() < 0.5]
        factors = tuple((n, rng.choice((1, 1, 1, 1, 2, -1, -2, 3))) for n in picked)
        return Affine(factors, rng.choice((0, 0, 0, 1, -1, 2)))

    def ref(self, loops: tuple[str, ...], *, written: bool = False, whole: bool = False) -> Ref:
        """`whole`: a complex number need not be taken apart."""
        rng = self.rng
        array = rng.choice([a for a in self.arrays if not (written and a.role == "scalar")])
        place = self.place(array, loops)
        apart = array.made_of == PAIR or not (written or whole)
        return replace(place, field=rng.choice(FIELDS[array.made_of])) if apart else place

    def place(self, array: Array, loops: tuple[str, ...]) -> Ref:
        rng = self.rng
        if rng.random() < 0.6 and len(loops) >= array.rank:
            names = rng.sample(loops, array.rank) if rng.random() < 0.5 else sorted(rng.sample(loops, array.rank))
            return Ref(array.name, tuple(Affine(((n, 1),), rng.choice((0, 0, 0, 1))) for n in names))
        return Ref(array.name, tuple(self.affine(loops) for _ in range(array.rank)))

    def assign(self, loops: tuple[str, ...]) -> Assign:
        rng = self.rng
        target = self.ref(loops, written=True)
        kind, made_of = next((a.type, a.made_of) for a in self.arrays if a.name == target.array)
        if made_of == COMPLEX:
            return self.complex_assign(target, loops)
        reads = tuple(self.ref(loops) for _ in range(rng.randint(1, 3)))
        types = {kind} | {a.type for a in self.arrays if a.name in {r.array for r in reads}}
        real = bool(types & set(FLOATS))
        shape = "{0}"
        for at in range(1, len(reads)):
            shape = f"({shape}) {rng.choice(REAL if real else WHOLE)} {{{at}}}"
        around = rng.choice(REAL_AROUND if real else WHOLE_AROUND)
        if real and kind in WIDTHS:  # what a float leaves in an integer is no value where it is too large
            around = "({0} > 1.0f ? 3 : -2)"
        iterators = loops[-1:] if rng.random() < 0.2 else ()
        shape = around.format(shape)
        if iterators and not (real and kind in WIDTHS):
            shape = f"{shape} + {{{len(reads)}}}"
        op = rng.choice(("=", "=", "+=", "+=", "-=", "*="))
        return Assign(target, op, shape, reads, iterators)

    def complex_assign(self, target: Ref, loops: tuple[str, ...]) -> Assign:
        """Products, sums and differences of complex and of other numbers."""
        rng = self.rng
        reads = tuple(self.ref(loops, whole=True) for _ in range(rng.randint(1, 3)))
        shape = "{0}"
        for at in range(1, len(reads)):
            shape = f"({shape}) {rng.choice(REAL)} {{{at}}}"
        return Assign(target, rng.choice(("=", "=", "+=", "-=", "*=")), shape, reads)


WHOLE = (*REAL, "&", "|", "^")
REAL_AROUND = (
    *("{0}",) * 8,
    "0.5f * ({0})",
    "fmaxf({0}, 0.25f)",
    "fminf({0}, {{0}})",
    "fabsf({0})",
    "sqrtf(fabsf({0}))",
    "({{0}} > 0.5f ? {0} : -{{0}})",
    "({{0}} >= {{0}} ? {0} : 2.0f)",
    "(float)(int)(({0}) < 1000.0f ? 3.0f : 4.0f)",
    "F_pickf({0}, {{0}})",
    "F_sumf({{0}}, {0})",
    "F_pairf({0}, {{0}})",
    "F_flut[({{0}} > 0.5f) + 2 * ({0} > 1.0f)]",
)
WHOLE_AROUND = (
    *("{0}",) * 8,
    "({0}) / 3",
    "({0}) % 7",
    "(({0}) >> 1)",
    "({{0}} > 255 ? 1 : {0})",
    "({{0}} == {{0}}) + ({0})",
    "~({0})",
    "!({0})",
    "F_picki({0}, {{0}})",
    "F_sumi({{0}}, {0})",
    "F_pairi({0}, {{0}})",
    "F_lut[({0}) & 7]",
)
