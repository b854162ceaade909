"""The tables, as SQLAlchemy Core metadata; `migrations/` makes them and a test proves that both agree.

What a reader sees is versioned: a row is visible at generation g when `born <= g < died`. Column types are portable:
digests are 32 raw bytes, long names get an id that is a UUIDv5 of the name, so no long text is ever a key.
"""

from __future__ import annotations

from sqlalchemy import (
    BINARY,
    JSON,
    Column,
    DateTime,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

CORPUS = String(16)
DOCUMENT = String(512)
NCT_ID = String(32)
UUID = String(36)
CODE = String(64)  # a registry word (status, phase) or a hexadecimal sha256
DIGEST = LargeBinary(32).with_variant(BINARY(32), "mysql", "mariadb")
BYTES = LargeBinary(2**24 - 1)  # MySQL picks its smallest type that holds this length

generation = Table(
    "generation",
    metadata,
    Column("corpus", CORPUS, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("state", String(16), nullable=False),
    Column("cause", String(200), nullable=False),
    Column("runs", Integer, nullable=False),
    Column("created_at", DateTime, nullable=False),
    Column("activated_at", DateTime),
    Column("documents", Integer),
    Column("chunks", Integer),
    Column("model", String(200), nullable=False),
    Column("model_digest", CODE, nullable=False),
    Column("dimensions", Integer, nullable=False),
    Column("analyser_version", Integer, nullable=False),
    Column("chunker_version", Integer, nullable=False),
)

checkpoint = Table(
    "checkpoint",
    metadata,
    Column("corpus", CORPUS, primary_key=True),
    Column("generation", Integer, primary_key=True, autoincrement=False),
    Column("source", DOCUMENT, primary_key=True),
    Column("position", Text, nullable=False),
    Column("digest", CODE),
)

outbox = Table(
    "outbox",
    metadata,
    Column("corpus", CORPUS, primary_key=True),
    Column("generation", Integer, primary_key=True, autoincrement=False),
    Column("document", DOCUMENT, primary_key=True),
    Column("action", String(8), nullable=False),
)

study = Table(
    "study",
    metadata,
    Column("nct_id", NCT_ID, primary_key=True),
    Column("born", Integer, primary_key=True, autoincrement=False),
    Column("died", Integer, nullable=False),
    Column("digest", CODE, nullable=False),
    Column("eligibility_digest", CODE, nullable=False),
    Column("brief_title", Text),
    Column("official_title", Text),
    Column("acronym", Text),
    Column("status", CODE),
    Column("study_type", CODE),
    Column("phases", JSON, nullable=False),
    Column("sex", CODE),
    Column("min_age_days", Integer),
    Column("max_age_days", Integer),
    Column("last_update", String(10)),
    Column("raw", BYTES, nullable=False),
    Index(None, "born"),
    Index(None, "died"),
)


def _of_study() -> tuple[Column[str], Column[int], ForeignKeyConstraint]:
    """The columns that tie a row to one version of a study."""
    return (
        Column("nct_id", NCT_ID, primary_key=True),
        Column("born", Integer, primary_key=True, autoincrement=False),
        ForeignKeyConstraint(
            ["nct_id", "born"], ["study.nct_id", "study.born"], ondelete="CASCADE"
        ),
    )


condition = Table(
    "condition",
    metadata,
    Column("id", UUID, primary_key=True),
    Column("name", Text, nullable=False),
)

study_condition = Table(
    "study_condition",
    metadata,
    *_of_study(),
    Column("ordinal", Integer, primary_key=True, autoincrement=False),
    Column("condition_id", UUID, ForeignKey("condition.id"), nullable=False, index=True),
)

intervention = Table(
    "intervention",
    metadata,
    Column("id", UUID, primary_key=True),
    Column("type", CODE),
    Column("name", Text, nullable=False),
)

study_intervention = Table(
    "study_intervention",
    metadata,
    *_of_study(),
    Column("ordinal", Integer, primary_key=True, autoincrement=False),
    Column("intervention_id", UUID, ForeignKey("intervention.id"), nullable=False, index=True),
)

site = Table(
    "site",
    metadata,
    *_of_study(),
    Column("ordinal", Integer, primary_key=True, autoincrement=False),
    Column("facility", Text),
    Column("city", Text),
    Column("state", Text),
    Column("country", Text),
    Column("status", CODE),
    Column("latitude", Double),
    Column("longitude", Double),
)

study_alias = Table(
    "study_alias",
    metadata,
    *_of_study(),
    Column("alias", NCT_ID, primary_key=True, index=True),
)

facets = Table(
    "facets",
    metadata,
    Column("digest", DIGEST, primary_key=True),
    Column("body", JSON, nullable=False),
)

chunk = Table(
    "chunk",
    metadata,
    Column("id", UUID, primary_key=True),
    Column("corpus", CORPUS, nullable=False),
    Column("document", DOCUMENT, nullable=False),
    Column("kind", String(32), nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("part", SmallInteger, nullable=False),
    Column("field", CODE, nullable=False),
    Column("span_start", Integer, nullable=False),
    Column("span_end", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("embed_text", Text, nullable=False),
    Column("parents", JSON, nullable=False),
    Column("labels", JSON, nullable=False),
    Column("arms", JSON, nullable=False),
    Column("document_text", Text),
    Column("exact", JSON),
    # No foreign key: to remove one row of facets, checking it would scan all chunks.
    Column("facets_digest", DIGEST, nullable=False),
    Column("text_digest", DIGEST, nullable=False),
    Column("digest", DIGEST, nullable=False),
    Column("born", Integer, nullable=False),
    Column("died", Integer, nullable=False),
    Index(None, "corpus", "document"),
    Index(None, "corpus", "died", "born"),
)

embedding = Table(
    "embedding",
    metadata,
    Column("text_digest", DIGEST, primary_key=True),
    Column("model_digest", CODE, primary_key=True),
    Column("vector", LargeBinary(16_384), nullable=False),
)

registry_sync = Table(
    "registry_sync",
    metadata,
    Column("query", DOCUMENT, primary_key=True),
    Column("data_version", CODE, nullable=False),
)

registry_study = Table(
    "registry_study",
    metadata,
    Column("nct_id", NCT_ID, primary_key=True),
)
