from __future__ import annotations

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text

from catalogues import url_of
from proband.catalogue.catalogue import Catalogue
from proband.catalogue.database import open_engine
from proband.catalogue.migrate import MIGRATIONS, SCHEMA, revision, upgrade
from proband.catalogue.schema import metadata
from proband.errors import CatalogueError


def set_revision(url: str, number: str) -> None:
    engine = open_engine(url)
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE alembic_version SET version_num = '{number}'"))
    engine.dispose()


def test_migrations_from_empty_give_exactly_the_tables_of_the_schema(tmp_path: Path) -> None:
    engine = open_engine(url_of(tmp_path))
    upgrade(engine)
    with engine.connect() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), metadata)
    engine.dispose()
    assert differences == []


def test_known_schema_is_the_newest_migration() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    assert ScriptDirectory.from_config(config).get_heads() == [SCHEMA]


def test_migrations_form_one_line_without_branches() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    revisions = list(ScriptDirectory.from_config(config).walk_revisions())
    assert [found.down_revision for found in revisions] == [
        *(found.revision for found in revisions[1:]),
        None,
    ]


def test_creating_again_keeps_what_is_there(tmp_path: Path) -> None:
    Catalogue.create(url_of(tmp_path)).close()
    engine = open_engine(url_of(tmp_path))
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO condition (id, name) VALUES ('1', 'kept')"))
    engine.dispose()
    Catalogue.create(url_of(tmp_path)).close()
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT name FROM condition")) == "kept"
        assert revision(connection) == SCHEMA
    engine.dispose()


def test_opening_where_there_is_none_names_init_and_makes_no_file(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match=r"no catalogue at .*; run `proband init`"):
        Catalogue.open(url_of(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_another_database_is_no_catalogue(tmp_path: Path) -> None:
    engine = open_engine(url_of(tmp_path))
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE other (id INTEGER)"))
    engine.dispose()
    with pytest.raises(CatalogueError, match="run `proband init`"):
        Catalogue.open(url_of(tmp_path))


def test_older_catalogue_is_refused_with_the_command_that_upgrades_it(tmp_path: Path) -> None:
    Catalogue.create(url_of(tmp_path)).close()
    set_revision(url_of(tmp_path), "0000")
    with pytest.raises(CatalogueError, match=f"has schema 0000, .* needs {SCHEMA}; .*init"):
        Catalogue.open(url_of(tmp_path))


def test_newer_catalogue_is_refused_with_both_numbers(tmp_path: Path) -> None:
    Catalogue.create(url_of(tmp_path)).close()
    set_revision(url_of(tmp_path), "9999")
    with pytest.raises(CatalogueError, match=f"has schema 9999, this proband knows {SCHEMA}"):
        Catalogue.open(url_of(tmp_path))


def test_newer_catalogue_is_not_touched_by_init(tmp_path: Path) -> None:
    Catalogue.create(url_of(tmp_path)).close()
    set_revision(url_of(tmp_path), "9999")
    with pytest.raises(CatalogueError, match="schema 9999"):
        Catalogue.create(url_of(tmp_path))
