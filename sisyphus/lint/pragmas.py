"""Rules on pragmas alone: known names, options and places."""

from __future__ import annotations

from collections.abc import Iterator

from sisyphus.lint.design import Design, is_bus
from sisyphus.lint.finding import Finding, finding
from sisyphus.lint.syntax import Function, If, Loop, Place, Pragma
from sisyphus.spelling import did_you_mean

#: Options by pragma, of Vitis HLS 2023.2 to 2025.x; bare words are options too.
OPTIONS = {
    name: frozenset(options.split())
    for name, options in {
        "aggregate": "variable compact",
        "alias": "ports distance offset",
        "allocation": "function operation instances limit type core",
        "array_partition": "variable type factor dim off complete cyclic block",
        "array_reshape": "variable type factor dim object off complete cyclic block",
        "array_stencil": "variable off",
        "bind_op": "variable op impl latency",
        "bind_storage": "variable type impl latency",
        "cache": "port lines depth ways users burst_buffer write_mode",
        "dataflow": "disable_start_propagation",
        "dependence": "variable class type direction distance dependent inter intra true false array pointer "
        "raw war waw",
        "disaggregate": "variable",
        "expression_balance": "off",
        "function_instantiate": "variable",
        "inline": "off recursive",
        "interface": "mode port bundle register register_mode depth offset latency num_read_outstanding "
        "num_write_outstanding max_read_burst_length max_write_burst_length max_widen_bitwidth name storage_type "
        "storage_impl clock direct_io channel interrupt m_axi s_axilite axis ap_none ap_vld ap_ack ap_hs ap_ovld "
        "ap_fifo ap_memory bram ap_ctrl_hs ap_ctrl_chain ap_ctrl_none ap_stable",
        "latency": "min max",
        "loop_flatten": "off",
        "loop_merge": "force",
        "loop_tripcount": "min max avg",
        "occurrence": "cycle",
        "performance": "target_ti target_tl unit scope assume_ti assume_tl",
        "pipeline": "ii off rewind style enable_flush",
        "protocol": "mode floating fixed",
        "reset": "variable off",
        "stable": "variable",
        "stream": "variable depth type off",
        "top": "name",
        "unroll": "factor skip_exit_check off region",
    }.items()
}
OBSOLETE = {
    "data_pack": "write `aggregate variable=...`",
    "resource": "write `bind_storage` for memories and `bind_op` for operators",
    "array_map": "take it out: arrays are no longer merged",
    "clock": "set the clock in the configuration file",
    "instruction_set": "take it out",
    "data_flow": "write `dataflow`",
}
NEEDS = {
    "aggregate": ("variable",),
    "array_partition": ("variable",),
    "array_reshape": ("variable",),
    "bind_op": ("variable",),
    "bind_storage": ("variable",),
    "disaggregate": ("variable",),
    "stable": ("variable",),
    "stream": ("variable",),
}
TYPES = {
    "array_partition": ("complete", "cyclic", "block"),
    "array_reshape": ("complete", "cyclic", "block"),
    "dependence": ("inter", "intra"),
}
ONLY_IN_LOOP = frozenset({"unroll", "loop_tripcount"})
ONLY_IN_FUNCTION = frozenset({"interface", "inline", "top"})
IN_LOOP_OR_FUNCTION = frozenset({"pipeline", "dataflow", "loop_flatten", "loop_merge"})


def check_pragmas(design: Design) -> Iterator[Finding]:
    for pragma in design.unit.stray:
        yield finding("pragma-place", pragma.token, f"`{pragma.name}` stands outside of every function", INSIDE)
    for function in design.unit.functions:
        for place in design.places[function.name]:
            if isinstance(place.node, Pragma):
                yield from _check(place.node)
                yield from _place(place.node, place)
        yield from _interface(design, function)


PROMISE = "leave it out where an element comes back after its sum and 3 cycles; read other elements from a copy"
INSIDE = "put it behind the brace of the function or loop that it is for"


def _check(pragma: Pragma) -> Iterator[Finding]:
    name, token = pragma.name, pragma.token
    if name in OBSOLETE:
        yield finding("obsolete-pragma", token, f"`{name}` is obsolete and ignored", OBSOLETE[name])
        return
    if name not in OPTIONS:
        hint = _close(name, OPTIONS) or "see the tool's list of pragmas"
        yield finding("unknown-pragma", token, f"no pragma is called `{name}`", hint)
        return
    for option in pragma.options:
        if option not in OPTIONS[name]:
            hint = _close(option, OPTIONS[name]) or f"it has {', '.join(f'`{o}`' for o in sorted(OPTIONS[name]))}"
            yield finding("pragma-option", token, f"`{name}` has no option `{option}`", hint)
    for option in NEEDS.get(name, ()):
        if pragma.value(option) is None:
            yield finding("pragma-option", token, f"`{name}` does not say which {option}", f"add `{option}=NAME`")
    for word in TYPES.get(name, ()):
        if word in pragma.options and pragma.value(word) is None:
            yield finding("bare-type", token, f"`{word}` stands alone in `{name}`", f"write `type={word}`")
    if name == "dependence" and _promises(pragma):
        promised = pragma.value("variable") or "the arrays of this loop"
        message = f"nobody checks that starts of this loop do not wait for `{promised}`"
        yield finding("unproved-dependence", token, message, PROMISE)
    kind, factor = pragma.value("type"), pragma.value("factor")
    if name == "array_partition" and kind in ("cyclic", "block") and factor is None:
        yield finding("pragma-option", token, f"`type={kind}` does not say how many banks", "add `factor=N`")


def _promises(pragma: Pragma) -> bool:
    """No dependence, or one that starts far apart have: the tool takes both at their word."""
    confirmed = "true" in pragma.options or pragma.value("dependent") == "true"
    return not confirmed or pragma.value("distance") is not None


def _place(pragma: Pragma, place: Place) -> Iterator[Finding]:
    inner = place.around[-1] if place.around else None
    said = None
    if pragma.name in ONLY_IN_LOOP and not isinstance(inner, Loop):
        said = f"`{pragma.name}` stands in no loop"
    elif pragma.name in ONLY_IN_FUNCTION and inner is not None:
        said = f"`{pragma.name}` stands inside a loop or condition, not at the top of its function"
    elif pragma.name in IN_LOOP_OR_FUNCTION and isinstance(inner, If):
        said = f"`{pragma.name}` stands under a condition"
    if said:
        yield finding("pragma-place", pragma.token, said, INSIDE)


def _interface(design: Design, function: Function) -> Iterator[Finding]:
    """Memory interfaces against the arguments that they are for."""
    arguments = {v.name: v for v in function.parameters}
    bundles: dict[str, tuple[str, str]] = {}
    for pragma in design.pragmas(function):
        port = pragma.value("port") or ""
        if pragma.name == "interface" and port and port != "return" and port not in arguments:
            hint = _close(port, arguments) or "name an argument"
            yield finding("pragma-option", pragma.token, f"`{function.name}` has no argument `{port}`", hint)
        if is_bus(pragma) and port in arguments:
            argument = arguments[port]
            if argument.is_scalar:
                message = f"`{port}` is a scalar, which has no place in memory"
                yield finding("m-axi-scalar", pragma.token, message, f"write `mode=s_axilite port={port}`")
                continue
            bundle = pragma.value("bundle") or "gmem"
            other, kind = bundles.setdefault(bundle, (port, argument.type))
            if kind != argument.type:
                message = f"`{port}` ({argument.type}) shares bundle `{bundle}` with `{other}` ({kind})"
                yield finding("bundle-width", pragma.token, message, "give each width a bundle of its own")
        divided = pragma.value("variable") or ""
        if pragma.name in ("array_partition", "array_reshape") and (function.name, divided) in design.bus:
            message = f"`{divided}` lies in memory behind m_axi and cannot be divided"
            yield finding("m-axi-partition", pragma.token, message, "copy it to a local array, and divide that")


def _close(word: str, known: object) -> str | None:
    names = [str(n) for n in known] if isinstance(known, dict | frozenset) else []
    return did_you_mean(word, names)
