"""Encoder graphs in OpenVINO's own operations, built from published safetensors weights.

The arithmetic is BERT's (Devlin et al. 2019) and XLM-RoBERTa's (Conneau et al. 2020) for inference. A batch holds texts
of one length, so there is no padding and no attention mask: what stands beside a text cannot change its vector.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load_file

from proband.adapters.model_card import Architecture, ModelCard, ModelKind, Pooling
from proband.adapters.silent_openvino import op, ov
from proband.errors import ModelError

Weights = Mapping[str, npt.NDArray[Any]]
"""Tensors of a safetensors file by name."""

WORDS = "embeddings.word_embeddings.weight"
"""Ends the name of the word embeddings in every BERT-like file; what precedes it is the encoder's prefix."""


@dataclass(frozen=True, slots=True)
class EncoderShape:
    """What `config.json` says of an encoder and its tensors do not.

    Args:
        first_position: the position of a text's first token: 0 for BERT, padding id + 1 for XLM-RoBERTa.
    """

    layers: int
    heads: int
    epsilon: float
    first_position: int


def encoder(card: ModelCard, folder: Path, *, token_vectors: bool = False) -> ov.Model:
    """Token ids `(texts, tokens)` int32 to unit vectors `(texts, dimensions)`, or to logits for a reranker.

    With `token_vectors` a dense model has a second output, the vector of each token with norm 1:
    `(texts, tokens, dimensions)`. It costs 3% of the time.

    Raises:
        ModelError: the files are not of the architecture that the card names.
    """
    if card.architecture is Architecture.ONNX:
        return onnx_encoder(card, folder, token_vectors=token_vectors)
    try:
        shape = read_shape(folder / "config.json", card.architecture)
        graph = _Graph(load_file(folder / "model.safetensors"), shape)
        return graph.model(card, token_vectors=token_vectors)
    except (KeyError, ValueError, SafetensorError, RuntimeError) as error:
        raise ModelError(
            f"The files of {card.name} are no {card.architecture}: {error}."
        ) from error


def read_shape(config: Path, architecture: Architecture) -> EncoderShape:
    """The shape that `config.json` states. Raises ModelError for an activation other than the exact GELU."""
    stated = json.loads(config.read_text(encoding="utf-8"))
    if stated["hidden_act"] != "gelu":
        raise ModelError(f"{config} names the activation {stated['hidden_act']}, not gelu.")
    roberta = architecture is Architecture.XLM_ROBERTA
    return EncoderShape(
        layers=stated["num_hidden_layers"],
        heads=stated["num_attention_heads"],
        epsilon=stated["layer_norm_eps"],
        first_position=stated["pad_token_id"] + 1 if roberta else 0,
    )


def onnx_encoder(card: ModelCard, folder: Path, *, token_vectors: bool = False) -> ov.Model:
    """A published ONNX graph with token ids as its only input; pooled and normalised where it is not.

    Raises ModelError when token vectors are wanted and the graph gives but pooled ones.

    Inputs named `attention_mask` become ones and `token_type_ids` zeros, for a batch has no padding.
    """
    file = next(file.name for file in card.files if file.name.endswith(".onnx"))
    try:
        model = ov.Core().read_model(folder / file)
        output = model.output(card.output) if card.output else model.outputs[0]
    except (RuntimeError, StopIteration) as error:
        raise ModelError(f"{file} of {card.name} cannot be read as ONNX: {error}.") from error
    ids = op.parameter([-1, -1], np.int32, name="ids")
    for given in list(model.inputs):
        name, kind = given.any_name, given.element_type
        if name == "input_ids":
            value = op.convert(ids, kind)
        elif name in ("attention_mask", "token_type_ids"):
            one = op.constant(np.int32(name == "attention_mask"))
            value = op.convert(op.broadcast(one, op.shape_of(ids)), kind)
        else:
            raise ModelError(f"{file} of {card.name} has an input {name}, which is not known.")
        given.get_node().output(0).replace(value.output(0))
    states = output.get_node().input_value(0)
    vectors = states if len(states.partial_shape) == 2 else pooled(states, card.pooling)
    if card.kind is ModelKind.DENSE:
        vectors = unit(vectors)
    outputs = [op.convert(vectors, np.float32)]
    if token_vectors:
        if len(states.partial_shape) == 2:
            raise ModelError(f"{file} of {card.name} gives no vectors of tokens.")
        outputs.append(op.convert(unit(states), np.float32))
    return ov.Model(outputs, [ids], card.name)


def pooled(states: ov.Output, pooling: Pooling) -> ov.Node:
    """Token vectors `(texts, tokens, width)` to `(texts, width)`."""
    if pooling is Pooling.MEAN:
        return op.reduce_mean(states, op.constant(1))
    return op.gather(states, op.constant(np.int32(0)), op.constant(1))


def unit(vectors: ov.Output) -> ov.Node:
    """Norm 1 along the last axis."""
    return op.normalize_l2(vectors, op.constant(np.array([-1])), 1e-12, "max")


class _Graph:
    """Builds one encoder from its tensors."""

    def __init__(self, weights: Weights, shape: EncoderShape) -> None:
        self._weights = weights
        self._shape = shape
        words = next((name for name in weights if name.endswith(WORDS)), WORDS)
        self._prefix = words.removesuffix(WORDS)
        self._width = weights[words].shape[1]

    def model(self, card: ModelCard, *, token_vectors: bool) -> ov.Model:
        """The whole graph."""
        self._check_window(card)
        ids = op.parameter([-1, -1], np.int32, name="ids")
        states = self._embedded(ids)
        for layer in range(self._shape.layers):
            states = self._layer(states, f"{self._prefix}encoder.layer.{layer}.")
        if card.kind is ModelKind.RERANKER:
            outputs = [self._logits(pooled(states, Pooling.CLS))]
        else:
            outputs = [
                unit(pooled(states, card.pooling)),
                *([unit(states)] if token_vectors else []),
            ]
        return ov.Model(outputs, [ids], card.name)

    def _check_window(self, card: ModelCard) -> None:
        """OpenVINO would read zeros for a position that the table does not have."""
        rows = len(self._weights[self._prefix + "embeddings.position_embeddings.weight"])
        if card.window + self._shape.first_position > rows:
            raise ModelError(f"{card.name} has {rows} positions, too few for its window.")

    def _embedded(self, ids: ov.Node) -> ov.Node:
        """Word, position and segment embeddings of the tokens, normalised; all tokens are of segment 0."""
        part = self._prefix + "embeddings."
        zero = op.constant(np.int32(0))
        length = op.gather(op.shape_of(ids, "i32"), op.constant(np.int32(1)), zero)
        first = np.int32(self._shape.first_position)
        last = op.add(length, op.constant(first))
        places = op.range(op.constant(first), last, op.constant(np.int32(1)), "i32")
        words = op.gather(self._tensor(part + "word_embeddings.weight"), ids, zero)
        positions = op.gather(self._tensor(part + "position_embeddings.weight"), places, zero)
        segment = op.gather(self._tensor(part + "token_type_embeddings.weight"), zero, zero)
        return self._normalised(op.add(op.add(words, positions), segment), part + "LayerNorm")

    def _layer(self, states: ov.Node, part: str) -> ov.Node:
        attended = self._attended(states, part + "attention.self.")
        attended = self._linear(attended, part + "attention.output.dense")
        states = self._normalised(op.add(states, attended), part + "attention.output.LayerNorm")
        inner = op.gelu(self._linear(states, part + "intermediate.dense"), "erf")
        inner = self._linear(inner, part + "output.dense")
        return self._normalised(op.add(states, inner), part + "output.LayerNorm")

    def _attended(self, states: ov.Node, part: str) -> ov.Node:
        """Multi-head attention, spelt out: OpenVINO fuses it better than its own attention operation."""
        query, key, value = (
            self._heads(self._linear(states, part + name)) for name in ("query", "key", "value")
        )
        scale = np.float32((self._width // self._shape.heads) ** -0.5)
        scores = op.matmul(op.multiply(query, op.constant(scale)), key, False, True)
        mixed = _swapped(op.matmul(op.softmax(scores, -1), value, False, False))
        return op.reshape(mixed, op.constant(np.array([0, 0, self._width])), True)

    def _heads(self, states: ov.Node) -> ov.Node:
        """`(texts, tokens, width)` to `(texts, heads, tokens, width of a head)`."""
        split = np.array([0, 0, self._shape.heads, self._width // self._shape.heads])
        return _swapped(op.reshape(states, op.constant(split), True))

    def _logits(self, first: ov.Node) -> ov.Node:
        """The classification head over the first token's vector."""
        return self._linear(op.tanh(self._linear(first, "classifier.dense")), "classifier.out_proj")

    def _linear(self, states: ov.Node, name: str) -> ov.Node:
        product = op.matmul(states, self._tensor(name + ".weight"), False, True)
        return op.add(product, self._tensor(name + ".bias"))

    def _normalised(self, states: ov.Node, name: str) -> ov.Node:
        axis = op.constant(np.array([-1]))
        centred = op.mvn(states, axis, True, self._shape.epsilon, "inside_sqrt")
        scaled = op.multiply(centred, self._tensor(name + ".weight"))
        return op.add(scaled, self._tensor(name + ".bias"))

    def _tensor(self, name: str) -> ov.Node:
        """A published tensor as a constant; the bytes are shared, for copying them took 55 ms."""
        return op.constant(self._weights[name].astype(np.float32, copy=False), shared_memory=True)


def _swapped(states: ov.Node) -> ov.Node:
    """The two middle axes of four exchanged."""
    return op.transpose(states, op.constant(np.array([0, 2, 1, 3])))
