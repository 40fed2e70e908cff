"""Thirty programs of the campaign, bytes for the front end, and the campaign shown to see a fault."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest
from fuzz import campaign
from fuzz.campaign import DIED, FAILURES, features, in_process, run_batch, shrink
from fuzz.cases import FINE, Case, make
from fuzz.harness import Part, Subject, compare
from fuzz.kinds import intervals, lines, temporaries, wedges
from fuzz.knobs import FORMED, LEVERS, never_drawn
from fuzz.programs import Affine, Array, Assign, For, Program, Ref
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sisyphus import kernel_forms, request
from sisyphus.backends.hls import project
from sisyphus.errors import InternalError, SisyphusError
from sisyphus.forms import BATCHES, BLOCKS, LINE_BLOCKS, TABLE_TILES, rewrites
from sisyphus.plan import Plan, tables_in
from sisyphus.space import DesignPoint, levers_off


@pytest.mark.parametrize("number", [0, pytest.param(1, marks=pytest.mark.long)])
def test_sixteen_programs(number: int) -> None:
    tally = run_batch("suite", number, size=8, mutants=1)
    assert tally.failures == []
    assert not set(tally.results) & set(FAILURES) and tally.results[FINE] > 5


def test_every_lever_and_every_form_is_counted() -> None:
    """One that the campaign does not know has no line here, and the end of a run tells which were never drawn."""
    assert {*levers_off()} == {*LEVERS}
    forms = {*rewrites.REWRITES, *rewrites.SIZED, *rewrites.STRIPED, rewrites.SCHEDULE, rewrites.WEBS_APART}
    assert {word.strip() for word in forms} == {*FORMED}
    assert never_drawn([]) == sorted({*never_drawn(["views"]), "views"})


def designs(kind: Callable[[random.Random, str], Program], folder: Path) -> Iterator[tuple[Plan, DesignPoint]]:
    """Plans of random programs of a kind, with the points that they were built for."""
    with patch("fuzz.cases.UNITS", 0.0), patch("fuzz.cases.project", wraps=project) as printed:
        for seed in range(40):
            made = make(Case(kind(random.Random(seed), "k"), str(seed)), folder)
            yield from ((printed.call_args.args[0], point) for point in made.points)


def test_tables_of_one_loop_in_steps_are_drawn(tmp_path: Path) -> None:
    """As in gramschmidt at MEDIUM, where the loop over the rows had the name of the only loop that they are of."""
    tables = (table for plan, _ in designs(wedges, tmp_path) for task in plan.called for table in tables_in(plan, task))
    assert any(len(table.loops) == 1 and table.around is not None for table in tables)


def test_temporaries_of_blocks_are_drawn(tmp_path: Path) -> None:
    assert any(BLOCKS in point.rewrites for _, point in designs(temporaries, tmp_path))


@pytest.mark.parametrize("form", [BATCHES, LINE_BLOCKS])
def test_lines_are_drawn_in_batches_and_blocks(form: str, tmp_path: Path) -> None:
    assert any(word.startswith(form) for _, point in designs(lines, tmp_path) for word in point.rewrites)


def test_tables_are_drawn_in_tiles(tmp_path: Path) -> None:
    assert any(word.startswith(TABLE_TILES) for _, point in designs(intervals, tmp_path) for word in point.rewrites)


def rows() -> Program:
    """Each row of an array less what another one has for it."""
    row, column = Affine((("i", 1),)), Affine((("j", 1),))
    add = Assign(Ref("C", (row, column)), "-=", "{0}", (Ref("A", (row,)),))
    loops = For("i", Affine(()), Affine((), 6), 1, (For("j", Affine(()), Affine((), 3), 1, (add,)),))
    return Program("k", (Array("A", "float", 1, "argument"), Array("C", "float", 2, "argument")), (loops,))


def test_a_planted_fault_is_seen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("fuzz.cases.UNITS", 0.0)
    made = make(Case(rows(), "fault"), tmp_path)
    assert made.subject is not None
    [part] = made.subject.parts
    assert compare([made.subject], tmp_path / "good", 0) == {}
    assert compare([spoiled(made.subject, part)], tmp_path / "bad", 0).keys() == {made.subject.name}


def spoiled(subject: Subject, part: Part) -> Subject:
    """The subject with another sum or difference in one of its kernels."""
    kernel = part.kernel.replace("- ", "+ ", 1).replace(" += ", " -= ", 1).replace("0.", "7.")
    assert kernel != part.kernel
    return replace(subject, parts=tuple(replace(p, kernel=kernel) if p is part else p for p in subject.parts))


def test_faults_of_units_are_seen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In the kernel of one, in what one is given, and in what is taken from one."""
    monkeypatch.setattr("fuzz.cases.UNITS", 1.0)
    made = make(Case(rows(), "units c"), tmp_path)
    assert made.result == FINE and str(made.dealing) == "C by dimension 0" and made.subject is not None
    *others, last = made.subject.parts
    (low, high), columns = last.delivers["C"]
    wrong = {
        "given": replace(last, first={**last.first, "A": [last.first["A"][0] - 1]}),
        "taken": replace(last, delivers={"C": [(low + 1, high), columns]}),
        "kernel": spoiled(made.subject, last).parts[-1],
    }
    assert compare([made.subject], tmp_path / "good", 0) == {}
    for name, part in wrong.items():
        assert compare([replace(made.subject, parts=(*others, part))], tmp_path / name, 0), name


def test_faults_of_what_is_returned_and_of_variables_of_the_file_are_seen(tmp_path: Path) -> None:
    add = Assign(Ref("s"), "+=", "{0}", (Ref("A", (Affine((("i", 1),)),)),))
    arrays = (Array("A", "float", 1, "outside"), Array("s", "float", 0, "outside"), Array("B", "int", 1, "argument"))
    copy = Assign(Ref("B", (Affine((("i", 1),)),)), "=", "{0}", (Ref("s"),))
    program = Program("k", arrays, (For("i", Affine(()), Affine((), 6), 1, (add, copy)),), "A")
    assert "static float k_s;" in program.text() and "return k_A[0];" in program.text()
    made = make(Case(program, "file"), tmp_path)
    assert made.result == FINE and made.subject is not None
    assert compare([made.subject], tmp_path / "good", 0) == {}
    wrong = {
        "returned": ("k_result[0] = ", "k_result[0] = 3 + "),
        "given": ("  memcpy(at_k_A, ", "  k_A[1] += 3;\n  memcpy(at_k_A, "),
        "handed back": ("  memcpy(k_s, at_k_s, size_k_s);\n", ""),
    }
    for name, (right, other) in wrong.items():
        assert right in made.subject.source
        source = made.subject.source.replace(right, other)
        assert compare([replace(made.subject, source=source)], tmp_path / name, 0), name
    assert next(program.smaller()).result == "" and "a returned value" in features(Case(program, "file"))


def test_a_batch_that_takes_too_much_of_the_processor_has_died(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    endless = tmp_path / "endless.py"
    endless.write_text("import resource\nresource.setrlimit(resource.RLIMIT_CPU, (1, 9))\nwhile True: pass\n")
    monkeypatch.setattr(campaign, "__file__", str(endless))
    assert in_process(tmp_path, "seed", 7)["results"] == {DIED: 1}
    assert "s of the processor" in (tmp_path / "failures" / "seed-batch-7" / "what.txt").read_text()


def test_a_failure_is_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case.of("suite", 5)
    monkeypatch.setattr("fuzz.campaign._fails", lambda kind, case, seed: "for" in case.program.text())
    small = shrink("any", case).program.text()
    assert "for" in small and len(small) < len(case.program.text())


C_LIKE = st.text(st.sampled_from("void k(float A[8]){for(int i=0;<+}1*/#\"'\\\n \x00é"), max_size=200)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.one_of(st.binary(max_size=120), C_LIKE.map(str.encode)))
def test_any_bytes_are_taken_or_refused(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "k.c").write_bytes(data)
    try:
        kernel_forms.load_kernels(request.Source(str(tmp_path / "k.c")))
    except InternalError:
        raise
    except SisyphusError as refused:
        assert refused.message
