"""Models for tests: tiny random ones with their outputs in plain numpy, and the default one where it can be had."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from proband.adapters.model_card import (
    Architecture,
    ModelCard,
    ModelFile,
    ModelKind,
    Pooling,
    load_cards,
)
from proband.adapters.model_hub import Hub
from proband.adapters.model_pull import ModelPuller
from proband.adapters.model_store import ModelStore
from proband.errors import ProbandError

Numbers = npt.NDArray[np.float64]

CACHE = Path("~/.cache/proband-test/models")
WORDS = "age asthma cancer drug heart kidney liver no of or prior therapy trial with years"
VOCABULARY = tuple(WORDS.split())
SPECIAL = {
    Architecture.BERT: ("[PAD]", "[CLS]", "[SEP]", "[UNK]"),
    Architecture.XLM_ROBERTA: ("<s>", "<pad>", "</s>", "<unk>"),
}
WIDTH, HEADS, LAYERS, INNER, EPSILON = 16, 2, 2, 32, 1e-5


@dataclass(frozen=True)
class TinyModel:
    """A random model on disk, and the tensors it was written from."""

    card: ModelCard
    folder: Path
    weights: Mapping[str, npt.NDArray[np.float32]]

    def ids(self, *texts: str) -> list[int]:
        """The token ids of a text, or of a pair, by hand."""
        begin, end = self._marks
        words = [[self._id(word) for word in text.lower().split()] for text in texts]
        joined = [begin, *words[0], end]
        return [*joined, end, *words[1], end] if len(words) > 1 else joined

    @property
    def _marks(self) -> tuple[int, int]:
        roberta = self.card.architecture is Architecture.XLM_ROBERTA
        return (0, 2) if roberta else (1, 2)

    def _id(self, word: str) -> int:
        return 4 + VOCABULARY.index(word) if word in VOCABULARY else 3

    def vector(self, text: str) -> Numbers:
        """The unit vector of a text."""
        states = self.states(self.ids(text))
        pooled = states.mean(axis=0) if self.card.pooling is Pooling.MEAN else states[0]
        return unit(pooled)

    def logit(self, query: str, passage: str) -> float:
        """The reranker's score of a pair."""
        first = self.states(self.ids(query, passage))[0]
        hidden = np.tanh(self._linear(first, "classifier.dense"))
        return float(self._linear(hidden, "classifier.out_proj")[0])

    def states(self, ids: Sequence[int]) -> Numbers:
        """The last layer's token vectors: the formulas of the BERT paper, one after the other."""
        part = self._prefix + "embeddings."
        first = 2 if self.card.architecture is Architecture.XLM_ROBERTA else 0
        x = (
            self._tensor(part + "word_embeddings.weight")[list(ids)]
            + self._tensor(part + "position_embeddings.weight")[first : first + len(ids)]
            + self._tensor(part + "token_type_embeddings.weight")[0]
        )
        x = self._norm(x, part + "LayerNorm")
        for layer in range(LAYERS):
            part = f"{self._prefix}encoder.layer.{layer}."
            attended = self._linear(self._attend(x, part), part + "attention.output.dense")
            x = self._norm(x + attended, part + "attention.output.LayerNorm")
            inner = gelu(self._linear(x, part + "intermediate.dense"))
            x = self._norm(
                x + self._linear(inner, part + "output.dense"), part + "output.LayerNorm"
            )
        return x

    def _attend(self, x: Numbers, part: str) -> Numbers:
        mixed = []
        for head in range(HEADS):
            cut = slice(head * WIDTH // HEADS, (head + 1) * WIDTH // HEADS)
            query, key, value = (
                self._linear(x, f"{part}attention.self.{name}")[:, cut]
                for name in ("query", "key", "value")
            )
            scores = np.exp(query @ key.T / math.sqrt(WIDTH // HEADS))
            mixed.append(scores / scores.sum(axis=1, keepdims=True) @ value)
        return np.concatenate(mixed, axis=1)

    @property
    def _prefix(self) -> str:
        return "roberta." if self.card.kind is ModelKind.RERANKER else ""

    def _linear(self, x: Numbers, name: str) -> Numbers:
        moved: Numbers = x @ self._tensor(name + ".weight").T + self._tensor(name + ".bias")
        return moved

    def _norm(self, x: Numbers, name: str) -> Numbers:
        centred = x - x.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + EPSILON)
        normed: Numbers = scaled * self._tensor(name + ".weight") + self._tensor(name + ".bias")
        return normed

    def _tensor(self, name: str) -> Numbers:
        return self.weights[name].astype(np.float64)


def unit(vector: Numbers) -> Numbers:
    """The vector with norm 1."""
    scaled: Numbers = vector / np.linalg.norm(vector)
    return scaled


def gelu(x: Numbers) -> Numbers:
    """The exact GELU."""
    bent: Numbers = x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))
    return bent


def tiny_model(
    folder: Path,
    architecture: Architecture = Architecture.BERT,
    kind: ModelKind = ModelKind.DENSE,
    window: int = 12,
) -> TinyModel:
    """Writes a random model of two layers and 16 dimensions; BERT pools by mean, XLM-RoBERTa by its first token."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = _tensors(np.random.default_rng(7), "roberta." if kind is ModelKind.RERANKER else "")
    save_file(weights, folder / "model.safetensors")
    _write_tokenizer(folder / "tokenizer.json", architecture)
    roberta = architecture is Architecture.XLM_ROBERTA
    config = {
        "hidden_act": "gelu",
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "layer_norm_eps": EPSILON,
        "pad_token_id": 1 if roberta else 0,
    }
    (folder / "config.json").write_text(json.dumps(config))
    card = card_of(folder, "model.safetensors", "tokenizer.json", "config.json")
    card = replace(
        card,
        architecture=architecture,
        kind=kind,
        window=window,
        dimensions=1 if kind is ModelKind.RERANKER else WIDTH,
        pooling=Pooling.CLS if roberta else Pooling.MEAN,
    )
    return TinyModel(card, folder, weights)


def write_card(path: Path, card: ModelCard) -> None:
    """The entry of `models.toml` that gives this card."""
    lines = [f"[{card.name}]", f'kind = "{card.kind}"', f'architecture = "{card.architecture}"']
    lines += [f"dimensions = {card.dimensions}", f"window = {card.window}"]
    lines += [f'pooling = "{card.pooling}"', f'licence = "{card.licence}"']
    for file in card.files:
        lines += [f"[[{card.name}.files]]", f'name = "{file.name}"', f"size = {file.size}"]
        lines += [f'sha256 = "{file.sha256}"']
    path.write_text("\n".join(lines))


def card_of(folder: Path, *names: str, name: str = "tiny") -> ModelCard:
    """A card for files that lie in a folder."""
    return ModelCard(
        name=name,
        kind=ModelKind.DENSE,
        architecture=Architecture.BERT,
        dimensions=WIDTH,
        window=12,
        pooling=Pooling.MEAN,
        licence="none",
        files=tuple(published(name, (folder / name).read_bytes()) for name in names),
    )


def published(name: str, content: bytes) -> ModelFile:
    """The entry of a file with this content."""
    return ModelFile(name, len(content), hashlib.sha256(content).hexdigest())


def _tensors(random: np.random.Generator, prefix: str) -> dict[str, npt.NDArray[np.float32]]:
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (4 + len(VOCABULARY), WIDTH),
        "embeddings.position_embeddings.weight": (24, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
    }
    linear = {"classifier.dense": (WIDTH, WIDTH), "classifier.out_proj": (1, WIDTH)}
    norms = [f"{prefix}embeddings.LayerNorm"]
    for layer in range(LAYERS):
        part = f"{prefix}encoder.layer.{layer}."
        for name in ("self.query", "self.key", "self.value", "output.dense"):
            linear[f"{part}attention.{name}"] = (WIDTH, WIDTH)
        linear[part + "intermediate.dense"] = (INNER, WIDTH)
        linear[part + "output.dense"] = (WIDTH, INNER)
        norms += [part + "attention.output.LayerNorm", part + "output.LayerNorm"]
    shapes = {prefix + name: shape for name, shape in shapes.items()}
    for name, (rows, columns) in linear.items():
        shapes |= {f"{name}.weight": (rows, columns), f"{name}.bias": (rows,)}
    shapes |= {f"{name}.{end}": (WIDTH,) for name in norms for end in ("weight", "bias")}
    return {name: _random(random, name, shape) for name, shape in shapes.items()}


def _random(
    random: np.random.Generator, name: str, shape: tuple[int, ...]
) -> npt.NDArray[np.float32]:
    """Gains about 1 and small biases, so that texts stay apart."""
    centre = 1.0 if name.endswith("LayerNorm.weight") else 0.0
    spread = 0.1 if name.endswith("bias") else 0.5
    return random.normal(centre, spread, shape).astype(np.float32)


def _write_tokenizer(path: Path, architecture: Architecture) -> None:
    """White-space words in lower case. Declares truncation and padding, as published files do."""
    special = SPECIAL[architecture]
    roberta = architecture is Architecture.XLM_ROBERTA
    vocabulary = {token: number for number, token in enumerate((*special, *VOCABULARY))}
    tokenizer: Any = Tokenizer(models.WordLevel(vocabulary, unk_token=special[3]))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    begin, end = (special[0], special[2]) if roberta else (special[1], special[2])
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A {end}",
        pair=f"{begin} $A {end} {end} $B {end}",
        special_tokens=[(begin, vocabulary[begin]), (end, vocabulary[end])],
    )
    tokenizer.add_special_tokens(list(special))
    tokenizer.enable_truncation(6)
    tokenizer.enable_padding(length=6)
    tokenizer.save(str(path))


@cache
def _default_model() -> tuple[ModelCard, Path] | ProbandError:
    folder = Path(os.environ.get("PROBAND_TEST_MODELS") or CACHE).expanduser()
    store = ModelStore(folder, load_cards(folder))
    card = store.card("all-minilm-l6-v2")
    try:
        ModelPuller(store, Hub("https://huggingface.co")).pull(card)
    except ProbandError as error:
        return error
    return card, store.path(card)


def default_model() -> tuple[ModelCard, Path]:
    """The default model, from PROBAND_TEST_MODELS or a cache folder, pulled when absent; else the test is skipped."""
    found = _default_model()
    if isinstance(found, ProbandError):
        pytest.skip(f"the default model cannot be had: {found}")
    return found
