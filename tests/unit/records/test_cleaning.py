"""Free text without markup: what is read, where it stands, what is left out and how long it takes."""

from __future__ import annotations

import base64
import binascii
import random
import time

import pytest

from proband.records.cleaning import boilerplate_key, clean


def test_plain_text_is_unchanged_but_for_white_space() -> None:
    value = "  BP 120/80,\tpulse <90 & regular.\r\n\r\n\r\nHb 7.2 g/dL > 7  \n- cough\n- fever \n"
    cleaned = clean(value, "text")
    assert cleaned.reading.text == (
        "BP 120/80,\tpulse <90 & regular.\n\nHb 7.2 g/dL > 7\n- cough\n- fever"
    )
    assert cleaned.removed == {}


def test_invisible_characters_are_left_out_and_places_kept() -> None:
    value = "para\u00adcet\u200bamol\u00a0500\x00\u202f\ufeffmg"
    reading = clean(value).reading
    assert reading.text == "paracetamol 500 mg"
    assert value[reading.starts[11] : reading.ends[11]] == "\u00a0"
    assert reading.span.of(value) == value


def test_a_line_broken_for_its_length_goes_on_but_a_list_does_not() -> None:
    long = "The patient was seen this morning on the ward and she feels"
    assert clean(f"{long} much\nBetter than before.").reading.text.endswith(
        "much Better than before."
    )
    assert clean("No fever\nCough").reading.text == "No fever\nCough"
    assert "\n- cough" in clean(f"{long} this\n- cough").reading.text


def test_html_reads_block_by_block_without_what_is_not_shown() -> None:
    value = (
        "<html><head><title>x</title><style>p{}</style></head><body><h3>Clinic letter</h3><p>No&nbsp;fever &amp; "
        'no <b>co</b>ugh.<br>Well</p><!-- <p>secret</p> --><script>alert("x")</script>'
        '<img src="http://x.invalid/a.png" alt="logo"><a href="http://x.invalid">here</a>'
        "<table><tr><td>Hb</td><td>7.2</td></tr><tr><td>WBC</td><td>4</td></tr></table></body></html>"
    )
    cleaned = clean(value, "html")
    assert cleaned.reading.text == (
        "Clinic letter\n\nNo fever & no cough.\nWell\n\nhere\n\nHb\t7.2\nWBC\t4"
    )
    assert cleaned.removed == {"head": 1, "comment": 1, "script": 1, "image": 1}
    at = cleaned.reading.text.index("cough")
    assert cleaned.reading.slice(at, at + 5).span.of(value) == "co</b>ugh"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("<p>Hb <7 and >5</p>", "Hb <7 and >5"),
        ("<p>WBC <name withheld> ok", "WBC <name withheld> ok"),
        ("<div>a<div", "a<div"),
        ("<p title='a>b'>x</p>", "x"),
        ('<p title="never closed>x</p>', "x"),
        ("<p>&amp;lt;script&amp;gt;</p>", "&lt;script&gt;"),
        ("<script>never closed <p>x", ""),
        ("<p>one\n\ntwo\nthree</p>", "one\n\ntwo three"),
        ("<pre>a\nb</pre>c", "a\nb\n\nc"),
        ("x<!-- never closed", "x"),
        ("<o:p>word</o:p>", "word"),
    ],
)
def test_malformed_html_loses_no_words(value: str, text: str) -> None:
    assert clean(value, "html").reading.text == text


def test_rtf_reads_as_text() -> None:
    value = (
        r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}{\f1\fcharset204 Arial;}}{\colortbl;\red0\green0\blue0;}"
        "\n"
        r"{\*\generator Word;}{\info{\author A}}\f0\fs22 Caf\'e9 \{seen\}.\par Temp\tab 38\u176?C"
        r"\line \u-10179?\u-8704?{\f1 \'ca\'e0}{\pict\pngblip 89504e47}\par Done\\}"
    )
    cleaned = clean(value, "rtf")
    assert cleaned.reading.text == "Café {seen}.\n\nTemp\t38°C\n😀Ка\n\nDone\\"
    assert cleaned.removed["picture"] == 1
    at = cleaned.reading.text.index("é")
    assert value[cleaned.reading.starts[at] : cleaned.reading.ends[at]] == r"\'e9"


def test_rtf_skips_the_stand_in_of_a_unicode_character() -> None:
    value = r"{\rtf1\uc2 a\u233 xyb{\uc0\u233 c}\u233\'65\'65 d}"
    assert clean(value).reading.text == "aébécé d"


def test_the_form_is_told_from_the_content_where_it_is_not_stated() -> None:
    assert clean("<p>x</p>").reading.text == "x"
    assert clean(r"{\rtf1 x}").reading.text == "x"
    assert clean("Hb <7 and >5 <p").reading.text == "Hb <7 and >5 <p"
    assert clean("<p>x</p>", "text/plain; charset=utf-8").reading.text == "<p>x</p>"
    assert clean("x", "rtf").reading.text == "x"


BYTES = random.Random(1).randbytes(600)
BASE64 = base64.b64encode(BYTES).decode()
UUENCODE = "begin 644 a.png\n" + "".join(
    binascii.b2a_uu(BYTES[at : at + 45]).decode() for at in range(0, 600, 45)
)


@pytest.mark.parametrize(
    ("run", "kind"),
    [
        (BASE64, "base64"),
        ("data:image/png;base64," + BASE64, "base64"),
        (base64.encodebytes(BYTES).decode(), "base64"),
        (base64.encodebytes(BYTES).decode().replace("\n", "\r\n"), "base64"),
        (BYTES.hex(), "hex"),
        (BYTES.hex(" "), "hex"),
        (UUENCODE + "`\nend", "uuencode"),
    ],
)
def test_an_encoded_file_is_left_out_and_counted(run: str, kind: str) -> None:
    cleaned = clean(f"Scan below.\n\n{run}\n\nSeen by nurse.")
    assert cleaned.reading.text == "Scan below.\n\nSeen by nurse."
    assert cleaned.removed == {kind: 1}


def test_long_words_lines_and_sequences_of_bases_stay() -> None:
    value = "ACGT" * 50 + "\n" + "_" * 200 + "\n" + "a" * 300 + "\nhttps://x.invalid/Notes/2024/a"
    assert clean(value).reading.text.split() == value.split()
    assert clean(value).removed == {}


def test_a_printed_paragraph_has_one_key() -> None:
    printed = "DISCHARGE ADVICE. Drink plenty of fluids, rest and return at once if you feel worse: ward 3."
    assert boilerplate_key(printed) == boilerplate_key(printed.lower().replace("3", "12") + " ")
    assert boilerplate_key(printed) != boilerplate_key(printed.replace("worse", "better"))
    assert boilerplate_key("Nutrition leaflet handed over.") is None


HOSTILE = (
    "<!--", "<script>", "<a \"<a '", "<a <b", "&#", "{", "{\\*", "\\'", "\\u1", "begin 644 x\n", "ab ", "a" * 41 + " ",
    "\u200b ", "\n\n", "data:", "aA0+" * 11 + "\n", "<p>", "<![", "\\bin9", "</p", "0a ",
)  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.parametrize("form", ["text", "html", "rtf"])
def test_200_kb_of_anything_read_in_linear_time(piece: str, form: str) -> None:
    value = ("{\\rtf1 " if form == "rtf" else "") + piece * (200_000 // len(piece))
    started = time.process_time()
    clean(value, form)
    assert time.process_time() - started < 4.0
