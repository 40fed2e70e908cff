"""Changes single operators of a part of the package (Cosmic Ray) and prints which changes no test of it notices.

    scripts/mutants.py plan --sample 50 --seed 0

A sample is drawn from all mutants by its seed, in a copy of the repository. Unions of types are left alone: no test can
notice those in annotations.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cosmic_ray.work_item import WorkItem

ROOT = Path(__file__).parents[1]
#: What is changed, and the tests that must notice.
PARTS = {
    "analysis": ("sisyphus/analysis", "tests/unit/analysis tests/unit/plan/test_plan_build.py"),
    "plan": ("sisyphus/plan", "tests/unit/plan tests/unit/verify/test_proof_planted.py"),
    "printer": ("sisyphus/backends/hls", "tests/unit/backends tests/unit/verify/test_run_differential.py"),
    "verification": ("sisyphus/verification", "tests/unit/verify"),
}
UNIONS = "core/ReplaceBinaryOperator_BitOr"
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "build", "*_cache", "__pycache__", "*.egg-info")


def configured(copy: Path, part: str, timeout_s: float) -> Path:
    """A configuration of Cosmic Ray for a copy of the repository."""
    module, tests = PARTS[part]
    path = copy / "mutants.toml"
    path.write_text(
        f'[cosmic-ray]\nmodule-path = "{module}"\ntimeout = {timeout_s}\nexcluded-modules = []\n'
        f'test-command = "{sys.executable} -m pytest -x -q -p no:cacheprovider {tests}"\n'
        '[cosmic-ray.distributor]\nname = "local"\n'
    )
    return path


def drawn(items: Sequence[WorkItem], count: int, seed: int) -> set[str]:
    """The jobs of a sample."""
    known = sorted(
        (str(m.module_path), m.start_pos, m.operator_name, m.occurrence, item.job_id)
        for item in items
        for m in item.mutations
        if not m.operator_name.startswith(UNIONS)
    )
    return {row[-1] for row in random.Random(seed).sample(known, min(count, len(known)))}


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--sample", type=int, default=50, help="mutants that are tried")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds of the tests of one mutant")
    options = parser.parse_args(words)
    # With the extra `mutation` alone, so that the script can be loaded without it.
    from cosmic_ray.work_db import WorkDB, use_db
    from cosmic_ray.work_item import TestOutcome, WorkerOutcome, WorkResult

    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        copy = Path(name) / "repository"
        shutil.copytree(ROOT, copy, ignore=LEFT_OUT)
        config, session = configured(copy, options.part, options.timeout), copy / "session.sqlite"
        cosmic_ray = [sys.executable, "-m", "cosmic_ray.cli"]
        environment = {"PYTHONPATH": str(copy), "PATH": "/usr/bin:/bin", "SISY_NO_CACHE": "1"}
        subprocess.run([*cosmic_ray, "init", config, session], cwd=copy, check=True, env=environment)
        with use_db(session, WorkDB.Mode.open) as database:
            kept = drawn(list(database.work_items), options.sample, options.seed)
            others = [item.job_id for item in database.work_items if item.job_id not in kept]
            database.set_multiple_results(others, WorkResult(WorkerOutcome.SKIPPED))
        subprocess.run([*cosmic_ray, "exec", config, session], cwd=copy, check=True, env=environment)
        with use_db(session, WorkDB.Mode.open) as database:
            tried = [(item, result) for item, result in database.completed_work_items if item.job_id in kept]
    survived = [(item, result) for item, result in tried if result.test_outcome is TestOutcome.SURVIVED]
    for item, result in survived:
        print(f"--- {item.mutations[0].module_path}:{item.mutations[0].start_pos[0]}\n{result.diff}")
    print(f"{options.part}: {len(tried) - len(survived)} of {len(tried)} killed, seed {options.seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
