"""docs/diagnostics.md lists the rules of the code; its bad inputs are refused by them, its ways out are accepted."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from sisyphus.errors import KernelError
from sisyphus.frontend import read
from sisyphus.frontend.c.diagnostics import RULES

PAGE = (Path(__file__).parents[3] / "docs" / "diagnostics.md").read_text()
SECTIONS = dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S))
BLOCK = re.compile(r"^```c (refused|accepted) ?(.*?)\n(.*?)^```", re.M | re.S)
EXAMPLES = [(rule, *found) for rule, text in SECTIONS.items() for found in BLOCK.findall(text)]


def test_page_and_code_have_the_same_rules_in_the_same_order() -> None:
    assert list(SECTIONS) == list(RULES)


@pytest.mark.parametrize("rule", RULES)
def test_summary_is_that_of_the_code(rule: str) -> None:
    summary = RULES[rule].summary
    assert SECTIONS[rule].strip().startswith(f"{summary[0].upper()}{summary[1:]}.")


@pytest.mark.parametrize(("rule", "verdict", "options", "text"), EXAMPLES, ids=[f"{e[0]}-{e[1]}" for e in EXAMPLES])
def test_examples_do_what_the_page_says(rule: str, verdict: str, options: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "example.c"
    path.write_text(text)
    words = shlex.split(options)
    values = dict(zip(words[::2], words[1::2], strict=True))
    params = {
        n: int(v) for n, v in (w.split("=") for o, w in zip(words[::2], words[1::2], strict=True) if o == "--param")
    }
    function = values.get("--function")
    if verdict == "accepted":
        assert read(path, params=params, function=function).statements
    else:
        with pytest.raises(KernelError) as caught:
            read(path, params=params, function=function)
        assert rule in {d.rule for d in caught.value.diagnostics}
