"""Random programs with conditions on data, jumps, calls and tables compute the same once they are a scop."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from compiled_scops import run

from sisyphus.frontend import read

HEAD = """static const int lut[8] = {3, -1, 4, 1, -5, 9, 2, 6};
static int h0(int a, int b) { if (a < b) return a; return b + 1; }
static int h1(int a, int b) { int s = a; for (int k = 0; k < 3; k++) { if (s > b) break; s += k + b; } return s; }
static int h2(int a, int b)
{
  switch (a & 3) { case 0: return b; case 1: case 2: b += 2; break; default: b = a; }
  return b - a;
}
static int h3(int a, int b)
{
  switch (a & 7) {
    case 0: b++; case 1: case 2: b += 2; if (b > 4) break; b -= 7; default: if (a > b) { b = a; break; } a = 2;
    case 3: { int t = a; switch (b & 1) { case 0: t++; break; case 1: a--; } b += t; } case 5: b ^= 1; }
  return b - a;
}
static void v0(int *x, int *y) { for (int k = 0; k < 5; k++) { if (x[k] == *y) continue; x[k] += *y & 7; } }
static void v1(int *x, int *y) { int t = x[2]; if (t > *y) { x[2] = *y; *y = t; } else *y -= 1; }
void f(int A[5], int B[5], int C[5][5], int g)
{
"""


class Program:
    """Statements over three arrays, local integers and the iterators of at most two loops."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0
        self.locals: list[str] = []
        self.iterators: list[str] = []

    def text(self) -> str:
        body = "".join(self.statement(1, in_loop=False) for _ in range(self.random.randint(2, 4)))
        return f"{HEAD}{body}}}\n"

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def subscript(self) -> str:
        return self.pick(*self.iterators, str(self.random.randint(0, 4)))

    def element(self) -> str:
        first, second = self.subscript(), self.subscript()
        if first in self.iterators and self.random.random() < 0.3:
            first = self.pick(f"{first} > 0 ? {first} - 1 : 0", f"{first} < 4 ? {first} + 1 : 4", f"4 - {first}")
        return self.pick(f"A[{first}]", f"B[{first}]", f"C[{first}][{second}]")

    def value(self, depth: int = 0) -> str:
        kind = self.random.random()
        if depth > 2 or kind < 0.25:
            return self.pick(*self.locals, "g", str(self.random.randint(-3, 9)))
        if kind < 0.45:
            return self.element()
        left, right = self.value(depth + 1), self.value(depth + 1)
        if kind < 0.7:
            return f"({left} {self.pick(*'+-*&|^')} {right})"
        if kind < 0.78:
            return f"({left} {self.pick('%', '/', '>>')} 3)"
        if kind < 0.85:
            return f"({self.condition(depth + 1)} ? {left} : {right})"
        if kind < 0.93:
            return f"h{self.random.randint(0, 3)}({left}, {right})"
        return f"lut[{left} & 7]"

    def condition(self, depth: int = 0) -> str:
        kind = self.random.random()
        if kind < 0.2 and self.iterators:
            return f"{self.pick(*self.iterators)} {self.pick('<', '>=', '==', '!=')} {self.random.randint(0, 4)}"
        if kind < 0.35 and depth < 2:
            return f"({self.condition(depth + 1)} {self.pick('&&', '||')} {self.condition(depth + 1)})"
        if kind < 0.42 and depth < 2:
            return f"!({self.condition(depth + 1)})"
        return f"{self.value(2)} {self.pick('<', '>', '<=', '>=', '==', '!=')} {self.value(2)}"

    def statement(self, depth: int, *, in_loop: bool) -> str:
        kind = self.random.random()
        if kind < 0.42 or depth > 5:
            target = self.pick(*self.locals, f"A[{self.subscript()}]", f"C[{self.subscript()}][{self.subscript()}]")
            return f"{target} {self.pick('=', '+=', '-=', '^=')} {self.value()};\n"
        if kind < 0.72:
            other = f" else {{\n{self.block(depth + 1, in_loop=in_loop)}}}" if self.random.random() < 0.5 else ""
            return f"if ({self.condition()}) {{\n{self.block(depth + 1, in_loop=in_loop)}}}{other}\n"
        if kind < 0.8 and in_loop:
            return f"if ({self.condition()}) {self.pick('continue', 'break')};\n"
        if kind < 0.85 or len(self.iterators) == 2:
            return (
                f"v{self.random.randint(0, 1)}({self.pick('A', 'B', f'C[{self.subscript()}]')}, &{self.element()});\n"
            )
        self.count += 1
        name, own = f"i{self.count}", list(self.locals)
        self.iterators.append(name)
        body = self.block(depth + 1, in_loop=True)
        self.iterators.pop()
        self.locals = own
        return f"for (int {name} = 0; {name} < {self.random.randint(2, 5)}; {name}++) {{\n{body}}}\n"

    def block(self, depth: int, *, in_loop: bool) -> str:
        own, text = list(self.locals), ""
        if self.random.random() < 0.4:
            self.count += 1
            text = f"int t{self.count} = {self.value()};\n"
            self.locals = [*own, f"t{self.count}"]
        text += "".join(self.statement(depth, in_loop=in_loop) for _ in range(self.random.randint(1, 3)))
        self.locals = own
        return text


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_compute_the_same(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text(Program(seed).text())
    assert run(read(path, params={"g": 3}), path, tmp_path) == "equal"
