"""Exact questions drawn from the studies themselves: `PROBAND_HOME=... python benchmarks/quality/exact.py`.

For each kind of name (identifiers, acronyms, drugs and their other names, codes, variants, compound numbers) it draws
names that stand in some study, changes how they are written (case, dashes, blanks, zeros, dots) and puts half of them
into a short sentence. A question is answered when one of the first five studies truly holds the name; what holds it is
read from the records with rules of this file, not with those of the product. Prints the share by kind and each miss.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import normalize

from proband.engine import Engine
from proband.model import DocumentKey, Question
from proband.wiring import open_search

TOP, DEPTH = 5, 60

DRUGS = {"DRUG", "BIOLOGICAL", "COMBINATION_PRODUCT", "DIETARY_SUPPLEMENT", None}
EVERYDAY = re.compile(
    r"placebo|control|usual care|standard|observation|sham|no treatment|vehicle", re.IGNORECASE
)
"""Names of what is no drug: a thousand studies hold them, and any question finds one."""

IDENTIFIERS = {"nct id", "org id", "secondary id", "former id", "acronym"}

IN_TEXTS = {
    "code": re.compile(
        r"(?<![\w.-])(?:[A-TV-Z]\d{2}\.\d{1,2}|[A-DGHJLMNPRSV]\d{2}[A-Z]{2}\d{2})(?![\w.-])"
        r"|(?<=ICD-10 code: )[A-Z]\d{2}(?:\.\d)?|(?<=ICD 10: )[A-Z]\d{2}(?![\w.])"
    ),
    "variant": re.compile(
        r"(?<![\w.-])(?:[ACDEFGHIKLMNPQRSTVWY]\d{2,4}[ACDEFGHIKLMNPQRSTVWY]|F508del|rs\d{5,}|HLA-[A-Z]+\*?\d+)(?![\w-])"
    ),
    "compound": re.compile(r"(?<![\w-])[A-Z]{2,5}[- ]\d{3,7}(?![\w-])"),
    "registry": re.compile(r"(?<![\w-])(?:\d{4}-\d{6}-\d{2}|ISRCTN\d{8}|NCT\d{8})(?![\w-])"),
}
SENTENCES = (
    "trials of {}",
    "which study is {}?",
    "Is there a study with {}",
    "find studies about {}",
    "show me {} trials",
    "{} study",
    "patients with {}",
    "What does {} study?",
)


@dataclass(frozen=True)
class Asked:
    """A question of one kind, and the name that it was made of."""

    kind: str
    text: str
    name: str


class Names:
    """The names in all studies by kind, each with the studies that hold it."""

    def __init__(self, studies: Mapping[str, Mapping[str, Any]]) -> None:
        self.by_kind: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        self._texts = {nct_id: _folded(" \n ".join(_texts(raw))) for nct_id, raw in studies.items()}
        self._ids: dict[str, set[str]] = defaultdict(set)
        self._squashed: dict[str, set[str]] = defaultdict(set)
        for nct_id, raw in studies.items():
            self._read(nct_id, raw["protocolSection"])

    def _read(self, nct_id: str, protocol: Mapping[str, Any]) -> None:
        module = protocol.get("identificationModule", {})
        ids = [("nct id", nct_id), ("org id", module.get("orgStudyIdInfo", {}).get("id"))]
        ids += [("secondary id", one.get("id")) for one in module.get("secondaryIdInfos", [])]
        ids += [("former id", one) for one in module.get("nctIdAliases", [])]
        for kind, name in (*ids, ("acronym", module.get("acronym"))):
            if name and re.search(r"[^\W_]", name):
                self.by_kind[kind][name].add(nct_id)
                self._ids[_squashed(name)].add(nct_id)
        for one in protocol.get("armsInterventionsModule", {}).get("interventions", []):
            names = [
                ("drug", one.get("name", "")),
                *(("other name", n) for n in one.get("otherNames", [])),
            ]
            for kind, name in names:
                if one.get("type") in DRUGS and name and not EVERYDAY.search(name):
                    self.by_kind[kind][name].add(nct_id)
        for kind, pattern in IN_TEXTS.items():
            for found in pattern.findall(self._texts[nct_id]):
                self.by_kind[kind][found].add(nct_id)

    def holds(self, nct_id: str, one: Asked) -> bool:
        """Whether the study has the name: as an identifier, zeros aside, or as whole words of any of its texts."""
        if nct_id in self.by_kind[one.kind][one.name]:
            return True
        if one.kind in IDENTIFIERS:
            return nct_id in self._ids[_squashed(one.name)]
        words = r"[\W_]*".join(map(re.escape, _words(one.name)))
        pattern = rf"(?<![^\W_]){words}(?![^\W_])"
        return re.search(pattern, self._texts[nct_id], re.IGNORECASE) is not None


def _texts(raw: Mapping[str, Any]) -> Iterator[str]:
    """All texts of a study but its sites, whose postal codes look like compound numbers."""
    modules = raw["protocolSection"].items()
    return _strings([value for name, value in modules if name != "contactsLocationsModule"])


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, str):
        yield value


def _folded(text: str) -> str:
    return re.sub("[\u2010-\u2015\u2212]", "-", normalize("NFKC", text))


def _words(name: str) -> list[str]:
    return re.findall(r"[^\W\d_]+|\d+", _folded(name))


def _squashed(name: str) -> str:
    return "".join(word.lstrip("0") or "0" for word in _words(name.lower()))


def asked(names: Names, count: int, seed: int) -> list[Asked]:
    """`count` questions, equally many of each kind as far as there are names; the same for the same seed."""
    chance = random.Random(seed)
    left = {
        kind: chance.sample(sorted(some), len(some)) for kind, some in sorted(names.by_kind.items())
    }
    found: list[Asked] = []
    while len(found) < count and any(left.values()):
        for kind, some in left.items():
            if some and len(found) < count:
                name = some.pop()
                text = _rewritten(kind, name, chance)
                if chance.random() < 0.5:
                    text = chance.choice(SENTENCES).format(text)
                found.append(Asked(kind, text, name))
    return found


def _rewritten(kind: str, name: str, chance: random.Random) -> str:
    ways: list[Callable[[str], str]] = [str, str, str.lower, str.upper]
    if kind in ("org id", "secondary id", "compound", "registry", "other name"):
        ways += [_other_dash, lambda text: text.replace("-", " ")]
    if kind in ("org id", "secondary id", "compound", "nct id") and re.search(r"[^\W\d_]", name):
        ways += [_without_zeros, _with_zero, lambda text: re.sub(r"[-\s]", "", text)]
    if kind == "code":
        ways += [lambda text: text.replace(".", ""), lambda text: f"ICD-10 {text}".replace(".", "")]
    return chance.choice(ways)(name)


def _other_dash(text: str) -> str:
    return text.replace("-", "\u2013")


def _without_zeros(text: str) -> str:
    return re.sub(r"(?<!\d)0+(?=\d)", "", text)


def _with_zero(text: str) -> str:
    return re.sub(r"(?<!\d)(\d+)", r"0\1", text, count=1)


def main() -> None:
    """Prints the table and the misses."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with open_search("exact questions") as engine:
        seen = engine.seen(None)
        names = Names(_raw(engine, seen))
        questions = asked(names, options.count, options.seed)
        started = time.perf_counter()
        found = [_found(engine, one, seen) for one in questions]
        seconds = time.perf_counter() - started
    _print(
        [(one, _place(names, one, some)) for one, some in zip(questions, found, strict=True)],
        seconds,
    )


def _raw(engine: Engine, seen: int) -> Mapping[str, Mapping[str, Any]]:
    ids = [mark.nct_id for mark in engine.catalogue.study_marks(seen)]
    return engine.catalogue.raw_studies(ids, seen)


def _found(engine: Engine, one: Asked, seen: int) -> list[str]:
    groups = engine.rank(Question(one.text), seen).groups
    return [DocumentKey.parse(group.document).parts[0] for group in groups[:DEPTH]]


def _place(names: Names, one: Asked, found: Sequence[str]) -> int | None:
    """The first place at which a study stands that holds the name; None when there is none."""
    return next((n for n, nct_id in enumerate(found, 1) if names.holds(nct_id, one)), None)


def _print(placed: Sequence[tuple[Asked, int | None]], seconds: float) -> None:
    by_kind: defaultdict[str, list[bool]] = defaultdict(list)
    for one, place in placed:
        for kind in (one.kind, "all"):
            by_kind[kind].append(place is not None and place <= TOP)
    print(f"| kind | questions | right study among the first {TOP} |\n|---|---|---|")
    for kind, hits in sorted(by_kind.items(), key=lambda pair: pair[0] == "all"):
        print(f"| {kind} | {len(hits)} | {sum(hits) / len(hits):.3f} |")
    print(f"\n{1000 * seconds / len(placed):.0f} ms a question.\n")
    for one, place in placed:
        if place is None or place > TOP:
            where = f"place {place}" if place else "not found"
            print(f"- {one.kind}: {one.text!r} ({one.name!r}): {where}")


if __name__ == "__main__":
    main()
