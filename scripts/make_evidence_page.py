"""Writes docs/evidence/register.md from the register of constructs; a test holds that both agree."""

from __future__ import annotations

from pathlib import Path

from sisyphus.report import register_markdown

if __name__ == "__main__":
    (Path(__file__).parents[1] / "docs" / "evidence" / "register.md").write_text(register_markdown(), encoding="utf-8")
