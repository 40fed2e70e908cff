"""Names that are safe in isl and in C++; knows no kernel."""

from __future__ import annotations

import re
from collections.abc import Container

ISL_WORDS = frozenset(
    [
        "and",
        "or",
        "not",
        "exists",
        "mod",
        "floord",
        "ceild",
        "floor",
        "ceil",
        "min",
        "max",
        "true",
        "false",
        "True",
        "False",
        "infty",
        "infinity",
        "NaN",
        "implies",
        "rat",
    ]
)
CPP_WORDS = frozenset(
    [
        "alignas",
        "alignof",
        "and",
        "and_eq",
        "asm",
        "auto",
        "bitand",
        "bitor",
        "bool",
        "break",
        "case",
        "catch",
        "char",
        "char16_t",
        "char32_t",
        "class",
        "compl",
        "const",
        "const_cast",
        "constexpr",
        "continue",
        "decltype",
        "default",
        "delete",
        "do",
        "double",
        "dynamic_cast",
        "else",
        "enum",
        "explicit",
        "export",
        "extern",
        "false",
        "float",
        "for",
        "friend",
        "goto",
        "if",
        "inline",
        "int",
        "long",
        "main",
        "mutable",
        "namespace",
        "new",
        "noexcept",
        "not",
        "not_eq",
        "nullptr",
        "operator",
        "or",
        "or_eq",
        "private",
        "protected",
        "public",
        "register",
        "reinterpret_cast",
        "return",
        "short",
        "signed",
        "sizeof",
        "static",
        "static_assert",
        "static_cast",
        "std",
        "struct",
        "switch",
        "template",
        "this",
        "thread_local",
        "throw",
        "true",
        "try",
        "typedef",
        "typeid",
        "typename",
        "union",
        "unsigned",
        "using",
        "virtual",
        "void",
        "volatile",
        "wchar_t",
        "while",
        "xor",
        "xor_eq",
    ]
)
STATEMENT = re.compile(r"S[0-9]+")


def is_safe(name: str) -> bool:
    """Whether the name may stand in isl text and in C++ as it is, and looks like no statement."""
    return name not in ISL_WORDS and name not in CPP_WORDS and not STATEMENT.fullmatch(name)


def fresh(name: str, taken: Container[str]) -> str:
    """The name itself if it is safe and free, else with the first suffix that makes it so."""
    if is_safe(name) and name not in taken:
        return name
    number = 1
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"
