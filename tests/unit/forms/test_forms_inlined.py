"""Values computed where they are read: which variables go, that results stay, and what keeps the others."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from compiled_scops import kernel_at, run
from plain_points import pipelined_point

from sisyphus.analysis import dependences, statement_text
from sisyphus.backends.hls import project
from sisyphus.forms import INLINED, SUMS_WRITTEN_OUT, inlined, rewritten, steps_of
from sisyphus.forms.inlined import MOST_NODES
from sisyphus.frontend import read
from sisyphus.ir import Scop, is_pick, promises, walk
from sisyphus.kernel_forms import load_kernels
from sisyphus.request import Source, plan_of
from sisyphus.verification import verify

KERNELS = Path(__file__).parents[3] / "kernels"


def kernel(folder: Path, body: str) -> Path:
    path = folder / "kernel.c"
    path.write_text(f"void kernel(const int a[8], int y[8], short s[8][8])\n{{\n{body}}}\n")
    return path


def texts(scop: Scop) -> list[str]:
    return [statement_text(statement) for statement in scop.statements]


def found_in(path: Path) -> Scop:
    found = inlined(dependences(read(path)))
    assert found is not None
    promises.run(found)
    return found


ALIGNED = """
    for (int i = 1; i < 8; i++)
        for (int j = 1; j < 8; j++) {
            int best = s[i - 1][j - 1] + a[j];
            if (s[i - 1][j] - 2 > best)
                best = s[i - 1][j] - 2;
            s[i][j] = best;
        }
"""


def test_a_variable_that_several_statements_update_becomes_one_expression(tmp_path: Path) -> None:
    """Of its own type in between: an int whose last value alone is cut to a short."""
    path = kernel(tmp_path, ALIGNED)
    found = found_in(path)
    [only] = texts(found)
    assert only.startswith("s[i][j] = ") and [a.id for a in found.arrays] == ["a", "y", "s"]
    assert run(found, path, tmp_path) == "equal"


BODIES = {
    "narrower variables": "for (int i = 0; i < 8; i++) { signed char c = a[i] * 3; y[i] = c * c; }",
    "several of them": "for (int i = 0; i < 8; i++) { int p = a[i] + 1; int q = p * 5; y[i] = q - a[7 - i]; }",
    "copies that two read": "for (int i = 0; i < 8; i++) { int p = a[i]; y[i] = p + 1; s[i][0] = p * 3; }",
    "what an element holds": "for (int i = 0; i < 8; i++) { int p = a[i] * 7; y[i] = p; s[i][1] = p * 3; }",
    "a few sums that two compute": "for (int i = 0; i < 8; i++) { int p = a[i] + 7; y[i] = p - 1; s[i][1] = p ^ 3; }",
    "under a condition": "for (int i = 0; i < 8; i++) { int p = a[i] * 7; if (i > 2) y[i] = p + 1; }",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=[*BODIES])
def test_results_stay(body: str, tmp_path: Path) -> None:
    path = kernel(tmp_path, body)
    found = found_in(path)
    assert not [a for a in found.arrays if not a.extents]
    assert run(found, path, tmp_path) == "equal"


#: 600 elements and as many differences.
LARGE = " * i + ".join(["(" + " - ".join(["a[i]"] * 60) + ")"] * 10)

KEPT = {
    "computed by two": "for (int i = 0; i < 8; i++) { int p = a[i] * 7; y[i] = p + 1; s[i][0] = p * 3; }",
    "carried on": "int p = 0; for (int i = 0; i < 8; i++) { p = p * 3 + a[i]; y[i] = p; }",
    "read behind the loop": "int p = 0; for (int i = 0; i < 8; i++) p = a[i] + i; y[0] = p;",
    "set in some iterations": "int p = 1; for (int i = 0; i < 8; i++) { if (i > 3) p = a[i]; y[i] = p; }",
    "read in a loop inside": "for (int i = 0; i < 8; i++) { int p = 1 - a[i]; for (int j = 0; j < 8; j++) y[j] *= p; }",
    "of what is written since": "for (int i = 1; i < 8; i++) { int p = y[i - 1] + 1; y[i - 1] = a[i]; y[i] = p; }",
    "too large": f"for (int i = 0; i < 8; i++) {{ int p = {LARGE}; y[i] = p; }}",
}


def test_of_values_that_follow_each_other_in_a_variable_those_that_can_give_way_do(tmp_path: Path) -> None:
    """A sum over a loop stays; what is made of it afterwards in the same variable is a value of its own."""
    body = """
    for (int i = 0; i < 8; i++) {
        int p = 0;
        for (int j = 0; j < 8; j++)
            p += a[j] * i;
        p = p / 3;
        p = p * p - a[i];
        y[i] = p;
    }
"""
    path = kernel(tmp_path, body)
    found = inlined(dependences(read(path)))
    assert found is not None and len(found.statements) == 3
    assert run(found, path, tmp_path) == "equal"


@pytest.mark.parametrize("body", KEPT.values(), ids=[*KEPT])
def test_variables_that_stay(body: str, tmp_path: Path) -> None:
    source = read(kernel(tmp_path, body))
    found = inlined(dependences(source))
    kept = [a.id for a in (found or source).arrays if not a.extents]
    assert kept == ["p"]


def test_values_that_double_in_every_step_stay_as_soon_as_they_are_too_large(tmp_path: Path) -> None:
    """Forty steps of a variable that each reads twice would be 2^40 operands: more than any run ends with."""
    steps = " ".join(["p = p + (p >> 1);"] * 40)
    source = read(kernel(tmp_path, f"for (int i = 0; i < 8; i++) {{ int p = a[i]; {steps} y[i] = p; }}"))
    found = inlined(dependences(source)) or source
    assert max(sum(1 for _ in walk(s.rhs)) for s in found.statements) <= MOST_NODES


def window(step: str) -> str:
    """Twelve values, each in place of the one before where a test says so."""
    steps = " ".join(step.replace("@", f"s[i][{at}]" if at < 8 else f"a[{at - 8}]") for at in range(12))
    return f"for (int i = 0; i < 8; i++) {{ int p = a[i] - 1; {steps} y[i] = p; }}"


WINDOWS = {
    "the least": "if (@ < p) p = @;",
    "the greatest": "p = p >= @ ? p : @;",
    "the other way round": "p = @ > p ? p : @;",
    "kept where equal": "p = @ <= p ? @ : p;",
}


@pytest.mark.parametrize("step", WINDOWS.values(), ids=[*WINDOWS])
def test_the_least_of_a_window_is_one_expression(step: str, tmp_path: Path) -> None:
    """As choices, which have each value twice, it would have 2^12 parts."""
    path = kernel(tmp_path, window(step))
    found = found_in(path)
    [only] = found.statements
    assert sum(1 for _ in walk(only.rhs)) < 100
    assert run(found, path, tmp_path) == "equal"


@pytest.mark.parametrize(
    "step", ["if (@ < p) p = @ + 1;", "if ((unsigned)@ < (unsigned)p) p = @;", "if ((signed char)@ < p) p = @;"]
)
def test_what_is_no_choice_between_what_is_compared_stays(step: str, tmp_path: Path) -> None:
    """Compared as other numbers than they are, the smaller one is another one."""
    source = read(kernel(tmp_path, window(step)))
    found = inlined(dependences(source)) or source
    assert not any(is_pick(part) for s in found.statements for part in walk(s.rhs))


def test_a_few_values_are_compared_as_they_are_written(tmp_path: Path) -> None:
    found = found_in(kernel(tmp_path, ALIGNED))
    assert not any(is_pick(part) for s in found.statements for part in walk(s.rhs))


DARKEST = """
void darkest(const unsigned char in[6][32], unsigned char rows[6][32], float low[32], const float f[44])
{
  for (int y = 0; y < 6; y++)
    for (int x = 5; x < 27; x++) {
      unsigned char least = 255;
      for (int k = -5; k <= 5; k++)
        if (in[y][x + k] < least)
          least = in[y][x + k];
      rows[y][x] = least;
    }
  for (int x = 0; x < 32; x++) {
    float most = f[x];
    for (int k = 1; k < 12; k++)
      most = f[x + k] >= most ? f[x + k] : most;
    low[x] = most;
  }
}
"""


def test_designs_choose_by_calls_of_their_own(tmp_path: Path) -> None:
    """The least of a window of bytes and the greatest of one of floats, built and run against the source."""
    form = next(
        form for form in load_kernels(Source(str(kernel_at(tmp_path, DARKEST)))) if SUMS_WRITTEN_OUT in form.rewrites
    )
    assert len(form.scop.statements) == 2
    plan = plan_of(form, form.point(pipelined_point(form.scop, form.distribution)))
    emitted = project(plan)
    text = str(emitted)
    assert text.count("pick_less_uint8(") == 12 and text.count("pick_greater_or_equal_float(") == 12
    verdict = verify(plan, emitted, form.dependences, live=form.live)
    assert verdict.passed, verdict.failures


def test_values_of_what_is_written_since_are_other_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test of what stays notices where writes are forgotten: results would be others."""
    path = kernel(tmp_path, KEPT["of what is written since"])
    monkeypatch.setattr(import_module("sisyphus.forms.inlined").Walk, "_forget", lambda self, written: None)
    assert run(found_in(path), path, tmp_path) != "equal"


@pytest.mark.parametrize("name", ["needleman_wunsch", "levenshtein"])
def test_alignments_have_wavefronts_of_one_statement(name: str) -> None:
    """Each of them one nest: as many steps as there are wavefronts, and a few more around them."""
    forms = {form.name: form for form in load_kernels(Source(str(KERNELS / "hls" / f"{name}.c")))}
    wave = forms["wave-i+j"]
    assert INLINED in wave.rewrites and steps_of(wave.distribution.body) <= 130


def test_an_alignment_that_keeps_its_steps_is_two_statements(tmp_path: Path) -> None:
    """The best score is read by what keeps it and by what says where it came from."""
    path = kernel(
        tmp_path,
        """
    for (int i = 1; i < 8; i++)
        for (int j = 1; j < 8; j++) {
            int d = s[i - 1][j - 1] + a[j], u = s[i - 1][j] - 2, l = s[i][j - 1] - 2;
            int best = d > u ? d : u;
            best = best > l ? best : l;
            y[j] = best == d ? 0 : best == u ? 1 : 2;
            s[i][j] = best;
        }
""",
    )
    assert len(found_in(path).statements) == 2 and run(found_in(path), path, tmp_path) == "equal"


def test_a_saved_form_is_built_again() -> None:
    source = read(KERNELS / "hls" / "needleman_wunsch.c")
    assert texts(rewritten(source, [INLINED])) == texts(inlined(dependences(source)) or source)


@pytest.mark.long
def test_a_place_for_each_value_is_searched_beside_what_computes_it() -> None:
    """The choice of a knapsack comes through a variable: apart, the two loops are both parallel."""
    forms = load_kernels(Source(str(KERNELS / "hls" / "knapsack.c")))
    assert [(form.name, form.rewrites) for form in forms] == [
        ("source", ()),
        ("inlined", (INLINED,)),
        ("expanded", ()),
    ]
