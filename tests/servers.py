"""Private database servers for tests: started when a test first asks for one, stopped with the run that started it.

They listen on a free port of 127.0.0.1, ask for a password and keep their files in a temporary folder. As root they run
as the user that the Debian package made. They die with the process that started them, even when that is killed.
"""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from tempfile import mkdtemp

import pytest
from sqlalchemy import create_engine
from sqlalchemy.exc import OperationalError

SWITCH = "PROBAND_TEST_SERVERS"
"""Environment variable; 0: every test that needs a server is skipped."""

START_LIMIT_S = 60
"""PostgreSQL answered after 1 s and MariaDB after 3 s on two busy cores."""

USER = "proband"


@dataclass(frozen=True, slots=True)
class Server:
    """A running server; `drivername` is what its URLs begin with, `home` a database that is always there."""

    drivername: str
    port: int
    password: str
    home: str

    @property
    def dialect(self) -> str:
        """`postgresql` or `mysql`."""
        return self.drivername.partition("+")[0]

    def url(self, database: str, user: str = USER, password: str = "") -> str:
        """The SQLAlchemy URL of a database, for the owner of everything unless another user is named."""
        secret = password or self.password
        return f"{self.drivername}://{user}:{secret}@127.0.0.1:{self.port}/{database}"

    def new_database(self, template: str = "") -> str:
        """The name of a new database: an empty one, or on PostgreSQL a copy of `template`."""
        name = f"test_{secrets.token_hex(6)}"
        self.execute(f"CREATE DATABASE {name}" + f" TEMPLATE {template}" * bool(template))
        return name

    def drop_database(self, name: str) -> None:
        """Removes it, whoever is connected."""
        self.execute(f"DROP DATABASE {name}" + " WITH (FORCE)" * (self.dialect == "postgresql"))

    def execute(self, *statements: str, database: str = "") -> None:
        """Runs statements as the owner of everything, each by itself."""
        engine = create_engine(self.url(database or self.home), isolation_level="AUTOCOMMIT")
        try:
            with engine.connect() as connection:
                for statement in statements:
                    connection.exec_driver_sql(statement)
        finally:
            engine.dispose()


def postgresql() -> Iterator[Server]:
    """A running PostgreSQL; skips the test where there is none."""
    programs = sorted(glob("/usr/lib/postgresql/*/bin/postgres"), key=_version)
    found = programs[-1] if programs else shutil.which("postgres")
    _skip_unless(found, "PostgreSQL (Debian package postgresql)")
    assert found
    with _folder("postgres") as (folder, run_as):
        yield from _running(
            run_as, folder, lambda port: _postgresql(Path(found), folder, port, run_as)
        )


def mariadb() -> Iterator[Server]:
    """A running MariaDB; skips the test where there is none."""
    found = shutil.which("mariadbd", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    _skip_unless(found, "MariaDB (Debian package mariadb-server)")
    assert found
    with _folder("mysql") as (folder, run_as):
        yield from _running(run_as, folder, lambda port: _mariadb(found, folder, port, run_as))


_Start = tuple[Sequence[str], Server]
"""The command that starts a server, and the server that it then is."""


def _postgresql(program: Path, folder: Path, port: int, run_as: Sequence[str]) -> _Start:
    password = secrets.token_hex(8)
    (folder / "password").write_text(password)
    data = folder / "data"
    cluster = (f"--pgdata={data}", "--no-sync", "--encoding=UTF8", "--locale=C.UTF-8")
    owner = (f"--username={USER}", f"--pwfile={folder / 'password'}", "--auth=scram-sha-256")
    _run((*run_as, str(program.with_name("initdb")), *cluster, *owner))
    settings = {
        "listen_addresses": "127.0.0.1",
        "port": port,
        "unix_socket_directories": folder,
        "fsync": "off",
        "full_page_writes": "off",
        "synchronous_commit": "off",
    }
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    command = (str(program), "-D", str(data), *options)
    return command, Server("postgresql+psycopg", port, password, "postgres")


def _mariadb(program: str, folder: Path, port: int, run_as: Sequence[str]) -> _Start:
    password = secrets.token_hex(8)
    data = f"--datadir={folder / 'data'}"
    options = ("--skip-test-db", "--auth-root-authentication-method=normal")
    _run((*run_as, "mariadb-install-db", "--no-defaults", data, *options))
    first = folder / "first.sql"
    account = f"'{USER}'@'127.0.0.1'"
    first.write_text(
        f"CREATE USER IF NOT EXISTS {account} IDENTIFIED BY '{password}';\n"
        f"GRANT ALL ON *.* TO {account} WITH GRANT OPTION;\n"
    )
    command = (program, "--no-defaults", data, f"--socket={folder / 'socket'}", f"--port={port}")
    network = ("--bind-address=127.0.0.1", "--skip-name-resolve", f"--init-file={first}")
    quick = ("--innodb-flush-log-at-trx-commit=0", "--skip-log-bin")
    return (*command, *network, *quick), Server("mysql+pymysql", port, password, "mysql")


def _running(
    run_as: Sequence[str], folder: Path, start: Callable[[int], _Start]
) -> Iterator[Server]:
    command, server = start(_free_port())
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen((*run_as, *command), stdout=log, stderr=log)
        try:
            _wait_for(server, process, folder / "log")
            yield server
        finally:
            # An orderly end takes seconds and may wait for sessions; the data is thrown away.
            process.send_signal(signal.SIGQUIT)
            process.wait(START_LIMIT_S)


def _wait_for(server: Server, process: subprocess.Popen[bytes], log: Path) -> None:
    limit = time.monotonic() + START_LIMIT_S
    while True:
        try:
            return server.execute("SELECT 1")
        except OperationalError:
            if process.poll() is not None or time.monotonic() > limit:
                raise RuntimeError(
                    f"The server did not start:\n{log.read_text()[-2000:]}"
                ) from None
            time.sleep(0.1)


@contextmanager
def _folder(owner: str) -> Iterator[tuple[Path, Sequence[str]]]:
    """A temporary folder that `owner` may write, and the start of a command that runs as this user."""
    folder = Path(mkdtemp(prefix="proband-"))
    run_as = ["setpriv", "--pdeathsig", "QUIT"] if shutil.which("setpriv") else []
    if os.geteuid() == 0:
        user = pwd.getpwnam(owner)
        os.chown(folder, user.pw_uid, user.pw_gid)
        run_as += [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
    try:
        yield folder, run_as
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command[-1]}: {(done.stdout + done.stderr)[-2000:]}")


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _version(program: str) -> int:
    return int(program.split("/")[-3])


def _skip_unless(found: str | None, name: str) -> None:
    if os.environ.get(SWITCH) == "0":
        pytest.skip(f"{SWITCH} is 0")
    if not found:
        pytest.skip(f"{name} is not installed; `make servers` says how to get it")
