"""Pure string work: readings with offsets, clinical terms, exact terms. Imports nothing of proband but errors."""
