"""A word that only others' rows hold is answered, byte for byte, as one that stands nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace

import pytest

from canaries import PATIENTS, TABLES, Ward, patient_name, rows, scopes_without, ward
from proband.errors import CitationError
from proband.model import Field, Filter, Question, Scope
from proband.records.scoping import permits
from proband.search.cite import open_citation
from proband.search.exact import question_weights
from proband.search.expand import contexts
from proband.search.gate import Gate
from proband.search.pipeline import everything, search
from proband.search.recall import Reader
from proband.settings import SearchSettings

ADAPTERS = ("memory", "edge")
FORMS = ("{}", "who had fever with {} on the visits sheet", '"{}"', "{} E11.9")
EVERY = tuple(rows())
GATE = Gate(threshold=0.6)
GROUPS = {
    **{
        f"patient {n}": tuple(row.token for row in EVERY if row.patient == n)
        for n in range(1, PATIENTS + 1)
    },
    **{
        table: tuple(row.token for row in EVERY if row.table == table and not row.ended)
        for table in TABLES
    },
}
"""The words that one twin lacks: those of a patient, or those of a table."""


@contextmanager
def reading(library: Ward) -> Iterator[Reader]:
    """A reader with reranking and the gate's word signals."""
    with ThreadPoolExecutor(2) as pool:
        yield Reader(library.index, library.embedder, library, pool, library.embedder)


def told(library: Ward, text: str, scope: Scope, generation: int, reader: Reader) -> str:
    """All that a search says but for how long it took: hits, plan, decision, what is nearest, and contexts."""
    rules, question = SearchSettings(), Question(text)
    result = search(question, scope, generation, reader, rules, everything, GATE)
    around = contexts(result, scope, 200, library, reader)
    return repr((replace(result, timings_ms={}), around))


def lanes(library: Ward, word: str, scope: Scope) -> str:
    """What each lane and each count says of a word."""
    index, terms, view = library.index, question_weights(word), scope.view(2, Filter())
    fields = (Field.DOCUMENT, Field.PATIENT, Field.TABLE, Field.FACILITY, Field.SENSITIVITY)
    return repr(
        (
            index.dense(library.embedder.embed_query(word), view, 50),
            index.lexical(terms, view, 50),
            index.document(terms, view, 50),
            index.exact([f"own:{word}", f"id:{word.upper()}"], view, 50),
            index.held([f"own:{word}", f"id:{word.upper()}"], view),
            index.count(view),
            [index.facets(field, view, 100) for field in fields],
        )
    )


def secrets(scope: Scope, generation: int, asked: str) -> list[str]:
    """Words and names of rows that this asker may not see in this generation, but for the word that was asked."""
    hidden = [
        row
        for row in EVERY
        if not permits(scope.filter, row.facets) or (row.ended and generation > 1)
    ]
    return [row.token for row in hidden if row.token != asked] + [f"{r.name}'" for r in hidden]


@pytest.mark.parametrize("adapter", ADAPTERS)
@pytest.mark.parametrize("group", GROUPS)
def test_a_word_of_others_is_told_as_a_word_of_nobody(adapter: str, group: str) -> None:
    absent = GROUPS[group]
    whole = adapter == "memory" and group.startswith("patient")
    forms = FORMS if whole else FORMS[1:2] if adapter == "memory" else FORMS[:1]
    with (
        ward(adapter) as mine,
        ward(adapter, absent) as twin,
        reading(mine) as one,
        reading(twin) as other,
    ):
        for word in absent:
            for name, scope in scopes_without(absent).items():
                hidden = secrets(scope, 2, word)
                assert lanes(mine, word, scope) == lanes(twin, word, scope), (name, word)
                for asked in (form.format(word) for form in forms):
                    here = told(mine, asked, scope, 2, one)
                    assert here == told(twin, asked, scope, 2, other), (name, asked)
                    assert not [secret for secret in hidden if secret in here], (name, asked)


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_the_asker_whose_row_it_is_finds_it_first(adapter: str) -> None:
    with ward(adapter) as mine, reading(mine) as reader:
        for row in EVERY:
            scope = Scope.patients([row.facets.patient])
            result = search(Question(row.token), scope, 1, reader, SearchSettings())
            assert result.hits[0].document.parts == (row.name,)


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_word_of_an_ended_row_is_told_only_in_the_generations_that_had_it(adapter: str) -> None:
    ended = [row for row in EVERY if row.ended]
    with (
        ward(adapter) as mine,
        ward(adapter, [row.token for row in ended]) as twin,
        reading(mine) as one,
        reading(twin) as other,
    ):
        for row in ended:
            for generation in (0, 2, 3):
                scope = Scope.patients([row.facets.patient])
                for asked in (form.format(row.token) for form in FORMS):
                    here = told(mine, asked, scope, generation, one)
                    assert here == told(twin, asked, scope, generation, other)
            own = Scope.patients([row.facets.patient])
            assert row.name in told(mine, row.token, own, 1, one)


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_an_erased_word_is_told_as_a_word_of_nobody_in_every_scope(adapter: str) -> None:
    absent = GROUPS["patient 3"]
    everyone = Scope.patients(map(patient_name, range(1, PATIENTS + 1)))
    with (
        ward(adapter) as mine,
        ward(adapter, absent) as twin,
        reading(mine) as one,
        reading(twin) as other,
    ):
        for library in (mine, twin):
            library.erase(3)
        for generation in (1, 2):
            for scope in (Scope.public(), everyone, *scopes_without(absent).values()):
                for asked in (form.format(absent[0]) for form in FORMS):
                    here = told(mine, asked, scope, generation, one)
                    assert here == told(twin, asked, scope, generation, other)


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_citation_of_others_opens_for_nobody_else(adapter: str) -> None:
    with ward(adapter) as mine:
        refused = set()
        for chunk_id, chunk in mine.chunks.items():
            for name, scope in scopes_without([]).items():
                if permits(scope.filter, chunk.facets):
                    continue
                with pytest.raises(CitationError) as error:
                    open_citation(chunk.document, chunk_id, scope, 1, mine.index, mine)
                refused.add(str(error.value))
                assert name
        assert len(refused) == 1


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_contexts_of_anothers_result_are_left_out(adapter: str) -> None:
    with ward(adapter) as mine, reading(mine) as reader:
        theirs = Scope.patients([patient_name(1)])
        result = search(Question("fever"), theirs, 2, reader, SearchSettings())
        assert result.hits
        assert contexts(result, theirs, 200, mine, reader)
        assert contexts(result, Scope.patients([patient_name(10)]), 200, mine, reader) == {}
