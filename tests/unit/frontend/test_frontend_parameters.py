"""Which function is taken, which of its integers are parameters, and what fixes their values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sisyphus.errors import KernelError, UsageError
from sisyphus.frontend import read
from sisyphus.ir import Argument, Role, Scop

Kernel = Callable[..., Scop]
Refusal = Callable[..., list[str]]
VLA = """
void f(int n, int m, int shift, float A[n][m], int B[m])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      A[i][j] += n;
      B[j] += shift;
    }
}
"""


def kinds(scop: Scop) -> dict[str, tuple[str, int | None]]:
    return {a.name: (a.kind, a.value) for a in scop.arguments}


def test_integers_that_shape_the_kernel_are_parameters_others_scalars(kernel: Kernel) -> None:
    scop = kernel(VLA, params={"n": 3, "m": 4})
    assert kinds(scop) == {
        "n": ("parameter", 3),
        "m": ("parameter", 4),
        "shift": ("scalar", None),
        "A": ("array", None),
        "B": ("array", None),
    }
    assert [a.extents for a in scop.arrays] == [(3, 4), (4,)]
    assert scop.scalars == (Argument("shift", "scalar", scop.arguments[2].type),)


def test_a_given_data_scalar_becomes_a_constant(kernel: Kernel) -> None:
    scop = kernel(VLA, params={"n": 3, "m": 4, "shift": -2})
    assert kinds(scop)["shift"] == ("parameter", -2)


def test_a_value_that_its_type_cannot_hold_is_refused(refusal: Refusal) -> None:
    text = "void f(unsigned char n, float A[300]) { for (int i = 0; i < n; i++) A[i] = 0; }"
    assert refusal(text, params={"n": 256}) == ["1:8 integer-overflow"]


def test_callers_give_values_that_the_user_may_override(kernel: Kernel) -> None:
    text = """
    enum { SIZE = 6 };
    static void f(int n, int unused, float A[][3]) { for (int i = 0; i < n; i++) A[i][0] = 0; }
    int main(void) { int n = SIZE - 1; float a[8][3]; f(n, 2 * n, a); f(5, 10, a); return 0; }
    """
    scop = kernel(text)
    assert kinds(scop)["n"] == ("parameter", 5) and kinds(scop)["unused"] == ("parameter", 10)
    assert scop.arrays[0].extents == (8, 3)
    assert kinds(kernel(text, params={"n": 2}))["n"] == ("parameter", 2)


def test_a_caller_whose_variable_changes_gives_no_value(refusal: Refusal) -> None:
    text = """
    static void f(int n, float A[9]) { for (int i = 0; i < n; i++) A[i] = 0; }
    int main(void) { int n = 4; float a[9]; for (int t = 0; t < 2; t++) n++; f(n, a); return 0; }
    """
    assert refusal(text) == ["2:60 unbound-parameter"]


def test_sizes_come_from_macros_constants_and_enumerators(kernel: Kernel) -> None:
    scop = kernel(
        """
        #define N (M + 2)
        #ifndef M
        #define M 4
        #endif
        enum shape { ROWS = 3, COLUMNS = ROWS * 2, DEPTH };
        static const int HALF = N / 2;
        typedef float plane[ROWS][COLUMNS];
        void f(plane A[HALF], double B[DEPTH - 1][sizeof(double)], float C[N % 4 + (M > 3 ? 1 : 5)])
        {
          for (int i = 0; i < HALF; i++)
            A[i][0][0] = 0;
        }
        """,
        defines=["M=6"],
    )
    assert [a.extents for a in scop.arrays] == [(4, 3, 6), (6, 8), (1,)]
    assert [a.role for a in scop.arrays] == [Role.OUT, Role.IN, Role.IN]
    assert "argument `B` is not used" in scop.notes


def test_a_macro_that_the_file_sets_itself_is_reported(kernel: Kernel) -> None:
    text = "#define N 4\nvoid f(float A[N]) { for (int i = 0; i < N; i++) A[i] = 0; }"
    scop = kernel(text, defines=["N=8"])
    assert scop.arrays[0].extents == (4,)
    assert "`-D N` has no effect: the file defines `N` itself" in scop.notes
    assert "`-D N`" not in " ".join(kernel(text, defines=["N=4"]).notes)


def test_a_bad_definition_is_a_fault_of_the_command_line(kernel: Kernel) -> None:
    with pytest.raises(UsageError, match="names no macro"):
        kernel("void f(float A[1]) { A[0] = 0; }", defines=["4=N"])


LOOP = "{ for (int i = 0; i < 4; i++) A[i] = 0; }"


@pytest.mark.parametrize(
    ("text", "options", "name"),
    [
        (f"void f(float A[4]) {LOOP}", {}, "f"),
        (f"void f(float A[4]) {LOOP} int main(void) {{ for (;;) ; }}", {}, "f"),
        (f"void f(float A[4]) {LOOP} void g(float A[4]) {LOOP}", {"function": "g"}, "g"),
        (f"void f(float A[4]) {LOOP} void g(float A[4]) {{\n#pragma scop\n{LOOP}\n#pragma endscop\n}}", {}, "g"),
        (f'void f(float A[4]) {LOOP} void g(float A[4]) {{ _Pragma("scop") {LOOP} _Pragma("endscop") }}', {}, "g"),
        (f"void init_array(float A[4]) {LOOP} static void kernel_f(float A[4]) {LOOP}", {}, "kernel_f"),
        (f"float one(float x) {{ return x; }} void f(float A[4]) {LOOP}", {}, "f"),
    ],
)
def test_the_function_that_looks_like_a_kernel_is_taken(
    text: str, options: dict[str, str], name: str, kernel: Kernel
) -> None:
    scop = kernel(text, **options)
    assert scop.name == scop.origin.function == name


def test_the_origin_can_be_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = f'#include "s.h"\r\nvoid f(float A[N]) {LOOP}\r\n'
    Path("k.c").write_bytes(b"\xef\xbb\xbf" + text.encode())
    Path("inc").mkdir()
    Path("inc/s.h").write_text("#define N 4\n")
    origin = read("k.c", defines=["X", "Y=2"], include_dirs=["inc"]).origin
    assert (origin.path, origin.text, origin.defines, origin.include_dirs) == ("k.c", text, ("X", "Y=2"), ("inc",))
    assert len(origin.digest) == 64


def test_old_encodings_are_read(tmp_path: Path) -> None:
    path = tmp_path / "k.c"
    path.write_bytes(f"/* caf\xe9 \x0c */ void f(float A[4]) {LOOP}".encode("latin-1"))
    assert read(path).statements


def test_the_same_file_gives_the_same_refusal_twice(refusal: Refusal) -> None:
    text = "void f(float A[4]) { for (int i = 0; i < 5; i++) A[i] = B; }"
    assert refusal(text) == refusal(text) == ["1:50 out-of-bounds", "1:57 undeclared"]


def test_a_refusal_names_the_file_that_the_fault_is_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("body.inc").write_text("  for (int i = 0; i < 4; i++)\n    A[i] = missing;\n")
    Path("k.c").write_text('void f(float A[4])\n{\n#include "body.inc"\n}\n')
    with pytest.raises(KernelError) as caught:
        read("k.c")
    assert caught.value.render().startswith(
        "body.inc:2:12: error[undeclared]: `missing` is not declared\n      A[i] = missing;\n             ^^^^^^^\n"
    )


OPEN = "void f(float A[4][5], float B[6], float C[][3]) { for (int i = 0; i < 3; i++) A[0][i] = B[i] + C[1][i]; }"


@pytest.mark.parametrize("given", ["A=4", "A=4,5", "B=6", "C=2,3"])
def test_extents_that_the_source_says_too_may_be_given(kernel: Kernel, given: str) -> None:
    scop = kernel(OPEN, extents=("C=2", given))
    assert [a.extents for a in scop.arrays] == [(4, 5), (6,), (2, 3)]


@pytest.mark.parametrize(
    ("given", "place"),
    [("A=3", "1:8"), ("A=4,6", "1:8"), ("A=4,5,1", "1:8"), ("B=7", "1:23"), ("B=2,3", "1:23"), ("C=2,4", "1:35")],
)
def test_extents_that_the_source_contradicts_are_refused(refusal: Refusal, given: str, place: str) -> None:
    assert f"{place} array-extent" in refusal(OPEN, extents=("C=2", given))
