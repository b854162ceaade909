"""A citation is opened inside the asker's own view, or not found."""

from __future__ import annotations

import pytest

from library import Library
from proband.errors import CitationError
from proband.model import (
    AnyOf,
    ChunkId,
    DocumentKey,
    Facets,
    Field,
    Filter,
    Passage,
    Scope,
    SectionKind,
    View,
)
from proband.search.cite import open_citation, seen

MINE = Scope.patients(["h/patients/1"])


def key(name: str) -> DocumentKey:
    return DocumentKey("test", "studies", (name,))


def rows() -> tuple[Library, ChunkId, ChunkId]:
    library = Library()
    kind = SectionKind.ROW
    mine = library.add("visits-1", "Seen for asthma", kind, Facets(patient="h/patients/1"))
    other = library.add("visits-2", "Seen for sepsis", kind, Facets(patient="h/patients/10"))
    return library, mine, other


def opened(
    library: Library, name: str, chunk_id: ChunkId, scope: Scope, generation: int = 1
) -> Passage:
    return open_citation(key(name), chunk_id, scope, generation, library.index, library)


def refusal(library: Library, name: str, chunk_id: ChunkId, scope: Scope, number: int = 1) -> str:
    with pytest.raises(CitationError) as error:
        opened(library, name, chunk_id, scope, number)
    return str(error.value)


def test_own_passage_is_opened_verbatim() -> None:
    library, mine, _ = rows()
    found = opened(library, "visits-1", mine, MINE)
    assert (found.chunk_id, found.text, found.span.end) == (mine, "Seen for asthma", 15)


def test_out_of_scope_is_told_as_what_does_not_exist() -> None:
    library, mine, other = rows()
    nothing = ChunkId("00000000-0000-0000-0000-000000000000")
    told = {
        refusal(library, "visits-2", other, MINE),
        refusal(library, "visits-2", nothing, MINE),
        refusal(library, "visits-9", other, MINE),
        refusal(library, "visits-1", other, MINE),
        refusal(library, "visits-1", ChunkId("no id"), MINE),
        refusal(library, "visits-2", mine, MINE),
        refusal(library, "visits-1", mine, Scope.nobody()),
        refusal(library, "visits-1", mine, MINE, 0),
        refusal(library, "visits-1", mine, MINE.narrowed(Filter((AnyOf(Field.KIND, ("TEXT",)),)))),
    }
    assert len(told) == 1


def test_passage_is_opened_only_in_generations_that_show_it() -> None:
    library, mine, _ = rows()
    library.index.expire([mine], 2)
    assert opened(library, "visits-1", mine, MINE, 1).text == "Seen for asthma"
    assert refusal(library, "visits-1", mine, MINE, 2)


def test_passage_whose_text_is_gone_is_not_found() -> None:
    library, mine, _ = rows()
    del library.chunks[mine]
    assert refusal(library, "visits-1", mine, MINE)


def test_seen_names_only_documents_of_the_view() -> None:
    library, _, _ = rows()
    every = [key("visits-1"), key("visits-2"), key("visits-3")]
    assert seen(every, MINE.view(1, Filter()), library.index) == {str(key("visits-1"))}
    assert seen([], View(1, Filter()), library.index) == frozenset()
