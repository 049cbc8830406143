"""What is stored of costs: the shapes of published models, and decoding steps that were timed once."""

import json

from ..analysis.costs import CacheShape
from ..analysis.timing import Timing
from .worked import DATA


def load_model_shapes() -> list[CacheShape]:
    """Load the published shapes of four models, each with its source.

    Examples
    --------
    >>> for model in load_model_shapes():
    ...     print(model.name, model.bytes_per_token())
    Llama-2-7B 524288
    Llama-3-8B 131072
    Mistral-7B-v0.1 131072
    DeepSeek-V2 69120
    """
    records = json.loads((DATA / "model_shapes.json").read_text("utf-8"))["models"]
    return [CacheShape(**record) for record in records]


def stored_timing(name: str = "decode_seconds") -> Timing:
    """Return a measurement that is kept with the project: "decode_seconds", or "writing_seconds" of the small model.

    Examples
    --------
    >>> stored_timing("writing_seconds").lengths
    (16, 32, 64, 128, 256, 512)
    """
    record = json.loads((DATA / f"{name}.json").read_text("utf-8"))
    seconds = {name: tuple(values) for name, values in record["seconds"].items()}
    return Timing(tuple(record["lengths"]), seconds, record["machine"])
