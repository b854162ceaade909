"""What holds of the context of any passage of any study, in any generation."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from bench import Bench
from catalogues import new_catalogue
from expansion import is_proven, passages_of, words
from factories import point, study
from fakes import HashEmbedder
from indexes import MANIFEST
from proband.adapters.memory import MemoryIndex
from proband.catalogue.catalogue import Catalogue
from proband.model import DocumentHit, Passage, Scale, Scope, SearchResult
from proband.search.expand import Context, contexts, expand
from proband.search.recall import Reader
from proband.trials.documents import study_document
from proband.trials.sections import StudySections
from proband.trials.study import Study

PIECES = (
    "\n* ",
    "\n    * ",
    "\n        - ",
    "\n1. ",
    "\n\n",
    " ",
    "Inclusion Criteria:\n",
    "\nExclusion Criteria:\n",
    "\nEligibility:\n",
    "Cohort A:",
    "RENAL:",
    "Any of:",
    "Excluded who have:",
    "Age 18. ",
    "No asthma; ",
    "\\>= 5 g/dL. ",
    "Platelets &gt; 100 ",
    "**bold** ",
    "Consent was given. It was signed. ",
)
texts = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
budgets = st.sampled_from([0, 1, 3, 8, 20, 1000])


@st.composite
def studies(draw: st.DrawFn) -> Study:
    description = {"briefSummary": draw(texts), "detailedDescription": draw(texts)}
    return study(
        eligibilityModule={"eligibilityCriteria": draw(texts)}, descriptionModule=description
    )


@given(studies(), budgets, st.data())
def test_context_is_proven_within_its_budget_and_repeats_nothing(
    found: Study, budget: int, data: st.DataObject
) -> None:
    passages = passages_of(found, window=8)
    asked = data.draw(st.sampled_from(passages))
    others = data.draw(st.lists(st.sampled_from(passages), max_size=3))
    shown = [(one.field, one.span) for one in others]
    sections = study_document(found).sections
    context = expand(asked, sections, budget, HashEmbedder(), shown=shown)
    assert words(context.slices) == context.tokens <= budget
    assert all(is_proven(found, one) for one in context.slices)
    assert not overlaps(context, [*shown, (asked.field, asked.span)])
    assert [one.span.start for one in context.before if one.field == asked.field] <= [
        asked.span.start
    ] * len(context.before)
    assert context == expand(asked, sections, budget, HashEmbedder(), shown=shown)


def overlaps(context: Context, shown: list[tuple[str, object]]) -> bool:
    """Whether a slice meets the one before it in the document, or anything that was shown."""
    given_twice = any(
        one.field == next_one.field and next_one.span.start < one.span.end
        for one, next_one in pairwise(context.slices)
    )
    return given_twice or any(
        (one.field, one.span) == cited for one in context.slices for cited in shown
    )


@settings(max_examples=25, deadline=None)
@given(studies(), studies(), budgets)
def test_context_is_of_the_generation_that_was_searched(
    before: Study, after: Study, budget: int
) -> None:
    with TemporaryDirectory() as folder:
        catalogue = new_catalogue(Path(folder))
        bench = Bench(catalogue)
        bench.imported([before])
        bench.imported([after])
        shelf = StudySections(catalogue.raw_studies)
        for generation, found in enumerate((before, after)[: len(catalogue.readable("trials"))], 1):
            result = result_of(found, generation)
            with reading(found, catalogue) as reader:
                given_ = contexts(result, Scope.public(), budget, shelf, reader)
                hidden = contexts(result, Scope.nobody(), budget, shelf, reader)
            assert hidden == {}
            assert set(given_) == {one.chunk_id for one in result.hits[0].passages}
            for one in result.hits[0].passages:
                assert all(is_proven(found, shown) for shown in given_[one.chunk_id].slices)
        catalogue.close()


@contextmanager
def reading(found: Study, catalogue: Catalogue) -> Iterator[Reader]:
    """A reader whose index shows this study in every generation."""
    index = MemoryIndex(MANIFEST)
    index.write([point(1, document=str(found.key))])
    with ThreadPoolExecutor(1) as pool:
        yield Reader(index, HashEmbedder(), catalogue, pool)


def result_of(found: Study, generation: int) -> SearchResult:
    passages: tuple[Passage, ...] = tuple(passages_of(found, window=8))
    hit = DocumentHit(found.key, 1.0, Scale.RRF, passages[:3])
    return SearchResult(generation, (hit,))
