"""The text of the whole document, beside the chunk that stands for it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the column; it is filled when a new version of the chunker makes the chunks anew."""
    op.add_column("chunk", sa.Column("document_text", sa.Text()))
