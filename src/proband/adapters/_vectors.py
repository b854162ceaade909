"""Dense vectors at the door of an index."""

from __future__ import annotations

import numpy as np

from proband.errors import BadModelOutput
from proband.model import Float32Vector


def unit(vector: Float32Vector, dimensions: int) -> Float32Vector:
    """The vector with norm 1; a zero vector stays as it is.

    Raises BadModelOutput when it has another length or a number that is not finite: Qdrant would
    take the latter and never find the point again.
    """
    if vector.shape != (dimensions,) or not np.isfinite(vector).all():
        raise BadModelOutput(
            f"A vector of shape {vector.shape} with {np.isfinite(vector).sum()} finite numbers "
            f"does not fit an index of {dimensions} dimensions; check which model is set."
        )
    norm = float(np.linalg.norm(vector))
    return (vector / norm if norm else vector).astype(np.float32)
