"""The kernel collection and the PolyBench look-alikes are read whole, in every data set and both element types."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from sisyphus.errors import KernelError
from sisyphus.frontend import read
from sisyphus.frontend.c import questions
from sisyphus.ir import Role, Scop
from sisyphus.ir.scop_text import dump

ROOT = Path(__file__).parents[3]
INPUTS = ROOT / "tests" / "frontend_inputs"
UTILITIES = str(INPUTS / "utilities")
LOOKALIKES = ("gemm", "deriche", "nussinov", "durbin", "correlation", "heat")
SIZES = {
    (folder, name): sets
    for folder in ("polybench", "nn")
    for name, sets in tomllib.loads((ROOT / "kernels" / folder / "sizes.toml").read_text()).items()
}


def collection(folder: str, name: str, *defines: str) -> Scop:
    return read(ROOT / "kernels" / folder / f"{name}.c", defines=defines)


@pytest.mark.parametrize(("folder", "name"), SIZES, ids=[f"{f}-{n}" for f, n in SIZES])
def test_collection_is_read_in_every_data_set_and_type(folder: str, name: str) -> None:
    for data_set, sizes in SIZES[folder, name].items():
        scop = collection(folder, name, *(f"{n}={v}" for n, v in sizes.items()))
        assert scop.name.startswith("kernel_"), data_set
        assert not any("never runs" in note for note in scop.notes), data_set
        assert any(a.role in (Role.OUT, Role.INOUT) for a in scop.arrays)
    double = collection(folder, name, "DATA_TYPE_IS_DOUBLE")
    floats = {a.type.key for a in double.arrays if a.type.is_float}
    assert floats <= {"double"}
    assert not re.search(r"\d\.\d+f\b|\bfloat\b", dump(double))


@pytest.mark.parametrize("data_set", ["MINI", "MEDIUM", "EXTRALARGE"])
@pytest.mark.parametrize("name", LOOKALIKES)
def test_polybench_files_are_read_as_they_are(name: str, data_set: str) -> None:
    kind = [] if name == "nussinov" else ["DATA_TYPE_IS_FLOAT"]
    scop = read(INPUTS / name / f"{name}.c", defines=[f"{data_set}_DATASET", *kind], include_dirs=[UTILITIES])
    assert scop.name == f"kernel_{name}"
    sizes = [a for a in scop.arguments if a.type.key == "int32" and a.kind != "array"]
    assert sizes and all(a.kind == "parameter" and a.value for a in sizes), "`main` says how large the arrays are"


def test_polybench_file_of_another_folder_says_that_it_has_no_integers() -> None:
    with pytest.raises(KernelError, match="Integer data type not supported"):
        read(INPUTS / "gemm" / "gemm.c", defines=["DATA_TYPE_IS_INT"], include_dirs=[UTILITIES])


def test_gemm_reads_as_its_mathematics(expect: Callable[[str, str], None]) -> None:
    expect(dump(collection("polybench", "gemm", "NI=20", "NJ=25", "NK=30")), ".txt")


def test_trmm_keeps_its_triangle(expect: Callable[[str, str], None]) -> None:
    expect(dump(collection("polybench", "trmm", "M=20", "N=30")), ".txt")


def test_polybench_durbin_has_its_callers_sizes(
    expect: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(INPUTS)
    scop = read("durbin/durbin.c", defines=["MINI_DATASET"], include_dirs=["utilities"])
    expect(dump(scop), ".txt")


def test_a_leash_ends_costly_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "OPERATIONS", 50)
    with pytest.raises(KernelError) as caught:
        collection("polybench", "lu")
    assert {d.rule for d in caught.value.diagnostics} == {"too-complex"}


@pytest.mark.parametrize("text", ["(" * 150 + "B" + ")" * 150, " + ".join(["B"] * 190), "-" + " -" * 80 + "B"])
def test_deep_expressions_are_read(text: str, tmp_path: Path) -> None:
    path = tmp_path / "deep.c"
    path.write_text(f"void f(float A[4], float B) {{ A[0] = {text}; }}")
    assert read(path, function="f").statements


@pytest.mark.parametrize(
    "text", ["(" * 9000 + "B" + ")" * 9000, " + ".join(["B"] * 3000), "(B + " * 900 + "B" + ")" * 900]
)
def test_bottomless_expressions_are_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "deep.c"
    path.write_text(f"void f(float A[4], float B) {{ A[0] = {text}; }}")
    with pytest.raises(KernelError):
        read(path, function="f")


TOKEN = re.compile(r"/\*.*?\*/|\s+|[A-Za-z_]\w*|[0-9][\w.]*|&&|\|\||[-+*/%&|^<>=!]=|\+\+|--|<<|>>|.", re.S)
FUZZED = sorted([*ROOT.glob("kernels/*/*.c"), *INPUTS.glob("*/*.c"), *ROOT.glob("tests/errors/frontend/*.c")])


def spoiled(text: str, rng: random.Random) -> str:
    """The text with a few tokens dropped, doubled, swapped, or replaced by others of their kind."""
    tokens = TOKEN.findall(text)
    for _ in range(rng.randint(1, 3)):
        at, other = rng.randrange(len(tokens)), rng.randrange(len(tokens))
        match rng.randrange(6):
            case 0:
                tokens[at] = ""
            case 1:
                tokens[at] += tokens[other]
            case 2:
                tokens[at], tokens[other] = tokens[other], tokens[at]
            case _:
                alike = [t for t in tokens if _kind(t) == _kind(tokens[at])]
                tokens[at] = rng.choice(alike)
    return "".join(tokens)


def _kind(token: str) -> str:
    if token[:1].isalpha() or token[:1] == "_":
        return "name"
    return "number" if token[:1].isdigit() else "operator" if token[:1] in "+-*/%&|^<>=!" else token


@pytest.mark.parametrize("seed", range(8))
def test_spoiled_files_are_read_or_refused_but_never_break_us(seed: int, tmp_path: Path) -> None:
    rng, path = random.Random(seed), tmp_path / "spoiled.c"
    for _ in range(20):
        original = rng.choice(FUZZED)
        text = original.read_text(errors="replace")
        if not text:
            continue
        path.write_text(spoiled(text, rng))
        try:
            assert read(path, include_dirs=[UTILITIES, str(original.parent)]).statements
        except KernelError as error:
            assert error.diagnostics and all(d.hint for d in error.diagnostics)
            assert error.render()
