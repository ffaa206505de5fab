"""Keeping the runtime of the models from reporting usage."""

from __future__ import annotations

import os

_VARIABLE = "ORT_DISABLE_TELEMETRY"


def silence_onnxruntime() -> None:
    """Tell the ONNX runtime to send nothing; to be called before it is imported, by fastembed or by us.

    Builds since 1.31 start to send as soon as they are imported, and look at this variable only then. A value that the
    app has set stays.
    """
    os.environ.setdefault(_VARIABLE, "1")
