"""Ready mappings for databases whose tables everybody knows: `data/*.toml`, used by name."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from proband.errors import MappingError
from proband.records.block import ended, nearest
from proband.records.mapping import SourceMapping
from proband.records.mapping_file import load_mapping, read_mapping

_FOLDER = resources.files("proband.records").joinpath("data")


def ready_names() -> tuple[str, ...]:
    """The ready mappings in order of their names, such as `omop`."""
    return tuple(
        sorted(
            file.name.removesuffix(".toml")
            for file in _FOLDER.iterdir()
            if file.name.endswith(".toml")
        )
    )


def ready_text(name: str) -> str:
    """The TOML text of a ready mapping. Raises MappingError for an unknown name."""
    if name not in ready_names():
        hint = nearest(name, ready_names())
        raise MappingError(ended(f'There is no ready mapping "{name}"{hint}'))
    return _FOLDER.joinpath(f"{name}.toml").read_text(encoding="utf-8")


def ready_mapping(name: str, url: str | None = None) -> SourceMapping:
    """A ready mapping. Raises MappingError for an unknown name, or where nothing says where the source is."""
    return read_mapping(ready_text(name), f"{name}.toml (ready)", url)


def find_mapping(named: str, url: str | None = None) -> SourceMapping:
    """The mapping in the file `named`, or the ready one of this name where there is no such file.

    Raises MappingError.
    """
    path = Path(named)
    if not path.exists() and named in ready_names():
        return ready_mapping(named, url)
    if not path.exists() and not path.suffix:
        hint = nearest(named, ready_names())
        raise MappingError(ended(f'There is no file and no ready mapping "{named}"{hint}'))
    return load_mapping(path, url)
