"""The synthetic hospital in a database of each kind: made by its generator, loaded through the drivers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psycopg
import pymysql
from pymysql.constants.CLIENT import MULTI_STATEMENTS
from sqlalchemy import make_url

from servers import Server
from shared_data import shared

LARGEST_SCRIPT = 2**28
"""Bytes that MariaDB is told to take in one packet; the hospital of 1,000 patients has 30 million."""


def make_hospital(folder: Path, *options: str) -> Path:
    """`hospital.sqlite`, `questions.jsonl` and the scripts `sql/*.sql` in `folder`; skips without the generator."""
    program = shared("hospital/make_hospital.py")
    places = ("--sqlite", "hospital.sqlite", "--sql", "sql", "--questions", "questions.jsonl")
    subprocess.run(
        [sys.executable, program, *options, *places], cwd=folder, check=True, capture_output=True
    )
    return folder


def load(server: Server, script: Path) -> str:
    """Runs a script in a new database; its name."""
    database = server.new_database()
    run_script(server, database, script)
    return database


def run_script(server: Server, database: str, script: Path) -> None:
    """Runs the statements of a file, such as the hospital or its later changes."""
    statements = script.read_text(encoding="utf-8")
    if server.dialect == "postgresql":
        with psycopg.connect(
            server.url(database).replace("+psycopg", ""), autocommit=True
        ) as client:
            client.execute(
                statements.encode()
            )  # without parameters the driver takes several statements
        return
    server.execute(f"SET GLOBAL max_allowed_packet = {LARGEST_SCRIPT}")
    url = make_url(server.url(database))
    with (
        pymysql.connect(
            host=url.host,
            port=url.port or 0,
            user=url.username,
            password=url.password or "",
            database=database,
            charset="utf8mb4",
            client_flag=MULTI_STATEMENTS,
            max_allowed_packet=LARGEST_SCRIPT,
        ) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute(statements)
        while cursor.nextset():
            pass
        connection.commit()
