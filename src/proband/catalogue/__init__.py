"""The store of record: SQL through SQLAlchemy Core. The index is derived from it and can be rebuilt from it."""
