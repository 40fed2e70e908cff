"""Every rule code the C front end may report, and the collector of faults; knows no syntax."""

from __future__ import annotations

from collections.abc import Iterable

from sisyphus.errors import InternalError, KernelError
from sisyphus.source import Diagnostic, SourceFile, Span
from sisyphus.values import dataclass


@dataclass(frozen=True)
class Rule:
    """What is wrong in general, and what to try where no better hint is at hand."""

    summary: str
    hint: str


FOR_HINT = "write it as `for (i = start; i < end; i += step)`"
RULES: dict[str, Rule] = {
    # the file
    "unreadable-file": Rule("the file cannot be read", "check the path and its permissions"),
    "not-text": Rule("the file is not text", "give the C source file"),
    "not-c": Rule(
        "the file is C++",
        "put the loops into a C file: a function of arrays and numbers, with `int16_t` and the like for `ap_int`",
    ),
    "empty-file": Rule("the file has no code", "give a file with a C function"),
    "preprocess": Rule("a preprocessing directive is wrong", "run `gcc -E` on the file to see more"),
    "include-not-found": Rule("an included file is not to be had", "name its folder with `-I`"),
    "include-outside": Rule(
        "a file outside of the sandbox is included", "copy it beside the kernel, or trust the kernel"
    ),
    "syntax": Rule("the text is not C", "compile the file with `gcc -fsyntax-only` to see more"),
    # which function
    "no-function": Rule("no function to take", "a kernel is a function with array parameters and `for` loops"),
    "several-functions": Rule("more than one function to take", "choose one with `--function NAME`"),
    "scop-pragma": Rule(
        "`#pragma scop` and `#pragma endscop` do not enclose one region", "enclose one region, or drop the pragmas"
    ),
    "no-statement": Rule("the function computes nothing", "check the loop bounds and the macros that set them"),
    "no-output": Rule("the function writes no argument", "pass the arrays that it computes as parameters"),
    "return-value": Rule(
        "the kernel returns no number, or not always one", "write what it computes to an array that it takes"
    ),
    # names and types
    "undeclared": Rule("a name is not declared", "declare it, or include the header that does"),
    "redeclared": Rule("a name is declared twice", "rename one of the two"),
    "unsupported-type": Rule(
        "a type that has no place in a kernel", "use float, double or an integer type of 8 to 64 bits"
    ),
    "fixed-width": Rule(
        "a value that may need more bits than its type of sisy_types.h has", "say whether it wraps or saturates"
    ),
    "pointer-extent": Rule("a pointer without extents", "declare it as an array: `float A[ROWS][COLUMNS]`"),
    "pointer-arithmetic": Rule("an address is computed, taken or followed", "name the element by its subscripts"),
    "aliasing": Rule("two names for one array", "use the array's own name"),
    "array-extent": Rule(
        "an extent that is no positive constant", "give the extent as a constant or a parameter with a value"
    ),
    "extent-overflow": Rule("an array too large to be addressed", "use a smaller size"),
    "global-variable": Rule(
        "a variable outside the function", "pass it as an argument, or make it `const` with a value"
    ),
    "static-local": Rule(
        "a local variable that outlives the call, where no text can get at it",
        "declare it outside of the function, or pass it as an argument",
    ),
    "const-write": Rule("something constant is written", "drop `const`, or write to another variable"),
    "initialiser": Rule("an initialiser that is not understood", "use constant values, in one pair of braces per row"),
    # parameters
    "unbound-parameter": Rule("an integer without a value shapes the kernel", "give it one with `--param NAME=VALUE`"),
    "unknown-parameter": Rule("`--param` names no integer parameter of the function", "set a macro with `-D`"),
    "parameter-written": Rule("an argument that shapes the kernel is written", "use a local variable instead"),
    # loops
    "loop-form": Rule("a `for` header that is not of the form start; end; step", FOR_HINT),
    "loop-step": Rule("a step that is zero or no constant", FOR_HINT),
    "affine-bound": Rule(
        "a loop bound that is not affine", "a bound is a sum of iterators and parameters times constants"
    ),
    "min-max-bound": Rule(
        "a bound by the minimum or maximum of the wrong side",
        "an upper bound may be a minimum and a lower bound a maximum; else split the loop",
    ),
    "endless-loop": Rule("a loop that does not end", FOR_HINT),
    "iterator-written": Rule("a loop iterator is written outside its loop header", "use a name of its own"),
    "iterator-escapes": Rule(
        "a loop iterator is used outside its loop", "write the value that it has there as an expression"
    ),
    # control flow
    "while-loop": Rule(
        "a `while` or `do` loop of which the text does not say how often it runs",
        "count its rounds, as by `while (i < N) { ...; i++; }`, and leave it early by `if (...) break;`",
    ),
    "jump": Rule(
        "`goto` that goes back, or into a block, or its label",
        "guard the statements that follow with `if`, or leave loops with `break` or `return`",
    ),
    "switch": Rule(
        "a `switch` that is no choice of cases", "begin with a case, end each by `break`, or use `if` and `else`"
    ),
    "data-dependent-condition": Rule(
        "a loop whose bounds depend on computed data",
        "bound the loop by its largest trip count, and leave it with `if (...) break;`",
    ),
    # accesses
    "affine-subscript": Rule(
        "a subscript that is not affine", "a subscript is a sum of iterators and parameters times constants"
    ),
    "indirect-access": Rule(
        "a subscript that depends on computed data",
        "make it a sum of iterators times constants, or go through all elements: `for (j...) if (j == k)`",
    ),
    "subscript-count": Rule("too many or too few subscripts", "give one subscript per dimension"),
    "out-of-bounds": Rule("an access outside its array", "check the loop bounds against the extents"),
    "uninitialised": Rule("a local is read before it is written", "give it a value first"),
    # expressions
    "unknown-call": Rule(
        "a call of a function that is not known", "use the functions of <math.h>, or write the computation out"
    ),
    "recursion": Rule("a function that calls itself", "write it as a loop"),
    "call-arguments": Rule("a call with the wrong number of arguments", "check the function's declaration"),
    "side-effect": Rule("an expression that changes a variable", "make the change a statement of its own"),
    "comma": Rule("the comma operator", "write the parts as statements"),
    "type-mismatch": Rule(
        "an operation that its operands do not have", "convert the operands, or use another operator"
    ),
    "unsupported-expression": Rule("an expression that is not understood", "write it with arithmetic, `?:` and calls"),
    "unsupported-statement": Rule("a statement that is not understood", "use assignments, `for` and `if`"),
    "integer-overflow": Rule("an integer beyond the range of its type", "use a wider type, or smaller sizes"),
    "unsigned-wrap": Rule("an unsigned value that would fall below zero", "use a signed type"),
    "too-complex": Rule("a question that costs too much to answer", "simplify the bounds, or split the statement"),
}


class Refused(Exception):  # noqa: N818 - travels inside the front end only
    """One fault on its way to the collector; never leaves the front end.

    Without a diagnostic it only says that a fault reported elsewhere makes this place unreadable, too.
    """

    def __init__(self, diagnostic: Diagnostic | None = None) -> None:
        super().__init__(diagnostic.message if diagnostic else "")
        self.diagnostic = diagnostic


@dataclass(frozen=True)
class Gathered:
    """The faults of a collector, each with what makes it one, and whether some were refused without a word."""

    found: tuple[tuple[tuple[str, str, str], Diagnostic], ...]
    is_silent: bool


class Collector:
    """Gathers the faults of one run, so that they are shown together; every new one gets the `standing_notes`."""

    def __init__(self) -> None:
        self.files: dict[str, SourceFile] = {}
        self.standing_notes: tuple[str, ...] = ()
        self._silent = False
        self._found: dict[tuple[str, str, str], Diagnostic] = {}

    def fault(
        self, rule: str, message: str, span: Span | None, *, hint: str | None = None, notes: Iterable[str] = ()
    ) -> Refused:
        """A fault ready to be raised; nothing is recorded yet."""
        if rule not in RULES:
            raise InternalError(f"rule `{rule}` is not in the catalogue")
        source = self.files.get(span.path) if span else None
        line = source.line(span.line) if source and span else None
        return Refused(Diagnostic(rule, message, span, line, (*notes, *self.standing_notes), hint or RULES[rule].hint))

    def add(self, refused: Refused) -> None:
        """Record a fault; the same fault at the same place counts once, a silent one not at all."""
        found = refused.diagnostic
        if found is None:
            self._silent = True
        else:
            # A parameter lacks its value once, wherever that shows.
            place = "" if found.rule == "unbound-parameter" else str(found.span)
            self._found.setdefault((found.rule, place, found.message), found)

    def report(
        self, rule: str, message: str, span: Span | None, *, hint: str | None = None, notes: Iterable[str] = ()
    ) -> None:
        self.add(self.fault(rule, message, span, hint=hint, notes=notes))

    def state(self) -> Gathered:
        """All that was recorded so far."""
        return Gathered(tuple(self._found.items()), self._silent)

    def since(self, before: Gathered) -> tuple[Diagnostic, ...]:
        """The faults that were recorded behind a state."""
        return tuple(self._found.values())[len(before.found) :]

    def back_to(self, state: Gathered) -> None:
        """Forgets what was recorded behind a state, and has all that was in it."""
        self._found, self._silent = dict(state.found), state.is_silent

    @property
    def failed(self) -> bool:
        return bool(self._found)

    def stop_if_failed(self) -> None:
        """Raise everything found so far, in the order of the text."""
        if self._silent and not self._found:
            raise InternalError("something was refused without a reason")
        if self._found:
            order = list(self.files)
            raise KernelError(diagnostics=sorted(self._found.values(), key=lambda d: _place(d, order)))


def _place(diagnostic: Diagnostic, order: list[str]) -> tuple[int, int, int]:
    span = diagnostic.span
    if span is None:
        return (-1, 0, 0)
    return (order.index(span.path) if span.path in order else len(order), span.line, span.column)
