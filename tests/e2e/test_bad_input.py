"""Bad input gets one clear sentence, the right exit code, and loses nothing."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from pathlib import Path

import pytest

from commands import Ran, proband, ready_home
from factories import raw_study
from model_files import tiny_model, write_card

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one study; tests copy it."""
    folder = ready_home(tmp_path_factory.mktemp("made"))
    file = folder / "one.json"
    file.write_text(json.dumps(raw_study("NCT99000001")), encoding="utf-8")
    assert proband(folder, "trials", "import", file).code == 0
    return folder


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "home", symlinks=True))


def sentence(ran: Ran) -> str:
    """What the command said; it is one line and no traceback."""
    assert "Traceback" not in ran.err
    lines = [line for line in ran.err.splitlines() if line.startswith("proband: ")]
    assert len(lines) == 1, ran.err
    return lines[0]


def still_there(home: Path) -> bool:
    return (
        proband(home, "search", "NCT99000001", "--json").json["hits"][0]["nct_id"] == "NCT99000001"
    )


def test_missing_path_is_refused_before_any_work(home: Path) -> None:
    ran = proband(home, "trials", "import", home / "nowhere")
    assert ran.code == 1
    assert "nowhere does not exist" in sentence(ran)


def test_truncated_gzip_delivers_what_it_holds_and_names_the_rest(home: Path) -> None:
    lines = "".join(json.dumps(raw_study(f"NCT9900{n:04}")) + "\n" for n in range(1, 900))
    whole = gzip.compress(lines.encode())
    file = home / "cut.jsonl.gz"
    file.write_bytes(whole[: len(whole) // 2])
    ran = proband(home, "trials", "import", file, "--json")
    assert ran.code == 0
    assert 0 < ran.json["new"] < 899
    (bad,) = ran.json["rejected"]
    assert "cut.jsonl.gz" in bad["where"]
    assert "not read: " in ran.err
    assert still_there(home)


def test_bad_line_is_named_and_the_others_are_imported(home: Path) -> None:
    good = [json.dumps(raw_study(f"NCT9900000{n}")) for n in (2, 3)]
    file = home / "mixed.jsonl"
    file.write_text("\n".join([good[0], '{"broken": ', json.dumps({"x": 1}), good[1]]))
    ran = proband(home, "trials", "import", file, "--json")
    assert ran.json["new"] == 2
    assert [bad["where"].rpartition(", ")[2] for bad in ran.json["rejected"]] == [
        "line 2",
        "line 3",
    ]


def test_xml_of_another_schema_is_named(home: Path) -> None:
    file = home / "other.xml"
    file.write_text("<?xml version='1.0'?><invoice><total>3</total></invoice>")
    ran = proband(home, "trials", "import", file, "--json")
    assert (ran.json["new"], len(ran.json["rejected"])) == (0, 1)


def test_home_that_was_never_made_says_how(tmp_path: Path) -> None:
    ran = proband(tmp_path / "none", "search", "asthma")
    assert ran.code == 1
    assert "run `proband init`" in sentence(ran)


def test_wrong_model_file_is_refused_and_names_the_remedy(home: Path) -> None:
    models = (home / "models").resolve()
    (home / "models").unlink()
    shutil.copytree(models, home / "models")
    weights = home / "models" / "all-minilm-l6-v2" / "model.safetensors"
    damaged = bytearray(weights.read_bytes())
    damaged[1_000_000] ^= 1
    weights.write_bytes(damaged)
    ran = proband(home, "search", "asthma")
    assert ran.code == 1
    assert "models pull all-minilm-l6-v2" in sentence(ran)
    assert proband(home, "models", "verify").code == 1


def test_index_of_another_model_is_refused_until_it_is_rebuilt(home: Path) -> None:
    manifest = home / "index" / "trials" / "manifest.json"
    described = json.loads(manifest.read_text())
    described["model_digest"] = "0" * 64
    manifest.write_text(json.dumps(described))
    ran = proband(home, "search", "asthma")
    assert ran.code == 1
    assert "index --rebuild" in sentence(ran)
    assert proband(home, "doctor").code == 1
    assert proband(home, "index", "--rebuild").code == 0
    assert still_there(home)


def test_model_with_vectors_of_another_length_gets_an_index_of_its_own(home: Path) -> None:
    use_tiny_model(home)
    assert "index --rebuild" in sentence(proband(home, "search", "asthma"))
    ran = proband(home, "index", "--rebuild", "--json")
    assert (ran.code, ran.json["generation"]) == (0, 2)
    assert still_there(home)
    assert proband(home, "doctor").code == 0
    older = proband(home, "search", "asthma", "--generation", "1")
    assert older.code == 2
    assert "cannot be read" in sentence(older)


def test_changed_setting_of_the_graph_calls_for_a_rebuild(home: Path) -> None:
    settings = home / "proband.toml"
    settings.write_text("[index]\ngraph_links = 8\n")
    assert "index --rebuild" in sentence(proband(home, "search", "asthma"))
    assert proband(home, "doctor").code == 1
    assert proband(home, "index", "--rebuild").code == 0
    assert still_there(home)
    assert proband(home, "doctor").code == 0


def use_tiny_model(home: Path) -> None:
    """Puts a model of 16 dimensions beside the default one and into the settings."""
    models = (home / "models").resolve()
    (home / "models").unlink()
    shutil.copytree(models, home / "models")
    card = tiny_model(home / "models" / "tiny").card
    write_card(home / "models.toml", card)
    (home / "proband.toml").write_text('[model]\ndense = "tiny"\n')


def test_emptied_index_is_refused_until_it_is_filled_again(home: Path) -> None:
    shutil.rmtree(home / "index")
    assert proband(home, "init").code == 0
    ran = proband(home, "search", "asthma")
    assert ran.code == 1
    assert "proband reconcile" in sentence(ran)
    assert proband(home, "reconcile").code == 0
    assert still_there(home)


@pytest.mark.parametrize("lost", ["manifest.json", "shard"])
def test_broken_index_is_made_again_by_init_and_reconcile(home: Path, lost: str) -> None:
    path = home / "index" / "trials" / lost
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert "proband init" in sentence(proband(home, "search", "asthma"))
    assert proband(home, "init").code == 0
    assert "proband reconcile" in sentence(proband(home, "search", "asthma"))
    assert proband(home, "reconcile").code == 0
    assert still_there(home)


def test_what_a_terminal_cannot_encode_is_no_fault(home: Path) -> None:
    assert proband(home, "search", "asthma \udcff").code == 0
    ran = proband(home, "search", "asthma", "--condition", "asthma \udcff")
    assert ran.code == 2
    assert "UTF-8" in sentence(ran)
    assert proband(home, "search", "asthma", "--near", "0,0", "--within", "nan").code == 2
    written = proband(home, "search", "asthma", PYTHONIOENCODING="ascii")
    assert (written.code, written.err) == (0, "")


def test_lost_index_is_one_sentence(home: Path) -> None:
    shutil.rmtree(home / "index")
    assert "`proband init` makes it" in sentence(proband(home, "search", "asthma"))


def test_damaged_catalogue_is_one_sentence(home: Path) -> None:
    (home / "catalogue.sqlite").write_bytes(b"not a database, certainly" * 100)
    ran = proband(home, "search", "asthma")
    assert ran.code == 1
    assert "damaged" in sentence(ran)


def test_unknown_setting_names_key_and_file(home: Path) -> None:
    (home / "proband.toml").write_text("[search]\nrrf = 3\n")
    ran = proband(home, "search", "asthma")
    assert ran.code == 1
    assert "search.rrf in" in sentence(ran)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_disk_for_a_run_file_is_one_sentence(home: Path) -> None:
    topics = home / "topics.jsonl"
    topics.write_text('{"id": "1", "text": "age"}\n')
    (home / "run.txt.part").symlink_to("/dev/full")
    ran = proband(home, "search", "--topics", topics, "--run", home / "run.txt")
    assert ran.code == 1
    assert "No space left" in sentence(ran)


def test_read_only_home_is_one_sentence(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("the superuser may write everywhere")
    folder = tmp_path / "home"
    folder.mkdir(mode=0o500)
    assert "cannot be written" in sentence(proband(folder, "init"))
