"""A float32 ONNX file of a BERT encoder, written from its published safetensors weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

from proband.adapters.graph import EncoderShape

Array = npt.NDArray[Any]
IDS, MASK, STATES, VECTORS = "input_ids", "attention_mask", "last_hidden_state", "vectors"
"""The usual names of inputs and output of such files; `vectors` is one of ours."""


class _Nodes:
    """Collects nodes and constants; every method returns the name of what it made."""

    def __init__(self, weights: dict[str, Array], shape: EncoderShape) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self._weights = weights
        self._shape = shape

    def constant(self, value: Array) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, kind: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        output = output or f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def linear(self, states: str, name: str) -> str:
        product = self.node("MatMul", states, self.constant(self._weights[name + ".weight"].T))
        return self.node("Add", product, self.constant(self._weights[name + ".bias"]))

    def normalised(self, states: str, name: str) -> str:
        scale, bias = (self.constant(self._weights[f"{name}.{end}"]) for end in ("weight", "bias"))
        return self.node(
            "LayerNormalization", states, scale, bias, axis=-1, epsilon=self._shape.epsilon
        )

    def heads(self, states: str, order: list[int]) -> str:
        width = self._weights["embeddings.LayerNorm.weight"].size // self._shape.heads
        split = self.constant(np.array([0, 0, self._shape.heads, width]))
        return self.node("Transpose", self.node("Reshape", states, split), perm=order)

    def embedded(self) -> str:
        part = "embeddings."
        words = self.node(
            "Gather", self.constant(self._weights[part + "word_embeddings.weight"]), IDS
        )
        length = self.node("Gather", self.node("Shape", IDS), self.constant(np.array([1])))
        zero = self.constant(np.array([0]))
        table = self.constant(self._weights[part + "position_embeddings.weight"])
        total = self.node("Add", words, self.node("Slice", table, zero, length, zero))
        segment = self.constant(self._weights[part + "token_type_embeddings.weight"][0])
        return self.normalised(self.node("Add", total, segment), part + "LayerNorm")

    def layer(self, states: str, part: str, bias: str) -> str:
        scaled = self.linear(states, part + "attention.self.query")
        query = self.heads(scaled, [0, 2, 1, 3])
        key = self.heads(self.linear(states, part + "attention.self.key"), [0, 2, 3, 1])
        value = self.heads(self.linear(states, part + "attention.self.value"), [0, 2, 1, 3])
        width = self._weights["embeddings.LayerNorm.weight"].size
        scale = self.constant(np.float32((width // self._shape.heads) ** -0.5))
        scores = self.node("Add", self.node("Mul", self.node("MatMul", query, key), scale), bias)
        mixed = self.node("MatMul", self.node("Softmax", scores, axis=-1), value)
        mixed = self.node("Transpose", mixed, perm=[0, 2, 1, 3])
        mixed = self.node("Reshape", mixed, self.constant(np.array([0, 0, width])))
        attended = self.linear(mixed, part + "attention.output.dense")
        states = self.normalised(
            self.node("Add", states, attended), part + "attention.output.LayerNorm"
        )
        inner = self.node("Gelu", self.linear(states, part + "intermediate.dense"))
        inner = self.linear(inner, part + "output.dense")
        return self.normalised(self.node("Add", states, inner), part + "output.LayerNorm")

    def pooled(self, states: str, mask: str) -> None:
        """The mean over the mask, with norm 1, as the output."""
        one = self.constant(np.array([1]))
        wide = self.node("Unsqueeze", mask, self.constant(np.array([2])))
        total = self.node("ReduceSum", self.node("Mul", states, wide), one, keepdims=0)
        mean = self.node("Div", total, self.node("ReduceSum", wide, one, keepdims=0))
        self.node("LpNormalization", mean, output=VECTORS, axis=1, p=2)


def write_bert(weights: Path, shape: EncoderShape, path: Path, *, pooled: bool = True) -> None:
    """Writes the encoder: ids and mask (texts, tokens) to unit vectors (texts, width) by mean pooling.

    Not `pooled`: to the states of all tokens (texts, tokens, width), as published files are made.
    """
    graph = _Nodes(load_file(weights), shape)
    mask = graph.node("Cast", MASK, to=TensorProto.FLOAT)
    around = graph.node("Unsqueeze", mask, graph.constant(np.array([1, 2])))
    hidden = graph.node("Sub", graph.constant(np.float32(1)), around)
    bias = graph.node("Mul", hidden, graph.constant(np.float32(-1e9)))
    states = graph.embedded()
    for layer in range(shape.layers):
        states = graph.layer(states, f"encoder.layer.{layer}.", bias)
    if pooled:
        graph.pooled(states, mask)
    else:
        graph.node("Identity", states, output=STATES)
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"])
        for name in (IDS, MASK)
    ]
    name, axes = (VECTORS, ["texts", None]) if pooled else (STATES, ["texts", "tokens", None])
    output = helper.make_tensor_value_info(name, TensorProto.FLOAT, axes)
    made = helper.make_graph(graph.nodes, "bert", inputs, [output], graph.constants)
    onnx.save(
        helper.make_model(made, opset_imports=[helper.make_opsetid("", 20)], ir_version=9), path
    )
