"""ClinicalTrials.gov's API, version 2: walks through studies, the version of the data, and what was removed.

Pages follow a token that may die when the data is refreshed; a page may be empty and not the last; studies come in no
order unless one is asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from types import TracebackType
from typing import Any

from proband import __version__
from proband.adapters.polite_http import SYSTEM_CLOCK, Clock, PoliteClient, Politeness
from proband.errors import SourceRefused, SourceUnavailable
from proband.settings import SyncSettings
from proband.trials.fetched import Fetched, Place, Rejected, read_study
from proband.trials.sync import Page, RegistryVersion, Removed, StudyQuery, Sweep, day_of

OLDEST_UPDATE_FIRST = "LastUpdatePostDate:asc"
SWEPT_FIELDS = "NCTId,OverallStatus,LastUpdatePostDate"
RESTARTS = 3
"""How often a walk begins again. The data is refreshed once a day, so a second time is already bad luck."""
IDS_A_REQUEST = 400
"""NCT ids in one address: 5 kB, below the 8 kB that web servers commonly take."""

Answer = dict[str, Any]


class RegistryApi:
    """Asks the registry. Use it from one thread, as a context manager; iterators end with it.

    Every method raises OfflineError before any connection while `offline` is set, SourceUnavailable when the registry
    gives no usable answer after all retries, and SourceRefused when it does not accept the query.
    """

    def __init__(
        self, settings: SyncSettings, *, offline: bool = False, clock: Clock = SYSTEM_CLOCK
    ) -> None:
        self._settings = settings
        politeness = Politeness(
            requests_per_second=settings.requests_per_second,
            retries=settings.retries,
            timeout_s=settings.timeout_s,
            user_agent=f"proband/{__version__}",
        )
        self._client = PoliteClient(settings.base_url, politeness, offline=offline, clock=clock)

    def __enter__(self) -> RegistryApi:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._client.close()

    def version(self) -> RegistryVersion:
        """The registry's software and data, to be recorded with each sync."""
        answer = self._client.json_object("version", {})
        return RegistryVersion(
            str(answer.get("apiVersion", "")), str(answer.get("dataTimestamp", ""))
        )

    def studies(self, query: StudyQuery, after: Place | None = None) -> Iterator[Page]:
        """The studies of the query, page by page, least recently updated first.

        `query.since` is moved back by the overlap setting, because days of posting are not exact. A walk whose token
        dies begins again, so writing a study twice must change nothing.

        Args:
            query: which studies.
            after: the place of the last study that an interrupted walk stored; it goes on at that study's day.
        """
        parameters = {**self._begun(query, after).parameters(), "sort": OLDEST_UPDATE_FIRST}
        total: int | None = None
        seen: set[str] = set()
        ordinal = 0
        for number, answer in self._pages(parameters):
            if number == 1:
                total, seen, ordinal = _total(answer), set(), 0
            items = tuple(_items(answer, number, ordinal, seen))
            ordinal += len(items)
            yield Page(number, items, total)

    def fetch(self, query: StudyQuery, after: Place | None = None) -> Iterator[Fetched | Rejected]:
        """What the pages of `studies` hold, one after the other."""
        for page in self.studies(query, after):
            yield from page.items

    def sweep(self, query: StudyQuery) -> Sweep:
        """The ids of all studies of the query, whenever updated; repeated when the data changed underneath."""
        found = self._sweep(query)
        for _ in range(RESTARTS):
            if not found.doubt:
                break
            found = self._sweep(query)
        return found

    def removed(self, query: StudyQuery, known: Collection[str]) -> Removed:
        """Those of `known` that the registry no longer has.

        A study that a sweep of the query does not list may only have stopped to fit it. So each such study is asked for
        by its id, together with one that the sweep has just listed: only if that one comes back is the answer trusted.

        Args:
            query: what the known studies came from; the narrower it is than `known`, the more ids are asked for.
            known: ids of stored studies.
        """
        found = self.sweep(query)
        absent = found.absent(known)
        if found.doubt or not absent:
            return Removed(doubt=found.doubt)
        if not found.listed:
            return Removed(doubt="the registry lists no study for this query")
        return self._without_a_trace(absent, control=next(iter(found.listed)))

    def _without_a_trace(self, nct_ids: tuple[str, ...], control: str) -> Removed:
        gone: list[str] = []
        for start in range(0, len(nct_ids), IDS_A_REQUEST):
            asked = nct_ids[start : start + IDS_A_REQUEST]
            parameters = {"filter.ids": ",".join((control, *asked)), "fields": "NCTId"}
            there = {
                nct_id
                for number, answer in self._pages(parameters)
                for nct_id, _ in _listed(answer, number)
            }
            if control not in there:
                return Removed(
                    doubt=f"the registry listed {control}, yet does not find it by its id"
                )
            gone += (nct_id for nct_id in asked if nct_id not in there)
        return Removed(tuple(gone))

    def _begun(self, query: StudyQuery, after: Place | None) -> StudyQuery:
        """The query from where an interrupted walk had come to, else from the overlap before `since`."""
        reached = day_of(after.source) if after else None
        if reached:
            return replace(query, since=reached)
        if query.since:
            return replace(query, since=query.since - timedelta(days=self._settings.overlap_days))
        return query

    def _sweep(self, query: StudyQuery) -> Sweep:
        before = self.version()
        listed: dict[str, str | None] = {}
        total: int | None = None
        parameters = {**replace(query, since=None).parameters(), "fields": SWEPT_FIELDS}
        for number, answer in self._pages(parameters):
            if number == 1:
                listed, total = {}, _total(answer)
            listed.update(_listed(answer, number))
        if self.version() != before:
            return Sweep(listed, "the registry's data changed during the walk")
        if total is None:
            return Sweep(listed, "the registry did not say how many studies there are")
        if total != len(listed):
            return Sweep(
                listed, f"{len(listed):,} studies were listed, the registry counts {total:,}"
            )
        return Sweep(listed)

    def _pages(self, parameters: Mapping[str, str]) -> Iterator[tuple[int, Answer]]:
        """Number and content of each page; a number of 1 says that the walk begins, perhaps again."""
        for _ in range(RESTARTS + 1):
            try:
                yield from self._walk(parameters)
            except _TokenDied:
                continue
            return
        raise SourceUnavailable(
            f"The registry refused its own page token in {RESTARTS + 1} walks; try again later."
        )

    def _walk(self, parameters: Mapping[str, str]) -> Iterator[tuple[int, Answer]]:
        token, used, number = "", {""}, 0
        while True:
            answer = self._page(parameters, token)
            number += 1
            yield number, answer
            token = str(answer.get("nextPageToken") or "")
            if not token:
                return
            if token in used:
                raise SourceUnavailable(f"The registry repeats itself after page {number:,}.")
            used.add(token)

    def _page(self, parameters: Mapping[str, str], token: str) -> Answer:
        """One page. Later pages repeat the parameters of the first; only the first may ask for the total."""
        which = {"pageToken": token} if token else {"countTotal": "true"}
        size = {"pageSize": str(self._settings.page_size)}
        try:
            return self._client.json_object("studies", {**parameters, **size, **which})
        except SourceRefused as refused:
            if token and refused.status == 400:
                raise _TokenDied from refused
            raise


class _TokenDied(Exception):
    """The registry's data was refreshed during a walk."""


def _studies(answer: Answer, number: int) -> list[object]:
    studies = answer.get("studies")
    if not isinstance(studies, list):
        raise SourceUnavailable(f"Page {number:,} of the registry's answer has no list of studies.")
    return studies


def _items(
    answer: Answer, number: int, before: int, seen: set[str]
) -> Iterator[Fetched | Rejected]:
    """The studies of a page. The source of a place is the day of the study's last update: a walk can go on there."""
    for position, raw in enumerate(_studies(answer, number), 1):
        study = read_study(raw, f"page {number:,}, study {position:,}")
        if isinstance(study, Rejected):
            yield study
            continue
        place = Place(study.last_update or "", before + position)
        yield Fetched(study, place, study.nct_id in seen)
        seen.add(study.nct_id)


def _listed(answer: Answer, number: int) -> Iterator[tuple[str, str | None]]:
    """NCT id and day of last update of each study of a page; what has no id is missing in the count."""
    for raw in _studies(answer, number):
        study = read_study(raw, "study")
        if not isinstance(study, Rejected):
            yield study.nct_id, study.last_update


def _total(answer: Answer) -> int | None:
    total = answer.get("totalCount")
    return total if isinstance(total, int) else None
