"""Many random programs and spoiled inputs, side by side; goes on where an earlier run stopped, keeps failures small.

    make fuzz N=2000 SEED=0
    make fuzz N=5000 MINUTES=4    # begins no batch after that; the same command goes on

Every batch is a process of its own, so that one that dies (isl aborts, memory runs out) or hangs ends nothing else: it
is a failure of its own kind, `--batch K` runs it again. It is one line of OUT/batches.jsonl, written once it is over.
A failure is a folder in OUT/failures with the program, its design and what is wrong, made as small as it still fails.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]

from fuzz.cases import ALARM, INTERNAL, WRONG, Case, Made, make, without  # noqa: E402
from fuzz.harness import compare  # noqa: E402
from fuzz.knobs import never_drawn, words  # noqa: E402
from fuzz.mutants import spoil  # noqa: E402
from fuzz.programs import WIDTHS  # noqa: E402
from fuzz.units import words_of  # noqa: E402

#: Programs of one batch, spoiled inputs for each, and steps in which a failure is made smaller.
BATCH, MUTANTS, STEPS = 20, 3, 60
#: Seconds of the processor that a batch may take, and times as many in which it hangs: others may use the machine, too.
LONGEST_BATCH_S, PATIENCE = 900, 8
#: Results that nobody should get; a design that its proof refuses although all bits agree is a false alarm.
MISCOMPILED, FALSE_ALARM, SPOILED = "miscompiled", "false alarm", "internal error on spoiled input"
DIED = "batch died"
FAILURES = (MISCOMPILED, FALSE_ALARM, INTERNAL, WRONG, SPOILED, DIED)


@dataclass
class Tally:
    """How often each result came, what was covered, and what failed: (kind, detail, case, points)."""

    results: Counter[str] = field(default_factory=Counter)
    covered: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[str, str, Case, str]] = field(default_factory=list)


def run_batch(seed: str, number: int, size: int = BATCH, mutants: int = MUTANTS) -> Tally:
    """The programs `number * size` and on of a seed."""
    with tempfile.TemporaryDirectory(prefix="sisy-fuzz-") as name:
        return _batch(seed, range(number * size, (number + 1) * size), mutants, Path(name))


def _batch(seed: str, numbers: range, mutants: int, folder: Path) -> Tally:
    tally = Tally()
    made = [make(Case.of(seed, n), folder) for n in numbers]
    wrong = compare([m.subject for m in made if m.subject is not None], folder / "run", numbers.start)
    for one in made:
        kind, detail = _judged(one, wrong.get(one.case.program.name, ""))
        tally.results[kind] += 1
        tally.covered.update(features(one.case))
        tally.covered.update({word for point in one.points for word in words(point)})
        tally.covered.update(words_of(one.dealing, len(one.points)) if one.dealing else ())
        if kind in FAILURES:
            points = json.dumps([point.to_json() for point in one.points])
            tally.failures.append((kind, detail, one.case, points))
        for at in range(mutants):
            detail = spoil(one.case, folder, random.Random(f"{one.case.seed}:{at}"))
            tally.results[SPOILED if detail else "spoiled input"] += 1
            if detail:
                tally.failures.append((SPOILED, f"mutant {at}: {detail}", one.case, ""))
    return tally


def _judged(made: Made, wrong: str) -> tuple[str, str]:
    if wrong:
        return MISCOMPILED, f"{wrong}\n{made.result}: {made.detail}"
    return (FALSE_ALARM, made.detail) if made.result == ALARM else (made.result, made.detail)


def features(case: Case) -> list[str]:
    text = case.program.text()
    spelled = (
        "continue;",
        "break;",
        "_pick",
        "_sum",
        "_pair",
        "lut[",
        "_wrap(",
        "_saturate(",
        "if (",
        "else",
        "--)",
        "-= ",
        "+= ",
        "*= ",
        "fmaxf",
        "fminf",
        "sqrtf",
        "%",
        "& 3",
        "*p_",
        "int w_",
        "/ 3",
        ">>",
        "?",
        "double",
        "_Float16",
        "struct",
        "_Complex",
    )
    found = [word for word in (*spelled, "float", "unsigned", "short", "signed char", "long", *WIDTHS) if word in text]
    entry = case.program.entry()
    found += ["variables of the file"] if "memcpy" in entry else []
    return found + (["a returned value"] if "_result[0] =" in entry else [])


def shrink(kind: str, case: Case, seed: int = 0) -> Case:
    """The smallest case that fails in the same way."""
    for _ in range(STEPS):
        smaller = next((c for c in without(case) if _fails(kind, c, seed)), None)
        if smaller is None:
            break
        case = smaller
    return case


def _fails(kind: str, case: Case, seed: int) -> bool:
    with tempfile.TemporaryDirectory(prefix="sisy-fuzz-") as name:
        made = make(case, Path(name))
        wrong = compare([made.subject], Path(name) / "run", seed) if made.subject is not None else {}
        return _judged(made, wrong.get(case.program.name, ""))[0] == kind


def _keep(out: Path, kind: str, detail: str, case: Case, points: str) -> None:
    place = out / "failures" / case.seed.replace(":", "-")
    place.mkdir(parents=True, exist_ok=True)
    small = case if kind == SPOILED else shrink(kind, case)
    (place / "program.c").write_text(case.program.text())
    (place / "small.c").write_text(small.program.text())
    (place / "points.json").write_text(points)
    (place / "what.txt").write_text(f"{kind}\nseed {case.seed}\n{detail}\n")


def one_batch(out: Path, seed: str, number: int) -> Mapping[str, object]:
    """Runs a batch here, keeps its failures and says its line of the log."""
    tally = run_batch(seed, number)
    for failure in tally.failures:
        _keep(out, *failure)
    return {"seed": seed, "batch": number, "results": tally.results, "covered": tally.covered}


def in_process(out: Path, seed: str, number: int) -> Mapping[str, object]:
    """A batch in a process of its own, and what came of it whatever came of the process."""
    command = [sys.executable, __file__, "--seed", seed, "--batch", str(number), "-o", str(out)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE * LONGEST_BATCH_S, check=False)
        if done.returncode == 0:
            return dict(json.loads(done.stdout))
        why = f"exit status {done.returncode}\n{done.stderr[-4000:]}"
        if done.returncode == -signal.SIGXCPU:
            why = f"it took more than {LONGEST_BATCH_S} s of the processor"
    except subprocess.TimeoutExpired:
        why = f"it did not end within {PATIENCE * LONGEST_BATCH_S} s"
    place = out / "failures" / f"{seed}-batch-{number}"
    place.mkdir(parents=True, exist_ok=True)
    (place / "what.txt").write_text(f"{DIED}\n{' '.join(command)}\n{why}\n")
    return {"seed": seed, "batch": number, "results": {DIED: 1}, "covered": {}}


def main(typed: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", "--programs", type=int, default=2000)
    parser.add_argument("--seed", default="0")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("-o", "--out", type=Path, default=ROOT / "build" / "fuzz")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no batch after so long")
    parser.add_argument("--batch", type=int, help="run this batch alone, here, and print its line")
    options = parser.parse_args(typed)
    options.out.mkdir(parents=True, exist_ok=True)
    if options.batch is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (LONGEST_BATCH_S, resource.getrlimit(resource.RLIMIT_CPU)[1]))
        sys.stdout.write(json.dumps(one_batch(options.out, options.seed, options.batch)))
        return 0
    log = options.out / "batches.jsonl"
    done = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    known = {row["batch"]: row for row in done if row["seed"] == options.seed and DIED not in row["results"]}
    wanted = range(-(-options.programs // BATCH))
    end = time.monotonic() + 60 * options.minutes

    def batch(number: int) -> Mapping[str, object] | None:
        return in_process(options.out, options.seed, number) if time.monotonic() < end else None

    with ThreadPoolExecutor(options.jobs) as pool:
        left = [n for n in wanted if n not in known]
        for future in as_completed([pool.submit(batch, n) for n in left]):
            row = future.result()
            if row is None:
                continue
            with log.open("a") as file:
                file.write(json.dumps(row) + "\n")
            known[int(str(row["batch"]))] = row
            sys.stderr.write(f"{len(known)} of {len(wanted)} batches\r")
    return told([known[number] for number in wanted if number in known])


def told(rows: Sequence[Mapping[str, Mapping[str, int]]]) -> int:
    """Prints what came of all batches; 1 where anything failed."""
    results, covered = Counter[str](), Counter[str]()
    for row in rows:
        results.update(row["results"])
        covered.update(row["covered"])
    lines = [f"{count:8d}  {what}" for what, count in sorted(results.items()) if what not in FAILURES]
    lines += [f"{results[kind]:8d}  {kind}" for kind in FAILURES]
    lines += [f"{BATCH * len(rows):8d}  programs in all"]
    lines += [f"never drawn: {', '.join(never_drawn(covered)) or 'no lever'}"]
    lines += ["covered: " + ", ".join(f"{what} {count}" for what, count in covered.most_common())]
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if any(results[kind] for kind in FAILURES) else 0


if __name__ == "__main__":
    sys.exit(main())
