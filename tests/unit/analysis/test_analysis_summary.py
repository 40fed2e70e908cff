"""The plain data behind `sisy analyze`."""

from __future__ import annotations

import json
import sys

import pytest
from builders import scop

from sisyphus.analysis import footprint, statement_graph_dot, statement_text, summary
from sisyphus.analysis.statement_text import expression_text
from sisyphus.ir import INT32, Binary, Lookup, Scalar, Scop, Select
from sisyphus.poly import CountError, Set


def dot_product() -> Scop:
    text = """
    for i in range(4):
        acc = 0
        for k in range(6):
            acc += A[i, k] * (B[k] - w)
        C[i] = acc if acc > w else -acc / fmaxf(w, i)
    """
    return scop(text, name="dots", A=(4, 6), B=(6,), C=(4,), acc=())


def test_everything_is_plain_and_stable() -> None:
    found = summary(dot_product())
    assert json.loads(json.dumps(found)) == found
    assert json.dumps(summary(dot_product())) == json.dumps(found)


def test_what_a_summary_says() -> None:
    found = summary(dot_product())
    assert [s["text"] for s in found["statements"]] == [
        "acc = 0",
        "acc = acc + A[i][k] * (B[k] - w)",
        "C[i] = acc > w ? acc : -acc / fmaxf(w, i)",
    ]
    assert [s["instances"] for s in found["statements"]] == [4, 24, 4]
    assert found["operations"]["total"]["* float"] == 24
    assert found["reductions"] == [{"statement": "S1", "op": "+", "loops": ["i", "k"]}]
    assert found["distribution"][0]["loop"] == "i"
    assert found["distribution"][0]["body"] == ["S0", "S1", "S2"]
    carried = {(d["source"], d["sink"], d["kind"]): d["carried_by"] for d in found["dependences"]}
    assert carried["S1[i, k]", "S1[i, k]", "WAW"] == ["i", "k"]
    assert carried["S0[i]", "S1[i, k]", "RAW"] == ["i", "same iteration"]
    directions = {(d["source"], d["sink"], d["kind"]): d["directions"] for d in found["dependences"]}
    assert directions["S1[i, k]", "S1[i, k]", "WAW"] == ["(<, *)", "(=, <)"]
    assert found["expansion"]["expanded"][0]["over"] == ["i"]
    assert found["expansion"]["distribution"] == ["S0", "S1", "S2"]
    assert found["arrays"][0] == {
        "name": "A",
        "type": "float",
        "extents": [4, 6],
        "bytes": 96,
        "role": "in",
        "live_in": True,
        "live_out": False,
        "read_before_written": 24,
        "written": [],
        "written_whole": False,
    }
    (nest,) = (n for n in found["expansion"]["nests"] if n["id"] == "S1")
    assert nest["legal_orders"] == {"count": 2, "first": [["i", "k"], ["k", "i"]]}


def test_parentheses_follow_the_tree() -> None:
    built = scop("for i in range(4):\n    A[i] = w - (A[i] - (v - u)) * -(u + v) / (u / v)", A=(4,))
    assert statement_text(built.statements[0]) == "A[i] = w - (A[i] - (v - u)) * -(u + v) / (u / v)"


def test_the_graph_has_an_edge_per_dependence() -> None:
    text = statement_graph_dot(dot_product())
    assert text.startswith('digraph "dots" {\n')
    assert 'S0 [label="S0[i]\\nacc = 0"];' in text
    assert 'S1 -> S1 [label="RAW acc (i, k)", style=dashed];' in text
    assert text.endswith("}\n")


def test_a_dependence_against_an_inner_loop_is_shown_so() -> None:
    text = """
    for i in range(1, 5):
        for j in range(4):
            A[i, j] = A[i - 1, j + 1] + c
    """
    assert [d["directions"] for d in summary(scop(text, A=(5, 5)))["dependences"]] == [["(<, >)"]]


def test_parentheses_are_those_that_c_needs() -> None:
    text = "A[0] = -(A[1] * w) * (A[2] - (A[3] - v)) + ((w if A[4] > v else v) if A[5] > v else w)"
    [shown] = [s["text"] for s in summary(scop(text, A=(7,)))["statements"]]
    assert shown == "A[0] = -(A[1] * w) * (A[2] - (A[3] - v)) + (A[5] > v ? (A[4] > v ? w : v) : w)"
    either = Binary("||", Scalar("v", INT32), Scalar("w", INT32), INT32)
    assert expression_text(Select(either, either.left, either, INT32)) == "v || w ? v : v || w"
    assert expression_text(Lookup("lut", (4, 2), (either, Scalar("v", INT32)), INT32)) == "lut[v || w][v]"


def test_operators_bind_as_in_c() -> None:
    a, b, c = (Scalar(name, INT32) for name in "abc")
    binds = (
        ("*", "/", "%"),
        ("+", "-"),
        ("<<", ">>"),
        ("<", "<=", ">", ">="),
        ("==", "!="),
        ("&",),
        ("^",),
        ("|",),
        ("&&",),
        ("||",),
    )
    for at, tight in enumerate(binds):
        for one, loose in ((one, other) for one in tight for others in binds[at + 1 :] for other in others):
            assert expression_text(Binary(loose, Binary(one, a, b, INT32), c, INT32)) == f"a {one} b {loose} c"
            assert expression_text(Binary(one, Binary(loose, a, b, INT32), c, INT32)) == f"(a {loose} b) {one} c"


def test_what_cannot_be_counted_is_told_apart_from_what_never_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    built = scop("for i in range(4):\n    A[i] = A[i] + w\nfor i in range(3):\n    B[i] = B[i] * w", A=(4,), B=(3,))

    def counted(points: Set) -> int:
        if points.get_tuple_name() == "S0":
            raise CountError("too many")
        return 3

    monkeypatch.setattr(sys.modules[footprint.__module__], "count", counted)
    told = summary(built)["operations"]
    assert told == {"total": {"* float": 3, "+ float": 0}, "uncounted": ["S0"]}
