"""What forms are made of: names that nothing has, statements over other loops, and statements that only copy."""

from __future__ import annotations

from builders import scop

from sisyphus.forms.building import Cut, Names, copying, local, loops_of, named, over, placed, with_elements
from sisyphus.ir import ArrayId, Ref, Role
from sisyphus.ir.scop_text import statement_lines
from sisyphus.poly import make_box, var

KERNEL = scop("for i in range(8):\n a[i] = a[i] + a_1[i]", a=(8,), a_1=(8,))


def test_a_name_is_given_once_and_never_one_that_something_has() -> None:
    names = Names(KERNEL)
    assert [names.array(ArrayId("a")), names.array(ArrayId("a"))] == ["a_2", "a_3"]
    assert [names.wanted("i"), names.wanted("i_block"), names.wanted("i_block")] == ["i_1", "i_block", "i_block_1"]


def test_a_statement_over_other_loops_runs_the_same_instances() -> None:
    [old] = KERNEL.statements
    within = [var("i"), 3 - var("i")]
    new = placed(over(old, ("b", "i"), {"i": var("b") * 4 + var("i")}, within), (0, 0, 0))
    assert statement_lines(new) == [
        "S0[b, i] at (0, 0, 0)",
        "  for 0 <= b, 0 <= i, b <= 1, i <= 3",
        "  a[4*b + i]: float = (a[4*b + i] + a_1[4*b + i])",
    ]
    assert named(new, old.id).domain.is_equal(new.domain)
    cut, given = Cut("b", low=0, size=4).at(old, 0)
    assert (cut.domain.is_equal(new.domain), cut.write, given) == (True, new.write, {"i": var("b") * 4 + var("i")})


def test_loops_come_with_the_statements_in_them_in_the_order_of_the_text() -> None:
    two = scop("for i in range(8):\n for j in range(8):\n  a[i] = b[j]\n b[i] = a[i]", a=(8,), b=(8,))
    inside = {place: [str(s.id) for s in group] for place, group in loops_of(two.statements).items()}
    assert inside == {(0,): ["S0", "S1"], (0, 0): ["S0"]}


def test_a_copy_moves_from_the_second_element_to_the_first() -> None:
    [old], names, array = KERNEL.statements, Names(KERNEL), KERNEL.arrays[0]
    window = local(array, names.array(array.id), [4])
    assert (window.extents, window.role) == ((4,), Role.LOCAL)
    here, there = Ref(window.id, (var("d"),)), Ref(array.id, (var("d") + 2,))
    label = names.statement(old.id)
    copy = copying(label, old.span, ("d",), make_box("points", [4]), (7,), array.type, (here, there))
    assert statement_lines(copy) == ["S0_1[d] at (7, 0)", "  for 0 <= d, d <= 3", "  a_2[d]: float = a[d + 2]"]
    assert with_elements(copy, {there: here}).reads == (here,)
