"""No chunk is longer than what the real model reads; its tokenizer decides."""

import numpy as np
import pytest

from streetai_core import Config, NewMessage
from streetai_core.encoders import default_encoder
from streetai_core.planning.preparing import prepare
from streetai_core.testing.factories import NOON
from streetai_core.tokens import EstimatedTokens

TEXTS = {
    "Hangul, three tokens a syllable": "항구의조수는오늘도고요하고배는부두에서기다린다" * 40,
    "Japanese": "港の潮は今日も静かです。船は岸壁で待っています。" * 60,
    "Thai": "เรือจอดอยู่ที่ท่าเรือและน้ำขึ้นน้ำลงทุกวัน" * 60,
    "digits": "3.14159265358979 2.71828182845904 " * 120,
    "punctuation": "!?#$%&/()=+*~" * 200,
    "emoji": "👩‍🚀🚢⚓🌊 " * 200,
    "code": "```python\n" + "".join(f"berths[{n}].depth_m += tide({n}) * 0.{n}\n" for n in range(300)) + "```",
    "base64": "QmVydGggMzEgaXMgZnJlZSBvbiBTdW5kYXkgYWZ0ZXJub29u" * 60,
}


@pytest.mark.parametrize("name", [None, "Ægir Þórðarson of the northern quay, harbour pilot"])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_no_chunk_is_cut_by_the_model(text, name):
    """What is embedded, the author's name included, has at most 256 tokens; joined, the chunks are the text."""
    encoder = default_encoder()
    assert encoder.max_tokens == 256
    seen = []

    class Watched(type(encoder)):
        """Notes what it is given."""

        def embed(self, texts, kind):
            """Note; what the vectors are does not matter here, and to make them takes the model seconds."""
            seen.extend(texts)
            return np.ones((len(texts), self.dim), dtype=np.float32)

    (item,) = prepare(
        [NewMessage(content=text, role="user", name=name)],
        encoder=Watched(),
        config=Config(),
        counter=EstimatedTokens(),
        now=NOON,
    )
    assert len(seen) == len(item.chunks) > 1
    assert max(encoder.count_tokens(seen)) <= 256
    assert "".join(text[chunk.start : chunk.end] for chunk in item.chunks) == text
