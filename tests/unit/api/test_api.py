"""The Python API: its names, its page, and that what it refuses is what the command line refuses."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import sisyphus as sisy
from sisyphus.api import Wanted
from sisyphus.cli.main import sisy as command
from sisyphus.errors import KernelError, UsageError

ROOT = Path(__file__).parents[3]
GEMM = ROOT / "kernels" / "polybench" / "gemm.c"


def test_every_name_is_there_and_documented() -> None:
    assert set(dir(sisy)) == set(sisy.__all__)
    for name in sisy.__all__:
        assert getattr(sisy, name).__doc__
    with pytest.raises(AttributeError, match="no `optimise`"):
        sisy.optimise  # noqa: B018


def test_the_examples_of_the_page_run(tmp_path: Path) -> None:
    examples = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "python.md").read_text(), flags=re.S)
    assert len(examples) == 3
    (tmp_path / "kernels").symlink_to(ROOT / "kernels")
    text = "\n".join(examples)
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=240
    )
    assert done.returncode == 0, done.stderr
    assert "verification: passed" in done.stdout and "search: " in done.stdout
    assert (tmp_path / "build" / "gemm" / "design.json").is_file()


def test_importing_the_package_imports_no_library() -> None:
    text = "import sys, sisyphus; sys.exit(any(m in sys.modules for m in ('islpy', 'numpy', 'networkx', 'click')))"
    assert subprocess.run([sys.executable, "-c", text], check=False).returncode == 0


def test_every_word_of_the_command_is_one_of_the_api() -> None:
    of_command = {p.name for p in command.commands["optimize"].params}
    of_others = set(
        re.findall(r"\w+", "kernels function defines include_dirs sandboxed params extents temporaries device")
    )
    of_others |= set(re.findall(r"\w+", "platform budget dsp mem bram uram lut ff clock max_partition memory_limit"))
    of_others |= set(
        re.findall(r"\w+", "output as_json quiet verbose no_verify no_cache calibration units phases streams")
    )
    renamed = {"fixes": "fix", "front": "pareto", "verify_how": "verify"}
    assert {renamed.get(str(name), name) for name in of_command - of_others} == set(Wanted.__annotations__)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"dsp": "12x"}, "`--dsp 12x`: `12x` is not an amount"),
        ({"mem": "7.2Mb"}, "`--mem 7.2Mb`: `7.2Mb` has the unknown unit `Mb`"),
        ({"lut": -1}, "`--lut -1`: `-1` is not an amount"),
    ],
)
def test_an_amount_that_cannot_be_read(given: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=re.escape(words)):
        sisy.board("u200", **given)  # type: ignore[arg-type]


def test_more_than_the_board_has_is_said_and_bound() -> None:
    heard: list[str] = []
    found = sisy.board("u200", dsp=10**6, tell=heard.append)
    assert heard == ["`--dsp 1000000` is more than the device has; its 6,840 bind"] and found.budget.dsp == 6840
    with pytest.warns(UserWarning, match="more than the device has"):
        sisy.board("u200", dsp=10**6)


def test_values_of_a_kernel_are_mappings_or_texts(tmp_path: Path) -> None:
    same = sisy.read(GEMM, defines={"NI": 4}, params={}).source
    assert same == sisy.read(str(GEMM), defines=["NI=4"]).source
    path = tmp_path / "k.c"
    path.write_text("void k(int n, float *a) { for (int i = 0; i < n; i++) a[i] = a[i] + 1.0f; }\n")
    read = sisy.read(path, params={"n": 8}, extents={"a": [8]})
    assert [a.extents for a in read.scop.arrays] == [(8,)]
    with pytest.raises(UsageError, match="no such file"):
        sisy.read(tmp_path / "none.c")
    with pytest.raises(KernelError):
        sisy.read(path)


def test_options_that_the_papers_model_has_not() -> None:
    with pytest.raises(UsageError, match="`--pareto` needs the measured model"):
        sisy.optimize(GEMM, model="paper", pareto=True)
    with pytest.raises(UsageError, match="`--gap 100` is no gap"):
        sisy.optimize(GEMM, gap=100)
    with pytest.raises(UsageError, match="`--time-limit soon` is no time"):
        sisy.optimize(GEMM, time_limit="soon")


def test_what_is_no_option_is_refused(tmp_path: Path) -> None:
    """Also `define` for `defines` of `read`: a design of another size came of it."""
    path = tmp_path / "k.c"
    path.write_text("void k(float a[8]) { for (int i = 0; i < 8; i++) a[i] *= 2.0f; }")
    with pytest.raises(TypeError, match="unexpected keyword argument `define`"):
        sisy.optimize(path, define={"N": 4})  # type: ignore[call-arg]


def test_lists_show_themselves() -> None:
    assert "xcu200" in sisy.devices("u200")._repr_html_() and "exact" in str(sisy.solvers())
    assert len(sisy.devices()) > 5


def test_whatever_a_function_returns_shows_itself_to_people(tmp_path: Path) -> None:
    """Neither in a notebook nor printed is anything a row of fields."""
    (tmp_path / "scale.c").write_text("void scale(float a[8]) { for (int i = 0; i < 8; i++) a[i] = 2.0f * a[i]; }\n")
    kernel, board = sisy.read(tmp_path / "scale.c"), sisy.board("u200", dsp=400)
    design = sisy.optimize(kernel, board, cache=False)
    results = [kernel, board, design, sisy.analyze(kernel), sisy.estimate(kernel, design, board), sisy.verify(design)]
    results += [
        sisy.devices(),
        sisy.devices()[0],
        sisy.solvers(),
        sisy.solvers()[0],
        sisy.explain(design, time_limit=1),
    ]
    for result in results:
        assert result._repr_html_().startswith("<"), type(result)
        assert f"{type(result).__name__}(" not in str(result) and len(str(result)) > 5, type(result)
    assert "u200 (xcu200-fsgd2104-2-e, 250 MHz)" in str(board) and " 400\n" in str(board)
    assert str(design.verdict).startswith("verification passed\npassed  instances of S0")
