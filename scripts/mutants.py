"""Changes single operators of a part of the package (Cosmic Ray) and prints which changes no test of it notices.

    scripts/mutants.py plan --sample 50 --seed 0 --log build/mutants.jsonl

A sample is drawn from all mutants by its seed, in a copy of the repository; with a log, the same command goes on where
it was stopped. Test files that name the changed module run first. Unions of types are left alone: no test can notice
those in annotations.
"""

from __future__ import annotations

import argparse
import json
import random
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cosmic_ray.work_item import MutationSpec

ROOT = Path(__file__).parents[1]
#: What is changed, and the tests that must notice.
PARTS = {
    "analysis": ("sisyphus/analysis", "tests/unit/analysis tests/unit/plan/test_plan_build.py"),
    "plan": ("sisyphus/plan", "tests/unit/plan tests/unit/verify/test_proof_planted.py"),
    "printer": ("sisyphus/backends/hls", "tests/unit/backends tests/unit/verify/test_run_differential.py"),
    "verification": ("sisyphus/verification", "tests/unit/verify"),
}
#: Unions of types look like it; the others must be told what to insert.
NO_OPERATORS = ("core/ReplaceBinaryOperator_BitOr", "core/VariableInserter", "core/VariableReplacer")
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "build", "*_cache", "__pycache__", "*.egg-info")


def mutants(copy: Path, part: str) -> Iterator[MutationSpec]:
    """Every change of one operator in a part, in an order that a seed can rely on."""
    from cosmic_ray.ast import ast_nodes, get_ast_from_path
    from cosmic_ray.plugins import get_operator, operator_names
    from cosmic_ray.work_item import MutationSpec

    for path in sorted((copy / PARTS[part][0]).rglob("*.py")):
        nodes = list(ast_nodes(get_ast_from_path(path)))
        for name in sorted(n for n in operator_names() if not n.startswith(NO_OPERATORS)):
            operator = get_operator(name)()
            places = (place for node in nodes for place in operator.mutation_positions(node))
            yield from (MutationSpec(path, name, at, *place) for at, place in enumerate(places))


def tests_of(copy: Path, part: str, module: Path) -> list[str]:
    """The test files of a part, those that name the module first."""
    given = [copy / name for name in PARTS[part][1].split()]
    files = [f for path in given for f in (sorted(path.rglob("test_*.py")) if path.is_dir() else [path])]
    dotted = ".".join(module.relative_to(copy).with_suffix("").parts)
    return [str(file.relative_to(copy)) for file in sorted(files, key=lambda f: dotted not in f.read_text())]


def tried(copy: Path, part: str, mutant: MutationSpec, timeout_s: float) -> dict[str, Any]:
    """A mutant with what came of it."""
    from cosmic_ray.mutating import mutate_and_test

    names = tests_of(copy, part, mutant.module_path)
    # `env -C`: Cosmic Ray runs tests where it is itself; the package of the copy is the one that counts.
    settings = ["env", "-C", str(copy), f"PYTHONPATH={copy}", "PYTHONDONTWRITEBYTECODE=1", "SISY_NO_CACHE=1"]
    command = [*settings, sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *names]
    result = mutate_and_test([mutant], shlex.join(command), timeout_s)
    place = f"{mutant.module_path.relative_to(copy)}:{mutant.start_pos[0]}"
    diff = (result.diff or "").replace(str(copy), "")
    return {"key": key_of(copy, mutant), "place": place, "killed": result.is_killed, "diff": diff}


def key_of(copy: Path, mutant: MutationSpec) -> str:
    return f"{mutant.module_path.relative_to(copy)} {mutant.operator_name} {mutant.occurrence}"


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--sample", type=int, default=50, help="mutants that are tried")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds of the tests of one mutant")
    parser.add_argument("--log", type=Path, help="results so far, one JSON line each")
    options = parser.parse_args(words)
    log: Path | None = options.log
    lines = log.read_text().splitlines() if log is not None and log.exists() else []
    known = {row["key"]: row for row in map(json.loads, lines)}
    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        copy = Path(name) / "repository"
        shutil.copytree(ROOT, copy, ignore=LEFT_OUT)
        found = list(mutants(copy, options.part))
        drawn = random.Random(options.seed).sample(found, min(options.sample, len(found)))
        rows = []
        for mutant in drawn:
            row = known.get(key_of(copy, mutant)) or tried(copy, options.part, mutant, options.timeout)
            rows.append(row)
            if log is not None and row["key"] not in known:
                with log.open("a") as file:
                    file.write(json.dumps(row) + "\n")
    survived = [row for row in rows if not row["killed"]]
    for row in survived:
        print(f"--- {row['place']}\n{row['diff']}")
    print(f"{options.part}: {len(rows) - len(survived)} of {len(rows)} killed, of {len(found)}, seed {options.seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
