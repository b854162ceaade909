from __future__ import annotations

from bench import ANALYSIS
from fakes import HashEmbedder
from proband.adapters.memory import MemoryIndex
from proband.evaluation.collection import document
from proband.ingest.fixed import GENERATION, FixedTexts, fixed_chunks, fixed_vectors, write_fixed
from proband.ingest.progress import Silent
from proband.model import Filter, SectionKind, View
from proband.ports import Manifest

EMBEDDER = HashEmbedder()
MANIFEST = Manifest("hash", EMBEDDER.digest, EMBEDDER.dimensions, 1, 1)
DOCUMENTS = [
    document("made", "1", "Lens", "The lens of the eye"),
    document("made", "2", "", "Same words. The lens of the eye"),
]


def test_documents_are_searched_as_they_were_cut() -> None:
    chunks = fixed_chunks(DOCUMENTS, EMBEDDER, MANIFEST)
    index = MemoryIndex(MANIFEST)
    write_fixed(chunks, fixed_vectors(chunks, {}, EMBEDDER, Silent()), index, ANALYSIS)
    everything = View(GENERATION, Filter())
    assert index.count(everything) == 4
    hit = index.dense(EMBEDDER.embed_query("Lens"), everything, 1).hits[0]
    texts = FixedTexts({new.id: new.chunk for new in chunks})
    (shown,) = texts.chunk_texts([hit.chunk_id]).values()
    assert (hit.document, shown.text) == ("eval/made/1", "Lens")


def test_the_first_title_carries_the_whole_document() -> None:
    chunks = [new.chunk for new in fixed_chunks(DOCUMENTS, EMBEDDER, MANIFEST)]
    titles = [chunk.document_text for chunk in chunks if chunk.kind is SectionKind.TITLE]
    assert titles == ["Lens\nThe lens of the eye", "Same words.\nThe lens of the eye"]


def test_known_texts_are_not_embedded_again_and_equal_ones_once() -> None:
    embedder = HashEmbedder()
    chunks = fixed_chunks(DOCUMENTS, embedder, MANIFEST)
    vectors = fixed_vectors(chunks, {}, embedder, Silent())
    assert (embedder.embedded, len(vectors)) == (3, 3)
    again = fixed_vectors(chunks, vectors, embedder, Silent())
    assert embedder.embedded == 3
    assert again.keys() == vectors.keys()


def test_unknown_ids_have_no_text() -> None:
    assert FixedTexts({}).chunk_texts([fixed_chunks(DOCUMENTS, EMBEDDER, MANIFEST)[0].id]) == {}
