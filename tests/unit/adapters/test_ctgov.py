"""The registry's API over loopback: whole walks through every trap, and nothing removed on a doubtful answer."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from clocks import FakeTime
from factories import raw_study
from proband import __version__
from proband.adapters.ctgov import RegistryApi
from proband.errors import OfflineError, SourceRefused, SourceUnavailable
from proband.settings import SyncSettings
from proband.trials.fetched import Fetched, Place, Rejected
from proband.trials.sync import RegistryVersion, Removed, StudyQuery
from standin_registry import Answer, StandinRegistry, standin_registry, updated_study

EVERYTHING = StudyQuery()


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandinRegistry]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with standin_registry() as running:
        running.add(*(updated_study(f"NCT9900{n:04}", f"2026-08-{n:02}") for n in range(1, 26)))
        yield running


@pytest.fixture
def api(registry: StandinRegistry) -> Iterator[RegistryApi]:
    with open_api(registry) as opened:
        yield opened


def open_api(
    registry: StandinRegistry, *, offline: bool = False, time: FakeTime | None = None, **tuned: Any
) -> RegistryApi:
    settings = SyncSettings(base_url=registry.url, **{"page_size": 10, "retries": 2, **tuned})
    return RegistryApi(settings, offline=offline, clock=(time or FakeTime()).clock)


def nct_ids(items: Iterator[Fetched | Rejected]) -> list[str]:
    return [item.study.nct_id for item in items if isinstance(item, Fetched)]


ALL = [f"NCT9900{n:04}" for n in range(1, 26)]


def test_version_is_recorded(api: RegistryApi) -> None:
    assert api.version() == RegistryVersion("2.0.5", "2026-09-04T09:00:06")


def test_walk_delivers_every_study_least_recently_updated_first(api: RegistryApi) -> None:
    pages = list(api.studies(EVERYTHING))
    assert [page.number for page in pages] == [1, 2, 3]
    assert [len(page.items) for page in pages] == [10, 10, 5]
    assert [page.total for page in pages] == [25, 25, 25]
    assert [
        item.study.nct_id for p in pages for item in p.items if isinstance(item, Fetched)
    ] == ALL


def test_first_page_asks_for_the_total_and_all_pages_for_the_same(
    registry: StandinRegistry, api: RegistryApi
) -> None:
    list(api.fetch(StudyQuery(condition="pain", since=date(2026, 8, 1))))
    first, *later = registry.pages_asked()
    assert first.pop("countTotal") == "true"
    assert "pageToken" not in first
    assert first == {
        "query.cond": "pain",
        "filter.advanced": (
            "AREA[LastUpdatePostDate]RANGE[2026-07-30,MAX] OR AREA[LastUpdatePostDate]MISSING"
        ),
        "sort": "LastUpdatePostDate:asc",
        "pageSize": "10",
    }
    for page in later:
        assert page.pop("pageToken")
        assert page == first


def test_client_names_product_and_version(registry: StandinRegistry, api: RegistryApi) -> None:
    api.version()
    assert registry.asked[0].headers["User-Agent"] == f"proband/{__version__}"


def test_one_request_a_second(registry: StandinRegistry) -> None:
    time = FakeTime()
    with open_api(registry, time=time) as api:
        list(api.fetch(EVERYTHING))
    assert time.slept == [1.0, 1.0]


def test_empty_page_is_not_the_end(registry: StandinRegistry, api: RegistryApi) -> None:
    registry.empty_pages = {1, 3}
    pages = list(api.studies(EVERYTHING))
    assert [len(page.items) for page in pages] == [0, 10, 0, 10, 5]
    assert nct_ids(item for page in pages for item in page.items) == ALL


def test_query_without_studies_is_one_empty_page(api: RegistryApi) -> None:
    (page,) = api.studies(StudyQuery(condition="no such condition"))
    assert (page.items, page.total) == ((), 0)


def test_page_size_that_the_registry_lowers_loses_nothing(registry: StandinRegistry) -> None:
    registry.add(*(updated_study(f"NCT9901{n:04}", "2026-08-30") for n in range(1100)))
    with open_api(registry, page_size=1000) as api:
        pages = list(api.studies(EVERYTHING))
    assert [len(page.items) for page in pages] == [1000, 125]


def test_ids_are_asked_for_as_a_filter_so_that_other_filters_hold(
    registry: StandinRegistry, api: RegistryApi
) -> None:
    """The stand-in ignores filters beside a query text of ids, as the registry does."""
    query = StudyQuery(term="NCT99000001 NCT99000025", since=date(2026, 8, 20))
    assert nct_ids(api.fetch(query)) == ["NCT99000025"]


def test_incremental_walk_begins_the_overlap_before_its_day(api: RegistryApi) -> None:
    assert nct_ids(api.fetch(StudyQuery(since=date(2026, 8, 24)))) == ALL[21:]


def test_study_without_a_day_of_update_is_not_lost(
    registry: StandinRegistry, api: RegistryApi
) -> None:
    registry.add(updated_study("NCT99009999", None))
    assert nct_ids(api.fetch(StudyQuery(since=date(2026, 8, 24)))) == [*ALL[21:], "NCT99009999"]


def test_changed_study_comes_with_its_new_digest(
    registry: StandinRegistry, api: RegistryApi
) -> None:
    before = {
        i.study.nct_id: i.study.digest for i in api.fetch(EVERYTHING) if isinstance(i, Fetched)
    }
    registry.add(updated_study("NCT99000003", "2026-09-04", condition="Other Pain"))
    (changed,) = (
        i for i in api.fetch(StudyQuery(since=date(2026, 9, 3))) if isinstance(i, Fetched)
    )
    assert changed.study.nct_id == "NCT99000003"
    assert changed.study.digest != before["NCT99000003"]


def test_interrupted_walk_goes_on_at_the_day_it_had_come_to(
    registry: StandinRegistry, api: RegistryApi
) -> None:
    items = [item for item in api.fetch(EVERYTHING) if isinstance(item, Fetched)]
    reached = items[11].place
    assert reached == Place("2026-08-12", 12)
    assert nct_ids(api.fetch(EVERYTHING, reached)) == ALL[11:]
    assert nct_ids(api.fetch(StudyQuery(since=date(2026, 8, 3)), reached)) == ALL[11:]


def test_walk_interrupted_among_studies_without_a_day_begins_again(api: RegistryApi) -> None:
    assert nct_ids(api.fetch(EVERYTHING, Place("", 25))) == ALL


def test_dead_token_begins_the_walk_again(registry: StandinRegistry, api: RegistryApi) -> None:
    pages = api.studies(EVERYTHING)
    first = next(pages)
    registry.refresh("2026-09-05T09:00:06")
    again = list(pages)
    assert [first.number, *(page.number for page in again)] == [1, 1, 2, 3]
    items = [item for page in again for item in page.items]
    assert nct_ids(iter(items)) == ALL
    assert not any(item.repeated for item in items if isinstance(item, Fetched))


def test_tokens_that_always_die_end_the_walk(registry: StandinRegistry, api: RegistryApi) -> None:
    registry.after_answer = lambda number: registry.refresh(f"state {number}")
    with pytest.raises(SourceUnavailable, match="refused its own page token in 4 walks"):
        list(api.fetch(EVERYTHING))


def test_registry_that_repeats_a_token_does_not_hold_us_for_ever(
    registry: StandinRegistry, api: RegistryApi
) -> None:
    registry.next_answers.extend([Answer(body='{"studies": [], "nextPageToken": "t"}')] * 5)
    with pytest.raises(SourceUnavailable, match="repeats itself after page 2"):
        list(api.fetch(EVERYTHING))


def test_trouble_in_the_middle_of_a_walk_loses_nothing(
    registry: StandinRegistry, api: RegistryApi
) -> None:
    registry.next_answers.extend(
        [
            Answer(503),
            None,
            Answer(429, headers={"Retry-After": "2"}),
            Answer(body='{"studies": [', cut=5),
            None,
            Answer(body="<html>"),
        ]
    )
    assert nct_ids(api.fetch(EVERYTHING)) == ALL


def test_registry_that_stays_away_is_one_sentence(
    registry: StandinRegistry, api: RegistryApi
) -> None:
    registry.next_answers.extend([Answer(503)] * 3)
    with pytest.raises(SourceUnavailable, match=r"gave no answer in 3 tries \(HTTP 503\)"):
        list(api.fetch(EVERYTHING))


def test_answer_without_studies_is_not_taken_for_an_empty_page(
    registry: StandinRegistry, api: RegistryApi
) -> None:
    registry.next_answers.append(Answer(body='{"error": "busy"}'))
    with pytest.raises(SourceUnavailable, match="Page 1 of the registry's answer has no list"):
        list(api.fetch(EVERYTHING))


def test_refused_query_is_the_users_to_mend(registry: StandinRegistry, api: RegistryApi) -> None:
    registry.next_answers.append(Answer(400, "Error in `query.term`"))
    with pytest.raises(SourceRefused, match=r"Error in `query.term`"):
        list(api.fetch(StudyQuery(term="AREA[")))
    assert len(registry.asked) == 1


def test_bad_study_on_a_page_is_a_rejection(registry: StandinRegistry, api: RegistryApi) -> None:
    bad = '{"studies": [7, {"protocolSection": {}}], "totalCount": 2}'
    registry.next_answers.append(Answer(body=bad))
    assert list(api.fetch(EVERYTHING)) == [
        Rejected("page 1, study 1", "a study must be a JSON object"),
        Rejected("page 1, study 2", "the study has no NCT id"),
    ]


def test_offline_asks_nobody(registry: StandinRegistry) -> None:
    with open_api(registry, offline=True) as api:
        for ask in (
            api.version,
            lambda: list(api.studies(EVERYTHING)),
            lambda: api.removed(EVERYTHING, ["NCT99000001"]),
        ):
            with pytest.raises(OfflineError, match="may not be asked while offline is true"):
                ask()
    assert registry.asked == []


# --- removals --------------------------------------------------------------------------------------------------------


def test_sweep_lists_every_study_with_its_day(registry: StandinRegistry, api: RegistryApi) -> None:
    sweep = api.sweep(StudyQuery(since=date(2026, 8, 20)))
    assert sweep.doubt == ""
    assert sweep.listed == {f"NCT9900{n:04}": f"2026-08-{n:02}" for n in range(1, 26)}
    assert registry.pages_asked()[0]["fields"] == "NCTId,OverallStatus,LastUpdatePostDate"


def test_study_that_the_registry_no_longer_has_is_removed(
    registry: StandinRegistry, api: RegistryApi
) -> None:
    del registry.studies["NCT99000007"]
    assert api.removed(EVERYTHING, ALL) == Removed(("NCT99000007",))


def test_nothing_is_removed_when_all_are_listed(
    registry: StandinRegistry, api: RegistryApi
) -> None:
    assert api.removed(EVERYTHING, ALL) == Removed()
    assert not any("filter.ids" in page for page in registry.pages_asked())


def test_study_that_no_longer_fits_the_query_is_not_removed(
    registry: StandinRegistry, api: RegistryApi
) -> None:
    registry.add(updated_study("NCT99000007", "2026-09-01", condition="Itching"))
    del registry.studies["NCT99000008"]
    assert api.removed(StudyQuery(condition="pain"), ALL) == Removed(("NCT99000008",))


def test_study_that_lives_on_under_another_id_is_removed(
    registry: StandinRegistry, api: RegistryApi
) -> None:
    del registry.studies["NCT99000007"]
    identification = {"nctId": "NCT99000001", "nctIdAliases": ["NCT99000007"]}
    registry.add(raw_study(identificationModule=identification))
    assert api.removed(EVERYTHING, ALL) == Removed(("NCT99000007",))


def test_many_missing_studies_are_asked_for_in_several_requests(
    registry: StandinRegistry, api: RegistryApi
) -> None:
    gone = [f"NCT9902{n:04}" for n in range(900)]
    assert api.removed(EVERYTHING, [*gone, *ALL]) == Removed(tuple(gone))
    asked = [p["filter.ids"].count("NCT") for p in registry.pages_asked() if "filter.ids" in p]
    assert asked == [401, 401, 101]
    assert max(len(p.get("filter.ids", "")) for p in registry.pages_asked()) < 6_000


def test_nothing_is_removed_when_the_count_differs(
    registry: StandinRegistry, api: RegistryApi
) -> None:
    short = '{"studies": [], "totalCount": 25}'
    version = None
    registry.next_answers.extend([version, Answer(body=short), version] * 4)
    assert api.removed(EVERYTHING, ALL) == Removed(
        doubt="0 studies were listed, the registry counts 25"
    )


def test_nothing_is_removed_when_the_registry_does_not_count(
    registry: StandinRegistry, api: RegistryApi
) -> None:
    registry.next_answers.extend([None, Answer(body='{"studies": []}'), None] * 4)
    assert api.removed(EVERYTHING, ALL) == Removed(
        doubt="the registry did not say how many studies there are"
    )


def test_sweep_over_changing_data_is_repeated(registry: StandinRegistry, api: RegistryApi) -> None:
    def change(number: int) -> None:
        if number == 4:  # after the last page, before the version is asked for again
            registry.refresh("2026-09-05T09:00:06")

    registry.after_answer = change
    del registry.studies["NCT99000007"]
    assert api.removed(EVERYTHING, ALL) == Removed(("NCT99000007",))


def test_nothing_is_removed_while_the_data_keeps_changing(
    registry: StandinRegistry, api: RegistryApi
) -> None:
    def change(_: int) -> None:
        if registry.asked[-1].path.endswith("/version"):
            registry.refresh(f"state {len(registry.asked)}")

    registry.after_answer = change
    del registry.studies["NCT99000007"]
    assert api.removed(EVERYTHING, ALL) == Removed(
        doubt="the registry's data changed during the walk"
    )


def test_nothing_is_removed_when_the_registry_lists_nothing(
    registry: StandinRegistry, api: RegistryApi
) -> None:
    registry.studies.clear()
    assert api.removed(EVERYTHING, ALL) == Removed(
        doubt="the registry lists no study for this query"
    )


def test_nothing_is_removed_when_a_listed_study_cannot_be_found_by_its_id(
    registry: StandinRegistry, api: RegistryApi
) -> None:
    del registry.studies["NCT99000007"]
    listing: list[Answer | None] = [None] * 5
    registry.next_answers.extend([*listing, Answer(body='{"studies": []}')])
    removed = api.removed(EVERYTHING, ALL)
    assert removed.nct_ids == ()
    assert "yet does not find it by its id" in removed.doubt
