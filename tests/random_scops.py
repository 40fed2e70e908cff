"""Random affine scops as text for `builders.scop`: loops of any shape, one or two arrays, stencil-like subscripts."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from builders import scop
from hypothesis import strategies as st

from sisyphus.ir import Scop

NAMES = ("i", "j", "k")
ARRAYS = {"A": 2, "B": 1, "c": 0, "d": 1}


@dataclass(frozen=True)
class Sample:
    """The text of a scop; printed by hypothesis when a property fails."""

    text: str
    others: tuple[tuple[str, tuple[int, ...]], ...] = ()

    @property
    def scop(self) -> Scop:
        return scop(self.text, A=(16, 16), B=(16,), D=(16,), c=(), d=(16,), **dict(self.others))


@st.composite
def samples(draw: st.DrawFn, depth: int = 3, statements: int = 4) -> Sample:
    """A scop of at most that many loops around each other and statements."""
    left = [draw(st.integers(1, statements))]
    text = ""
    while left[0] > 0:
        text += _block(draw, (), depth, left)
    return Sample(text)


def _block(draw: st.DrawFn, loops: tuple[str, ...], depth: int, left: list[int]) -> str:
    """One loop with its body, or one assignment."""
    if len(loops) == depth or (loops and draw(st.booleans())):
        left[0] -= 1
        return _guarded(draw, loops, _assignment(draw, loops))
    name = NAMES[len(loops)]
    body = _block(draw, (*loops, name), depth, left)
    while left[0] > 0 and draw(st.integers(0, 2)):
        body += _block(draw, (*loops, name), depth, left)
    low = draw(st.sampled_from(["0", "1", *loops]))
    high = draw(st.sampled_from(["3", "4", *(f"{n} + 2" for n in loops)]))
    return f"for {name} in range({low}, {high}):\n" + textwrap.indent(body, "    ")


def _guarded(draw: st.DrawFn, loops: tuple[str, ...], text: str) -> str:
    if loops and draw(st.integers(0, 4)) == 0:
        return f"if {_affine(draw, loops)} {draw(st.sampled_from(['<', '>=', '==']))} 2:\n    {text}"
    return text


def _assignment(draw: st.DrawFn, loops: tuple[str, ...]) -> str:
    target = _ref(draw, loops)
    reads = [_ref(draw, loops) for _ in range(draw(st.integers(0, 2)))]
    value = " * ".join(["w", *reads])
    shape = draw(st.sampled_from(["{0} = {1}", "{0} += {1}", "{0} -= {1}", "{0} = max({0}, {1})", "{0} = {1} + {0}"]))
    return shape.format(target, value) + "\n"


def _ref(draw: st.DrawFn, loops: tuple[str, ...]) -> str:
    name = draw(st.sampled_from(sorted(ARRAYS)))
    index = ", ".join(_affine(draw, loops) for _ in range(ARRAYS[name]))
    return f"{name}[{index}]" if index else name


def _affine(draw: st.DrawFn, loops: tuple[str, ...]) -> str:
    terms = [f"{draw(st.sampled_from(['', '', '2*', '-1*']))}{n}" for n in loops if draw(st.integers(0, 2))]
    return " + ".join([*terms, str(draw(st.integers(0, 2)))])


@st.composite
def carriers(draw: st.DrawFn) -> Sample:
    """A scop in which scalars and small arrays carry values from statement to statement inside one or two loops."""
    loops = draw(st.sampled_from([("i",), ("i", "j"), ("i", "j")]))
    lines, depth = [f"for {n} in range({draw(st.integers(0, 1))}, 4):" for n in loops], len(loops)
    text = "".join(f"{'    ' * at}{line}\n" for at, line in enumerate(lines))
    for _ in range(draw(st.integers(2, 5))):
        inside, indent = loops, "    " * depth
        if draw(st.integers(0, 3)) == 0:
            text, inside, indent = f"{text}{indent}for k in range(3):\n", (*loops, "k"), indent + "    "
        target, *sources = (_carrier(draw, inside) for _ in range(3))
        shape = draw(st.sampled_from(["{0} = w", "{0} = w * {1}", "{0} = {1} * {2}", "{0} += {1}"]))
        text += indent + shape.format(target, *sources) + "\n"
    return Sample(text)


def _carrier(draw: st.DrawFn, loops: tuple[str, ...]) -> str:
    """Mostly a scalar or a fixed element, so that every iteration of the loops uses the same one again."""
    fixed = draw(st.sampled_from(["c", "c", "D[0]", "D[0]", None, None]))
    if fixed is not None:
        return fixed
    name = draw(st.sampled_from(["A", "B", "B", "d"]))
    places = [loops[-1], loops[-1], loops[0], f"{loops[0]} + 1"]
    return f"{name}[{', '.join(draw(st.sampled_from(places)) for _ in range(ARRAYS[name]))}]"


@st.composite
def copiers(draw: st.DrawFn) -> Sample:
    """A scop in which values are copied from local to local, one of which is a shift register, and read later."""
    loops = draw(st.sampled_from([("i",), ("i", "j")]))
    text = "for z in range(6):\n    e[z] = w\n"
    text += "".join(f"{name} = {draw(st.sampled_from(['w', 'B[0]', 'A[1, 1]']))}\n" for name in ("c", "f"))
    for at, name in enumerate(loops):
        text += f"{'    ' * at}for {name} in range({draw(st.integers(0, 1))}, 4):\n"
    indent = "    " * len(loops)
    shapes = ["shift", *["{0} = {1}"] * 3, "{0} = {1} * w", "{3} = {1} * {2}", "{3} = {1}"]
    sources = ["c", "f", "e[0]", "e[2]", "e[3]", f"e[{loops[0]}]", "B[i]", "A[i, 2]", "D[0]"]
    for _ in range(draw(st.integers(3, 6))):
        shape = draw(st.sampled_from(shapes))
        if shape == "shift":
            text += f"{indent}for k in range(3):\n{indent}    e[3 - k] = e[2 - k]\n"
        else:
            target = draw(st.sampled_from(["c", "f", "e[0]", "e[4]"]))
            result = draw(st.sampled_from(["A[i, 0]", f"A[{loops[-1]}, i + 1]", "D[i]", "D[0]"]))
            read = [draw(st.sampled_from(sources)) for _ in range(2)]
            text += indent + shape.format(target, *read, result) + "\n"
    return Sample(text, (("e", (6,)), ("f", ())))
