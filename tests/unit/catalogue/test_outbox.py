from __future__ import annotations

from collections.abc import Sequence

from proband.catalogue import outbox
from proband.catalogue.catalogue import Catalogue, Changes
from proband.catalogue.generations import Generation
from proband.catalogue.outbox import Action, OutboxEntry
from proband.model import Corpus


def enter(
    catalogue: Catalogue, built: Generation, documents: Sequence[str], action: Action
) -> None:
    with catalogue._writing() as connection:
        outbox.put(connection, built, documents, action)


def test_entries_come_in_order_of_document_page_by_page(
    catalogue: Catalogue, built: Generation
) -> None:
    enter(catalogue, built, ["c", "a", "d", "b"], Action.INDEX)
    first = catalogue.waiting(built, "", 3)
    assert [entry.document for entry in first] == ["a", "b", "c"]
    assert catalogue.waiting(built, "c", 3) == (OutboxEntry("d", Action.INDEX),)
    assert catalogue.waiting(built, "d", 3) == ()
    assert catalogue.waiting_count(built) == 4


def test_later_entry_of_a_document_replaces_the_earlier(
    catalogue: Catalogue, built: Generation
) -> None:
    enter(catalogue, built, ["a", "b"], Action.INDEX)
    enter(catalogue, built, ["a"], Action.REMOVE)
    assert catalogue.waiting(built, "", 9) == (
        OutboxEntry("a", Action.REMOVE),
        OutboxEntry("b", Action.INDEX),
    )


def test_commit_takes_out_only_the_entries_of_its_documents(
    catalogue: Catalogue, built: Generation
) -> None:
    enter(catalogue, built, ["a", "b", "c"], Action.INDEX)
    catalogue.commit(built, Changes(("a", "c"), (), (), (), {}, "model"))
    assert catalogue.waiting(built, "", 9) == (OutboxEntry("b", Action.INDEX),)


def test_entries_belong_to_one_corpus(catalogue: Catalogue, built: Generation) -> None:
    records = catalogue.begin(Corpus.RECORDS, "import", built.manifest)
    enter(catalogue, built, ["a"], Action.INDEX)
    assert catalogue.waiting_count(records) == 0
    catalogue.roll_back(records)
    assert catalogue.waiting_count(built) == 1


def test_entries_of_more_documents_than_one_statement_takes_are_all_kept(
    catalogue: Catalogue, built: Generation
) -> None:
    documents = [f"{number:05}" for number in range(2_345)]
    enter(catalogue, built, documents, Action.INDEX)
    enter(catalogue, built, documents, Action.INDEX)
    assert [entry.document for entry in catalogue.waiting(built, "", 9_999)] == documents
