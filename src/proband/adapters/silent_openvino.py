"""OpenVINO without its model converter, which reports every import to an analytics service on the internet.

`import openvino` loads `openvino.tools.ovc`, and that sends an event through `openvino_telemetry` without being asked
(seen in 2026.4.1: a child process connects to an analytics host). proband converts nothing. A name that is None in
`sys.modules` cannot be imported, and OpenVINO goes on without it. Everything of proband imports OpenVINO from here.
"""

from __future__ import annotations

import sys

for _name in ("openvino_telemetry", "openvino.tools.ovc"):
    sys.modules.setdefault(_name, None)  # type: ignore[arg-type]

import openvino as ov  # noqa: E402
from openvino import opset13 as op  # noqa: E402

__all__ = ["op", "ov"]
