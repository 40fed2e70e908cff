"""A program with the AMPL interface, made of SCIP's reader of .nl files: for the tests of adapters that call programs.

    python ampl_scip.py STUB -AMPL [name=value ...]      reads STUB.nl, writes STUB.sol

Called as `ipopt` it leaves out integrality. It refuses options that it does not know, as such programs do.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

CODES = {"optimal": 0, "gaplimit": 0, "infeasible": 200, "inforunbd": 200, "timelimit": 400}
KNOWN = {"max_wall_time"}


def main(name: str, arguments: list[str]) -> int:
    import pyscipopt

    if arguments == ["-v"]:
        sys.stdout.write(f"{name} 1.0 (made of SCIP for tests)" + "\n")
        return 0
    stub, flag, *options = arguments
    if flag != "-AMPL":
        sys.stdout.write(f"unknown flag {flag}" + "\n")
        return 2
    given = dict(option.split("=") for option in options)
    if not set(given) <= KNOWN:
        sys.stdout.write(f"unknown option in {options}" + "\n")
        return 2
    model: Any = pyscipopt.Model()
    model.hideOutput()
    model.readProblem(f"{stub}.nl")
    model.setParam("timing/clocktype", 2)
    limit = given.get("max_wall_time") or limit_of(Path(f"{name}.opt"))
    if limit is not None:
        model.setParam("limits/time", float(limit))
    columns = {v.name: v for v in model.getVars()}
    if name == "ipopt":
        for variable in columns.values():
            model.chgVarType(variable, "C")
    model.optimize()
    write(Path(f"{stub}.sol"), Path(f"{stub}.nl"), model, columns)
    return 0


def limit_of(path: Path) -> str | None:
    """`bonmin.time_limit` of an option file, if there is one."""
    if not path.exists():
        return None
    options = dict(line.split() for line in path.read_text().splitlines())
    return options.get("bonmin.time_limit")


def write(path: Path, problem: Path, model: Any, columns: dict[str, Any]) -> None:
    count = int(problem.read_text().splitlines()[1].split()[1])
    found = model.getNSols() > 0
    values = [model.getVal(columns[f"x{j}"]) for j in range(len(columns) - ("nlobjvar" in columns))] if found else []
    lines = [f"SCIP says: {model.getStatus()}", "", "Options", "3", "1", "1", "0"]
    lines += [str(count), "0", str(len(values)), str(len(values)), *(repr(v) for v in values)]
    code = CODES.get(model.getStatus(), 500)
    path.write_text("\n".join([*lines, f"objno 0 {code}"]) + "\n")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).name, sys.argv[2:]))
