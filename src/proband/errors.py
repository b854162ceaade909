"""Every error that proband raises on purpose.

ProbandError
├ SettingsError            a key that does not exist, or a value out of range; names key and file
├ UsageError               the command cannot be carried out as asked
├ MappingError             a mapping file is wrong; names file, line and what to write instead
├ SourceError
│ ├ SourceUnavailable      a file, folder, registry or database cannot be read at all
│ ├ TableStopped           one table of a database cannot be copied; the others go on
│ ├ SourceRefused          the registry does not accept a request; says the registry's reason
│ └ OfflineError           an outgoing call was needed while `offline` is true
├ ParseError
│ └ StudyParseError        one study cannot be read; names the study (or its place) and the reason
├ StoreError
│ ├ HomeError              the home folder is missing, read-only or full
│ ├ CatalogueError         the catalogue is missing, damaged or of another version
│ ├ CollectionMissing      `proband init` has not made this collection
│ ├ ManifestMismatch       the index was built with another model, analyser or chunker
│ ├ IndexOutOfStep         the index does not hold what the catalogue says
│ ├ IndexHeld              another process has the index open
│ └ GenerationIncomplete   counts of catalogue and index disagree, so nothing was activated
├ ModelError
│ ├ UnknownModel           no model of this name in models.toml
│ ├ ModelFileMissing       a model is not there; says which command brings it
│ ├ ModelFileWrong         bytes differ from the published digest; says what replaces them
│ ├ TextTooLong            a text is longer than the model's window
│ └ BadModelOutput         a vector is not finite or has the wrong length
├ BelowFloor               a figure of an evaluation is lower than its floor
└ CitationError            a quoted text is not in the cited span

A message says what happened, the value, and what to do. It never holds record or study text: messages reach logs.
"""


class ProbandError(Exception):
    """Base of every error that a user can meet; the message is one clear sentence."""

    exit_code = 1


class SettingsError(ProbandError):
    """A setting does not exist or its value is out of range."""


class UsageError(ProbandError):
    """The command cannot be carried out as it was asked."""

    exit_code = 2


class MappingError(ProbandError):
    """A mapping file is wrong."""

    exit_code = 2


class SourceError(ProbandError):
    """Something that documents come from failed."""


class SourceUnavailable(SourceError):
    """A file, folder, registry or database cannot be read at all."""


class TableStopped(SourceError):
    """One table of a source cannot be copied: its earlier copy stays.

    Args:
        table: its name.
        reason: a sentence that says what is wrong and what to do.
    """

    def __init__(self, table: str, reason: str) -> None:
        super().__init__(f"{table}: {reason}")
        self.table = table
        self.reason = reason


class SourceRefused(SourceError):
    """The registry does not accept a request.

    Args:
        message: what was refused and the registry's reason.
        status: the HTTP status of the refusal.
    """

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class OfflineError(SourceError):
    """An outgoing call was needed while `offline` is true."""


class ParseError(ProbandError):
    """Bytes could not be read as what they should be."""


class StudyParseError(ParseError):
    """One study cannot be read.

    Args:
        where: NCT id when known, else file and place in it.
        reason: what is wrong, without quoting the study's text.
    """

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"{where}: {reason}")
        self.where = where
        self.reason = reason


class StoreError(ProbandError):
    """Catalogue, index or home folder failed."""


class HomeError(StoreError):
    """The home folder is missing, read-only or full."""


class CatalogueError(StoreError):
    """The catalogue is missing, damaged or of another version."""


class CollectionMissing(StoreError):
    """A collection was not made by `proband init`."""


class ManifestMismatch(StoreError):
    """The index was built with another model, analyser or chunker than this process uses."""


class IndexOutOfStep(StoreError):
    """The index does not hold as many chunks of the visible generation as the catalogue."""


class IndexHeld(StoreError):
    """Another process has the index open."""


class GenerationIncomplete(StoreError):
    """Counts of catalogue and index disagree, so the new generation was not activated."""


class ModelError(ProbandError):
    """A model cannot be used."""


class UnknownModel(ModelError):
    """No model of this name stands in models.toml."""

    exit_code = 2


class ModelFileMissing(ModelError):
    """A model's file is not there."""


class ModelFileWrong(ModelError):
    """A model's file does not have the published bytes."""


class TextTooLong(ModelError):
    """A text has more tokens than the model's window."""


class BadModelOutput(ModelError):
    """A model gave a vector that is not finite or has the wrong length."""


class BelowFloor(ProbandError):
    """A figure of an evaluation is lower than its floor."""


class CitationError(ProbandError):
    """A quoted text is not in the cited span."""
