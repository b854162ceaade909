"""Values as canonical text: one row is the same text from every database (`records/record.py` says how)."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np

from proband.adapters._sql_columns import Declared, Family
from proband.records.mapping import SourceRules
from proband.records.record import Gap

Canonical = Callable[[Any], str | Gap]
"""What a driver hands over (never None) as text, or why there is none."""

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_UNSAFE = re.compile("[\x00\ud800-\udfff]")
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_MOMENT = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)"
    r"(?:[T ](?P<clock>\d\d:\d\d)(?P<second>:\d\d)?(?:[.,](?P<fraction>\d+))?"
    r"\s*(?P<offset>Z|[+-]\d\d(?::?\d\d(?::\d\d)?)?)?)?"
)
_CLOCK = re.compile(
    r"(?P<clock>\d\d:\d\d)(?P<second>:\d\d)?(?:[.,](?P<fraction>\d+))?(?P<offset>[+-]\d\d(?::?\d\d)?)?"
)
_ZERO_DATE = re.compile(r"0000-00-00([T ][0:.]*)?")
_WITHOUT_DAY = re.compile(r"(\d{4})(?:-00-00|-(\d\d)-00)(?:[T ][0:.]*)?")
_TRUTH = {"true": "1", "t": "1", "false": "0", "f": "0"}


def value_reader(column: Declared, rules: SourceRules) -> Canonical:
    """Reads a column's values, None included: canonical text, or the gap that the mapping's rules see in it."""
    canonical = canonical_reader(column)
    empties = {empty.strip().casefold() for empty in rules.empty_texts} | {""}
    longest = max(map(len, empties))
    masks = frozenset(rules.masks)

    def read(raw: Any) -> str | Gap:
        if raw is None:
            return Gap.NULL
        text = canonical(raw)
        if raw.__class__ is not str or text.__class__ is Gap:
            return text
        if text in masks:
            return Gap.MASKED
        bare = text.strip()
        return Gap.EMPTY if len(bare) <= longest and bare.casefold() in empties else text

    return read


def key_reader(column: Declared) -> Callable[[Any], str]:
    """Reads a key column: its canonical text whatever the text is, bytes as a UUID or as hexadecimal digits."""
    canonical = canonical_reader(column)

    def read(raw: Any) -> str:
        if isinstance(raw, bytes | bytearray | memoryview) and column.family is not Family.BITS:
            data = bytes(raw)
            return str(UUID(bytes=data)) if len(data) == 16 else data.hex()
        text = canonical(raw)
        return str(raw) if isinstance(text, Gap) else text

    return read


def canonical_reader(column: Declared) -> Canonical:
    """Reads what a driver hands over for a column of this family."""
    read = _reader(column)

    def canonical(raw: Any) -> str | Gap:
        if isinstance(raw, bytes | bytearray | memoryview) and column.family is not Family.BITS:
            return Gap.BINARY
        return read(raw)

    return canonical


def _reader(column: Declared) -> Canonical:
    match column.family:
        case Family.DECIMAL:
            return _decimal(column.scale)
        case Family.CHAR:
            return _char_uuid if column.length == 36 else _char
        case family:
            return _READERS[family]


def _plain(raw: Any) -> str:
    """Text as it is, without what no store takes: NUL and half surrogates."""
    if raw.__class__ is bool:
        return "1" if raw else "0"
    text = raw if raw.__class__ is str else _written(raw)
    return _UNSAFE.sub(REPLACEMENT, text) if not text.isascii() or "\x00" in text else text


def _written(raw: Any) -> str:
    match raw:
        case float():
            return _float(raw)
        case Decimal():
            return format(raw, "f")
        case datetime() | date():
            return _iso(raw)
        case _:
            return str(raw)


def _char(raw: Any) -> str:
    return _plain(raw.rstrip(" ") if raw.__class__ is str else raw)


def _char_uuid(raw: Any) -> str:
    text = _char(raw)
    return text.lower() if _UUID.fullmatch(text) else text


def _whole(raw: Any) -> str:
    return str(raw) if raw.__class__ is int else _plain(raw)


def _decimal(scale: int | None) -> Canonical:
    """Decimals with the zeros that their type declares; what has more decimals than that is not rounded."""

    def read(raw: Any) -> str:
        if raw.__class__ is not float and raw.__class__ is not int and not isinstance(raw, Decimal):
            return _plain(raw)
        if raw.__class__ is float and (raw != raw or raw in (float("inf"), float("-inf"))):
            return _float(raw)
        text = _float(raw) if raw.__class__ is float else format(Decimal(raw), "f")
        if scale and "e" not in text:
            whole, _, decimals = text.partition(".")
            text = f"{whole}.{decimals.ljust(scale, '0')}"
        return text

    return read


def _float(raw: Any) -> str:
    """The shortest digits that read back as this number; no exponent where people write none."""
    try:
        number = float(raw)
    except ValueError:
        return _plain(raw)
    if number != number:
        return "NaN"
    if number in (float("inf"), float("-inf")):
        return "Infinity" if number > 0 else "-Infinity"
    text = repr(number)
    if "e" in text and 1e-12 < abs(number) < 1e30:
        text = format(Decimal(text), "f")
    return text.removesuffix(".0")


def _single(raw: Any) -> str:
    """Of a number with 24 binary digits, which SQL Server's driver widens: 0.1, not 0.10000000149011612."""
    return _float(str(np.float32(raw)))


def _boolean(raw: Any) -> str:
    if raw.__class__ is str:
        return _TRUTH.get(raw.strip().lower(), raw)
    return _plain(raw)


def _bits(raw: Any) -> str:
    if isinstance(raw, bytes | bytearray | memoryview):
        return str(int.from_bytes(bytes(raw)))
    return _plain(raw)


def _uuid(raw: Any) -> str:
    text = str(raw)
    return text.lower() if _UUID.fullmatch(text) else _plain(raw)


def _iso(moment: date) -> str:
    if isinstance(moment, datetime) and moment.tzinfo is not None:
        moment = moment.astimezone(UTC)
    return moment.isoformat()


def _date(raw: Any) -> str | Gap:
    text = _datetime(raw)
    return text.removesuffix("T00:00:00") if text.__class__ is str else text


def _datetime(raw: Any) -> str | Gap:
    if isinstance(raw, date):
        return _iso(raw)
    return _moment(raw, "") if raw.__class__ is str else _plain(raw)


def _instant(raw: Any) -> str | Gap:
    """A moment on the world's clock. The session's zone is UTC, so what comes without an offset is UTC."""
    if isinstance(raw, datetime):
        return _iso(raw if raw.tzinfo else raw.replace(tzinfo=UTC))
    return _moment(raw, "+00:00") if raw.__class__ is str else _datetime(raw)


def _moment(text: str, offset: str) -> str | Gap:
    """A date or time as text; as it is written where it is none, such as `2019` or `infinity`."""
    found = _MOMENT.fullmatch(text)
    if not found:
        return _odd_date(text)
    if not found["clock"]:
        return _odd_date(text) if "-00" in text else text
    moment = (
        f"{found['date']}T{found['clock']}{found['second'] or ':00'}{_fraction(found['fraction'])}"
    )
    zone = found["offset"] or offset
    try:
        return _iso(datetime.fromisoformat(moment + zone))
    except (ValueError, OverflowError):
        return _odd_date(text)


def _fraction(digits: str | None) -> str:
    """Six digits, as a microsecond is the finest that is told apart; none for a full second."""
    six = (digits or "")[:6].ljust(6, "0")
    return f".{six}" if six.strip("0") else ""


def _odd_date(text: str) -> str | Gap:
    if _ZERO_DATE.fullmatch(text):
        return Gap.NULL
    partial = _WITHOUT_DAY.fullmatch(text)
    if partial:
        return "-".join(part for part in partial.groups() if part)
    return _plain(text)


def _clock(raw: Any) -> str:
    if isinstance(raw, timedelta):  # MariaDB's time also counts hours: -838 to 838
        sign = "-" if raw < timedelta(0) else ""
        seconds = abs(raw) // timedelta(seconds=1)
        micros = (abs(raw) % timedelta(seconds=1)).microseconds
        clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
        return f"{sign}{clock}{_fraction(f'{micros:06d}')}"
    if isinstance(raw, time):
        return raw.isoformat()
    found = _CLOCK.fullmatch(raw) if raw.__class__ is str else None
    if not found:
        return _plain(raw)
    return f"{found['clock']}{found['second'] or ':00'}{_fraction(found['fraction'])}{found['offset'] or ''}"


_READERS: dict[Family, Canonical] = {
    Family.TEXT: _plain,
    Family.CHAR: _char,
    Family.WHOLE: _whole,
    Family.FLOAT: _float,
    Family.SINGLE: _single,
    Family.BOOLEAN: _boolean,
    Family.BITS: _bits,
    Family.DATE: _date,
    Family.DATETIME: _datetime,
    Family.INSTANT: _instant,
    Family.CLOCK: _clock,
    Family.UUID: _uuid,
    Family.BINARY: _plain,
    Family.OTHER: _plain,
}
