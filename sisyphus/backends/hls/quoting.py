"""Text that is not ours, written into a file of some language so that it stays text there; one function per language.

Names of devices, parts and files come from whoever wrote them. What a language cannot hold at all (line ends, what is
no character) is spelled with escapes.
"""

from __future__ import annotations

import re

#: Characters that mean themselves in Tcl.
_PLAIN_IN_TCL = re.compile(r"[\w.:/+@=,-]", re.ASCII)


def one_line(text: str) -> str:
    """For files without quotes, as .cfg, and for people: what is no character of a line is spelled out."""
    plain = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in plain)


def c_comment(text: str) -> str:
    """Inside `/* … */`, or behind `//`."""
    return re.sub(r"\\$", r"\\.", one_line(text).replace("*/", "* /").replace("/*", "/ *").replace("??/", "? ?/"))


def make_value(text: str) -> str:
    """The value of a variable of a Makefile, on the right of `:=`."""
    kept = one_line(text).replace("$", "$$").replace("#", r"\#")
    return re.sub(r"(\\+)$", lambda m: m[1] + " ", kept)


def tcl_word(text: str) -> str:
    """One word of a Tcl command."""
    return "".join(c if _PLAIN_IN_TCL.fullmatch(c) else f"\\{c}" for c in one_line(text)) or "{}"
