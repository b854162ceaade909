from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from model_files import TinyModel, card_of, tiny_model, unit
from proband.adapters.graph import read_shape
from proband.adapters.model_card import Architecture, ModelCard, ModelKind, Pooling
from proband.adapters.openvino import Encoder, Precision, Runtime
from proband.errors import ModelError

EXACT = Runtime(threads=1, precision=Precision.F32)
TEXTS = ["age", "no prior therapy", "asthma or cancer of liver or kidney", "", "nonsense drug"]


def run(card: ModelCard, folder: Path, *texts: list[int]) -> np.ndarray:
    """The output rows of these token ids."""
    ids = [np.array(text, dtype=np.int32) for text in texts]
    return Encoder(card, folder, EXACT).many(ids)


@pytest.mark.parametrize("architecture", [Architecture.BERT, Architecture.XLM_ROBERTA])
@pytest.mark.parametrize("pooling", list(Pooling))
def test_graph_computes_what_the_papers_formulas_do(
    tmp_path: Path, architecture: Architecture, pooling: Pooling
) -> None:
    tiny = tiny_model(tmp_path, architecture)
    tiny = replace(tiny, card=replace(tiny.card, pooling=pooling))
    rows = run(tiny.card, tiny.folder, *(tiny.ids(text) for text in TEXTS))
    expected = np.stack([tiny.vector(text) for text in TEXTS])
    np.testing.assert_allclose(rows, expected, atol=2e-6)


def test_bfloat16_stays_close_to_the_formulas(tmp_path: Path) -> None:
    tiny = tiny_model(tmp_path)
    ids = [np.array(tiny.ids(text), dtype=np.int32) for text in TEXTS]
    rows = Encoder(tiny.card, tmp_path, Runtime(threads=1, precision=Precision.BF16)).many(ids)
    cosines = [row @ tiny.vector(text) for row, text in zip(rows, TEXTS, strict=True)]
    assert min(cosines) > 0.999


def test_positions_matter(tmp_path: Path) -> None:
    tiny = tiny_model(tmp_path)
    there, back = run(tiny.card, tmp_path, tiny.ids("drug with age"), tiny.ids("age with drug"))
    assert there @ back < 0.9999


def test_reranker_head_gives_the_logit_of_a_pair(tmp_path: Path) -> None:
    tiny = tiny_model(tmp_path, Architecture.XLM_ROBERTA, ModelKind.RERANKER)
    pairs = [("asthma", "drug of asthma"), ("heart", "no kidney"), ("age", "")]
    rows = run(tiny.card, tmp_path, *(tiny.ids(*pair) for pair in pairs))
    expected = [[tiny.logit(*pair)] for pair in pairs]
    np.testing.assert_allclose(rows, expected, atol=2e-6)


def test_encoder_prefix_of_the_tensors_names_does_not_matter(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    tiny = tiny_model(tmp_path)
    ids = tiny.ids("prior drug")
    plain = run(tiny.card, tmp_path, ids)
    save_file({f"bert.{n}": t for n, t in tiny.weights.items()}, tmp_path / "model.safetensors")
    np.testing.assert_array_equal(run(tiny.card, tmp_path, ids), plain)


def test_half_precision_weights_are_read(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    tiny = tiny_model(tmp_path)
    halves = {name: tensor.astype(np.float16) for name, tensor in tiny.weights.items()}
    save_file(halves, tmp_path / "model.safetensors")
    (row,) = run(tiny.card, tmp_path, tiny.ids("prior drug"))
    half = replace(tiny, weights={n: t.astype(np.float32) for n, t in halves.items()})
    np.testing.assert_allclose(row, half.vector("prior drug"), atol=2e-6)


def test_first_position_follows_the_padding_id_in_xlm_roberta(tmp_path: Path) -> None:
    tiny_model(tmp_path, Architecture.XLM_ROBERTA)
    shape = read_shape(tmp_path / "config.json", Architecture.XLM_ROBERTA)
    assert (shape.layers, shape.heads, shape.epsilon, shape.first_position) == (2, 2, 1e-5, 2)
    assert read_shape(tmp_path / "config.json", Architecture.BERT).first_position == 0


def test_another_activation_is_refused(tmp_path: Path) -> None:
    tiny = tiny_model(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | {"hidden_act": "gelu_new"}))
    with pytest.raises(ModelError, match="gelu_new"):
        Encoder(tiny.card, tmp_path, EXACT)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("model.safetensors", b"not safetensors"),
        ("config.json", b"{}"),
        ("config.json", b"not JSON"),
    ],
)
def test_files_of_another_kind_are_one_clear_error(
    tmp_path: Path, name: str, content: bytes
) -> None:
    tiny = tiny_model(tmp_path)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ModelError, match="files of tiny are no bert"):
        Encoder(tiny.card, tmp_path, EXACT)


def test_window_beyond_the_position_table_is_refused(tmp_path: Path) -> None:
    tiny = tiny_model(tmp_path, Architecture.XLM_ROBERTA)
    Encoder(replace(tiny.card, window=22), tmp_path, EXACT)
    with pytest.raises(ModelError, match="24 positions"):
        Encoder(replace(tiny.card, window=23), tmp_path, EXACT)


def test_missing_tensor_is_named(tmp_path: Path) -> None:
    tiny = tiny_model(tmp_path)
    with pytest.raises(ModelError, match=r"classifier\.dense\.weight"):
        Encoder(replace(tiny.card, kind=ModelKind.RERANKER), _headless(tiny), EXACT)


def _headless(tiny: TinyModel) -> Path:
    from safetensors.numpy import save_file

    body = {n: t for n, t in tiny.weights.items() if not n.startswith("classifier")}
    save_file(body, tiny.folder / "model.safetensors")
    return tiny.folder


# --- published ONNX files --------------------------------------------------------------------------------------------

TABLE = np.random.default_rng(3).normal(size=(8, 4)).astype(np.float32)


def write_onnx(
    folder: Path, *, pooled: bool, inputs: tuple[str, ...] = ("input_ids", "attention_mask")
) -> ModelCard:
    """A graph that looks tokens up in TABLE, masks them, and sums them when `pooled`."""
    given = [helper.make_tensor_value_info(n, TensorProto.INT64, ["b", "s"]) for n in inputs]
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["rows"]),
        helper.make_node("Cast", [inputs[-1]], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "last"], ["wide"]),
        helper.make_node("Mul", ["rows", "wide"], ["states"]),
        helper.make_node("ReduceSum", ["states", "tokens"], ["summed"], keepdims=0),
    ]
    shapes = {"states": ["b", "s", 4], "summed": ["b", 4]}
    order = ("summed", "states") if pooled else ("states", "summed")
    graph = helper.make_graph(
        nodes,
        "tiny",
        given,
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, shapes[n]) for n in order],
        [
            numpy_helper.from_array(TABLE, "table"),
            numpy_helper.from_array(np.array([2]), "last"),
            numpy_helper.from_array(np.array([1]), "tokens"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    (folder / "onnx").mkdir()
    onnx.save(model, folder / "onnx" / "model.onnx")
    card = card_of(folder, "onnx/model.onnx")
    return replace(card, architecture=Architecture.ONNX, dimensions=4)


@pytest.mark.parametrize(
    ("pooling", "expected"),
    [(Pooling.MEAN, TABLE[[1, 5, 2]].mean(axis=0)), (Pooling.CLS, TABLE[1])],
)
def test_token_vectors_of_an_onnx_file_are_pooled_and_normalised(
    tmp_path: Path, pooling: Pooling, expected: np.ndarray
) -> None:
    card = replace(write_onnx(tmp_path, pooled=False), pooling=pooling)
    np.testing.assert_allclose(run(card, tmp_path, [1, 5, 2])[0], unit(expected), atol=1e-6)


def test_text_vectors_of_an_onnx_file_are_only_normalised(tmp_path: Path) -> None:
    card = write_onnx(tmp_path, pooled=True)
    expected = unit(TABLE[[1, 5]].sum(axis=0))
    np.testing.assert_allclose(run(card, tmp_path, [1, 5])[0], expected, atol=1e-6)


def test_the_named_output_of_an_onnx_file_is_used(tmp_path: Path) -> None:
    card = replace(write_onnx(tmp_path, pooled=False), output="summed")
    expected = unit(TABLE[[1, 5]].sum(axis=0))
    np.testing.assert_allclose(run(card, tmp_path, [1, 5])[0], expected, atol=1e-6)


def test_output_that_an_onnx_file_lacks_is_one_clear_error(tmp_path: Path) -> None:
    card = replace(write_onnx(tmp_path, pooled=True), output="elsewhere")
    with pytest.raises(ModelError, match=r"onnx/model\.onnx of tiny"):
        Encoder(card, tmp_path, EXACT)


def test_segments_of_an_onnx_file_are_zero(tmp_path: Path) -> None:
    card = write_onnx(tmp_path, pooled=False, inputs=("input_ids", "token_type_ids"))
    encoder = Encoder(replace(card, kind=ModelKind.RERANKER), tmp_path, EXACT)
    np.testing.assert_array_equal(encoder.one(np.array([1, 5], dtype=np.int32)), np.zeros(4))


def test_unknown_input_of_an_onnx_file_is_named(tmp_path: Path) -> None:
    card = write_onnx(tmp_path, pooled=False, inputs=("input_ids", "images"))
    with pytest.raises(ModelError, match="images"):
        Encoder(card, tmp_path, EXACT)


def test_tensors_beside_an_onnx_file_are_read(tmp_path: Path) -> None:
    card = write_onnx(tmp_path, pooled=True)
    path = tmp_path / "onnx" / "model.onnx"
    onnx.save(
        onnx.load(path),
        path,
        save_as_external_data=True,
        location="model.onnx_data",
        size_threshold=0,
    )
    assert TABLE.tobytes() in (tmp_path / "onnx" / "model.onnx_data").read_bytes()
    expected = unit(TABLE[[1, 5]].sum(axis=0))
    np.testing.assert_allclose(run(card, tmp_path, [1, 5])[0], expected, atol=1e-6)


def test_bytes_that_are_no_onnx_are_one_clear_error(tmp_path: Path) -> None:
    card = write_onnx(tmp_path, pooled=False)
    (tmp_path / "onnx" / "model.onnx").write_bytes(b"nothing")
    with pytest.raises(ModelError, match="cannot be read as ONNX"):
        Encoder(card, tmp_path, EXACT)
