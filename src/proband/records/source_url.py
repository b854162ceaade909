"""The URL of a source: what the environment fills in, and what may be shown of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote

from proband.errors import MappingError
from proband.records.mapping import SourceRules

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_USER = re.compile(r"(?P<before>://[^/@:\s\"']*:)(?P<password>[^@/\s\"']*)(?=@)")


def filled_url(url: str, environment: Mapping[str, str]) -> str:
    """`url` with the value of each `${NAME}`; between `://` and `@` the values are percent-encoded.

    Raises MappingError that names a variable which is not set.
    """
    user_ends = url.rfind("@")
    user_starts = url.find("://") if "://" in url[: max(user_ends, 0)] else user_ends

    def value(found: re.Match[str]) -> str:
        name = found[1]
        if name not in environment:
            raise MappingError(
                f"The source's URL needs the environment variable {name}; set it and try again."
            )
        in_user = user_starts < found.start() < user_ends
        return quote(environment[name], safe="") if in_user else environment[name]

    return _VARIABLE.sub(value, url)


def password_of(source: SourceRules, environment: Mapping[str, str]) -> str:
    """The password from the source's variable; "" where it is not set. It is for a URL that has a user without one."""
    return environment.get(source.password_variable, "")


def without_passwords(text: str) -> str:
    """`text` with the password of each URL masked; `${NAME}` stays."""
    return _USER.sub(
        lambda found: (
            found[0] if _VARIABLE.fullmatch(found["password"]) else found["before"] + "***"
        ),
        text,
    )


def without_password(url: str) -> str:
    """`url` without its password; `${NAME}` in its place stays."""
    return _USER.sub(
        lambda found: found[0] if _VARIABLE.fullmatch(found["password"]) else found["before"][:-1],
        url,
    )


def name_from(url: str) -> str:
    """A name for the source: that of the database or file at the end of the URL, else "records"."""
    last = re.split(r"[?#]", url)[0].rstrip("/").rpartition("/")[2].rpartition(":")[2]
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", last.partition(".")[0]).strip("-_")[:40]
    return name if re.match(r"[A-Za-z]", name) else "records"
