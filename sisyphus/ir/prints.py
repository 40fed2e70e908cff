"""Functions of C that only print: kernels have no calls of them, and what is compared prints nothing."""

from __future__ import annotations

PRINTS = frozenset({"fflush", "fprintf", "fputc", "fputs", "perror", "printf", "putc", "putchar", "puts"})
