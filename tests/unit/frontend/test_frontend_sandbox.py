"""A kernel of a stranger reads nothing but what lies beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sisyphus.errors import KernelError
from sisyphus.frontend import read

KERNEL = "void f(float A[10]) { for (int i = 0; i < 10; i++) A[i] = 0.0f; }\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "kernel"
    folder.mkdir()
    (folder / "own.h").write_text("#define OWN 1\n")
    (tmp_path / "secret.h").write_text("#define SECRET 1\n")
    (folder / "link.h").symlink_to(tmp_path / "secret.h")
    (folder / "through.h").write_text('#include "../secret.h"\n')
    return folder


@pytest.mark.parametrize(
    "line",
    [
        '#include "/etc/passwd"',
        '#include "../secret.h"',
        '#include "link.h"',
        '#include "through.h"',
        "#include </etc/passwd>",
        '#ifdef __GNUC__\n#include "../secret.h"\n#endif',
        '%: include "../secret.h"',
        '#inc\\\nlude "../secret.h"',
        '/* " */ #include "../secret.h" // "',
        '#define X "../secret.h"\n#include X',
        '__asm__(".incbin \\"/etc/passwd\\"");',
    ],
)
def test_nothing_outside_is_included(line: str, place: Path) -> None:
    path = place / "f.c"
    path.write_text(f"{line}\n{KERNEL}")
    with pytest.raises(KernelError) as caught:
        read(path, sandboxed=True)
    assert "include-outside" in {d.rule for d in caught.value.diagnostics}
    assert "SECRET" not in caught.value.render()


@pytest.mark.parametrize(
    "line",
    ['#include "own.h"', "#include <math.h>", '// #include "/etc/passwd"', 'char *s = "#include </etc/passwd>";'],
)
def test_what_lies_beside_it_is(line: str, place: Path) -> None:
    path = place / "f.c"
    path.write_text(f"{line}\n{KERNEL}")
    assert read(path, sandboxed=True).statements


def test_folders_that_are_named_are_inside(place: Path) -> None:
    path = place / "f.c"
    path.write_text(f'#include "secret.h"\n{KERNEL}')
    assert read(path, include_dirs=[str(place.parent)], sandboxed=True).statements
