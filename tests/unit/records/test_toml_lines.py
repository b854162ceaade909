"""Lines of the keys of a TOML text."""

from __future__ import annotations

from proband.records.toml_lines import key_lines

TEXT = '''\
# title = "no key"
top = 1
[a]
"quoted key" = "x = [" # = ]
b.c = """
[not_a_header]
d = 1
"""
list = [
  "one", # ]
  { e = 2 },
]
[[t]]
x = 'it\\'
[t.inner]
y = 1
[[t]]
x = """a\\"b"""
'''


def test_keys_and_headers_stand_on_their_lines() -> None:
    assert dict(key_lines(TEXT)) == {
        ("top",): 2,
        ("a",): 3,
        ("a", "quoted key"): 4,
        ("a", "b", "c"): 5,
        ("a", "list"): 9,
        ("t", 0): 13,
        ("t", 0, "x"): 14,
        ("t", 0, "inner"): 15,
        ("t", 0, "inner", "y"): 16,
        ("t", 1): 17,
        ("t", 1, "x"): 18,
    }


def test_windows_line_ends_count_once() -> None:
    assert key_lines("a = 1\r\n\r\nb = 2\r\n") == {("a",): 1, ("b",): 3}
