"""A study as the document that is searched: its texts as sections, its filterable facts as facets.

Each section points into one published text by name and span. Lists and composites (the conditions, one intervention,
one outcome) have one rendering, defined here, so that `published_text` gives for every section the text that proves it.
What helps to find a section but is not its text (MeSH terms, the acronym, other names) goes before the text into
`embed_text`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from proband.errors import CitationError
from proband.model import FOREVER, Document, DocumentKey, Facets, GeoPoint, Section, SectionKind
from proband.text.drugs import drug_terms
from proband.text.exact import exact_terms, own_terms
from proband.text.fold import folded_name
from proband.trials.criteria import Criterion, CriterionKind, Split, split_criteria
from proband.trials.markup import clean
from proband.trials.study import Intervention, Outcome, Study

SECTIONS_VERSION = 4
"""Part of the index's manifest: raise it when the same study gives other sections, facets or exact terms."""

NO_DRUGS = ("BEHAVIORAL", "DEVICE", "DIAGNOSTIC_TEST", "GENETIC", "OTHER", "PROCEDURE")
"""Types of intervention whose names are everyday words such as `exercise`. Many studies state no type."""

ELIGIBILITY = "eligibilityCriteria"
UNKNOWN = "UNKNOWN"

KIND_OF_CRITERION = {
    CriterionKind.INCLUSION: SectionKind.INCLUSION_CRITERION,
    CriterionKind.EXCLUSION: SectionKind.EXCLUSION_CRITERION,
    CriterionKind.UNPARSED: SectionKind.ELIGIBILITY_UNPARSED,
}


@dataclass(frozen=True, slots=True)
class _Text:
    """One published text that becomes one section; `before` is searched with it."""

    kind: SectionKind
    field: str
    published: str
    before: str = ""
    exact: tuple[str, ...] = ()


def study_document(
    study: Study, split: Callable[[str, Sequence[str]], Split] = split_criteria
) -> Document:
    """The study's sections, eligibility criteria last, and its facets. Sections without readable text are left out."""
    sections = (*_prose(study), *_criteria(study, split))
    return Document(study.key, sections, study_facets(study), own_terms(study.identifiers))


def published_text(study: Study, field: str) -> str:
    """The text that the spans of sections of this field point into.

    Raises:
        CitationError: the study has no such text.
    """
    if field == ELIGIBILITY:
        return study.eligibility
    for text in _texts(study):
        if text.field == field:
            return text.published
    raise CitationError(f"{study.nct_id} has no text {field!r}.")


def natural_key(document: DocumentKey, kind: SectionKind, ordinal: int) -> str:
    """The name of a section that people read: `NCT99000001:INCLUSION_CRITERION:3`."""
    return f"{document.parts[-1]}:{kind}:{ordinal}"


def study_facets(study: Study) -> Facets:
    """What filters may ask of the study.

    Its conditions are the sponsor's and his keywords, and the MeSH terms with their ancestors.
    """
    conditions = (*study.conditions, *study.keywords, *study.mesh_terms, *study.mesh_ancestors)
    points = (
        GeoPoint(site.latitude, site.longitude)
        for site in study.enrolling_sites()
        if site.latitude is not None and site.longitude is not None
    )
    return Facets(
        status=study.status or UNKNOWN,
        study_type=study.study_type or UNKNOWN,
        phases=study.phases,
        sex=study.sex or UNKNOWN,
        min_age_days=study.min_age_days or 0,
        max_age_days=FOREVER if study.max_age_days is None else study.max_age_days,
        conditions=tuple(dict.fromkeys(folded_name(condition) for condition in conditions)),
        sites=tuple(dict.fromkeys(points)),
    )


def _criteria(study: Study, split: Callable[[str, Sequence[str]], Split]) -> Iterator[Section]:
    if study.eligibility:
        arms = tuple(arm.label for arm in study.arms)
        yield from map(_criterion, split(study.eligibility, arms).criteria)


def _criterion(criterion: Criterion) -> Section:
    return Section(
        kind=KIND_OF_CRITERION[criterion.kind],
        ordinal=criterion.ordinal,
        field=ELIGIBILITY,
        reading=criterion.reading,
        embed_text=criterion.embed_text,
        parents=criterion.parents,
        labels=criterion.labels,
        arms=criterion.arms,
        above=criterion.above,
    )


def _prose(study: Study) -> Iterator[Section]:
    count = dict.fromkeys(SectionKind, 0)
    for text in _texts(study):
        reading = clean(text.published, 0, len(text.published))
        if reading.text:
            count[text.kind] += 1
            embed_text = text.before + reading.text
            yield Section(
                text.kind, count[text.kind], text.field, reading, embed_text, exact=text.exact
            )


def _texts(study: Study) -> Iterator[_Text]:
    """Every text but the eligibility criteria, in the order of the registry's page."""
    yield from _titles(study)
    if study.brief_summary:
        yield _Text(SectionKind.BRIEF_SUMMARY, "briefSummary", study.brief_summary)
    if study.detailed_description:
        kind = SectionKind.DETAILED_DESCRIPTION
        yield _Text(kind, "detailedDescription", study.detailed_description)
    yield from _conditions(study)
    for number, intervention in enumerate(study.interventions):
        yield _intervention(intervention, f"interventions[{number}]")
    for number, outcome in enumerate(study.outcomes):
        yield _outcome(outcome, f"outcomes[{number}]")


def _titles(study: Study) -> Iterator[_Text]:
    brief, official = study.brief_title or "", study.official_title or ""
    if not (brief or official):
        # Every study has a first title: it stands for the whole study in the lexical lane.
        yield _Text(SectionKind.TITLE, "nctId", study.nct_id)
    if brief:
        acronym = study.acronym if study.acronym and study.acronym not in brief else None
        before = f"{acronym}: " if acronym else ""
        yield _Text(SectionKind.TITLE, "briefTitle", brief, before)
    if official and folded_name(official) != folded_name(brief):
        yield _Text(SectionKind.TITLE, "officialTitle", official)


def _conditions(study: Study) -> Iterator[_Text]:
    """Conditions, then the keywords that say something else. The nearest MeSH term stands nearest to them."""
    named = _distinct((*study.conditions, *study.keywords))
    broader = _distinct((*reversed(study.mesh_ancestors), *study.mesh_terms), other_than=named)
    if named:
        before = "".join(f"{term}; " for term in broader)
        yield _Text(SectionKind.CONDITION, "conditions", "; ".join(named), before)


def _distinct(names: Sequence[str], other_than: Sequence[str] = ()) -> tuple[str, ...]:
    """The names, each once whatever its case, without those of `other_than`."""
    left_out = {folded_name(name) for name in other_than}
    first = {folded_name(name): name for name in reversed(names)}
    kept = dict.fromkeys(folded_name(name) for name in names)
    return tuple(first[folded] for folded in kept if folded not in left_out)


def _intervention(intervention: Intervention, field: str) -> _Text:
    kind = (intervention.type or "").replace("_", " ").capitalize()
    also = [name for name in (kind, *intervention.other_names) if name]
    published, names = intervention.name, (intervention.name, *intervention.other_names)
    if intervention.description:
        published += f": {intervention.description}"
    before = f"{'; '.join(also)}: " if also else ""
    drugs = () if intervention.type in NO_DRUGS else drug_terms(names)
    exact = (*drugs, *exact_terms("; ".join(intervention.other_names)))
    return _Text(SectionKind.INTERVENTION, field, published, before, exact)


def _outcome(outcome: Outcome, field: str) -> _Text:
    published = outcome.measure
    if outcome.description:
        published += f": {outcome.description}"
    if outcome.time_frame:
        published += f" [{outcome.time_frame}]"
    return _Text(SectionKind.OUTCOME, field, published, f"{outcome.kind.capitalize()} outcome: ")
