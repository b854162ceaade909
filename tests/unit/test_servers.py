"""The servers that other tests run on."""

from __future__ import annotations

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError

from servers import Server


@pytest.mark.parametrize("name", ["postgresql", "mariadb"])
def test_server_makes_databases_and_asks_for_a_password(
    name: str, request: pytest.FixtureRequest
) -> None:
    server: Server = request.getfixturevalue(name)
    database = server.new_database()
    engine = create_engine(server.url(database))
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE one (id INTEGER)"))
        connection.execute(text("INSERT INTO one VALUES (7)"))
        assert connection.scalar(text("SELECT id FROM one")) == 7
    engine.dispose()
    for user, password in (("proband", "wrong"), ("nobody", server.password)):
        stranger = create_engine(server.url(database, user, password))
        with pytest.raises(OperationalError):
            stranger.connect()
        stranger.dispose()
    server.drop_database(database)
