"""Write minilm_heads.npz and minilm_heads.json: Q, K and V of ten sentences, of every layer and head.

Needs the packages of requirements-models.txt:  python data/extract_minilm.py
"""

import json
from pathlib import Path

import numpy as np

from attention_lib.examples.minilm import N_HEADS, N_LAYERS, PACKAGE, SHA_256, EncoderTrace, MiniLM

SENTENCES = {  # name: text, and the pair that is asked about: query, key
    "paper": ("The paper was rejected because it was poorly written", "it", "paper"),
    "creature": ("The fluffy blue creature roamed the verdant forest", "creature", "fluffy"),
    "animal_tired": ("The animal did not cross the street because it was too tired", "it", "animal"),
    "animal_wide": ("The animal did not cross the street because it was too wide", "it", "street"),
    "trophy_big": ("The trophy did not fit in the suitcase because it was too big", "it", "trophy"),
    "trophy_small": ("The trophy did not fit in the suitcase because it was too small", "it", "suitcase"),
    "slow": ("Slow but steady wins the race", "wins", "race"),
    "cat": ("The cat sat on the mat", "sat", "cat"),
    "keys": ("The keys to the cabinet are on the table", "are", "keys"),
    "paper_she": ("The paper was rejected because she was too late", "she", "paper"),
}
# Written down before any of them was run, to follow the head that takes "it" to "paper". The key is what "it"
# stands for. It is the first noun in two of them, the nearest before "it" in two others, and neither in one:
# no rule of place explains all five.
BEFOREHAND = {
    "cup": ("The cup fell off the table but it did not break", "it", "cup"),
    "report": ("The doctor read the report before it was published", "it", "report"),
    "letter": ("The girl wrote a letter to the king and sealed it", "it", "letter"),
    "song": ("The song that the choir sang was loved because it was short", "it", "song"),
    "tree": ("In the garden a boy planted a tree and then watered it", "it", "tree"),
}
# Likewise: sentences that differ from another one in a single word.
ONE_WORD = {
    "paper_only_she": ("The paper was rejected because she was poorly written", "she", "paper"),  # "paper": it
    "late_it": ("The letter surprised the teacher because it was late", "it", "letter"),
    "late_she": ("The letter surprised the teacher because she was late", "she", "teacher"),
}


def cosine_distance(a: np.ndarray, b: np.ndarray) -> float:
    """Return 0 for the same direction, 1 for a right angle."""
    return float(1 - a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


def moved(model: MiniLM, text: str, query: int, before: EncoderTrace) -> np.ndarray:
    """Switch off one head after the other: how far the sentence and the query move, (2, layers, heads)."""
    distances = np.zeros((2, N_LAYERS, N_HEADS), dtype=np.float32)
    for layer, head in np.ndindex(N_LAYERS, N_HEADS):
        after = model.run(text, off={layer: [head]})
        distances[0, layer, head] = cosine_distance(before.embedding, after.embedding)
        distances[1, layer, head] = cosine_distance(before.hidden[-1, query], after.hidden[-1, query])
    return distances


def extract(model: MiniLM, name: str) -> tuple[dict[str, object], np.ndarray, np.ndarray]:
    """Return one sentence's record, its Q, K, V as float16 (3, 6, 12, n, 32), and what switching off changes."""
    text, query_token, key_token = SENTENCES[name]
    trace = model.run(text)
    query, key = trace.tokens.index(query_token), trace.tokens.index(key_token)
    record = {"text": text, "tokens": trace.tokens, "query": query, "key": key}
    return (
        record,
        np.stack([trace.stacked(role) for role in "QKV"]).astype(np.float16),
        moved(model, text, query, trace),
    )


def main(folder: Path = Path(__file__).parent) -> None:
    """Write both files."""
    model, records, arrays = MiniLM(), {}, {}
    for name in SENTENCES:
        records[name], arrays[name], arrays[f"{name}_moved"] = extract(model, name)
        print(name, arrays[name].shape)
    about = {
        "model": "sentence-transformers/all-MiniLM-L6-v2",
        "licence": "Apache-2.0",
        "read_from": f"model.safetensors of the PyPI package {PACKAGE.replace('_', '-')}",
        "sha_256": SHA_256,
        "sentences": records,
    }
    np.savez_compressed(folder / "minilm_heads.npz", **arrays)
    (folder / "minilm_heads.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
