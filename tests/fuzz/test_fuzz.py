"""Sixty programs of the campaign, bytes for the front end, and the campaign shown to see a fault."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fuzz.campaign import FAILURES, run_batch, shrink
from fuzz.cases import FINE, Case, make
from fuzz.harness import compare
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sisyphus import request
from sisyphus.errors import InternalError, SisyphusError


@pytest.mark.parametrize("number", range(2))
def test_sixty_programs(number: int) -> None:
    tally = run_batch("suite", number, size=30, mutants=1)
    assert tally.failures == []
    assert not set(tally.results) & set(FAILURES) and tally.results[FINE] > 20


def test_a_planted_fault_is_seen(tmp_path: Path) -> None:
    made = make(Case.of("suite", 8), tmp_path)
    assert made.subject is not None
    kernel = made.subject.kernel
    spoiled = replace(made.subject, kernel=kernel.replace("- ", "+ ", 1).replace(" += ", " -= ", 1).replace("0.", "7."))
    assert spoiled.kernel != kernel
    assert compare([made.subject], tmp_path / "good", 0) == {}
    assert compare([spoiled], tmp_path / "bad", 0).keys() == {made.subject.name}


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
        request.load_kernels(request.Source(str(tmp_path / "k.c")))
    except InternalError:
        raise
    except SisyphusError as refused:
        assert refused.message
