"""What was fetched from the registry, and when."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds both tables."""
    op.create_table(
        "registry_sync",
        sa.Column("query", sa.String(length=512), nullable=False),
        sa.Column("data_version", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("query", name="pk_registry_sync"),
    )
    op.create_table(
        "registry_study",
        sa.Column("nct_id", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("nct_id", name="pk_registry_study"),
    )
