"""Contenders whole: from the same studies to a hybrid search of them, kept on disk, opened by another process.

LlamaIndex with its defaults: sentences gathered into nodes, `SimpleVectorStore`, `BM25Retriever`, both fused by
reciprocal ranks; nodes as long as the model's window lets them be, since the default of 1,024 tokens would be cut
silently. It is given each study's text; proband reads the registry's records. It keeps no BM25 index by itself, so that
of its retriever is saved beside the store, as its documentation shows.
"""

from __future__ import annotations

import json
import shutil
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from peer_lexical import each
from peer_models import fastembed_model, threads

TOP = 10
RETRIEVED = 60
"""How many nodes each retriever gives to the fusion; proband's lanes give at least as many."""

WINDOW = 254
OVERLAP = 32


def disk_mb(folder: Path) -> float:
    """What the files take on disk."""
    files = (file for file in folder.rglob("*") if file.is_file() and not file.is_symlink())
    return sum(file.stat().st_blocks * 512 for file in files) / 1e6


def proband_indexing(task: Path) -> dict[str, Any]:
    """`proband init` and `proband trials import`."""
    from proband.ingest.progress import Silent
    from proband.wiring import create_home, open_engine, read_files

    home = task / "home"

    def index() -> dict[str, float]:
        create_home(Silent(), home)
        read = read_files([task / "studies.jsonl"])
        with open_engine("benchmark", home) as engine:
            done = engine.import_studies(read.name, read, Silent())
        return {"passages": done.indexed.new, "disk_mb": disk_mb(home)}

    return {"index": index}


def proband_search(task: Path) -> dict[str, Any]:
    """An engine for questions; the first one is answered before it is ready."""
    from proband.model import Question
    from proband.wiring import open_search

    stack = ExitStack()
    engine = stack.enter_context(open_search("benchmark", task / "home"))
    seen = engine.seen(None)
    asked = {"round": 0}

    def search(question: str) -> list[str]:
        salted = question + " ?" * asked["round"]  # new to the cache of embedded questions
        result = engine.search(Question(salted, top_k=TOP), seen)
        return [hit.document.parts[-1] for hit in result.hits]

    def all_questions() -> dict[str, Any]:
        found = each(task, search)
        asked["round"] += 1
        return found

    search("a first question")
    return {"search": all_questions, "close": stack.close}


def _embedding(task: Path) -> Any:
    """LlamaIndex's interface over fastembed."""
    from llama_index.core.embeddings import BaseEmbedding

    model = fastembed_model(task / "model", threads(task))

    class FastEmbed(BaseEmbedding):
        def _get_text_embedding(self, text: str) -> list[float]:
            return self._get_text_embeddings([text])[0]

        def _get_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_query_embedding(query)

        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return [vector.tolist() for vector in model.embed(texts)]

    return FastEmbed(model_name="all-minilm-l6-v2")


def llamaindex_indexing(task: Path) -> dict[str, Any]:
    """`VectorStoreIndex` and `BM25Retriever` from documents, persisted."""
    from llama_index.core import Document, VectorStoreIndex
    from llama_index.core.node_parser import SentenceSplitter
    from llama_index.retrievers.bm25 import BM25Retriever
    from tokenizers import Tokenizer

    embedding, store = _embedding(task), task / "llamaindex"
    tokenizer = Tokenizer.from_file(str(task / "model" / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    splitter = SentenceSplitter(
        chunk_size=WINDOW,
        chunk_overlap=OVERLAP,
        tokenizer=lambda text: tokenizer.encode(text, add_special_tokens=False).ids,
    )

    def index() -> dict[str, float]:
        shutil.rmtree(store, ignore_errors=True)
        given = json.loads((task / "documents.json").read_text(encoding="utf-8"))
        documents = [Document(text=one["text"], id_=one["id"]) for one in given]
        nodes = splitter.get_nodes_from_documents(documents)
        index = VectorStoreIndex(nodes, embed_model=embedding)
        index.storage_context.persist(str(store))
        retriever = BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=RETRIEVED)
        retriever.persist(str(store / "bm25"))
        return {"passages": len(nodes), "disk_mb": disk_mb(store)}

    return {"index": index}


def llamaindex_search(task: Path) -> dict[str, Any]:
    """The persisted store, loaded; the first question is answered before it is ready."""
    from llama_index.core import StorageContext, load_index_from_storage
    from llama_index.core.llms import MockLLM
    from llama_index.core.retrievers import QueryFusionRetriever
    from llama_index.retrievers.bm25 import BM25Retriever

    store = task / "llamaindex"
    context = StorageContext.from_defaults(persist_dir=str(store))
    index = load_index_from_storage(context, embed_model=_embedding(task))
    retriever = QueryFusionRetriever(
        [
            index.as_retriever(similarity_top_k=RETRIEVED),
            BM25Retriever.from_persist_dir(str(store / "bm25")),
        ],
        llm=MockLLM(),  # not asked: the question is not rephrased
        similarity_top_k=RETRIEVED,
        num_queries=1,
        mode="reciprocal_rerank",
        use_async=False,
    )

    def search(question: str) -> list[str]:
        found = retriever.retrieve(question)
        return list(dict.fromkeys(one.node.ref_doc_id for one in found))[:TOP]

    search("a first question")
    return {"search": lambda: each(task, search)}
