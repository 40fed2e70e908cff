"""Everything that is known about a kernel before any design is chosen, as plain data; prints nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from sisyphus.analysis.dataflow import Flow, flows
from sisyphus.analysis.dealing import Dealer, dealings_data
from sisyphus.analysis.dependence import Dependence, Dependences, Signs, dependences
from sisyphus.analysis.distribution import Distribution, Nest, OuterLoop, distribute
from sisyphus.analysis.expansion import expand
from sisyphus.analysis.footprint import Operation, count_or_none, footprints, operations
from sisyphus.analysis.legality import legal_orders
from sisyphus.analysis.liveness import liveness
from sisyphus.analysis.reduction import reduction_of
from sisyphus.analysis.statement_text import statement_text
from sisyphus.analysis.views import with_views
from sisyphus.ir import Scop, Statement

#: How many legal orders are spelled out; the rest is only counted.
SHOWN_ORDERS = 24

SIGNS = {-1: ">", 0: "=", 1: "<"}

Plain = dict[str, Any]


def summary(scop: Scop, locals_: Collection[str] = ()) -> Plain:
    """What `sisy analyze` shows; every value is a string, a number, a list or a dictionary."""
    deps = dependences(scop)
    expansion = expand(scop, deps)
    viewed = with_views(scop, distribute(scop, deps))
    return {
        "kernel": scop.name,
        "arguments": [{"name": a.name, "kind": a.kind, "type": str(a.type), "value": a.value} for a in scop.arguments],
        "arrays": _arrays(scop, locals_),
        "statements": [_statement(s) for s in scop.statements],
        "operations": _total(scop),
        "footprints": [
            {"statement": f.statement, "array": f.array, "elements": f.elements, "box": [list(side) for side in f.box]}
            for f in footprints(scop)
        ],
        "dependences": [_dependence(scop, e) for e in deps.edges],
        "dataflow": [_flow(f) for f in flows(deps)],
        "reductions": [{"statement": r.statement, "op": r.op, "loops": list(r.loops)} for r in deps.reductions],
        **_order(scop, deps),
        "expansion": None
        if expansion is None
        else {
            "expanded": [
                {
                    "array": e.array,
                    "name": e.name,
                    "over": list(e.over),
                    "extents": list(expansion.scop.array(e.name).extents),
                    "statements": list(e.statements),
                    "argument": e.argument,
                }
                for e in expansion.expanded
            ],
            "refused": [{"array": array, "reason": reason} for array, reason in expansion.refused],
            **_order(expansion.scop, dependences(expansion.scop)),
        },
        "views": [
            {
                "name": view.name,
                "array": view.array,
                "nest": view.nest,
                "references": [str(ref) for ref in view.refs],
                "still": list(view.still),
            }
            for view in (viewed.views if viewed else ())
        ],
        "units": dealings_data(Dealer(deps, locals_).dealings),
        "approximate": deps.approximate,
        "notes": list(scop.notes),
    }


def statement_graph_dot(scop: Scop) -> str:
    """The statement graph in Graphviz's language: an edge per dependence, labelled with the loops that carry it."""
    deps = dependences(scop)
    lines = [f'digraph "{scop.name}" {{', "  node [shape=box, fontname=monospace];"]
    lines += [f'  {s.id} [label="{s}\\n{_quoted(statement_text(s))}"];' for s in scop.statements]
    for edge in deps.edges:
        style = ", style=dashed" if edge.is_reduction else ""
        label = f"{edge.kind.value} {edge.array} ({', '.join(_carriers(edge))})"
        lines.append(f'  {edge.source} -> {edge.sink} [label="{label}"{style}];')
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _order(scop: Scop, deps: Dependences) -> Plain:
    distribution = distribute(scop, deps)
    return {"distribution": _tree(distribution.body), "nests": _nests(distribution)}


def _arrays(scop: Scop, locals_: Collection[str]) -> list[Plain]:
    live = liveness(scop, locals_)
    return [
        {
            "name": a.id,
            "type": str(a.type),
            "extents": list(a.extents),
            "bytes": a.elements * a.type.bytes,
            "role": a.role.value,
            "live_in": live[a.id].load,
            "live_out": live[a.id].store,
            "read_before_written": count_or_none(live[a.id].upward_exposed),
            "written": [list(bounds) for bounds in live[a.id].written],
            "written_whole": live[a.id].written_whole,
        }
        for a in scop.arrays
    ]


def _statement(s: Statement) -> Plain:
    reduction = reduction_of(s)
    return {
        "id": s.id,
        "text": statement_text(s),
        "line": s.span.line,
        "iterators": list(s.iterators),
        "domain": str(s.domain),
        "instances": count_or_none(s.domain),
        "accesses": [
            {"array": a.array, "kind": "write" if a.is_write else "read", "ref": str(a.ref)} for a in s.accesses
        ],
        "operations": _named(operations(s)),
        "reduction_op": reduction.op if reduction else None,
    }


def _named(counts: Counter[Operation]) -> dict[str, int]:
    return {f"{name} {kind}": number for (name, kind), number in sorted(counts.items(), key=str)}


def _total(scop: Scop) -> Plain:
    total: Counter[Operation] = Counter()
    unknown = []
    for s in scop.statements:
        times = count_or_none(s.domain)
        if times is None:
            unknown.append(s.id)
        total.update({operation: number * (times or 0) for operation, number in operations(s).items()})
    return {"total": _named(total), "uncounted": unknown}


def _carriers(edge: Dependence) -> list[str]:
    return ["same iteration" if depth is None else edge.shared[depth][0] for depth in edge.depths]


def _dependence(scop: Scop, edge: Dependence) -> Plain:
    return {
        "kind": edge.kind.value,
        "source": str(scop.statement(edge.source)),
        "sink": str(scop.statement(edge.sink)),
        "array": edge.array,
        "carried_by": _carriers(edge),
        "distance": list(edge.distance),
        "directions": _directions(edge),
        "reduction": edge.is_reduction,
        "approximate": edge.approximate,
    }


def _directions(edge: Dependence) -> list[str]:
    """Sign vectors as `(=, <, >)`; `*` for each loop inside the carrying one where all of them may have any sign."""
    by_carrier: dict[Signs, list[Signs]] = {}
    for signs in edge.directions:
        leading = next((at for at, sign in enumerate(signs) if sign), len(signs))
        by_carrier.setdefault(signs[: leading + 1], []).append(signs[leading + 1 :])
    found: list[str] = []
    for outer, inner in by_carrier.items():
        free = len(inner[0])
        rests = [["*"] * free] if len(inner) == 3**free else [[SIGNS[sign] for sign in rest] for rest in inner]
        found += [f"({', '.join([*(SIGNS[sign] for sign in outer), *rest])})" for rest in rests]
    return sorted(found)


def _flow(flow: Flow) -> Plain:
    return {
        "source": flow.source,
        "sink": flow.sink,
        "array": flow.array,
        "relation": str(flow.relation),
        "approximate": flow.approximate,
    }


def _tree(body: Sequence[OuterLoop | Nest]) -> list[Any]:
    """Nests by id, shared loops as `{loop, body}`."""
    return [
        node.id
        if isinstance(node, Nest)
        else {
            "loop": node.iterator,
            "lower": node.lower,
            "trip_count": node.trip_count,
            "kind": node.kind.value,
            "body": _tree(node.body),
        }
        for node in body
    ]


def _nests(distribution: Distribution) -> list[Plain]:
    return [_nest(nest) for nest in distribution.nests]


def _nest(nest: Nest) -> Plain:
    orders = legal_orders(nest)
    return {
        "id": nest.id,
        "statements": list(nest.statements),
        "outer": list(nest.outer),
        "loops": [
            {
                "iterator": loop.iterator,
                "lower": loop.lower,
                "trip_count": loop.trip_count,
                "kind": loop.kind.value,
                "constant": loop.is_constant,
            }
            for loop in nest.band
        ],
        "rectangular": nest.rectangular,
        "precedence": sorted(list(pair) for pair in nest.precedence),
        "legal_orders": {"count": len(orders), "first": [list(order) for order in orders[:SHOWN_ORDERS]]},
    }
