"""Programs of kinds that some lever is made for, which random shapes hardly ever are."""

from __future__ import annotations

import random
from dataclasses import replace

from fuzz.programs import FLOATS, INTEGERS, REAL, Affine, Array, Assign, For, If, Node, Program, Ref

from sisyphus.forms.blocks import FEWEST_BLOCKS, MOST_IN_BLOCK


def stencil(rng: random.Random, name: str) -> Program:
    """Time steps over rows of arrays: one or two sweeps, sometimes a row alone, sometimes a statement before."""
    kind = rng.choice(FLOATS[:2])
    arrays = [Array("A", kind, 2, "argument"), Array("B", kind, 2, "argument"), Array("C", kind, 1, "argument")]
    rows, columns = rng.randint(4, 9), rng.randint(2, 5)

    def at(reach: int) -> tuple[Affine, ...]:
        moved = (rng.randint(-reach, reach), rng.randint(-reach, reach))
        return tuple(Affine(((n, 1),), by) for n, by in zip("jl", moved, strict=True))

    def sweep(target: str) -> For:
        reads = tuple(Ref(rng.choice("AB"), at(1)) for _ in range(rng.randint(1, 3)))
        shape = "0.5f * (" + f" {rng.choice(REAL[:2])} ".join(f"{{{n}}}" for n in range(len(reads))) + ")"
        body = Assign(Ref(target, at(0)), rng.choice(("=", "=", "+=")), shape, reads)
        inner = For("l", Affine((), 1), Affine((), 1 + columns), 1, (body,))
        return For("j", Affine((), 1), Affine((), 1 + rows), 1, (inner,))

    def row() -> For:
        where = (Affine((), rng.randint(0, rows)), Affine((("l", 1),)))
        body = Assign(Ref(rng.choice("AB"), where), "=", "{0}", (Ref("C", (Affine((("i", 1),)),)),))
        return For("l", Affine((), 0), Affine((), 1 + columns), 1, (body,))

    sweeps: list[Node] = [sweep(t) for t in rng.choice(("A", "AB", "BA", "BA"))]
    steps = For("i", Affine((), 0), Affine((), rng.randint(2, 6)), 1, (*([row()] * (rng.random() < 0.3)), *sweeps))
    before = [sweep("B")] if rng.random() < 0.3 else []
    return Program(name, tuple(arrays), (*before, steps))


def elimination(rng: random.Random, name: str) -> Program:
    """Steps that update all that is left, of a matrix or of a vector by columns."""
    kind, size, first = rng.choice(FLOATS[:2]), rng.randint(8, 12), rng.choice((0, 1))
    arrays = [Array("A", kind, 2, "argument"), Array("B", kind, rng.choice((1, 2)), "argument")]
    end, after = Affine((), size), Affine((("i", 1),), 1)
    step, row, column = (Affine(((n, 1),)) for n in "ijl")
    triangle = For("l", rng.choice((after, row)), end, 1, ()) if rng.random() < 0.4 else For("l", after, end, 1, ())
    scale = Assign(Ref("A", (row, step)), rng.choice(("*=", "=")), "0.5f * {0}", (Ref("A", (step, step)),))
    if arrays[1].rank == 1:
        reads = (Ref("A", (row, step)), Ref("B", (step,)))
        update: tuple[Node, ...] = (Assign(Ref("B", (row,)), rng.choice(("-=", "+=")), "{0} * {1}", reads),)
    else:
        source = rng.choice("AAB")
        reads = (Ref("A", (row, step)), Ref(source, (step, column)))
        inner = Assign(Ref("A", (row, column)), rng.choice(("-=", "+=")), "{0} * {1}", reads)
        update = (replace(triangle, body=(inner,)),)
    steps = [For("j", after, end, 1, (scale,))] if rng.random() < 0.7 else []
    body = For("i", Affine((), first), end, 1, (*steps, For("j", after, end, 1, update)))
    return Program(name, tuple(arrays), (body,))


def rows(rng: random.Random, name: str) -> Program:
    """Statements that cannot be separated, row by row, so that rows may have copies; what is beside has no loop."""
    kind, rows, columns = rng.choice(FLOATS[:2]), rng.choice((4, 6, 8)), rng.randint(2, 5)
    arrays = [Array("A", kind, 2, "argument"), Array("B", kind, 1, "argument"), Array("C", kind, 0, "argument")]
    row = Affine((("i", 1),))
    here, after = (Ref("A", (row, Affine((("j", 1),), by))) for by in (0, 1))
    one = Assign(Ref("B", (row,)), rng.choice(("=", "+=")), "0.5f * ({0} + {1})", (Ref("B", (row,)), here))
    other = Assign(after, rng.choice(("=", "-=")), "{0}", (Ref("B", (row,)),))
    inner = For("j", Affine((), 0), Affine((), columns), 1, (one, other))
    outer = For("i", Affine((), 0), Affine((), rows), 1, (inner,))
    place = Ref("B", (Affine((), rng.randrange(rows)),))
    alone = Assign(*rng.choice(((Ref("C"), "+=", "{0}", (place,)), (place, "*=", "{0}", (Ref("C"),)))))
    return Program(name, tuple(arrays), rng.choice(((outer,), (outer, alone), (alone, outer))))


def delayed(rng: random.Random, name: str) -> Program:
    """Values that are copied on before they are read: through a shift register, some scalars or two rows."""
    kind = rng.choice(("float", "double", "int", "short"))
    arrays = [Array(letter, kind, 2, "argument") for letter in "AB"] + [Array("C", kind, 1, "argument")]
    here, taps = Affine((("i", 1),)), rng.randint(2, 5)
    way = rng.choice(("register", "scalars", "rows"))
    if way == "rows":
        arrays.append(Array("D", kind, 2, "local"))
        along = Affine((("j", 1),))
        old, new = (Ref("D", (Affine((), row), along)) for row in range(2))
        entering, out = Ref("A", (here, along)), Ref("B", (here, along))
        moves: list[Node] = [Assign(old, "=", "{0}", (new,)), Assign(new, "=", "{0}", (entering,))]
        reads: list[Node] = [Assign(out, rng.choice(("=", "+=")), "{0} + {1} - {2}", (old, new, entering))]
    else:
        arrays = [replace(array, rank=1) for array in arrays]
        delay = [Array(letter, kind, 0, "local") for letter in "DE"]
        arrays += delay if way == "scalars" else [Array("D", kind, 1, "local")]
        entering, out = Ref("A", (here,)), Ref("B", (here,))
        at, before, tap = (Affine((("j", 1),), by) for by in (0, -1, 0))
        first = Ref("D") if way == "scalars" else Ref("D", (Affine(()),))
        last = Ref("E") if way == "scalars" else Ref("D", (Affine((), taps - 1),))
        shift: Node = Assign(last, "=", "{0}", (first,))
        reads = [Assign(out, rng.choice(("=", "-=")), "{0} - {1}", (first, last))]
        if way == "register":
            move = Assign(Ref("D", (at,)), "=", "{0}", (Ref("D", (before,)),))
            shift = For("j", Affine((), 1), Affine((), taps - 1), -1, (move,))
            added = Assign(out, "+=", "{0} * {1}", (Ref("D", (tap,)), Ref("C", (tap,))))
            reads = rng.choice((reads, [For("j", Affine(()), Affine((), taps), 1, (added,))]))
        moves = [shift, Assign(first, "=", "{0}", (entering,))]
    if rng.random() < 0.3:  # what is taken in only now and then is no plain copy
        moves = [If((Affine((("i", 1),), -rng.randint(1, 3)), ">="), tuple(moves))]
    body = tuple(rng.choice(((*moves, *reads), (*reads, *moves))))
    inner: tuple[Node, ...] = (For("j", Affine(()), Affine((), rng.randint(3, 6)), 1, body),) if way == "rows" else body
    return Program(name, tuple(arrays), (For("i", Affine(()), Affine((), rng.randint(5, 12)), 1, inner),))


def held(rng: random.Random, name: str) -> Program:
    """A local variable that stands for an element while it is added to."""
    kind, size = rng.choice(FLOATS[:2]), rng.randint(4, 9)
    arrays = [Array(letter, kind, 2, "argument") for letter in "ABC"] + [Array("D", kind, 0, "local")]
    row, column, along = (Affine(((n, 1),)) for n in "ijl")
    left, right = rng.choice((("A", "A"), ("A", "B"), ("B", "C")))
    element, variable = Ref("A", (row, column)), Ref("D")
    reads = (Ref(left, (row, along)), Ref(right, (along, column)))
    high = rng.choice((column, column, row, Affine((), rng.randint(2, 5))))
    add = For("l", Affine(()), high, 1, (Assign(variable, rng.choice(("-=", "+=")), "{0} * {1}", reads),))
    back = Assign(element, "=", rng.choice(("{0}", "0.5f * {0}")), (variable,))
    body: tuple[Node, ...] = (Assign(variable, "=", "{0}", (element,)), add, back)
    end = rng.choice((row, Affine((), size), Affine((("i", 1),), 1)))
    return Program(
        name, tuple(arrays), (For("i", Affine((), 1), Affine((), size), 1, (For("j", Affine(()), end, 1, body),)),)
    )


def faces(rng: random.Random, name: str) -> Program:
    """Rows of a factorization: on the diagonal a statement computes what another one does below it."""
    kind, size = rng.choice(FLOATS[:2]), rng.randint(8, 11)
    arrays = [Array("A", kind, 2, "argument"), Array("B", kind, 1, "argument")]
    row, column, along = (Affine(((n, 1),)) for n in "ijl")
    op = rng.choice(("-=", "+="))
    below = Assign(Ref("A", (row, column)), op, "{0} * {1}", (Ref("A", (row, along)), Ref("A", (column, along))))
    scaled = Assign(Ref("A", (row, column)), "*=", "{0}", (Ref("A", (column, column)),))
    on = Assign(Ref("A", (row, row)), op, "{0} * {1}", (Ref("A", (row, along)), Ref("A", (row, along))))
    inside = For("j", Affine(()), row, 1, (For("l", Affine(()), column, 1, (below,)), scaled))
    diagonal = For("l", Affine(()), row, 1, (on,))
    more: tuple[Node, ...] = (Assign(Ref("A", (row, row)), "*=", "{0}", (Ref("B", (row,)),)),)
    body = (inside, diagonal, *(more if rng.random() < 0.5 else ()))
    return Program(name, tuple(arrays), (For("i", Affine(()), Affine((), size), 1, body),))


def wedges(rng: random.Random, name: str) -> Program:
    """Steps that update a rectangle or a triangle of their own with what was kept of a row; tables may list tiles."""
    kind, size = rng.choice(FLOATS[:2]), rng.randint(6, 12)
    arrays = (Array("A", kind, 2, "argument"), Array("B", kind, 1, "argument"), Array("C", kind, 1, "argument"))
    step, row, column = (Affine(((n, 1),)) for n in "ijl")
    after, none, end = Affine((("i", 1),), rng.choice((0, 1))), Affine(()), Affine((), size)
    keep = Assign(Ref("C", (column,)), "=", "{0}", (Ref("A", (step, column)),))
    reads = (Ref("B", (row,)), Ref("C", (column,)))
    update = Assign(Ref("A", (row, column)), rng.choice(("-=", "+=")), "{0} * {1}", reads)
    rows, columns = rng.choice(((none, after), (none, after), (after, none), (after, after), (after, row)))
    inner = For("j", rows, end, 1, (For("l", columns, end, 1, (update,)),))
    steps = For("i", none, Affine((), rng.randint(3, size - 1)), 1, (For("l", after, end, 1, (keep,)), inner))
    return Program(name, arrays, (steps,))


def triangles(rng: random.Random, name: str) -> Program:
    """Sums over a triangle, to one element or to one of each row or column; tables may list its tiles."""
    kind, size, rank = rng.choice((*FLOATS[:2], "int")), rng.randint(6, 20), rng.choice((0, 0, 1))
    arrays = (Array("A", kind, 2, "argument"), Array("B", kind, 1, "argument"), Array("C", kind, rank, "argument"))
    row, column, end = Affine((("i", 1),)), Affine((("j", 1),)), Affine((), size)
    after = Affine((("i", 1),), rng.choice((0, 1)))
    begin, limit = rng.choice(((after, end), (after, end), (Affine(()), after)))
    place = () if rank == 0 else (rng.choice((row, column)),)
    reads = (Ref("A", rng.choice(((row, column), (column, row)))), Ref("B", (rng.choice((row, column)),)))
    add = Assign(Ref("C", place), rng.choice(("+=", "-=")), rng.choice(("{0}", "{0} * {1}")), reads)
    return Program(name, arrays, (For("i", Affine(()), end, 1, (For("j", begin, limit, 1, (add,)),)),))


def temporaries(rng: random.Random, name: str) -> Program:
    """A sum of its own for each of many iterations, which a place for each iteration of a block is enough for."""
    kind, many = rng.choice(FLOATS[:2]), FEWEST_BLOCKS * MOST_IN_BLOCK + rng.randint(0, 20)
    arrays = [Array("A", kind, 1, "argument"), Array("B", kind, 2, "argument"), Array("C", kind, 1, "argument")]
    arrays.append(Array("D", kind, 0, "local"))
    row, column, along = (Affine(((n, 1),)) for n in "ijl")
    first = Assign(Ref("D"), "=", "{0}", (Ref("A", (row,)),))
    add = Assign(Ref("D"), rng.choice(("+=", "-=")), "{0}", (Ref("B", (column, along)),))
    last = Assign(Ref("C", (row,)), rng.choice(("=", "+=", "-=")), "{0}", (Ref("D"),))
    sums = For("l", Affine(()), Affine((("j", 1),), 1), 1, (add,))
    loops = For("j", Affine(()), Affine((), 2), 1, (first, sums, last))
    return Program(name, tuple(arrays), (For("i", Affine(()), Affine((), many), 1, (loops,)),))


def shared_values(rng: random.Random, name: str) -> Program:
    """A value that two sums over a window share, and another one in the variable of a sum, which two results share."""
    kind, window = rng.choice((*FLOATS[:2], "int")), rng.randint(2, 5)
    arrays = [Array(letter, kind, 1, "argument") for letter in "ABCG"]
    arrays += [Array(letter, kind, 0, "local") for letter in "DEF"]
    row, along = Affine((("i", 1),)), Affine((("j", 1),))
    place = Affine((("i", rng.randint(1, 2)), ("j", 1)))
    value = Assign(Ref("F"), "=", rng.choice(("{0} - {1}", "{0} * {1}")), (Ref("A", (place,)), Ref("B", (along,))))
    factors = (Ref("F"), Ref("B", (along,)))
    adds = [
        Assign(Ref(letter), rng.choice(("+=", "-=")), "{0} * {1}", (Ref("F"), rng.choice(factors))) for letter in "DE"
    ]
    first = [Assign(Ref(letter), "=", "{0}", (Ref("B", (Affine(()),)),)) for letter in "DE"]
    then = Assign(Ref("D"), "=", rng.choice(("{0} - {1}", "{0} * {1}")), (Ref("D"), Ref("E")))
    last = [
        Assign(Ref("C", (row,)), rng.choice(("=", "+=")), "{0} * {1}", (Ref("D"), Ref("E"))),
        Assign(Ref("G", (row,)), rng.choice(("=", "-=")), "{0}", (Ref("D"),)),
    ]
    sums = For("j", Affine(()), Affine((), window), 1, (value, *adds))
    return Program(
        name, tuple(arrays), (For("i", Affine(()), Affine((), rng.randint(6, 40)), 1, (*first, sums, then, *last)),)
    )


def colours(rng: random.Random, name: str) -> Program:
    """Time steps over the points of one colour after the other, in two dimensions or three, by a remainder."""
    kind, deep = rng.choice((*FLOATS[:2], "int")), rng.random() < 0.3
    loops = "ijk" if deep else "ij"
    arrays = (Array("A", kind, len(loops), "argument"), Array("B", kind, len(loops), "argument"))

    def at(moved: int = -1, by: int = 0) -> tuple[Affine, ...]:
        return tuple(Affine(((loop, 1),), by if place == moved else 0) for place, loop in enumerate(loops))

    reads = [Ref("A", at(rng.randrange(len(loops)), rng.choice((-1, 1)))) for _ in range(rng.randint(1, 3))]
    shape = "0.5f * (" + " + ".join(f"{{{n}}}" for n in range(len(reads) + 1)) + ")"
    body = Assign(Ref("A", at()), rng.choice(("=", "+=")), shape, (*reads, Ref("B", at())))
    sign, start = rng.choice((1, -1)), rng.randint(-2, 1)
    parity = Affine((*((loop, 1) for loop in loops), ("c", sign)), start + 2, rng.choice(("% 2", "& 1")))
    node: Node = If((parity, "=="), (body,))
    for loop in reversed(loops):
        node = For(loop, Affine((), 1), Affine((), rng.randint(4, 6 if deep else 11)), 1, (node,))
    node = For("c", Affine(()), Affine((), 2), 1, (node,))
    return Program(name, arrays, (For("t", Affine(()), Affine((), rng.randint(2, 4)), 1, (node,)),))


def lines(rng: random.Random, name: str) -> Program:
    """Steps in which rows, then perhaps columns, are swept one by one; sweeps hand on what they made of each.

    Or each step makes a row or column of one array and takes it from all later ones.
    """
    if rng.random() < 0.4:
        return _made_lines(rng, name)
    kind, rows, columns = rng.choice(FLOATS[:2]), rng.randint(4, 9), rng.randint(3, 6)
    arrays = tuple(Array(letter, kind, 2, "argument") for letter in "ABC")
    row, column, before = Affine((("j", 1),)), Affine((("l", 1),)), Affine((("l", 1),), -1)

    def sweep(source: str, made: str, result: str, *, by_row: bool) -> For:
        def at(letter: str, place: Affine) -> Ref:
            return Ref(letter, (row, place) if by_row else (place, row))

        reads = (at(made, before), Ref(source, rng.choice(((row, column), (column, row)))))
        make = Assign(at(made, column), "=", rng.choice(("{0} * {1}", "{0} - {1}")), reads)
        use = Assign(at(result, column), rng.choice(("=", "+=")), "{0} * {1}", (at(made, column), at(result, before)))
        first = (Assign(at(made, Affine(())), "=", "{0}", (at(source, Affine(())),)),) if rng.random() < 0.7 else ()
        along = [
            For("l", Affine((), 1), Affine((), columns if by_row else rows), 1, body) for body in ((make,), (use,))
        ]
        low = Affine((), rng.choice((0, 1)))
        return For("j", low, Affine((), rows if by_row else columns), 1, (*first, *along))

    swept: list[Node] = [sweep("A", "B", "C", by_row=True)]
    if rng.random() < 0.6:
        swept.append(sweep("C", "B", "A", by_row=rng.random() < 0.5))
    return Program(name, arrays, (For("i", Affine(()), Affine((), rng.randint(2, 4)), 1, tuple(swept)),))


def _made_lines(rng: random.Random, name: str) -> Program:
    kind, many, long = rng.choice(FLOATS[:2]), rng.randint(5, 9), rng.randint(2, 5)
    arrays = (Array("A", kind, 2, "argument"), Array("B", kind, 2, "argument"), Array("C", kind, 1, "argument"))
    step, line, along = (Affine(((n, 1),)) for n in "ijl")
    by_row = rng.random() < 0.5

    def at(letter: str, number: Affine) -> Ref:
        return Ref(letter, (number, along) if by_row else (along, number))

    def through(body: Assign) -> For:
        return For("l", Affine(()), Affine((), long), 1, (body,))

    make = Assign(at("B", step), "=", rng.choice(("0.5f * {0}", "{0} - {1}")), (at("A", step), Ref("C", (step,))))
    add = Assign(Ref("C", (line,)), rng.choice(("+=", "-=")), "{0} * {1}", (at("B", step), at("A", line)))
    take = Assign(at("A", line), rng.choice(("+=", "-=")), "{0} * {1}", (at("B", step), Ref("C", (line,))))
    low = Affine((("i", 1),), 1) if rng.random() < 0.8 else Affine((("i", 1),), 2)
    later = For("j", low, Affine((), many), 1, (*([through(add)] * (rng.random() < 0.7)), through(take)))
    steps = For("i", Affine((), rng.choice((0, 1))), Affine((), many - rng.choice((0, 1))), 1, (through(make), later))
    return Program(name, arrays, (steps,))


def pivots(rng: random.Random, name: str) -> Program:
    """Steps that update a whole matrix with a row, a column or an element that change in the middle of the step."""
    kind, size, fixed = rng.choice(FLOATS[:2]), rng.randint(4, 8), rng.randint(0, 3)
    step, row, column, place = Affine((("i", 1),)), Affine((("j", 1),)), Affine((("l", 1),)), Affine((), fixed)
    at = rng.choice((step, step, place)), rng.choice((step, step, place))
    found = (Ref("A", (row, at[1])), Ref("A", (at[0], column)), Ref("A", at))
    shape, reads = rng.choice((("{0} * {1}", found[:2]), ("{0} + {1}", found[:2]), ("{0} * {1} - {2}", found)))
    update = Assign(Ref("A", (row, column)), rng.choice(("-=", "+=")), shape, reads)
    first, second = rng.sample("jl", 2)
    inner = For(second, Affine(()), Affine((), size), 1, (update,))
    steps = (For(first, Affine(()), Affine((), size), 1, (inner,)),)
    last = Affine((), rng.randint(2, size))
    return Program(name, (Array("A", kind, 2, "argument"),), (For("i", Affine(()), last, 1, steps),))


def in_place(rng: random.Random, name: str) -> Program:
    """A product with a triangle, in place: rows are read before they are updated, as a copy of all of them has them."""
    kind, size, columns = rng.choice(FLOATS[:2]), rng.randint(4, 9), rng.randint(2, 6)
    arrays = (Array("A", kind, 2, "argument"), Array("B", kind, 2, "argument"))
    row, column, other, after = (Affine((("i", 1),)), Affine((("j", 1),)), Affine((("l", 1),)), Affine((("i", 1),), 1))
    reads = (Ref("A", rng.choice(((other, row), (row, other)))), Ref("B", (other, column)))
    update = Assign(Ref("B", (row, column)), rng.choice(("-=", "+=")), "{0} * {1}", reads)
    scale = Assign(Ref("B", (row, column)), "*=", "0.5f * {0}", (Ref("A", (row, row)),))
    sums = For("l", after, Affine((), size), 1, (update,))
    rows = For("j", Affine(()), Affine((), columns), 1, (sums, *((scale,) if rng.random() < 0.5 else ())))
    return Program(name, arrays, (For("i", Affine(()), Affine((), size), 1, (rows,)),))


def intervals(rng: random.Random, name: str) -> Program:
    """Stretches that are made of shorter ones, those of one length in a step."""
    kind, size, shift = rng.choice(FLOATS[:2]), rng.randint(4, 9), rng.choice((0, 1))
    arrays = (Array("A", kind, 2, "argument"), Array("B", kind, 1, "argument"))
    begin, middle, end = Affine((("j", 1),)), Affine((("l", 1),)), Affine((("i", 1), ("j", 1)))
    whole = Ref("A", (begin, end))
    parts = (Ref("A", (begin, middle)), Ref("A", (Affine((("l", 1),), shift), end)))
    split = Assign(whole, rng.choice(("+=", "-=")), rng.choice(("{0} * {1}", "{0} + {1}")), parts)
    more = (Assign(whole, "*=", "{0}", (Ref("B", (begin,)),)),)
    begins = Affine((("i", -1),), size)
    splits = For("l", Affine((("j", 1),), 1 - shift), end, 1, (split,))
    rows = For("j", Affine(()), begins, 1, (splits, *(more if rng.random() < 0.5 else ())))
    shorter = Ref("A", rng.choice(((Affine((("j", 1),), 1), end), (begin, Affine((("i", 1), ("j", 1)), -1)))))
    grown = For("j", Affine(()), begins, 1, (Assign(whole, "+=", "{0}", (shorter,)),))
    steps = (grown, rows) if rng.random() < 0.3 else (rows,)
    return Program(name, arrays, (For("i", Affine((), 1), Affine((), size), 1, steps),))


def tiled(rng: random.Random, name: str) -> Program:
    """Loops over tiles, as a source has that was tiled by hand; some statements need what another tile computes."""
    kind, step = rng.choice(FLOATS[:2]), rng.randint(2, 4)
    arrays = (Array("A", kind, 2, "argument"), Array("B", kind, 1, "argument"), Array("C", kind, 1, "argument"))
    row, column = Affine((("j", 1),)), Affine((("l", 1),))
    element, along, across = Ref("A", (row, column)), Ref("B", (column,)), Ref("C", (row,))
    statements = (
        Assign(across, "+=", "{0} * {1}", (element, along)),
        Assign(across, "-=", "{0}", (element,)),
        Assign(element, "*=", "{0}", (Ref("B", (row,)),)),
        Assign(element, "=", "{0} + {1}", (Ref("A", (column, row)), along)),
        Assign(along, "+=", "{0} * {1}", (element, across)),
    )
    chosen = tuple(rng.sample(statements, rng.randint(1, 2)))
    bodies = (chosen,) if rng.random() < 0.5 else tuple((one,) for one in chosen)
    begin, end, width = Affine((("i", step),)), Affine((("i", step),), step), Affine((), rng.randint(3, 6))
    tiles = tuple(For("j", begin, end, 1, (For("l", Affine(()), width, 1, body),)) for body in bodies)
    return Program(name, arrays, (For("i", Affine(()), Affine((), rng.randint(2, 3)), 1, tiles),))


def sums(rng: random.Random, name: str) -> Program:
    """Sums of whole numbers that two or three statements add to in turns, sometimes with a value before or behind."""
    arrays = [Array("A", rng.choice(INTEGERS), 2, "argument"), Array("B", rng.choice(INTEGERS), 1, "argument")]
    arrays.append(Array("C", rng.choice(INTEGERS), 1, "argument"))
    row, along = Affine((("i", 1),)), Affine((("j", 1),))
    places = (row, row, row, along, Affine((("i", 1), ("j", 1))), Affine((("i", 1),), 1))

    def add() -> Assign:
        read = rng.choice((Ref("A", (row, along)), Ref("B", (along,)), Ref("B", (row,))))
        return Assign(
            Ref("C", (rng.choice(places),)), rng.choice(("+=", "-=")), rng.choice(("{0}", "3 * {0}")), (read,)
        )

    inner = For("j", Affine(()), Affine((), rng.randint(2, 5)), 1, tuple(add() for _ in range(rng.randint(2, 3))))
    begin = Assign(Ref("C", (row,)), "=", "{0}", (Ref("B", (row,)),))
    end = Assign(Ref("B", (row,)), "=", "{0}", (Ref("C", (row,)),))
    body = (*([begin] * (rng.random() < 0.4)), inner, *([end] * (rng.random() < 0.4)))
    return Program(name, tuple(arrays), (For("i", Affine(()), Affine((), rng.randint(3, 7)), 1, body),))
