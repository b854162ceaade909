from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proband.model import AnyOf, DocumentKey, Field, Filter, Scope, View

PARTS = st.lists(st.text(max_size=8), min_size=1, max_size=4).map(tuple)


@given(st.text(max_size=6), st.text(max_size=6), PARTS)
def test_key_reads_back_from_its_text(source: str, collection: str, parts: tuple[str, ...]) -> None:
    key = DocumentKey(source, collection, parts)
    assert DocumentKey.parse(str(key)) == key


def test_composite_keys_cannot_collide() -> None:
    assert str(DocumentKey("db", "t", ("a/b", "c"))) != str(DocumentKey("db", "t", ("a", "b/c")))


def test_extid_is_the_same_in_every_rebuilt_database() -> None:
    key = DocumentKey("ctgov", "studies", ("NCT99000001",))
    assert key.extid == DocumentKey("ctgov", "studies", ("NCT99000001",)).extid
    assert key.extid == "a1fd33cf-fee7-5fcf-a32f-ae369f2da705"


@pytest.mark.parametrize("text", ["", "ctgov", "ctgov/studies"])
def test_text_without_key_parts_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a document key"):
        DocumentKey.parse(text)


def test_scope_is_narrowed_and_never_widened() -> None:
    mine = AnyOf(Field.STATUS, ("RECRUITING",))
    wanted = AnyOf(Field.SEX, ("FEMALE", "ALL"))
    assert Scope(Filter((mine,))).view(3, Filter((wanted,))) == View(3, Filter((mine, wanted)))


def test_scope_of_patients_names_each_once_in_a_fixed_order() -> None:
    wanted = AnyOf(Field.PATIENT, ("h/p/1", "h/p/10"))
    assert Scope.patients(["h/p/10", "h/p/1", "h/p/10"]) == Scope(Filter((wanted,)))


def test_scope_of_nobody_lets_nothing_through() -> None:
    assert Scope.nobody() == Scope(Filter((AnyOf(Field.PATIENT, ()),)))


def test_narrowed_scope_keeps_every_condition() -> None:
    mine, theirs = AnyOf(Field.PATIENT, ("h/p/1",)), AnyOf(Field.PATIENT, ("h/p/2",))
    scope = Scope.patients(["h/p/1"]).narrowed(Filter((theirs,)))
    assert scope.filter.conditions == (mine, theirs)
