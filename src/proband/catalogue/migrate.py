"""Bringing the tables to the version that this code knows."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from proband.catalogue.database import WRITES, place
from proband.errors import CatalogueError

SCHEMA = "0004"
"""The newest revision in `migrations/versions`; a test compares. Known here so that opening needs no Alembic."""

MIGRATIONS = Path(__file__).parent / "migrations"


def upgrade(engine: Engine) -> None:
    """Makes or upgrades all tables, in one transaction where the database can; current ones are not touched.

    Raises CatalogueError when a newer proband made them.
    """
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.execution_options(**WRITES).begin() as connection:
        _refuse_newer(revision(connection), place(engine.url))
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def revision(connection: Connection) -> str | None:
    """The revision of the tables; None when there are none of ours."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def check(connection: Connection) -> None:
    """Raises CatalogueError, naming the command to run, unless the tables are exactly of `SCHEMA`."""
    found = revision(connection)
    where = place(connection.engine.url)
    if found is None:
        raise CatalogueError(f"There is no catalogue at {where}; run `proband init`.")
    _refuse_newer(found, where)
    if found < SCHEMA:
        raise CatalogueError(
            f"The catalogue at {where} has schema {found}, this proband needs {SCHEMA}; "
            "run `proband init` to upgrade it."
        )


def _refuse_newer(found: str | None, where: str) -> None:
    if found and found > SCHEMA:
        raise CatalogueError(
            f"The catalogue at {where} has schema {found}, this proband knows {SCHEMA}; "
            "install the proband that made it, or a newer one."
        )
