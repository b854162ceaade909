"""What ordinary analysers lose, as results: of each pair the study that says it comes before the one that does not.

Common tokenizers lose something of each of `E11.9`, `SYN-2024-0001`, `HER2-positive`, `B+`, `500mg`, a run of Chinese,
`José` and "not".
"""

from __future__ import annotations

from typing import Any

import pytest

from library import Library
from proband.model import DocumentKey, Filter, Lane, Question, Scope, SearchResult, SectionKind
from proband.search.fuse import fuse
from proband.search.pipeline import rank, search
from proband.settings import SearchSettings
from proband.text.codes import CodeSystem, code_terms
from proband.text.exact import own_terms


def found(question: str, **studies: Any) -> list[str]:
    """The documents in their order; each text is one chunk of the document of that name.

    Without the dense lane: the stand-in for a model cannot read at all.
    """
    library = Library()
    for name, texts in studies.items():
        for text in [texts] if isinstance(texts, str) else texts:
            library.add(name, text)
    with library.reader() as reader:
        ranked = rank(Question(question), Scope.public(), 1, reader, SearchSettings())
    groups = fuse([one for one in ranked.rankings if one.lane is not Lane.DENSE], 60)
    return [DocumentKey.parse(group.document).parts[0] for group in groups]


def asked(library: Library, question: str) -> SearchResult:
    with library.reader() as reader:
        return search(Question(question), Scope.public(), 1, reader, SearchSettings())


def names(result: SearchResult) -> list[str]:
    return [hit.document.parts[0] for hit in result.hits]


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("E11.9", "Coded E11.9 in the letter", "E11.65 was coded, 9 units insulin at 9 pm, E11 9"),
        ("E11.9", "diabetes (E11.9), stable", "E11.65, E11.8, 9 units of insulin"),
        ("e11.9 insulin", "E11.9 on insulin", "E11.65 on 9 units insulin"),
        ("SYN-2024-0001", "Patient SYN-2024-0001 was seen", "SYN-2024-0010, 2024 and 0001 in SYN"),
        ("HER2-positive", "HER2 positive tumour", "HER2-negative tumour with positive nodes"),
        ("HER2- breast", "HER2-negative breast cancer", "HER2-positive breast cancer"),
        ("HER2+ breast", "HER2 (+) breast cancer", "HER2 (-) breast cancer"),
        ("blood type B+", "Blood type B+", "Blood type B-"),
        ("blood type A-", "Blood type A-", "Blood type A+, a type of blood"),
        ("500 mg daily", "Takes 500mg daily", "Takes 50 mg daily, 500 in all"),
        ("500mg", "one tablet of 500 mg", "500 tablets of 5 mg"),
        ("0.5 mg", "Takes .5 milligrams", "Takes 5 mg, 0 to 0.05 mg"),
        ("非小細胞肺癌", "患者有非小細胞肺癌", "小胞非癌"),
        ("Jose", "Hospital San Jos\u00e9", "Hospital San Juan"),
        ("Jos\u00e9", "Hospital San Jose", "Hospital San Juan"),
        ("not diabetic", "Patient is not diabetic", "Patient is diabetic"),
        ("without metastases", "Cancer without metastasis", "Cancer with metastasis"),
        ("ALL in children", "ALL of children", "all of the children"),
        ("IT chemotherapy", "IT chemotherapy", "give it as chemotherapy"),
        ("platelets 10^9/L", "Platelets of 75 x 10\u2079/L", "Platelets 10 or 9 in a litre"),
        ("V600E", "BRAF p.Val600Glu", "BRAF V600K, V600 E"),
        ("NULL HTTP", "NULL over HTTP", "nothing"),
    ],
)  # fmt: skip
def test_what_says_it_comes_before_what_looks_like_it(
    question: str, right: str, wrong: str
) -> None:
    assert found(question, RIGHT=right, WRONG=wrong)[0] == "RIGHT"
    assert found(question, AAA=wrong, ZZZ=right)[0] == "ZZZ"  # not by the order of keys


def test_an_equal_code_comes_before_a_longer_text_with_codes_below_it() -> None:
    assert found("E11", BELOW="E11.9, E11.65 and E11.8", OTHER="ICD-10: I10", EQUAL="ICD-10: E11")[
        :2
    ] == ["EQUAL", "BELOW"]


def test_a_code_is_found_without_its_dot_and_in_small_letters() -> None:
    studies = {"RIGHT": "Coded S72.001A", "WRONG": "Coded S72.002A"}
    for question in ("S72.001A", "s72001a", "S72001A", "icd-10 s72001a"):
        assert found(question, **studies)[0] == "RIGHT"


def test_a_code_of_a_column_is_found_as_one_of_a_text() -> None:
    library = Library()
    library.add("ROW", "type 2 diabetes", exact=code_terms(CodeSystem.ICD10, "E11.9"))
    library.add("OTHER", "type 2 diabetes of the code")
    assert names(asked(library, "ICD-10 code E11.9"))[0] == "ROW"
    assert names(asked(library, "e119"))[0] == "ROW"


def test_no_part_of_an_identifier_leads_to_another_one() -> None:
    library = Library()
    for number in ("0001", "0010", "2024"):
        name = f"NCT0000{number}"
        library.add(name, "Asthma", SectionKind.TITLE, exact=own_terms([f"SYN-2024-{number}"]))
    result = asked(library, "SYN-2024-0001")
    assert names(result)[0] == "NCT00000001"
    lanes = {hit.document.parts[0]: hit.passages[0].found for hit in result.hits}
    assert [n for n, some in lanes.items() if any(p.lane is Lane.EXACT for p in some)] == [
        "NCT00000001"
    ]


HOSTILE = [
    '"', "'", "((((", "a AND (b OR", "a -b +c ~d", "NOT *", "field:value", "[1 TO 9]", "\x00nul\x00",
    "'; DROP TABLE study; --", '{"$where": "1"}', "\\", "\\u0000 \ud800 x", "%s %n", "=nct00000001",
    "drug:keytruda", "icd10>E11", "a" * 100_000, "e11.9 " * 5_000, "(" * 1_000 + "x", "-" * 50_000 + "1",
    "A1-" * 20_000, "HLA-" * 5_000, "ICD " * 5_000, "1 2 3 4 5 6 7 " * 500,
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_user_text_is_never_query_syntax(text: str) -> None:
    """Hostile text ends in a ranking, and finds nothing by what only an index term or an operator would say."""
    library = Library()
    library.add("NCT00000001", "Coded E11.9", exact=("drug:keytruda",))
    with library.reader() as reader:
        ranked = rank(Question(text + " zz"), Scope.public(), 1, reader, SearchSettings())
    assert len(ranked.groups) <= 1
    if text in ("drug:keytruda", "icd10>E11", "=nct00000001"):
        assert not ranked.plan.alone


def test_a_filter_holds_for_what_is_named_too() -> None:
    library = Library()
    library.add("NCT00000001", "Asthma", SectionKind.TITLE, exact=own_terms(["ACTG 175"]))
    hidden = Filter()
    with library.reader() as reader:
        seen = rank(Question("ACTG 175", hidden), Scope.public(), 2, reader, SearchSettings())
        library.index.expire(list(library.chunks), 2)
        gone = rank(Question("ACTG 175", hidden), Scope.public(), 2, reader, SearchSettings())
    assert (len(seen.groups), len(gone.groups)) == (1, 0)
