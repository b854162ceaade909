"""Whether a calibration of the gate was made with what is searched now."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from proband.catalogue.catalogue import Catalogue
from proband.catalogue.generations import Generation
from proband.errors import HomeError, SettingsError
from proband.model import Corpus, Scale
from proband.ports import Manifest
from proband.search.certificate import Certificate, MadeWith, from_json, to_json
from proband.search.gate import Gate
from proband.search.signals import SIGNALS_VERSION
from proband.settings import SearchSettings

NO_BEARING = {"admission", "also_matched"}
"""Settings of search that change neither the order of a result nor its scores."""

MAKE = "`proband gate calibrate` makes one"
UNCERTIFIED = "weak matches are shown with their score"

CROSS_ENCODER = 0.30
"""The sigmoid that an answer needs where a cross-encoder reranks and nothing was calibrated (records design note)."""


def read_certificate(path: Path) -> Certificate | None:
    """The calibration of the gate in this file; None where there is none. Raises SettingsError for a broken one."""
    try:
        return from_json(json.loads(path.read_text(encoding="utf-8")), str(path))
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError) as error:
        raise SettingsError(
            f"{path} is not JSON; make it again with `proband gate calibrate`, or remove it."
        ) from error


def write_certificate(path: Path, certificate: Certificate) -> None:
    """Writes the calibration; the file appears when it is whole. Raises HomeError."""
    unfinished = path.with_name(path.name + ".part")
    try:
        text = json.dumps(to_json(certificate), indent=1, ensure_ascii=False)
        unfinished.write_text(text + "\n", encoding="utf-8")
        unfinished.replace(path)
    except OSError as error:
        raise HomeError(f"{path} cannot be written: {error.strerror}.") from error


def made_with(
    manifest: Manifest,
    rules: SearchSettings,
    catalogue: Catalogue,
    generation: Generation,
    cross_encoder: str = "",
) -> MadeWith:
    """What a calibration of this generation is made with; `cross_encoder` names one that reranks."""
    counts = generation.counts
    return MadeWith(
        model=manifest.model_digest,
        reranker=reranker_digest(manifest, rules, cross_encoder),
        analyser=analyser_digest(manifest),
        corpus=corpus_digest(catalogue, generation.number),
        generation=_name(generation),
        documents=counts.documents if counts else 0,
        chunks=counts.chunks if counts else 0,
    )


def reranker_digest(manifest: Manifest, rules: SearchSettings, cross_encoder: str) -> str:
    """Of the model whose token vectors are compared, how they are, and the settings by which documents are ordered."""
    settings = rules.model_dump_json(exclude=NO_BEARING)
    score = cross_encoder or "coverage"
    return _sha256(f"{score} {SIGNALS_VERSION} {manifest.model_digest} {settings}")


def analyser_digest(manifest: Manifest) -> str:
    """Of how texts become chunks and terms."""
    return _sha256(f"{manifest.analyser_version} {manifest.chunker_version}")


def corpus_digest(catalogue: Catalogue, generation: int) -> str:
    """Of the studies of a generation and their contents, whatever they were imported from."""
    marks = catalogue.study_marks(generation)
    return _sha256("\n".join(f"{mark.nct_id} {mark.digest}" for mark in marks))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _name(generation: Generation) -> str:
    """Of one generation in one home."""
    return f"{generation.number} {generation.activated_at}"


class Gates:
    """The gate of each generation: certified when all is as it was at the calibration, else nothing is too weak.

    A generation never changes once it is visible, so it is compared once a process.
    """

    def __init__(
        self,
        certificate: Certificate | None,
        manifest: Manifest,
        rules: SearchSettings,
        catalogue: Catalogue,
        cross_encoder: str = "",
    ) -> None:
        self._certificate, self._cross_encoder = certificate, cross_encoder
        self._manifest, self._rules, self._catalogue = manifest, rules, catalogue
        self._known: dict[int, Gate] = {}

    def of(self, generation: int) -> Gate:
        """The gate for searches of this generation."""
        if generation not in self._known:
            self._known[generation] = self._gate(generation)
        return self._known[generation]

    def _gate(self, number: int) -> Gate:
        found = self._certificate
        if found is None:
            return self._without("there is no calibration", MAKE)
        other = self._differing(found.made_with, number)
        if other:
            return self._without(f"the calibration was made with {other}", f"{MAKE} for these")
        if found.threshold is None:
            return self._without(
                f"no threshold kept the risk below {found.risk:.3g}",
                "calibrate with more questions",
            )
        return Gate(found.threshold, found.scale)

    def _without(self, why: str, remedy: str) -> Gate:
        """The gate where no calibration applies."""
        if self._cross_encoder:
            used = f"an answer needs the usual {CROSS_ENCODER:.2f}"
            return Gate(CROSS_ENCODER, Scale.SIGMOID, f"{why}, so {used}; {remedy}")
        return Gate(uncertified=f"{why}, so {UNCERTIFIED}; {remedy}")

    def _differing(self, made: MadeWith, number: int) -> str:
        """What differs, in words; empty when nothing does. Studies are compared where all else agrees."""
        if made.model != self._manifest.model_digest:
            return "another model"
        if made.analyser != analyser_digest(self._manifest):
            return "another analyser"
        if made.reranker != reranker_digest(self._manifest, self._rules, self._cross_encoder):
            return "other settings of the search"
        readable = self._catalogue.readable(Corpus.TRIALS)
        found = next((one for one in readable if one.number == number), None)
        return "" if found and self._is_of(made, found) else "other studies"

    def _is_of(self, made: MadeWith, found: Generation) -> bool:
        """Whether a generation has these studies; its digest is computed only where its name and counts leave doubt.

        The digest of 17,877 studies takes 0.1 s.
        """
        if made.generation == _name(found):
            return True
        counts = found.counts
        alike = counts and (counts.documents, counts.chunks) == (made.documents, made.chunks)
        return bool(alike) and made.corpus == corpus_digest(self._catalogue, found.number)
