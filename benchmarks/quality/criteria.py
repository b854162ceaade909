"""The criteria splitter on registry text: `python benchmarks/quality/criteria.py STUDIES.jsonl[.gz]`.

Prints, a layout of the text: studies, criteria, shares of short and of unparsed ones, studies wholly unparsed, speed;
then the worst studies for a person to read, and the survey of how the texts look. Short is counted twice: two tokens
between spaces or fewer in the text itself, and two runs of letters or digits or fewer with the parents.

--survey PAGE   also writes the survey between its marks in PAGE (docs/criteria.md)
--seen FOLDER   instead counts in how many studies each pattern of FOLDER (the package's data) occurs, and notes it
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proband.trials.criteria import split_criteria
from proband.trials.criterion import Criterion, CriterionKind, Split
from proband.trials.headers import Side, read_header
from proband.trials.lexicon import lowered
from proband.trials.lines import Line, scan
from proband.trials.marks import Style
from proband.trials.markup import clean

WORST = 20
SHORT = 2
RAW = "raw_v2"
"""The folder of full objects beside the studies; its texts are among api_v2_verbatim as well."""
BEGIN, END = "<!-- survey -->", "<!-- /survey -->"
COLUMNS = {
    "API v2": ("api_v2_verbatim", "api_v2_text_as_copied"),
    "classic XML": ("xml_textblock_verbatim", "xml_textblock_as_copied_in_csv"),
}
"""The layouts whose text is the registry's own; the others lost lines or headers on their way."""


@dataclass(frozen=True, slots=True)
class Block:
    """One study's eligibility text."""

    nct_id: str
    layout: str
    text: str
    arms: tuple[str, ...]


def main() -> None:
    """Prints the tables, or notes the counts of the patterns."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("studies", type=Path)
    parser.add_argument("--survey", type=Path)
    parser.add_argument("--seen", type=Path)
    arguments = parser.parse_args()
    blocks = list(load(arguments.studies))
    if arguments.seen:
        note_seen(arguments.seen, [block for block in blocks if block.layout != RAW])
        return
    shares(blocks)
    table = "\n".join(survey(blocks))
    print(f"\n{table}")
    if arguments.survey:
        page = arguments.survey.read_text(encoding="utf-8")
        head, tail = page.split(BEGIN)[0], page.split(END)[1]
        arguments.survey.write_text(f"{head}{BEGIN}\n{table}\n{END}{tail}", encoding="utf-8")


def load(path: Path) -> Iterator[Block]:
    """The eligibility texts of a file of API v2 objects, one a line, and of the folder `raw_v2` beside it."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            study = json.loads(line)
            yield _block(study, study.get("_source", {}).get("layout", "unknown"))
    for file in sorted((path.parent / RAW).glob("*.json")):
        yield _block(json.loads(file.read_text(encoding="utf-8")), RAW)


def _block(study: dict[str, Any], layout: str) -> Block:
    protocol = study["protocolSection"]
    groups = protocol.get("armsInterventionsModule", {}).get("armGroups", [])
    return Block(
        protocol["identificationModule"]["nctId"],
        layout,
        protocol.get("eligibilityModule", {}).get("eligibilityCriteria", ""),
        tuple(group.get("label", "") for group in groups),
    )


# Shares and speed ---------------------------------------------------------------------------------------------------


def shares(blocks: Iterable[Block]) -> None:
    """One row a layout, then the worst studies: most short criteria, and wholly unparsed."""
    by_layout: dict[str, list[Block]] = defaultdict(list)
    for block in blocks:
        by_layout[block.layout].append(block)
    print(
        "| layout | studies | criteria | 2 tokens | 2 words | unparsed | studies wholly unparsed | studies/s |"
    )
    print("|---|---|---|---|---|---|---|---|")
    worst: list[tuple[int, Block, list[Criterion]]] = []
    wholly: list[Block] = []
    for layout, group in by_layout.items():
        started = time.process_time()
        splits = [split_criteria(block.text, block.arms) for block in group]
        seconds = time.process_time() - started
        print(_row(layout, splits, seconds))
        for block, split in zip(group, splits, strict=True):
            short = [criterion for criterion in split.criteria if is_short(criterion)]
            if layout == RAW and short:
                worst.append((len(short), block, short))
            if layout == "xml_textblock_verbatim" and is_unparsed(split):
                wholly.append(block)
    _worst(worst, wholly)


def _row(layout: str, splits: list[Split], seconds: float) -> str:
    criteria = [criterion for split in splits for criterion in split.criteria]
    assert all(split.account.unaccounted == 0 for split in splits)
    short = sum(map(is_short, criteria))
    tokens = sum(len(criterion.text.split()) <= SHORT for criterion in criteria)
    unparsed = sum(criterion.kind is CriterionKind.UNPARSED for criterion in criteria)
    wholly = sum(map(is_unparsed, splits))
    total = max(1, len(criteria))
    shares = " | ".join(f"{count / total:.2%}" for count in (tokens, short, unparsed))
    return (
        f"| {layout} | {len(splits):,} | {len(criteria):,} | {shares} "
        f"| {wholly} ({wholly / len(splits):.1%}) | {len(splits) / seconds:,.0f} |"
    )


def is_short(criterion: Criterion) -> bool:
    """Two words or fewer, where a word is a run of letters or digits and the parents count: `ANC ≥ 1.5` has three."""
    return len(re.findall(r"[^\W_]+", criterion.embed_text)) <= SHORT


def is_unparsed(split: Split) -> bool:
    """Whether there are criteria and the side of none is known."""
    return bool(split.criteria) and all(
        one.kind is CriterionKind.UNPARSED for one in split.criteria
    )


def _worst(worst: list[tuple[int, Block, list[Criterion]]], wholly: list[Block]) -> None:
    print(f"\nMost criteria of {SHORT} words or fewer, {RAW}:\n")
    for count, block, short in sorted(worst, key=lambda one: (-one[0], one[1].nct_id))[:WORST]:
        print(f"* {block.nct_id} ({count}): {'; '.join(criterion.text for criterion in short)}")
    print("\nLongest that are wholly unparsed, xml_textblock_verbatim:\n")
    for block in sorted(wholly, key=lambda one: (-len(one.text), one.nct_id))[:WORST]:
        print(f"* {block.nct_id}: {' '.join(block.text.split())[:160]}")


# Survey -------------------------------------------------------------------------------------------------------------


def survey(blocks: Iterable[Block]) -> Iterator[str]:
    """In how many studies a trait of the text occurs, a column a layout."""
    counts: dict[str, Counter[str]] = {column: Counter() for column in COLUMNS}
    totals: Counter[str] = Counter()
    for block in blocks:
        column = next((name for name, layouts in COLUMNS.items() if block.layout in layouts), None)
        if column:
            totals[column] += 1
            counts[column].update(set(traits(block)))
    yield f"| trait | {' | '.join(f'{name} ({totals[name]:,})' for name in COLUMNS)} |"
    yield f"|---|{'---|' * len(COLUMNS)}"
    for trait in sorted({trait for found in counts.values() for trait in found}):
        cells = (f"{counts[name][trait] / max(1, totals[name]):.1%}" for name in COLUMNS)
        yield f"| {trait} | {' | '.join(cells)} |"


def traits(block: Block) -> Iterator[str]:
    """What is seen in one text; the words before the colon group the rows."""
    lines = scan(block.text)
    split = split_criteria(block.text, block.arms)
    for line in lines:
        yield from _line_traits(line)
    yield from _text_traits(block.text)
    depth = max((len(criterion.parents) for criterion in split.criteria), default=0)
    for level in range(1, min(depth, 4) + 1):
        yield f"nesting: {level} parent{'s' * (level > 1)} or more"
    yield from (f"split: has {criterion.kind.lower()}" for criterion in split.criteria)
    if any(criterion.arms for criterion in split.criteria):
        yield "split: has a scope"
    if split.incomplete:
        yield "split: says that it is incomplete"
    for name in ("label", "note", "filler"):
        if getattr(split.account, name):
            yield f"split: has a {name}"


def _line_traits(line: Line) -> Iterator[str]:
    for mark in line.marks:
        bullet = mark.style is Style.BULLET
        yield f"marks: `{mark.form}`" if bullet and mark.form in "*-•o" else f"marks: {mark.style}"
    if not line.marks and (header := read_header(line.text)):
        form = "sentence" if header.sentence else "phrase"
        yield f"headers: {form}"
        if header.side in (Side.MIXED, Side.ELIGIBILITY):
            yield f"headers: {header.side.lower()}"
        if header.arms:
            yield "headers: with a scope"
        if header.partial:
            yield "headers: key"
        if header.length < len(line.text):
            yield "headers: text on the same line"


def _text_traits(text: str) -> Iterator[str]:
    if re.search(r"\\[!-/:-@\[-`{-~]", text):
        yield "markup: backslash escape"
    if re.search(r"&(?:amp;)*(?:#\d+|#x[\da-f]+|[a-z]+);", text, re.IGNORECASE):
        yield "markup: HTML entity"
    if "<!-- -->" in text:
        yield "markup: list break"
    if "\r\n" in text:
        yield "markup: CR LF"
    if not text.isascii():
        yield "markup: non-ASCII"
    if re.search(r"[！-～。、（）]", text):
        yield "markup: full-width sign"


# Counts of the patterns ---------------------------------------------------------------------------------------------


def note_seen(folder: Path, blocks: list[Block]) -> None:
    """Writes `seen = N` below each pattern: in how many of the studies it occurs."""
    texts = [lowered(clean(block.text, 0, len(block.text)).text) for block in blocks]
    for path in sorted(folder.glob("*.toml")):
        source = re.sub(r"^seen = \d+\n", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for rows in tomllib.loads(source).values():
            for row in rows:
                seen = _count("".join(row["pattern"].split("\n")), texts)
                source = _with_seen(source, row, seen)
        path.write_text(source, encoding="utf-8")
        print(path.name)


def _count(pattern: str, texts: list[str]) -> int:
    found = re.compile(rf"(?<!\w)(?:{pattern})(?!\w)" if pattern.isascii() else pattern)
    return sum(found.search(text) is not None for text in texts)


def _with_seen(source: str, row: dict[str, str], seen: int) -> str:
    """The table of `row` is found by its pattern, which the file spells as TOML does."""
    for quoted in (
        f"'{row['pattern']}'",
        json.dumps(row["pattern"], ensure_ascii=False),
        f"'''\n{row['pattern']}'''",
    ):
        line = f"pattern = {quoted}"
        if line in source:
            return source.replace(f"{line}\n", f"{line}\nseen = {seen}\n", 1)
    raise ValueError(f"no pattern {row['pattern'][:40]!r} in the file")


if __name__ == "__main__":
    main()
