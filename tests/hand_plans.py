"""Hand-written plans for tests of printing and running; no design point and no builder is involved."""

from __future__ import annotations

from dataclasses import replace

from straight_c import with_source

from sisyphus.ir import (
    FLOAT,
    Argument,
    Array,
    ArrayId,
    Binary,
    Origin,
    Read,
    Ref,
    Role,
    Scalar,
    Scop,
    Statement,
    StmtId,
)
from sisyphus.plan import (
    Bound,
    Buffer,
    Call,
    Copy,
    Direction,
    For,
    Function,
    Guard,
    Hold,
    LoopRole,
    Node,
    Plan,
    Port,
    Quotient,
    Run,
    Task,
    Together,
    Transfer,
)
from sisyphus.poly import Affine, Set, const, make_set, var
from sisyphus.source import Span

SPAN = Span("gemm.c", 1)

GEMM_SOURCE = """
#define NI 8
#define NJ 12
#define NK 10
static void kernel_gemm(float alpha, float beta, float C[NI][NJ], float A[NI][NK], float B[NK][NJ])
{
  for (int i = 0; i < NI; i++) {
    for (int j = 0; j < NJ; j++) C[i][j] *= beta;
    for (int k = 0; k < NK; k++)
      for (int j = 0; j < NJ; j++) C[i][j] += alpha * A[i][k] * B[k][j];
  }
}
int main(void) { return 1; }
"""
NI, NJ, NK = 8, 12, 10


def box(name: str, **extents: int) -> Set:
    conditions = [c for n, e in extents.items() for c in (var(n), const(e - 1) - var(n))]
    return make_set(name, list(extents), at_least_zero=conditions)


def read(array: str, *index: str) -> Read:
    return Read(ref(array, *index), FLOAT)


def ref(array: str, *index: str) -> Ref:
    return Ref(ArrayId(array), tuple(var(i) for i in index))


def gemm_scop() -> Scop:
    i, j, k = "i", "j", "k"
    scale = Binary("*", read("C", i, j), Scalar("beta", FLOAT), FLOAT)
    product = Binary("*", Binary("*", Scalar("alpha", FLOAT), read("A", i, k), FLOAT), read("B", k, j), FLOAT)
    update = Binary("+", read("C", i, j), product, FLOAT)
    arrays = (
        Array(ArrayId("C"), FLOAT, (NI, NJ), Role.INOUT, SPAN),
        Array(ArrayId("A"), FLOAT, (NI, NK), Role.IN, SPAN),
        Array(ArrayId("B"), FLOAT, (NK, NJ), Role.IN, SPAN),
    )
    statements = (
        Statement(StmtId("S0"), (i, j), box("S0", i=NI, j=NJ), (0, 0, 0), ref("C", i, j), FLOAT, scale, SPAN),
        Statement(
            StmtId("S1"), (i, k, j), box("S1", i=NI, k=NK, j=NJ), (0, 1, 0, 0), ref("C", i, j), FLOAT, update, SPAN
        ),
    )
    arguments = (
        Argument("alpha", "scalar", FLOAT),
        Argument("beta", "scalar", FLOAT),
        *(Argument(a.id, "array", FLOAT) for a in arrays),
    )
    return Scop("kernel_gemm", arguments, arrays, statements, Origin("gemm.c", GEMM_SOURCE, "kernel_gemm", "0" * 64))


def loop(iterator: str, trip: int, role: LoopRole, *body: Node, source: str | None = None) -> For:
    return For(
        iterator,
        source or iterator.rstrip("012"),
        Bound.constant(0),
        Bound.constant(trip - 1),
        trip,
        role,
        body,
    )


def run(statement: str, **values: Affine) -> Run:
    return Run(StmtId(statement), tuple(values.items()))


def gemm_ports(width: int = 4) -> tuple[Port, ...]:
    return (
        Port("alpha", "scalar", FLOAT),
        Port("beta", "scalar", FLOAT),
        Port("C", "array", FLOAT, (NI, NJ), width, "C", "inout"),
        Port("A", "array", FLOAT, (NI, NK), 2, "A", "in"),
        Port("B", "array", FLOAT, (NK, NJ), width, "B", "in"),
    )


def gemm_resident() -> Plan:
    """Everything on chip; S0 pipelined over j, S1 pipelined over j and unrolled by 4 under tiles of i and k."""
    zero = (const(0), const(0))
    buffers = (
        Buffer("buf_C", ArrayId("C"), FLOAT, (NI, NJ), zero, (1, 4), "kernel"),
        Buffer("buf_A", ArrayId("A"), FLOAT, (NI, NK), zero, (1, 2), "kernel"),
        Buffer("buf_B", ArrayId("B"), FLOAT, (NK, NJ), zero, (1, 4), "kernel"),
    )
    transfers = (
        Transfer("load_C", Direction.LOAD, ArrayId("C"), "buf_C", 4, "C"),
        Transfer("load_A", Direction.LOAD, ArrayId("A"), "buf_A", 2, "A"),
        Transfer("load_B", Direction.LOAD, ArrayId("B"), "buf_B", 4, "B"),
        Transfer("store_C", Direction.STORE, ArrayId("C"), "buf_C", 4, "C"),
    )
    j = 4 * var("j1") + var("j2")
    lanes = loop("j2", 4, LoopRole.UNROLLED, run("S0", i=var("i0"), j=j))
    scale = loop("i0", NI, LoopRole.TILE, loop("j1", 3, LoopRole.PIPELINED, lanes))
    lanes = loop("j2", 4, LoopRole.UNROLLED, run("S1", i=var("i0"), k=var("k0"), j=j))
    update = loop("k0", NK, LoopRole.TILE, loop("i0", NI, LoopRole.TILE, loop("j1", 3, LoopRole.PIPELINED, lanes)))
    tasks = (
        Task("task_S0", "S0", (StmtId("S0"),), (scale,), ("buf_C",), ("beta",)),
        Task("task_S1", "S1", (StmtId("S1"),), (update,), ("buf_C", "buf_A", "buf_B"), ("alpha",)),
    )
    body: tuple[Node, ...] = (
        *(Copy(f"load_{a}") for a in "CAB"),
        Call("task_S0"),
        Call("task_S1"),
        Copy("store_C"),
    )
    return Plan(gemm_scop(), gemm_ports(), buffers, transfers, tasks, body)


def copy_plan(
    extents: tuple[int, ...],
    tile: tuple[int, ...],
    width: int = 1,
    layout: str = "plain",
    partition: tuple[int, ...] | None = None,
    *,
    shift: int = 0,
    stream: bool = False,
    stripes: int = 1,
) -> Plan:
    """`B = A`, element by element, in tiles that are loaded and stored one at a time, through `stripes` ports each.

    Tiles start at `shift` (0 or less) in every dimension; where they are the whole array there is no tile loop.
    """
    names = tuple(f"i{at}" for at in range(len(extents)))
    arrays = (
        Array(ArrayId("A"), FLOAT, extents, Role.IN, SPAN),
        Array(ArrayId("B"), FLOAT, extents, Role.OUT, SPAN),
    )
    domain = box("S0", **dict(zip(names, extents, strict=True)))
    position = (0,) * (len(extents) + 1)
    statement = Statement(StmtId("S0"), names, domain, position, ref("B", *names), FLOAT, read("A", *names), SPAN)
    arguments = (Argument("A", "array", FLOAT), Argument("B", "array", FLOAT))
    scop = Scop("copy", arguments, arrays, (statement,), Origin("copy.c", "", "copy", ""))
    counts = tuple(-(-(e - shift) // t) for e, t in zip(extents, tile, strict=True))
    tiled = shift < 0 or any(count > 1 for count in counts)
    starts = tuple(var(f"{n}t") * t + shift if tiled else const(0) for n, t in zip(names, tile, strict=True))
    parts = partition or (1,) * len(extents)
    place = f"{names[-1]}t" if tiled else "kernel"
    buffers = tuple(Buffer(f"buf_{a.id}", a.id, FLOAT, tile, starts, parts, place) for a in arrays)
    transfers = (
        Transfer("load_A", Direction.LOAD, ArrayId("A"), "buf_A", width, "A", stream),
        Transfer("store_B", Direction.STORE, ArrayId("B"), "buf_B", width, "B"),
    )
    lies_in = {"packed": tile, "columns": (*extents[:-1], width)}.get(layout, ())
    ports = tuple(
        Port(a.id, "array", FLOAT, extents, width, a.id, d, layout, stripes=stripes, tile=lies_in)
        for a, d in zip(arrays, ("in", "out"), strict=True)
    )
    tasks, body = _copy_body(names, extents, tile, starts, counts, tiled)
    return Plan(with_source(scop), ports, buffers, transfers, tasks, body)


def _copy_body(
    names: tuple[str, ...],
    extents: tuple[int, ...],
    tile: tuple[int, ...],
    starts: tuple[Affine, ...],
    counts: tuple[int, ...],
    tiled: bool,
) -> tuple[tuple[Task, ...], tuple[Node, ...]]:
    values = {n: start + var(f"{n}e") for n, start in zip(names, starts, strict=True)}
    inside = tuple(c for n, e in zip(names, extents, strict=True) for c in (values[n], e - 1 - values[n]))
    body: tuple[Node, ...] = (run("S0", **values),)
    if names:
        body = (Guard(inside, body),)
    for at, (name, size) in reversed(list(enumerate(zip(names, tile, strict=True)))):
        role = LoopRole.PIPELINED if at == len(names) - 1 else LoopRole.SEQUENTIAL
        body = (loop(f"{name}e", size, role, *body, source=name),)
    if tiled:
        body = (Copy("load_A"), *body, Copy("store_B"))
        for name, count in reversed(list(zip(names, counts, strict=True))):
            body = (loop(f"{name}t", count, LoopRole.TILE, *body, source=f"{name}t"),)
    task = Task("task0", "S0", (StmtId("S0"),), body, ("buf_A", "buf_B"), ())
    call: tuple[Node, ...] = (Call("task0"),)
    moving: tuple[Node, ...] = (Copy("load_A"), *call, Copy("store_B"))
    return (task,), call if tiled else moving


def gemm_tiled() -> Plan:
    """A and B travel in tiles of k, five rows at a time; a scalar holds the sum over the unrolled part of k."""
    plan = gemm_resident()
    zero, start = const(0), 5 * var("k0")
    buffers = (
        plan.buffers[0],
        Buffer("buf_A", ArrayId("A"), FLOAT, (NI, 5), (zero, start), (1, 5), "k"),
        Buffer("buf_B", ArrayId("B"), FLOAT, (5, NJ), (start, zero), (5, 1), "k"),
    )
    plain = tuple(replace(p, width=1) if p.name == "A" else p for p in plan.ports)
    transfers = tuple(replace(t, width=1) if t.array == "A" else t for t in plan.transfers)
    update = run("S1", i=var("i0"), k=start + var("k2"), j=var("j1"))
    hold = Hold("acc", Ref(ArrayId("C"), (var("i0"), var("j1"))), (loop("k2", 5, LoopRole.UNROLLED, update),))
    tile = loop("i0", NI, LoopRole.TILE, loop("j1", NJ, LoopRole.PIPELINED, hold))
    body = (loop("k0", 2, LoopRole.TILE, Copy("load_A"), Copy("load_B"), tile),)
    scale, multiply = plan.tasks
    tasks = (scale, replace(multiply, body=body))
    order = (Copy("load_C"), Call("task_S0"), Call("task_S1"), Copy("store_C"))
    return replace(plan, buffers=buffers, ports=plain, transfers=transfers, tasks=tasks, body=order)


def gemm_overlapped(copies: int = 2, ahead: int = 1, *, load_first: bool = True) -> Plan:
    """As `gemm_tiled` with five tiles of two, each loaded `ahead` tiles before it is used, beside what is computed.

    With 0 a tile is loaded, and then used.
    """
    plan, start = gemm_tiled(), 2 * var("k0")
    boxes = {"buf_A": ((NI, 2), (const(0), start), (1, 2)), "buf_B": ((2, NJ), (start, const(0)), (2, 1))}

    def halved(buffer: Buffer) -> Buffer:
        if buffer.id not in boxes:
            return buffer
        extents, origin, partition = boxes[buffer.id]
        box = replace(buffer, extents=extents, origin=origin, partition=partition)
        return replace(box, copies=copies, turn=var("k0") if copies > 1 else None)

    def loads(tile: Affine) -> tuple[Node, ...]:
        return tuple(Copy(f"load_{a}", at=(("k0", tile),), within=(4 - var("k0"),)) for a in "AB")

    update = run("S1", i=var("i0"), k=start + var("k2"), j=var("j1"))
    hold = Hold("acc", Ref(ArrayId("C"), (var("i0"), var("j1"))), (loop("k2", 2, LoopRole.UNROLLED, update),))
    compute = loop("i0", NI, LoopRole.TILE, loop("j1", NJ, LoopRole.PIPELINED, hold))
    more = loads(var("k0") + ahead)
    step = Together((*more, Function((compute,))) if load_first else (Function((compute,)), *more))
    after = (Together(tuple(Copy(f"load_{a}") for a in "AB")), compute)
    tiles = loop("k0", 5, LoopRole.TILE, *((step,) if ahead else after))
    scale, multiply = plan.tasks
    multiply = replace(multiply, body=(*(Together(loads(const(tile))) for tile in range(ahead)), tiles))
    return replace(plan, buffers=tuple(map(halved, plan.buffers)), tasks=(scale, multiply))


def triangle_plan() -> Plan:
    """`B[i] += A[i][j]` for j <= i of 7, under tiles of two by three that skip what is empty."""
    domain = make_set("S0", ["i", "j"], at_least_zero=[var("i"), 6 - var("i"), var("j"), var("i") - var("j")])
    update = Binary("+", read("B", "i"), read("A", "i", "j"), FLOAT)
    statement = Statement(StmtId("S0"), ("i", "j"), domain, (0, 0, 0), ref("B", "i"), FLOAT, update, SPAN)
    arrays = (
        Array(ArrayId("A"), FLOAT, (7, 7), Role.IN, SPAN),
        Array(ArrayId("B"), FLOAT, (7,), Role.INOUT, SPAN),
    )
    arguments = (Argument("A", "array", FLOAT), Argument("B", "array", FLOAT))
    scop = with_source(Scop("triangle", arguments, arrays, (statement,), Origin("", "", "triangle", "")))
    i, j = 2 * var("i0") + var("i1"), 3 * var("j0") + var("j1")
    guarded = Guard((6 - i, i - j), (run("S0", i=i, j=j),))
    inner = loop("i1", 2, LoopRole.SEQUENTIAL, loop("j1", 3, LoopRole.PIPELINED, guarded))
    last = Bound((Quotient(2 * var("i0") + 1, 3), Quotient(const(2))))
    tiles = For("j0", "j", Bound.constant(0), last, 3, LoopRole.TILE, (inner,))
    body = (loop("i0", 4, LoopRole.TILE, tiles),)
    buffers = (
        Buffer("buf_A", ArrayId("A"), FLOAT, (7, 7), (const(0), const(0)), (1, 1), "kernel"),
        Buffer("buf_B", ArrayId("B"), FLOAT, (7,), (const(0),), (1,), "kernel"),
    )
    transfers = (
        Transfer("load_A", Direction.LOAD, ArrayId("A"), "buf_A", 1, "A"),
        Transfer("load_B", Direction.LOAD, ArrayId("B"), "buf_B", 1, "B"),
        Transfer("store_B", Direction.STORE, ArrayId("B"), "buf_B", 1, "B"),
    )
    ports = (
        Port("A", "array", FLOAT, (7, 7), 1, "A", "in"),
        Port("B", "array", FLOAT, (7,), 1, "B", "inout"),
    )
    task = Task("task0", "S0", (StmtId("S0"),), body, ("buf_A", "buf_B"), ())
    order = (Copy("load_A"), Copy("load_B"), Call("task0"), Copy("store_B"))
    return Plan(scop, ports, buffers, transfers, (task,), order)
