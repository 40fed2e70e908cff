"""Every refused input stands beside the exact message that it gets."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from sisyphus.errors import KernelError
from sisyphus.frontend import read
from sisyphus.frontend.c.diagnostics import RULES

HERE = Path(__file__).parent / "frontend"
INPUTS = sorted(p.name for p in HERE.glob("*.c"))


def options(text: str) -> dict[str, object]:
    """The options of a `/* args: ... */` comment, as `read` takes them."""
    found = re.search(r"/\* args: (.*?) \*/", text)
    words = shlex.split(found.group(1)) if found else []
    result: dict[str, object] = {}
    for option, value in zip(words[::2], words[1::2], strict=True):
        if option == "--function":
            result["function"] = value
        elif option == "--param":
            name, number = value.split("=")
            result["params"] = {**result.get("params", {}), name: int(number)}  # type: ignore[dict-item]
        elif option == "--sandbox-includes":
            result["sandboxed"] = value == "yes"
        else:
            raise ValueError(option)
    return result


@pytest.mark.parametrize("name", INPUTS)
def test_refused_with_the_expected_message(name: str, bless: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HERE)
    with pytest.raises(KernelError) as caught:
        read(name, **options(Path(name).read_text(errors="replace")))  # type: ignore[arg-type]
    found = caught.value.render() + "\n"
    expected = HERE / Path(name).with_suffix(".expect").name
    if bless:
        expected.write_text(found)
    assert found == expected.read_text()
    for diagnostic in caught.value.diagnostics:
        assert diagnostic.hint, "every refusal says what to try"
        assert diagnostic.span is not None, "every refusal says where"
    assert caught.value.exit_code == 1


def test_no_expectation_is_left_over() -> None:
    assert sorted(p.stem for p in HERE.glob("*.expect")) == sorted(Path(n).stem for n in INPUTS)


# Faults of the machine rather than of a text that can stand in a file here.
WITHOUT_FILE = {"unreadable-file"}


def test_every_rule_is_shown_by_some_input() -> None:
    shown = set(re.findall(r"error\[([a-z-]+)\]", "".join(p.read_text() for p in HERE.glob("*.expect"))))
    assert shown == set(RULES) - WITHOUT_FILE


def test_a_missing_file_a_folder_and_an_impossible_name_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "absent.c", tmp_path, Path("a\0b.c")):
        with pytest.raises(KernelError, match="cannot read"):
            read(path)
