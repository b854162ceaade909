"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

DIGEST = sa.LargeBinary(length=32).with_variant(sa.BINARY(length=32), "mysql", "mariadb")


def upgrade() -> None:
    """Makes every table."""
    _runs()
    _studies()
    _names()
    _links()
    _sites()
    _chunks()
    _vectors()


def _runs() -> None:
    op.create_table(
        "generation",
        sa.Column("corpus", sa.String(length=16), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("cause", sa.String(length=200), nullable=False),
        sa.Column("runs", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("activated_at", sa.DateTime(), nullable=True),
        sa.Column("documents", sa.Integer(), nullable=True),
        sa.Column("chunks", sa.Integer(), nullable=True),
        sa.Column("model", sa.String(length=200), nullable=False),
        sa.Column("model_digest", sa.String(length=64), nullable=False),
        sa.Column("dimensions", sa.Integer(), nullable=False),
        sa.Column("analyser_version", sa.Integer(), nullable=False),
        sa.Column("chunker_version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("corpus", "number", name="pk_generation"),
    )
    op.create_table(
        "checkpoint",
        sa.Column("corpus", sa.String(length=16), nullable=False),
        sa.Column("generation", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("source", sa.String(length=512), nullable=False),
        sa.Column("position", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=True),
        sa.PrimaryKeyConstraint("corpus", "generation", "source", name="pk_checkpoint"),
    )
    op.create_table(
        "outbox",
        sa.Column("corpus", sa.String(length=16), nullable=False),
        sa.Column("generation", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("document", sa.String(length=512), nullable=False),
        sa.Column("action", sa.String(length=8), nullable=False),
        sa.PrimaryKeyConstraint("corpus", "generation", "document", name="pk_outbox"),
    )


def _studies() -> None:
    op.create_table(
        "study",
        sa.Column("nct_id", sa.String(length=32), nullable=False),
        sa.Column("born", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("died", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("eligibility_digest", sa.String(length=64), nullable=False),
        sa.Column("brief_title", sa.Text(), nullable=True),
        sa.Column("official_title", sa.Text(), nullable=True),
        sa.Column("acronym", sa.Text(), nullable=True),
        sa.Column("status", sa.String(length=64), nullable=True),
        sa.Column("study_type", sa.String(length=64), nullable=True),
        sa.Column("phases", sa.JSON(), nullable=False),
        sa.Column("sex", sa.String(length=64), nullable=True),
        sa.Column("min_age_days", sa.Integer(), nullable=True),
        sa.Column("max_age_days", sa.Integer(), nullable=True),
        sa.Column("last_update", sa.String(length=10), nullable=True),
        sa.Column("raw", sa.LargeBinary(length=16777215), nullable=False),
        sa.PrimaryKeyConstraint("nct_id", "born", name="pk_study"),
    )
    op.create_index("ix_study_born", "study", ["born"], unique=False)
    op.create_index("ix_study_died", "study", ["died"], unique=False)


def _names() -> None:
    op.create_table(
        "condition",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_condition"),
    )
    op.create_table(
        "intervention",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("type", sa.String(length=64), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_intervention"),
    )


def _links() -> None:
    op.create_table(
        "study_condition",
        sa.Column("nct_id", sa.String(length=32), nullable=False),
        sa.Column("born", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("ordinal", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("condition_id", sa.String(length=36), nullable=False),
        sa.ForeignKeyConstraint(
            ["condition_id"], ["condition.id"], name="fk_study_condition_condition_id"
        ),
        sa.ForeignKeyConstraint(
            ["nct_id", "born"],
            ["study.nct_id", "study.born"],
            name="fk_study_condition_nct_id_born",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("nct_id", "born", "ordinal", name="pk_study_condition"),
    )
    op.create_index(
        "ix_study_condition_condition_id", "study_condition", ["condition_id"], unique=False
    )
    op.create_table(
        "study_intervention",
        sa.Column("nct_id", sa.String(length=32), nullable=False),
        sa.Column("born", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("ordinal", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("intervention_id", sa.String(length=36), nullable=False),
        sa.ForeignKeyConstraint(
            ["intervention_id"], ["intervention.id"], name="fk_study_intervention_intervention_id"
        ),
        sa.ForeignKeyConstraint(
            ["nct_id", "born"],
            ["study.nct_id", "study.born"],
            name="fk_study_intervention_nct_id_born",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("nct_id", "born", "ordinal", name="pk_study_intervention"),
    )
    op.create_index(
        "ix_study_intervention_intervention_id",
        "study_intervention",
        ["intervention_id"],
        unique=False,
    )
    op.create_table(
        "study_alias",
        sa.Column("nct_id", sa.String(length=32), nullable=False),
        sa.Column("born", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("alias", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(
            ["nct_id", "born"],
            ["study.nct_id", "study.born"],
            name="fk_study_alias_nct_id_born",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("nct_id", "born", "alias", name="pk_study_alias"),
    )
    op.create_index("ix_study_alias_alias", "study_alias", ["alias"], unique=False)


def _sites() -> None:
    op.create_table(
        "site",
        sa.Column("nct_id", sa.String(length=32), nullable=False),
        sa.Column("born", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("ordinal", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("facility", sa.Text(), nullable=True),
        sa.Column("city", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=True),
        sa.Column("country", sa.Text(), nullable=True),
        sa.Column("status", sa.String(length=64), nullable=True),
        sa.Column("latitude", sa.Double(), nullable=True),
        sa.Column("longitude", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(
            ["nct_id", "born"],
            ["study.nct_id", "study.born"],
            name="fk_site_nct_id_born",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("nct_id", "born", "ordinal", name="pk_site"),
    )


def _chunks() -> None:
    op.create_table(
        "chunk",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("corpus", sa.String(length=16), nullable=False),
        sa.Column("document", sa.String(length=512), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("part", sa.SmallInteger(), nullable=False),
        sa.Column("field", sa.String(length=64), nullable=False),
        sa.Column("span_start", sa.Integer(), nullable=False),
        sa.Column("span_end", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("embed_text", sa.Text(), nullable=False),
        sa.Column("parents", sa.JSON(), nullable=False),
        sa.Column("labels", sa.JSON(), nullable=False),
        sa.Column("arms", sa.JSON(), nullable=False),
        sa.Column("facets_digest", DIGEST, nullable=False),
        sa.Column("text_digest", DIGEST, nullable=False),
        sa.Column("digest", DIGEST, nullable=False),
        sa.Column("born", sa.Integer(), nullable=False),
        sa.Column("died", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_chunk"),
    )
    op.create_index("ix_chunk_corpus_died_born", "chunk", ["corpus", "died", "born"], unique=False)
    op.create_index("ix_chunk_corpus_document", "chunk", ["corpus", "document"], unique=False)


def _vectors() -> None:
    op.create_table(
        "facets",
        sa.Column("digest", DIGEST, nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_facets"),
    )
    op.create_table(
        "embedding",
        sa.Column("text_digest", DIGEST, nullable=False),
        sa.Column("model_digest", sa.String(length=64), nullable=False),
        sa.Column("vector", sa.LargeBinary(length=16384), nullable=False),
        sa.PrimaryKeyConstraint("text_digest", "model_digest", name="pk_embedding"),
    )
