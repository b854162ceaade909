"""The small languages inside a mapping: conditions, joins and lookups. Readers raise ValueError with a sentence."""

from __future__ import annotations

import re

from proband.records.mapping import ColumnName, Comparison, Join, Lookup, Test

_TOKEN = re.compile(
    r"""\s*(?:(?P<text>'(?:[^']|'')*')
    |(?P<number>[+-]?\d+(?:\.\d+)?(?![\w.]))
    |(?P<name>(?:"[^"]+"|[^\W\d][\w$\#]*)(?:\.(?:"[^"]+"|[\w$\#]+))*)
    |(?P<sign><>|!=|=))""",
    re.VERBOSE,
)
_PART = re.compile(r'"([^"]+)"|([^."]+)')
_COMPARISON = (
    "column = 'value', column != 'value', column is null, column is not null, joined by and"
)
_TRUTH = {"true": "1", "false": "0"}

_Word = tuple[str, str]
"""(kind, text): kind is text, number, name or sign."""


def read_tests(text: str) -> tuple[Test, ...]:
    """`status = 'entered_in_error'`, `voided = 1 and deleted_at is not null`."""
    return tuple(_test(words, text) for words in _conjuncts(text))


def read_joins(text: str) -> tuple[Join, ...]:
    """One step of a path: `lab_results.order_id = lab_orders.id`, its pairs of columns joined by `and`."""
    return tuple(_join(words, text) for words in _conjuncts(text))


def read_lookup(text: str) -> Lookup:
    """`departments.name`, or `code_lists.label where list_name = 'yes_no'`."""
    label, where, conditions = _split_where(text)
    words = _words(label)
    if [kind for kind, _ in words] != ["name"]:
        raise ValueError(
            f'"{text}" is no lookup; write "departments.name" or "code_lists.label where list_name = \'yes_no\'"'
        )
    column = _column(words[0][1])
    fixed = read_fixed(conditions) if where else ()
    return Lookup(column.table, column.column, where=fixed, schema=column.schema)


def read_fixed(text: str) -> tuple[tuple[str, str], ...]:
    """Columns with the value that they must have: `list_name = 'yes_no' and language = 'en'`."""
    tests = read_tests(text)
    if any(test.comparison is not Comparison.EQUAL for test in tests):
        raise ValueError(f"\"{text}\": after where, write column = 'value', joined by and")
    return tuple((test.column, test.value) for test in tests)


def _split_where(text: str) -> tuple[str, str, str]:
    found = re.search(r"\swhere\s", text, re.IGNORECASE)
    return (text[: found.start()], found[0], text[found.end() :]) if found else (text, "", "")


def _conjuncts(text: str) -> list[list[_Word]]:
    found: list[list[_Word]] = [[]]
    for word in _words(text):
        if _is(word, "and"):
            found.append([])
        else:
            found[-1].append(word)
    return found


def _join(words: list[_Word], whole: str) -> Join:
    match words:
        case [("name", left), ("sign", "="), ("name", right)]:
            return Join(_column(left), _column(right))
    raise ValueError(f'"{whole}" is no join; write "visits.patient_id = patients.id"')


def _test(words: list[_Word], whole: str) -> Test:
    match words:
        case [("name", column), ("sign", "=" | "!=" | "<>" as sign), value] if value[0] != "sign":
            comparison = Comparison.EQUAL if sign == "=" else Comparison.DIFFERS
            return Test(_plain(column, whole), comparison, _value(value, whole))
        case [("name", column), first, last] if _is(first, "is") and _is(last, "null"):
            return Test(_plain(column, whole), Comparison.IS_NULL)
        case [("name", column), first, middle, last] if (
            _is(first, "is") and _is(middle, "not") and _is(last, "null")
        ):
            return Test(_plain(column, whole), Comparison.IS_NOT_NULL)
    raise ValueError(f'"{whole}" is no condition that can be read; write {_COMPARISON}')


def _value(word: _Word, whole: str) -> str:
    kind, text = word
    if kind == "text":
        return text[1:-1].replace("''", "'")
    if kind == "number":
        return text.removeprefix("+")
    if text.lower() not in _TRUTH:
        raise ValueError(f"\"{whole}\": put the value {text} between quotes: '{text}'")
    return _TRUTH[text.lower()]


def _words(text: str) -> list[_Word]:
    words: list[_Word] = []
    start = 0
    while text[start:].strip():
        found = _TOKEN.match(text, start)
        if not found or not found.lastgroup:
            raise ValueError(
                f'"{text}" cannot be read from "{text[start:].strip()}" on; write {_COMPARISON}'
            )
        words.append((found.lastgroup, found[found.lastgroup]))
        start = found.end()
    return words


def _is(word: _Word, text: str) -> bool:
    return word[0] == "name" and word[1].lower() == text


def _column(name: str) -> ColumnName:
    parts = _name_parts(name)
    if len(parts) not in (2, 3):
        raise ValueError(f'"{name}" does not name a column; write table.column')
    return ColumnName(parts[-2], parts[-1], parts[0] if len(parts) == 3 else "")


def _plain(name: str, whole: str) -> str:
    parts = _name_parts(name)
    if len(parts) != 1:
        raise ValueError(
            f'"{whole}": a condition is about the row itself; write {parts[-1]} without its table'
        )
    return parts[0]


def _name_parts(name: str) -> list[str]:
    return [quoted or plain for quoted, plain in _PART.findall(name)]
