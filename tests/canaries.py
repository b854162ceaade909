"""An invented ward where every row holds a word that stands nowhere else, and twins that lack some of these words."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from factories import DIMENSIONS
from fakes import HashEmbedder
from indexes import MANIFEST, edge_index
from library import Library
from proband.adapters.memory import MemoryIndex
from proband.model import (
    AnyOf,
    AtLeast,
    AtMost,
    Corpus,
    DocumentKey,
    Facets,
    Field,
    Filter,
    NoneOf,
    Scope,
    Section,
    SectionKind,
)
from proband.records.scoping import permits
from proband.text.exact import own_terms
from proband.text.reading import plain

PATIENTS = 10
TABLES = ("visits", "labs", "drugs", "notes", "letters")
SYLLABLES = ("ba", "do", "fi", "ku", "le", "mo", "ne", "ru", "sa", "ti")


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the ward. `token` is its own word; rows that ended were seen in generation 1 alone."""

    patient: int
    table: str
    token: str
    text: str
    facets: Facets
    ended: bool = False

    @property
    def name(self) -> str:
        return f"{self.table}-{self.patient}{'-old' if self.ended else ''}"


def patient_name(number: int) -> str:
    """Keys of which some begin as others do: 1 and 10."""
    return f"ward/patients/{number}"


def token(patient: int, place: int) -> str:
    """A word of no language, all of one length, which its row answers to; every second one looks like an identifier."""
    end = "417" if patient % 2 else "quv"
    return f"x{SYLLABLES[patient - 1]}{SYLLABLES[place]}{end}"


def rows() -> Iterator[Row]:
    """Five rows of each patient, and one that ended before generation 2."""
    for patient, (place, table) in itertools.product(range(1, PATIENTS + 1), enumerate(TABLES)):
        yield _row(patient, place, table)
    for patient in range(1, PATIENTS + 1):
        yield _row(patient, len(TABLES), "notes", ended=True)


def _row(patient: int, place: int, table: str, *, ended: bool = False) -> Row:
    own = token(patient, place)
    day = 10_000 + 100 * place + patient
    facets = Facets(
        patient=patient_name(patient),
        table=f"ward/{table}",
        first_day=day,
        last_day=day,
        facility="North" if place % 2 else "South",
        sensitivity="psychiatry" if table == "notes" else "",
    )
    text = f"Diabetes E11.9 seen on the {table} sheet with {own} and fever, page {patient}"
    return Row(patient, table, own, text, facets, ended)


def without(text: str, tokens: Collection[str]) -> str:
    """The text with each of the words replaced by another one that stands nowhere either."""
    for own in tokens:
        text = text.replace(own, f"z{own[1:]}")
    return text


class Ward(Library):
    """The rows in an index, without `absent` words; and the sections that stand around a passage."""

    def fill(self, absent: Collection[str]) -> None:
        """Writes all rows as generation 2 sees them, and those that it no longer sees."""
        ended = []
        for row in rows():
            text = without(row.text, absent)
            named = own_terms([without(row.token, absent)])
            chunk_id = self.add(row.name, text, SectionKind.ROW, row.facets, named)
            ended += [chunk_id] if row.ended else []
        self.index.expire(ended, 2)
        self.index.flush()

    def erase(self, patient: int) -> None:
        """Removes a patient's rows for good."""
        gone = [i for i, c in self.chunks.items() if c.facets.patient == patient_name(patient)]
        self.index.remove(gone)
        for chunk_id in gone:
            del self.chunks[chunk_id]

    def sections(
        self, documents: Iterator[DocumentKey], generation: int
    ) -> dict[str, tuple[Section, ...]]:
        """Each chunk as the section that it is."""
        wanted = {str(key) for key in documents}
        return {
            str(chunk.document): (
                Section(chunk.kind, 1, chunk.field, plain(chunk.text), chunk.embed_text),
            )
            for chunk in self.chunks.values()
            if str(chunk.document) in wanted
        }


@contextmanager
def ward(adapter: str, absent: Collection[str] = ()) -> Iterator[Ward]:
    """The ward in an index of this adapter: `memory` or `edge`."""
    with ExitStack() as stack:
        index = (
            MemoryIndex(MANIFEST)
            if adapter == "memory"
            else stack.enter_context(edge_index(corpus=Corpus.RECORDS))
        )
        made = Ward(HashEmbedder(DIMENSIONS), index)
        made.fill(absent)
        yield made


def scopes_without(tokens: Collection[str]) -> dict[str, Scope]:
    """Every scope of the ward in which no row holds one of these words."""
    holders = [row for row in rows() if row.token in tokens]
    return {
        name: scope
        for name, scope in _scopes().items()
        if not any(permits(scope.filter, row.facets) for row in holders)
    }


def _scopes() -> dict[str, Scope]:
    alone = {f"patient {n}": Scope.patients([patient_name(n)]) for n in range(1, PATIENTS + 1)}
    everyone = Scope.patients(patient_name(n) for n in range(1, PATIENTS + 1))
    tables = {t: _where(everyone, AnyOf(Field.TABLE, (f"ward/{t}",))) for t in TABLES}
    days = {
        f"from place {n}": _where(everyone, AtLeast(Field.FIRST_DAY, 10_000 + 100 * n))
        for n in range(1, 5)
    }
    past = {
        f"before place {n}": _where(everyone, AtMost(Field.LAST_DAY, 9_999 + 100 * n))
        for n in range(1, 5)
    }
    others = {
        "nobody": Scope.nobody(),
        "North": _where(everyone, AnyOf(Field.FACILITY, ("North",))),
        "South": _where(everyone, AnyOf(Field.FACILITY, ("South",))),
        "not psychiatry": _where(everyone, NoneOf(Field.SENSITIVITY, ("psychiatry",))),
        "patients 2 to 9": Scope.patients(patient_name(n) for n in range(2, 10)),
    }
    return alone | tables | days | past | others


def _where(scope: Scope, condition: AnyOf | NoneOf | AtLeast | AtMost) -> Scope:
    return scope.narrowed(Filter((condition,)))
