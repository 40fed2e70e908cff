"""Writes sisyphus/ir/include/sisy_types.h."""

from __future__ import annotations

from sisyphus.ir import any_width


def main() -> None:
    any_width.INCLUDE_DIR.mkdir(exist_ok=True)
    (any_width.INCLUDE_DIR / any_width.HEADER).write_text(any_width.whole_header())


if __name__ == "__main__":
    main()
