"""JSON read as a stream, one value or one line at a time: memory is bounded by a value, not by the file."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable
from typing import Any

from proband.errors import ParseError

BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
PLAIN = json.JSONDecoder()
_SPACE = " \t\r\n"
_FIRST_LINE = 65_536  # characters in which the end of the first line is looked for
_LONGEST_TOKEN = 16  # a fault this near the end of what was read may be a token that goes on


def encoding_of(head: bytes) -> str:
    """The encoding that the byte order mark names, else UTF-8."""
    return next((name for bom, name in BOMS if head.startswith(bom)), "utf-8")


def json_value(line: str, decoder: json.JSONDecoder = PLAIN) -> Any:
    """The value of one line. Raises ParseError that says the column and quotes nothing."""
    try:
        line.encode()
        return decoder.decode(line)
    except UnicodeEncodeError:
        raise ParseError("not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ParseError(f"not valid JSON: {_fault(error)} (column {error.colno})") from None
    except (ValueError, RecursionError):
        raise ParseError("not valid JSON: a number is too long or nesting too deep") from None


class JsonText:
    """The characters of a stream, from a place on; earlier ones are forgotten.

    Args:
        chunks: the bytes, in pieces of any size: UTF-8, or what their byte order mark says.
        longest: characters that one value or line may have; a damaged file would be held in memory whole otherwise.
        decoder: makes values of text.
    """

    def __init__(
        self, chunks: Iterable[bytes], longest: int, decoder: json.JSONDecoder = PLAIN
    ) -> None:
        self._chunks = iter(chunks)
        self._longest = longest
        self._decoder = decoder
        self._buffer = ""
        self._at = 0
        self._counted = 0
        self._line = 1
        self._column = 1  # of the first character in the buffer
        first = next(self._chunks, b"")
        encoding = encoding_of(first)
        errors = "surrogateescape" if encoding.startswith("utf-8") else "replace"
        self._decode = codecs.getincrementaldecoder(encoding)(errors).decode
        self._buffer = self._decode(first)

    @property
    def line(self) -> int:
        """Number, from 1, of the line that the next character is on."""
        self._line += self._buffer.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def place(self) -> str:
        """Where the next character is, as far as it is known."""
        return f"line {self.line}, column {self._column_here()}"

    def _column_here(self) -> int:
        line_end = self._buffer.rfind("\n", 0, self._at)
        return self._at - line_end if line_end >= 0 else self._column + self._at

    def opens_over_lines(self) -> bool:
        """Whether the first line leaves a value open, as indented JSON does; a very long line does not."""
        self.peek()
        while "\n" not in self._buffer and len(self._buffer) < _FIRST_LINE and self._more():
            pass
        line, newline, _ = self._buffer[self._at :].partition("\n")
        return bool(newline) and line.rstrip().endswith(("{", "[", ",", ":"))

    def peek(self) -> str:
        """The next character that is not white space, not taken; empty at the end."""
        while True:
            while self._at < len(self._buffer) and self._buffer[self._at] in _SPACE:
                self._at += 1
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._more():
                return ""

    def take(self, expected: str) -> str:
        """The next character that is not white space, which must be one of `expected`."""
        found = self.peek()
        if not found or found not in expected:
            what = "the file ends" if not found else "something else stands"
            wanted = " or ".join(expected)
            raise ParseError(f"not valid JSON: {what} where {wanted} should be at {self.place()}")
        self._at += 1
        return found

    def take_value(self) -> Any:
        """The next JSON value."""
        self.peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._buffer, self._at)
                if end == len(self._buffer) and self._more():
                    continue  # a number may go on
                self._buffer[self._at : end].encode()
            except UnicodeEncodeError:
                raise ParseError(f"not UTF-8 in the value at {self.place()}") from None
            except json.JSONDecodeError as error:
                offset = error.pos - self._at
                if not self._cut_off(error) or not self._more():
                    self._at += offset
                    raise ParseError(f"not valid JSON: {_fault(error)} at {self.place()}") from None
                continue
            except (ValueError, RecursionError):
                reason = "a number is too long or nesting too deep"
                raise ParseError(f"not valid JSON: {reason} at {self.place()}") from None
            self._at = end
            return value

    def take_line(self) -> str | None:
        """The rest of the line without its end; a line longer than a record may be is skipped: None."""
        searched = self._at
        while (end := self._buffer.find("\n", searched)) < 0:
            searched = len(self._buffer) - self._at
            if searched > self._longest:
                self._skip_line()
                return None
            if not self._more():
                end = len(self._buffer)
                break
        line = self._buffer[self._at : end]
        self._at = end
        return line

    def _skip_line(self) -> None:
        while (end := self._buffer.find("\n", self._at)) < 0:
            self._at = len(self._buffer)
            if not self._more():
                return
        self._at = end

    def _cut_off(self, error: json.JSONDecodeError) -> bool:
        """Whether the fault may only be that the rest was not read yet."""
        near_end = error.pos >= len(self._buffer) - _LONGEST_TOKEN
        return near_end or error.msg.startswith("Unterminated string")

    def _more(self) -> bool:
        """Reads on, at least as much as is unread, so that a long value is not scanned many times.

        False, and nothing has moved, at the end.
        """
        rest = self._buffer[self._at :]
        if len(rest) > self._longest:
            longest = f"{self._longest:,} characters"
            raise ParseError(f"a value of more than {longest} at {self.place()}")
        more = self._next_text(max(len(rest), 1))
        if not more:
            return False
        self._line, self._column = self.line, self._column_here()
        self._buffer, self._at, self._counted = rest + more, 0, 0
        return True

    def _next_text(self, wanted: int) -> str:
        """At least `wanted` characters, fewer only at the end."""
        pieces: list[str] = []
        while wanted > 0:
            chunk = next(self._chunks, None)
            pieces.append(self._decode(chunk or b"", chunk is None))
            wanted -= len(pieces[-1])
            if chunk is None:
                break
        return "".join(pieces)


def _fault(error: json.JSONDecodeError) -> str:
    return error.msg.removesuffix(" starting at")
