"""Vectors by the digest of their text, so that no text is embedded twice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from sqlalchemy import Connection, insert, select

from proband.catalogue.database import in_lists
from proband.catalogue.schema import embedding
from proband.model import Float32Vector


def rounded(vector: Float32Vector) -> Float32Vector:
    """The vector as it reads after it was stored: float16 numbers in float32.

    Points carry this one, so that a vector is the same whether it was just computed or is reused. The rounding moves
    the cosine of two vectors by less than 2e-4.
    """
    return vector.astype(np.float16).astype(np.float32)


def known(
    connection: Connection, digests: Iterable[bytes], model_digest: str
) -> dict[bytes, Float32Vector]:
    """The stored vectors of these texts by this model; unknown texts are absent."""
    found: dict[bytes, Float32Vector] = {}
    for some in in_lists(digests):
        rows = connection.execute(
            select(embedding.c.text_digest, embedding.c.vector)
            .where(embedding.c.model_digest == model_digest)
            .where(embedding.c.text_digest.in_(some))
        )
        found |= {row.text_digest: _unpacked(row.vector) for row in rows}
    return found


def keep(connection: Connection, vectors: Mapping[bytes, Float32Vector], model_digest: str) -> None:
    """Stores vectors of texts that are not known yet."""
    if vectors:
        connection.execute(
            insert(embedding),
            [
                {"text_digest": digest, "model_digest": model_digest, "vector": _packed(vector)}
                for digest, vector in vectors.items()
            ],
        )


def _packed(vector: Float32Vector) -> bytes:
    return vector.astype("<f2").tobytes()


def _unpacked(body: bytes) -> Float32Vector:
    return np.frombuffer(body, dtype="<f2").astype(np.float32)
