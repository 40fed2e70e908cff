"""The facts of an analysis as text for people; takes the plain data of `analysis.summary`, knows no isl."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sisyphus.report.tables import indent, shortened, table

Plain = dict[str, Any]


def kernel_text(facts: Plain) -> str:
    """What `sisy analyze` prints."""
    parts = [
        f"{facts['kernel']}({', '.join(_argument(a, facts['arrays']) for a in facts['arguments'])})",
        _section("arrays", ("array", "type", "extents", "role", "live in", "live out"), map(_array, facts["arrays"])),
        _section("statements", ("id", "instances", "line", "text"), map(_statement, facts["statements"])),
        "domains\n" + indent("\n".join(s["domain"] for s in facts["statements"])),
        _section(
            "dependences",
            ("kind", "from", "to", "array", "carried by", "distance", ""),
            map(_dependence, facts["dependences"]),
        ),
        _section("reductions", ("statement", "operator", "loops"), map(_reduction, facts["reductions"])),
        _order("nests after maximal distribution", facts),
        _operations(facts["operations"]),
        _section("footprints", ("statement", "array", "elements", "box"), map(_footprint, facts["footprints"])),
    ]
    expansion = facts["expansion"]
    if expansion:
        expanded = ", ".join(f"`{e['array']}` over {', '.join(e['over'])}" for e in expansion["expanded"])
        parts.append(_order(f"nests with {expanded} expanded", expansion))
    if facts["views"]:
        header = ("view", "stands for", "in nest", "while these stand still")
        parts.append(_section("views, for arrays that do not fit on chip", header, map(_view, facts["views"])))
    columns = ("places", "delivered", "work of one of two", "dealt", "replicated", "computed by both")
    parts.append(_section("units that share nothing", columns, map(_dealing, facts["units"])))
    forms = facts.get("forms", ())
    chains = ("form", "longest chain", "parallel")
    parts.append(_section("forms that are searched (`--fix form=NAME`)", chains, map(_form, forms)))
    parts += ["\n".join(f"{form['name']}: {rewrite}" for rewrite in form["rewrites"]) for form in forms]
    parts += [f"note: {note}" for note in facts["notes"]]
    return "\n\n".join(part for part in parts if part)


def _dealing(dealing: Plain) -> tuple[str, ...]:
    outputs = [
        f"{o['array']} whole" if o["dimension"] is None else f"{o['array']} by dimension {o['dimension']}"
        for o in dealing["outputs"]
    ]
    names = (", ".join(dealing[kind]) or "-" for kind in ("dealt", "replicated", "repeated"))
    work = f"{dealing['work']:.0%}" + (", refused" if dealing["refused"] else "")
    return f"{dealing['extent']:,}", (" | " if dealing["apart"] else ", ").join(outputs), work, *names


def _form(form: Plain) -> tuple[str, ...]:
    parallel = "; ".join(f"{', '.join(loops)} of {shortened(nest)}" for nest, loops in form["parallel"].items())
    return form["name"], f"{form['steps']:,}", parallel or "-"


def _argument(argument: Plain, arrays: Sequence[Plain]) -> str:
    value = "" if argument["value"] is None else f" = {argument['value']}"
    extents: list[int] = next((a["extents"] for a in arrays if a["name"] == argument["name"]), [])
    return f"{argument['type']} {argument['name']}{''.join(f'[{e}]' for e in extents)}{value}"


def _section(title: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    found = list(rows)
    return f"{title}\n" + indent(table(header, found)) if found else f"{title}\n  none"


def _array(array: Plain) -> tuple[str, ...]:
    extents = "x".join(map(str, array["extents"])) or "scalar"
    return array["name"], array["type"], extents, array["role"], _yes(array["live_in"]), _yes(array["live_out"])


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _statement(statement: Plain) -> tuple[str, ...]:
    instances = statement["instances"]
    return (
        f"{statement['id']}[{', '.join(statement['iterators'])}]",
        "?" if instances is None else f"{instances:,}",
        str(statement["line"]),
        statement["text"],
    )


def _dependence(edge: Plain) -> tuple[str, ...]:
    distance = ", ".join("*" if d is None else str(d) for d in edge["distance"])
    remarks = [name for name in ("reduction", "approximate") if edge[name]]
    return (
        edge["kind"],
        edge["source"],
        edge["sink"],
        edge["array"],
        ", ".join(edge["carried_by"]),
        f"({distance})",
        " ".join(remarks),
    )


def _view(view: Plain) -> tuple[str, ...]:
    return view["name"], ", ".join(view["references"]), shortened(view["nest"]), ", ".join(view["still"]) or "-"


def _reduction(reduction: Plain) -> tuple[str, ...]:
    return reduction["statement"], reduction["op"], ", ".join(reduction["loops"]) or "-"


def _footprint(footprint: Plain) -> tuple[str, ...]:
    elements = footprint["elements"]
    box = " x ".join(f"[{low}, {high}]" for low, high in footprint["box"]) or "scalar"
    return footprint["statement"], footprint["array"], "?" if elements is None else f"{elements:,}", box


def _operations(operations: Plain) -> str:
    rows = [(op, f"{count:,}") for op, count in operations["total"].items()]
    return _section("operations", ("operation", "times"), rows)


def _order(title: str, facts: Plain) -> str:
    """The loops outside, and per nest its band with kinds and how many orders are legal."""
    rows = []
    for nest in facts["nests"]:
        loops = ", ".join(f"{s['iterator']}:{s['trip_count']} {s['kind']}" for s in nest["loops"]) or "no loop"
        orders = nest["legal_orders"]
        first = ", ".join(" ".join(order) for order in orders["first"][:3] if order)
        shown = f"{orders['count']}: {first}{', …' if orders['count'] > 3 else ''}" if first else "-"
        rows.append((shortened(nest["id"]), ", ".join(nest["outer"]) or "-", loops, shown))
    tree = "\n".join(_tree(facts["distribution"]))
    return _section(title, ("nest", "under", "loops", "legal orders"), rows) + "\n" + indent(f"order: {tree}")


def _tree(body: Sequence[Any]) -> list[str]:
    """The distribution as one line: nests in order, outer loops with braces."""
    words = []
    for part in body:
        if isinstance(part, str):
            words.append(shortened(part))
        else:
            words.append(f"for {part['loop']} {{ {' '.join(_tree(part['body']))} }}")
    return [" ".join(words)]
