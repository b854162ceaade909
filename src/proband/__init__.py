"""proband: the clinical trials a person could join, cited to the exact published text."""

__version__ = "0.1.0"
