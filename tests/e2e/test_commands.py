"""The whole way of a person with the sample studies: init, import, search, show, upkeep."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from commands import proband, ready_home
from proband.sample import studies_folder
from proband.trials.documents import published_text
from proband.trials.registry import parse_study

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the sample imported; tests only read it."""
    folder = ready_home(tmp_path_factory.mktemp("sample"))
    ran = proband(folder, "trials", "import", studies_folder(), "--json")
    assert ran.code == 0, ran.err
    assert ran.json["rejected"] == []
    return folder


def test_search_has_the_documented_json_shape_and_cites_slices(home: Path) -> None:
    ran = proband(home, "search", "no prior chemotherapy", "--top-k", "5", "--json")
    assert ran.code == 0
    assert list(ran.json)[:2] == ["generation", "hits"]
    assert len(ran.json["hits"]) == 5
    for hit in ran.json["hits"]:
        file = studies_folder() / f"{hit['nct_id']}.json"
        study = parse_study(json.loads(file.read_text(encoding="utf-8")))
        for passage in hit["passages"]:
            start, end = passage["span"]
            cited = published_text(study, passage["field"])[start:end]
            assert cited.split()[0][:3] == passage["text"].split()[0][:3]
            assert set(passage["lanes"]) <= {"dense", "lexical", "document", "exact", "rerank"}


def test_context_is_cited_and_stays_within_its_tokens(home: Path) -> None:
    options = ("--top-k", "3", "--context", "40", "--json")
    ran = proband(home, "search", "no prior chemotherapy", *options)
    contexts = [(hit, p) for hit in ran.json["hits"] for p in hit["passages"] if p["context"]]
    assert contexts
    for hit, passage in contexts:
        assert 0 < passage["context_tokens"] <= 40
        file = studies_folder() / f"{hit['nct_id']}.json"
        study = parse_study(json.loads(file.read_text(encoding="utf-8")))
        for one in passage["context"]:
            cited = published_text(study, one["field"])[slice(*one["span"])]
            assert cited.split()[0][:3] == one["text"].split()[0][:3]


def test_identifier_finds_its_study_first(home: Path) -> None:
    ran = proband(home, "search", "nct99000007", "--json")
    assert ran.json["hits"][0]["nct_id"] == "NCT99000007"


def test_no_exclusions_and_criteria_only_leave_the_other_sections_out(home: Path) -> None:
    options = ("--criteria-only", "--no-exclusions", "--json")
    ran = proband(home, "search", "HER2-negative breast cancer", *options)
    sections = {p["section"] for hit in ran.json["hits"] for p in hit["passages"]}
    assert sections <= {"INCLUSION_CRITERION", "ELIGIBILITY_UNPARSED"}
    assert "INCLUSION_CRITERION" in sections


def test_recruiting_near_a_city_means_a_site_that_enrols_there(home: Path) -> None:
    options = ("--recruiting", "--near", "Leeds", "--within", "50", "--json")
    ran = proband(home, "search", "heart failure", *options)
    found = [hit["nct_id"] for hit in ran.json["hits"]]
    assert "NCT99000040" in found
    assert "NCT99000039" not in found
    assert {hit["status"] for hit in ran.json["hits"]} == {"RECRUITING"}


def test_explain_shows_ranks_scores_and_timings(home: Path) -> None:
    shown = proband(home, "search", "exon 20 insertion", "--explain").out
    assert "cosine" in shown
    assert "bm25" in shown
    assert "recall:" in shown


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (("asthma", "--near", "80,80", "--within", "10"), "nothing_fits"),
        (("NCT99000999",), "not_there"),
        (('"a phrase that no study holds"',), "not_there"),
    ],
)
def test_refused_search_exits_3_and_shows_the_nearest_as_no_answer(
    home: Path, arguments: tuple[str, ...], kind: str
) -> None:
    ran = proband(home, "search", *arguments, "--json")
    assert (ran.code, ran.json["outcome"], ran.json["hits"]) == (3, "refuse", [])
    assert ran.json["refusal"]["kind"] == kind
    assert bool(ran.json["nearest"]) == (" phrase " in arguments[0])
    shown = proband(home, "search", *arguments).out
    assert " ".join(shown.split()).startswith(ran.json["refusal"]["reason"])
    assert ("not an answer" in shown) == bool(ran.json["nearest"])


def test_accepted_search_tells_what_the_gate_saw(home: Path) -> None:
    ran = proband(home, "search", "severe asthma", "--json", "--explain")
    assert (ran.code, ran.json["outcome"], ran.json["refusal"]) == (0, "answer", None)
    assert [word["word"] for word in ran.json["gate"]["words"]] == ["severe", "asthma"]
    assert 0.5 < ran.json["gate"]["score"] <= 1.0001


def test_topics_give_a_trec_run_one_line_a_study(home: Path, tmp_path: Path) -> None:
    topics, run = tmp_path / "topics.jsonl", tmp_path / "run.txt"
    topics.write_text('{"id": "1", "text": "asthma"}\n{"id": "2", "text": "lupus"}\n')
    ran = proband(home, "search", "--topics", topics, "--run", run, "--depth", "30")
    assert ran.code == 0
    rows = [line.split() for line in run.read_text().splitlines()]
    assert {row[0] for row in rows} == {"1", "2"}
    for topic in ("1", "2"):
        mine = [row for row in rows if row[0] == topic]
        assert [int(row[3]) for row in mine] == list(range(1, len(mine) + 1))
        assert len({row[2] for row in mine}) == len(mine)
        scores = [float(row[4]) for row in mine]
        assert scores == sorted(scores, reverse=True)


def test_show_gives_criteria_with_spans_into_the_record(home: Path) -> None:
    shown = proband(home, "trials", "show", "NCT99000007", "--json").json
    raw = proband(home, "trials", "show", "NCT99000007", "--raw").json
    text = raw["protocolSection"]["eligibilityModule"]["eligibilityCriteria"]
    first = shown["eligibility"]["criteria"][0]
    assert text[slice(*first["span"])][:10] == first["text"][:10]
    assert shown["eligibility"]["account"]["unaccounted"] == 0


def test_criteria_of_an_imported_study_are_those_that_show_gives(home: Path) -> None:
    split = proband(home, "trials", "criteria", "nct99000007", "--json").json
    shown = proband(home, "trials", "show", "NCT99000007", "--json").json
    assert split["criteria"] == shown["eligibility"]["criteria"]
    assert proband(home, "trials", "criteria", "NCT00000000").code == 2


def test_doctor_finds_nothing_wrong(home: Path) -> None:
    ran = proband(home, "doctor", "--json")
    assert [check["name"] for check in ran.json["checks"] if not check["ok"]] == []
    assert ran.code == 0


def test_import_again_embeds_nothing(home: Path) -> None:
    ran = proband(home, "trials", "import", studies_folder(), "--json")
    assert (ran.json["unchanged"], ran.json["indexed"]["embedded_texts"]) == (83, 0)
    assert ran.json["generation"] == 1


@pytest.mark.parametrize("content", ["", '{"studies": []}', '{"protocolSection": ', "no study"])
def test_import_that_read_no_study_is_an_error_in_one_sentence(
    home: Path, tmp_path: Path, content: str
) -> None:
    file = tmp_path / "none.json"
    file.write_text(content)
    ran = proband(home, "trials", "import", file, "--json")
    assert (ran.code, ran.json["new"]) == (1, 0)
    assert f"proband: No study was read from {file}" in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("search", "x", "--near", "Atlantis"), "No site is in a city called 'Atlantis'"),
        (("search", "x", "--near", "95,0"), "latitude is -90 to 90"),
        (("search", "x", "--age", "old"), "is not an age"),
        (("search", "?!"), "no word to search for"),
        (("search", "x", "--generation", "9"), "Generation 9 cannot be read"),
        (("trials", "show", "NCT00000000"), "No study NCT00000000"),
        (("models", "pull", "nonesuch"), "nonesuch"),
        (("search",), "Give a QUESTION"),
    ],
)
def test_what_cannot_be_done_is_a_usage_error_in_one_sentence(
    home: Path, arguments: tuple[str, ...], says: str
) -> None:
    ran = proband(home, *arguments)
    assert ran.code == 2
    assert says in ran.err
    assert "Traceback" not in ran.err


def test_second_process_is_told_who_holds_the_index(home: Path) -> None:
    holding = "from proband.wiring import open_engine\nimport subprocess, sys, os\n"
    outer = (
        holding + "with open_engine('proband trials import'):\n"
        "    run = subprocess.run([sys.executable, '-m', 'proband', 'search', 'asthma'],"
        " capture_output=True, text=True)\n"
        "    print(run.returncode, run.stderr); raise SystemExit\n"
    )
    said = proband(home, prelude=outer).out
    assert said.startswith("1 ")
    assert "held by `proband trials import`, process" in said


def test_demo_ends_with_three_searches(tmp_path: Path) -> None:
    folder = ready_home(tmp_path / "home")
    shutil.rmtree(folder / "index")
    ran = proband(folder, "demo")
    assert ran.code == 0, ran.err
    assert ran.out.count("$ proband search") == 3
    assert "NCT99000045" in ran.out
    assert "not an answer" not in ran.out
    assert "NCT99000040" in ran.out
