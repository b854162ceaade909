"""The exact terms of a chunk's document and section, beside its text."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the column; it is filled when a new version of the sections makes the chunks anew."""
    op.add_column("chunk", sa.Column("exact", sa.JSON()))
