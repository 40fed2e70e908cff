"""One finding of the linter, and the rules by name with what each is about."""

from __future__ import annotations

from sisyphus.lint.tokens import Token
from sisyphus.values import dataclass

RULES = {
    "unknown-pragma": "a pragma that the tool does not know is ignored",
    "obsolete-pragma": "a pragma of old versions is dropped or must be written anew",
    "pragma-option": "an option that a pragma does not have, or that is missing",
    "bare-type": "a type given as a bare word instead of `type=`",
    "pragma-place": "a pragma where it has no effect",
    "m-axi-scalar": "a scalar argument on a memory interface",
    "m-axi-partition": "a partition of an array that lies off chip",
    "bundle-width": "ports of different widths in one bundle",
    "burst-stride": "an access to memory that is not to consecutive elements",
    "burst-condition": "an access to memory that happens only sometimes",
    "port-conflict": "more accesses to a bank in one cycle than it has ports",
    "dataflow-form": "a dataflow region that holds something else than calls",
    "dataflow-channel": "a variable with more than one producer or consumer in a dataflow region",
    "unproved-dependence": "a promise about dependences that the tool obeys unchecked",
    "double-literal": "a double literal in float code",
    "subnormal": "a subnormal number, or a question about one: AMD's floating-point cores take them for zero",
    "reserved-name": "an identifier that C++ or HLS uses for itself",
}


@dataclass(frozen=True)
class Finding:
    """A place in a file, a rule, what is wrong there and one way out."""

    rule: str
    line: int
    column: int
    message: str
    hint: str


def finding(rule: str, token: Token, message: str, hint: str) -> Finding:
    return Finding(rule, token.line, token.column, message, hint)
