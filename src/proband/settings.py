"""Typed settings from `proband.toml` in the home folder and from the environment.

Every tunable is a measured number: its unit and the observation that set it stand beside it, and `docs/settings.md`
is generated from them. An unknown key is an error that names the key and where it stands. Environment names are
`PROBAND_<SECTION>__<KEY>`, for example `PROBAND_SEARCH__RRF_K=40`; they win over the file.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic import Field as PydanticField

from proband.errors import SettingsError

FILE_NAME = "proband.toml"
PREFIX = "PROBAND_"
NOT_SETTINGS = ("PROBAND_HOME", "PROBAND_TRACE", "PROBAND_TEST_", "PROBAND_SOURCE_")


def tunable(default: Any, unit: str, measured: str, *, rebuild: bool = False, **bounds: Any) -> Any:
    """A setting with its default, unit, the observation that set it, and whether changing it calls for a rebuild."""
    return PydanticField(
        default=default,
        description=measured,
        json_schema_extra={"unit": unit, "rebuild": rebuild},
        **bounds,
    )


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ModelSettings(_Section):
    """Which model turns text into vectors, and how it runs."""

    dense: str = tunable(
        "all-minilm-l6-v2",
        "name in models.toml",
        "The default needs no download service; others by configuration.",
        rebuild=True,
    )
    reranker: str = tunable(
        "",
        "name in models.toml, empty: late interaction of the dense model",
        "Late interaction needs no further weights and won on four collections (decision 014); bge-reranker-v2-m3 was "
        "never measured here.",
    )
    threads: int = tunable(
        0,
        "threads, 0: all cores",
        "Embedding is compute bound; two threads on two cores were 1.9 times one.",
        ge=0,
        le=256,
    )
    batch_tokens: int = tunable(
        1024,
        "tokens a batch",
        "128, 256, 512, 1,024, 4,096: 143, 135, 133, 132, 131 µs of CPU a token (decision 020).",
        ge=64,
        le=65536,
    )
    query_cache: int = tunable(
        1024, "texts", "Set by the design: 1.5 MB of vectors.", ge=0, le=1_000_000
    )
    hub_url: str = tunable(
        "https://huggingface.co", "URL", "Where the published repositories of the models are."
    )


class IndexSettings(_Section):
    """How the index is kept and searched."""

    exact_below: int = tunable(
        20_000,
        "points",
        "Set by the design; comparing 28,500 points that five conditions let through took 13 ms of two cores at best.",
        ge=0,
    )
    write_batch: int = tunable(
        500,
        "points a call",
        "Batches of 250 to 8,000 were written at the same rate, 0.16 CPU ms a point; Edge keeps the interpreter's lock "
        "during a call, and small ones let the model go on between them.",
        ge=1,
        le=100_000,
    )
    segment_points: int = tunable(
        64_000,
        "points a segment",
        "Built at 0.33 CPU ms a point and a peak of 1.1 GB; 116,000: 0.50 ms and 1.9 GB, searched as fast at equal "
        "recall (340,000 made points).",
        rebuild=True,
        ge=1,
    )
    open_points: int = tunable(
        10_000,
        "points searched one by one before they are built",
        "Comparing 10,000 points took 5 ms, as long as walking the graphs of 340,000.",
        rebuild=True,
        ge=1,
    )
    graph_links: int = tunable(
        16,
        "links a node",
        "recall@60 of 150 sentences of TREC topics in 56,000 registry lines, 40% of them let through: 0.967; "
        "12 links 0.957, 8 links 0.932 (all with graph_build 64).",
        rebuild=True,
        ge=0,
        le=128,
    )
    graph_build: int = tunable(
        100,
        "candidates while building",
        "recall@60 as above 0.972 at 9.3 CPU s; 64: 0.967 at 7.0 CPU s.",
        rebuild=True,
        ge=4,
        le=1000,
    )
    graph_search: int = tunable(
        128,
        "candidates while searching",
        "recall@60 as above 0.962 without oversampling; 64: 0.908 in the same time.",
        ge=4,
        le=4096,
    )
    oversampling: float = tunable(
        1.0,
        "times the limit, scored again with the full vectors",
        "recall@60 as above 0.962, at 2: 0.972. Of 30 questions in 354,523 registry chunks: 0.972 in 2.8 CPU ms, at 2: "
        "0.974 in 6.1.",
        ge=1,
        le=16,
    )
    ties: int = tunable(
        10_000,
        "points of equal score at the cut",
        'The most frequent line of 17,877 studies, "Not specified", occurs 2,676 times.',
        ge=0,
        le=100_000,
    )


class SearchSettings(_Section):
    """How a question becomes a result."""

    rrf_k: int = tunable(
        20,
        "unitless, one-based ranks",
        "nDCG@10, reranked, at 10 / 20 / 60: scifact 0.740 / 0.737 / 0.727, medlars 0.802 / 0.804 / 0.795, sample "
        "0.948 / 0.947 / 0.939, trec-ct-2021 0.350 / 0.372 / 0.379 (decision 012).",
        ge=1,
        le=1000,
    )
    lexical_vote: float = tunable(
        0.25,
        "of a dense ranking's vote",
        "Of a passage; its whole document, which has the same words, has the rest. nDCG@10 of 0.25 + 0.75, 0.5 + 0.5, "
        "1 + 1: scifact 0.737, 0.729, 0.724 (decision 012).",
        ge=0,
        le=1,
    )
    over_fetch: int = tunable(
        6,
        "chunks a document",
        "Several chunks of one study fill a list (trials design note).",
        ge=1,
        le=100,
    )
    least_fetch: int = tunable(
        60, "chunks a ranking", "Ten studies of six chunks each.", ge=1, le=10_000
    )
    most_fetch: int = tunable(
        2000,
        "chunks a ranking",
        "6,000 took 5 times as long as 1,000; 2,000 give more than 1,000 studies a topic.",
        ge=1,
        le=100_000,
    )
    narrative_words: int = tunable(
        30,
        "words",
        "From here on a text is read as a patient's story. TREC 2021 topics cut to 30 words: recall@100 0.429 read so, "
        "0.382 as a question.",
        ge=1,
        le=10_000,
    )
    rerank_vote: float = tunable(
        2.0,
        "of a dense ranking's vote",
        "nDCG@10 with 1, 2: scifact 0.728, 0.737; medlars 0.798, 0.804; sample 0.941, 0.947; trec-ct-2021 0.372, 0.372 "
        "(decision 014).",
        ge=0,
        le=10,
    )
    rerank_documents: int = tunable(
        12,
        "documents at most, 0: none",
        "nDCG@10 of none, 12, 20: scifact 0.707, 0.735, 0.736; medlars 0.798, 0.814, 0.819; sample 0.928, 0.946, 0.947 "
        "(decision 014).",
        ge=0,
        le=1000,
    )
    rerank_elbow: float = tunable(
        0.65,
        "of the fused score before",
        "Set by the records design note: a document below that share of the one before it ends the prefix.",
        ge=0,
        le=1,
    )
    rerank_passages: int = tunable(
        2,
        "passages a document",
        "nDCG@10 with 2, 3: scifact 0.737, 0.734; sample 0.947, 0.936 (decision 014).",
        ge=1,
        le=50,
    )
    rerank_story_passages: int = tunable(
        3,
        "passages a document, for a patient's story",
        "A story meets several criteria. trec-ct-2021, nDCG@10 full / condensed of 2, 3: 0.356 / 0.688, 0.372 / 0.687 "
        "(decision 014).",
        ge=1,
        le=50,
    )
    also_matched: int = tunable(
        3, "passages a document", "What fits a screen beside the strongest passage.", ge=1, le=50
    )
    admission: int = tunable(
        4, "concurrent recalls", "More than two a core only added waiting.", ge=1, le=64
    )


class SyncSettings(_Section):
    """How the registry is asked."""

    base_url: str = tunable(
        "https://clinicaltrials.gov/api/v2", "URL", "The registry's public API, version 2."
    )
    requests_per_second: float = tunable(
        1.0, "requests/s", "robots.txt says Crawl-delay 1 (trials.md, fact 23).", gt=0, le=10
    )
    page_size: int = tunable(
        1000, "studies", "The API's largest page (trials.md, fact 4).", ge=1, le=1000
    )
    overlap_days: int = tunable(
        2, "days", "Dates are day-grained and posting is batched (trials.md, fact 24).", ge=0, le=60
    )
    retries: int = tunable(
        6,
        "tries",
        "With back-off from 1 s doubling: about a minute of trouble is waited out.",
        ge=0,
        le=20,
    )
    timeout_s: float = tunable(
        60.0, "seconds", "A page of 1,000 full records is tens of megabytes.", gt=0, le=600
    )


class CatalogueSettings(_Section):
    """Where the store of record is and how many states it keeps."""

    url: str = tunable(
        "", "SQLAlchemy URL, empty: catalogue.sqlite in the home folder", "SQLite needs no server."
    )
    keep_generations: int = tunable(
        2, "generations", "The visible one and the one before it.", ge=1, le=1000
    )
    batch: int = tunable(
        500,
        "studies a transaction",
        "A crash repeats at most one batch of the import.",
        ge=1,
        le=10_000,
    )


class Settings(_Section):
    """All settings. `offline = true` makes every outgoing call an error."""

    offline: bool = tunable(
        False,
        "true or false",
        "Fetching studies and pulling a model are asked for by name; this forbids them too.",
    )
    model: ModelSettings = ModelSettings()
    index: IndexSettings = IndexSettings()
    search: SearchSettings = SearchSettings()
    sync: SyncSettings = SyncSettings()
    catalogue: CatalogueSettings = CatalogueSettings()


def home_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """`PROBAND_HOME`, else `~/.proband`."""
    return Path(environ.get("PROBAND_HOME") or Path.home() / ".proband").expanduser()


def load_settings(home: Path, environ: Mapping[str, str] = os.environ) -> Settings:
    """The settings of this home. Raises SettingsError for an unknown key, a bad value or a broken file."""
    path = home / FILE_NAME
    from_file = _read_toml(path) if path.is_file() else {}
    _validated(from_file, str(path))
    return _validated(
        _overlay(from_file, _from_environment(environ)), f"{path} and the environment"
    )


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not valid TOML: {error}") from error


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, text in environ.items():
        if not name.startswith(PREFIX) or name.startswith(NOT_SETTINGS):
            continue
        section, _, key = name.removeprefix(PREFIX).lower().partition("__")
        known = Settings.model_fields if not key else _section_fields(section)
        if (key or section) not in known:
            raise SettingsError(
                f"Unknown setting {name} in the environment; docs/settings.md lists the known ones."
            )
        if key:
            values.setdefault(section, {})[key] = text
        else:
            values[section] = text
    return values


def _section_fields(section: str) -> Mapping[str, Any]:
    field = Settings.model_fields.get(section)
    kind = field.annotation if field else None
    return kind.model_fields if isinstance(kind, type) and issubclass(kind, BaseModel) else {}


def _overlay(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        merged[key] = {**merged.get(key, {}), **value} if isinstance(value, dict) else value
    return merged


def _validated(values: dict[str, Any], where: str) -> Settings:
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            raise SettingsError(
                f"Unknown setting {key} in {where}; docs/settings.md lists the known ones."
            ) from error
        raise SettingsError(
            f"Setting {key} in {where}: {first['msg']} (got {first['input']!r})."
        ) from error
