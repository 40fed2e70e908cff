"""`sisy cache` and `--no-cache`, with a folder of the test's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from sisyphus.cli.main import sisy

KERNEL = "void f(float a[32]) { for (int i = 0; i < 32; i++) a[i] = a[i] * 3.0f; }\n"


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    sisy.main(list(words), standalone_mode=False)
    return capsys.readouterr().out


def test_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert "nothing is kept" in told(capsys, "cache")
    monkeypatch.delenv("SISY_NO_CACHE")
    (tmp_path / "k.c").write_text(KERNEL)
    command = ("optimize", str(tmp_path / "k.c"), "--no-verify")
    assert "taken from the cache" not in told(capsys, *command, "--no-cache")
    assert told(capsys, "cache").startswith("0 finished searches, 0 kB, in " + str(tmp_path))
    assert "taken from the cache" not in told(capsys, *command)
    assert "taken from the cache" in told(capsys, *command)
    assert told(capsys, "cache", "--info").startswith("1 finished search, ")
    assert told(capsys, "cache", "--clear").startswith("1 removed from ")
    assert "taken from the cache" not in told(capsys, *command)
