"""The command line: one file a command, loaded only when it is called, so that `--help` is quick."""
