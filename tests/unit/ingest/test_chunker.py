from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories import document, section
from fakes import HashEmbedder
from proband.errors import TextTooLong
from proband.ingest.chunker import SPECIAL_TOKENS, cut, ranges
from proband.model import Chunk, Section, SectionKind
from proband.text.reading import plain


def cut_one(found: Section, window_tokens: int = 12, overlap_tokens: int = 2) -> tuple[Chunk, ...]:
    embedder = HashEmbedder(window_tokens=window_tokens + SPECIAL_TOKENS)
    (chunks,) = cut([document("NCT99000001", found)], embedder, overlap_tokens)
    return chunks


def words(count: int) -> str:
    return " ".join(f"word{number}" for number in range(count))


def test_section_that_fits_is_one_chunk_as_it_is() -> None:
    found = replace(
        section("Age 18 or older", ordinal=3, prefix="Adults: "),
        parents=("Adults",),
        labels=("General",),
        arms=("Arm A",),
    )
    (chunk,) = cut_one(found)
    assert (chunk.ordinal, chunk.part, chunk.text) == (3, 0, "Age 18 or older")
    assert chunk.embed_text == "Adults: Age 18 or older"
    assert (chunk.parents, chunk.labels, chunk.arms) == (("Adults",), ("General",), ("Arm A",))
    assert (chunk.span.start, chunk.span.end) == (0, 15)


def test_section_of_exactly_the_window_is_not_cut() -> None:
    assert [chunk.text for chunk in cut_one(section(words(12)))] == [words(12)]
    assert len(cut_one(section(words(13)))) == 2


def test_section_without_text_has_no_chunk() -> None:
    assert cut_one(section("")) == ()


def test_chunks_of_several_documents_stay_with_their_documents() -> None:
    first = document("NCT99000001", section(words(20)), section(words(3), ordinal=2))
    empty = document("NCT99000002", section(""))
    last = document("NCT99000003", section("Last"))
    cuts = cut([first, empty, last], HashEmbedder(window_tokens=14), 2)
    places = [[(c.document.parts[0], c.ordinal, c.part) for c in chunks] for chunks in cuts]
    assert places == [
        [("NCT99000001", 1, 0), ("NCT99000001", 1, 1), ("NCT99000001", 2, 0)],
        [],
        [("NCT99000003", 1, 0)],
    ]


def test_long_section_is_cut_where_a_sentence_begins() -> None:
    text = "one two three four five six. Seven eight nine. ten eleven twelve thirteen"
    assert [chunk.text for chunk in cut_one(section(text), window_tokens=9, overlap_tokens=0)] == [
        "one two three four five six. Seven eight nine.",
        "ten eleven twelve thirteen",
    ]


def test_sentence_is_repeated_when_it_fits_the_overlap() -> None:
    text = "one two three four five six seven. Eight nine. ten eleven twelve thirteen fourteen"
    assert [chunk.text for chunk in cut_one(section(text), window_tokens=9, overlap_tokens=2)] == [
        "one two three four five six seven. Eight nine.",
        "Eight nine. ten eleven twelve thirteen fourteen",
    ]


def test_parts_without_sentences_share_the_overlap() -> None:
    parts = [chunk.text.split() for chunk in cut_one(section(words(25)), overlap_tokens=3)]
    assert [part[-3:] for part in parts[:-1]] == [part[:3] for part in parts[1:]]


def test_each_part_keeps_the_prefix_and_fits_the_window_with_it() -> None:
    chunks = cut_one(section(words(30), prefix="Within 4 weeks: "))
    assert len(chunks) > 1
    for chunk in chunks:
        assert chunk.embed_text == "Within 4 weeks: " + chunk.text
        assert len(chunk.embed_text.split()) <= 12
        assert "weeks" not in chunk.text


def test_prefix_longer_than_half_the_window_keeps_its_end() -> None:
    prefix = " ".join(f"p{number}" for number in range(20)) + ": "
    chunks = cut_one(section(words(10), prefix=prefix), overlap_tokens=0)
    assert {chunk.embed_text.removesuffix(chunk.text) for chunk in chunks} == {
        "p14 p15 p16 p17 p18 p19: "
    }
    assert " ".join(chunk.text for chunk in chunks) == words(10)


def test_embed_text_that_does_not_end_with_the_text_is_replaced_by_the_parts() -> None:
    odd = replace(section(words(15)), embed_text=words(15) + " - see above")
    assert all(chunk.embed_text == chunk.text for chunk in cut_one(odd))


def test_span_of_a_part_leads_to_its_place_in_the_published_text() -> None:
    published = "  * " + "\n    ".join(f"word{number}" for number in range(30))
    reading = plain(published, 4)
    chunks = cut_one(Section(SectionKind.OUTCOME, 1, "text", reading, reading.text))
    for chunk in chunks:
        assert " ".join(chunk.span.of(published).split()) == chunk.text


class HalfWords(HashEmbedder):
    """A tokenizer that gives a text's first word twice as many tokens: cutting makes more of them."""

    def token_spans(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        return [[*[(0, 1)] * 3, *spans] if spans else [] for spans in super().token_spans(texts)]


def test_part_that_a_cut_made_too_long_is_cut_again() -> None:
    embedder = HalfWords(window_tokens=14)
    (chunks,) = cut([document("NCT99000001", section(words(60)))], embedder, 2)
    texts = [chunk.embed_text for chunk in chunks]
    assert max(len(spans) for spans in embedder.token_spans(texts)) <= 12
    assert {word for text in texts for word in text.split()} == set(words(60).split())


class NeverFits(HashEmbedder):
    """A tokenizer that makes twenty tokens of every text."""

    def token_spans(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        return [[(0, 1)] * 20 for _ in texts]


def test_text_that_cannot_be_brought_into_the_window_is_an_error_without_its_text() -> None:
    with pytest.raises(TextTooLong) as caught:
        cut([document("NCT99000001", section("é secret " * 20))], NeverFits(window_tokens=14), 2)
    assert "Section 1 of kind INCLUSION_CRITERION cannot be cut" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_short_text_that_decomposes_to_many_characters_is_counted_not_guessed() -> None:
    (chunk,) = cut_one(section("\ufdfa " * 6), window_tokens=13)
    assert chunk.text == ("\ufdfa " * 6).strip()
    assert len(cut_one(section("\ufdfa " * 14), window_tokens=13)) == 2


TEXTS = st.text(alphabet="ab é.;\u3000漢", max_size=200)


@given(TEXTS, st.integers(3, 20), st.integers(0, 8), TEXTS)
def test_parts_cover_the_text_in_order_and_fit(
    published: str, window: int, overlap: int, prefix: str
) -> None:
    found = replace(section(published), embed_text=prefix + plain(published).text)
    chunks = cut_one(found, window, overlap)
    covered = {place for chunk in chunks for place in range(chunk.span.start, chunk.span.end)}
    assert all(place in covered for place, char in enumerate(published) if not char.isspace())
    assert [chunk.part for chunk in chunks] == list(range(len(chunks)))
    assert all(first.span.start < last.span.start for first, last in pairwise(chunks))
    for chunk in chunks:
        assert plain(published, chunk.span.start, chunk.span.end).text == chunk.text
        assert len(chunk.embed_text.split()) <= window


@given(st.integers(0, 300), st.integers(1, 40), st.integers(0, 50))
def test_ranges_hold_at_most_their_room_and_end_at_the_end(
    count: int, room: int, overlap: int
) -> None:
    text = words(count)
    tokens = HashEmbedder().token_spans([text])[0]
    found = list(ranges(text, tokens, room, overlap))
    assert found[0][0] == 0
    assert found[-1][1] == len(text)
    for start, end in found:
        assert len(text[start:end].split()) <= room
    for (start, end), (after, _) in pairwise(found):
        assert start < after <= end


def test_the_first_title_carries_the_text_of_the_document_without_exclusions() -> None:
    found = document(
        "NCT99000001",
        section("Asthma in adults", SectionKind.TITLE),
        section("A trial of asthma", SectionKind.TITLE, ordinal=2),
        section("Wheezing", prefix="All of: "),
        section("Smokers", SectionKind.EXCLUSION_CRITERION),
    )
    (chunks,) = cut([found], HashEmbedder(), 2)
    assert [chunk.document_text for chunk in chunks] == [
        "Asthma in adults\nA trial of asthma\nAll of: Wheezing",
        "",
        "",
        "",
    ]
    assert chunks[0].embed_text == "Asthma in adults"


def test_a_document_without_title_has_no_chunk_that_stands_for_it() -> None:
    (chunk,) = cut_one(section("Wheezing"))
    assert chunk.document_text == ""


def test_a_chunk_holds_the_exact_terms_of_its_document_and_its_section() -> None:
    drug = replace(section("Imaginol", SectionKind.INTERVENTION), exact=("drug:imaginol",))
    found = replace(document("NCT99000001", drug, section("Wheezing")), exact=("=nct99000001",))
    (chunks,) = cut([found], HashEmbedder(), 2)
    assert [chunk.exact for chunk in chunks] == [
        ("=nct99000001", "drug:imaginol"),
        ("=nct99000001",),
    ]


def test_the_first_title_holds_the_exact_terms_of_all_sections() -> None:
    title = section("Asthma", SectionKind.TITLE)
    drugs = [
        replace(section("Drug", SectionKind.INTERVENTION, ordinal=n), exact=(f"drug:{n}",))
        for n in (1, 2)
    ]
    (chunks,) = cut([document("NCT99000001", title, *drugs)], HashEmbedder(), 2)
    assert chunks[0].exact == ("drug:1", "drug:2")
