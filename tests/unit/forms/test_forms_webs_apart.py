"""Values of arguments that are gone before the end: which are, and that results stay."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from compiled_scops import run

from sisyphus.analysis import dependences
from sisyphus.errors import KernelError
from sisyphus.forms import WEBS_APART, arrays_with_webs, rewritten
from sisyphus.frontend import read
from sisyphus.ir import ArrayId, Role, promises

#: y holds other values before z is made of them than in the end; v keeps its first element.
REUSED = """
#define N 9
void reused(const float x[N], float y[N], float z[N], float v[N])
{
    for (int i = 0; i < N; i++) y[i] = x[i] * x[i];
    for (int i = 0; i < N; i++) z[i] = y[N - 1 - i] + 1;
    for (int i = 0; i < N; i++) v[i] = z[i];
    for (int i = 0; i < N; i++) y[i] = v[i] * x[i];
    for (int i = 1; i < N; i++) v[i] = y[i] + y[i - 1];
}
"""


def written(folder: Path, text: str = REUSED) -> Path:
    path = folder / "reused.c"
    path.write_text(text)
    return path


def test_what_is_written_again_before_the_end_is_local(tmp_path: Path) -> None:
    path = written(tmp_path)
    scop = read(path)
    assert arrays_with_webs(dependences(scop)) == ("y",)
    found = promises.run(rewritten(scop, [f"{WEBS_APART}y"]))
    assert found.array(ArrayId("y_1")).role is Role.LOCAL
    assert [s.write.array for s in found.statements] == ["y_1", "z", "v", "y", "v"]
    assert run(found, path, tmp_path) == "equal"


def test_what_stays_is_not(tmp_path: Path) -> None:
    """The first element of v is that of the first loop."""
    with pytest.raises(KernelError):
        rewritten(read(written(tmp_path)), [f"{WEBS_APART}v"])


def test_values_that_stay_are_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test of results notices where any values are taken for gone."""
    monkeypatch.setattr(import_module("sisyphus.forms.webs_apart"), "_gone", lambda webs: webs[:-1])
    path = written(tmp_path)
    assert run(rewritten(read(path), [f"{WEBS_APART}v"]), path, tmp_path) != "equal"


@pytest.mark.parametrize(
    "line",
    [
        "for (int i = 0; i < N; i++) z[i] = y[i] + y[0] * 0;\n    y[0] = z[0];",  # one element alone is written again
        "for (int i = 0; i < N; i++) y[i] += x[i];",  # the same values go on
    ],
)
def test_arguments_whose_values_stay(line: str, tmp_path: Path) -> None:
    head = "#define N 9\nvoid f(const float x[N], float y[N], float z[N])\n{\n"
    text = f"{head}    for (int i = 0; i < N; i++) y[i] = x[i];\n    {line}\n}}\n"
    assert arrays_with_webs(dependences(read(written(tmp_path, text)))) == ()
