"""`python -m proband`."""

from proband.cli.main import main

main()
