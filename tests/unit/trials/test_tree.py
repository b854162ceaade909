from __future__ import annotations

from proband.trials.lines import scan
from proband.trials.tree import DEEPEST, Node, nest


def outline(published: str) -> list[object]:
    def shape(nodes: list[Node]) -> list[object]:
        return [(node.text, shape(node.below)) if node.below else node.text for node in nodes]

    return shape(nest(scan(published)))


def test_indented_items_stand_below() -> None:
    assert outline("* A\n\n  * B\n\n    * C\n* D") == [("A", [("B", ["C"])]), "D"]


def test_marks_of_any_kind_at_one_indent_are_one_list() -> None:
    assert outline("1. A\n2. B\n- C\n• D") == ["A", "B", "C", "D"]


def test_right_aligned_numbers_are_one_list() -> None:
    assert outline("  9. A\n\n 10. B") == ["A", "B"]


def test_number_that_continues_the_outer_list_goes_out() -> None:
    assert outline("* 4. A\n* 5. B:\n\n  ① C\n  ② D\n\n  6. F") == ["A", ("B:", ["C", "D"]), "F"]


def test_other_style_after_a_colon_stands_below_at_the_same_indent() -> None:
    assert outline("1. A:\na. B\nb. C\n2. D") == [("A:", ["B", "C"]), "D"]


def test_letter_i_after_h_is_a_sibling_and_roman_i_a_child() -> None:
    assert outline("h. A\n\n   i. B\n   ii. C\ni. D") == [("A", ["B", "C"]), "D"]


def test_outline_numbers_stand_below_their_number() -> None:
    assert outline("1. A\n1.1. B\n1.2. C\n2. D") == [("A", ["B", "C"]), "D"]


def test_line_outside_the_lists_owns_the_list_after_it() -> None:
    assert outline("Head\n\n* A\n\nNext\n\n* B") == [("Head", ["A"]), ("Next", ["B"])]


def test_paragraph_inside_an_item_stands_below_it() -> None:
    assert outline("* A\n\n  More of it.\n* B") == [("A", ["More of it."]), "B"]


def test_list_break_and_connective_do_not_end_a_list() -> None:
    assert outline("1. A:\n\n   1. B\n\n   <!-- -->\n\n   1. C\n\nOR\n\n2. D") == [
        ("A:", [("B", ["<!-- -->"]), ("C", ["OR"])]),
        "D",
    ]


def test_depth_is_bounded() -> None:
    nodes = nest(scan("\n".join("  " * n + f"* {n}" for n in range(60))))
    depth = 0
    while nodes:
        nodes, depth = nodes[-1].below, depth + 1
    assert depth == DEEPEST + 1
