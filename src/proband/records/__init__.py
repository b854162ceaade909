"""Records: rows of a facility's own databases, from the mapping that allows them to documents."""
