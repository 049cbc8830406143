"""What the cache stepper says."""

MESSAGES = {
    "ask": "Which rows will the next step calculate? Guess its letters, then press “forward”.",
    "ask again": "The last step. Press “{way}”: which rows are calculated again?",
    "ask reused": "The last step. Press “{way}”: which rows need not be calculated again?",
    "still title": "One decoding step: the past brings keys and values, the new token everything else",
    "still text": "CacheStepper. {sentence}",
    "own": "Your sentence, with random embeddings and projections, the same each time.",
    "start": "Step 0 of {last}. The cache is empty. Press “forward”, or play.",
    "prefill": "Step {step} of {last}, prefill: {now} tokens at once. "
    "Their rows of Q, K and V are new; K and V go to the cache.",
    "decode": "Step {step} of {last}, decode {token}: one new row each of Q, K and V. "
    "Tokens whose keys and values are reused: {reused}; outside the window: {dropped}.",
    "recompute": "Step {step} of {last}, {token}, without a cache: all {now} rows of Q, K and V are calculated; "
    "{again} of them for the second time or more.",
    "recompute_one": "Step {step} of {last}, {token}, without a cache: its row of Q, K and V is calculated. "
    "Nothing is calculated again yet.",
    "work": "Scores that this step makes, in each head: {made}. With a cache {cached}, recomputing everything {full}.",
    "gap": "max |cached − full|: {step_gap} in this step, {gap} so far (bound: {bound:.0e}).",
    "bytes": "Needed in the cache: tokens {kept} × key/value heads {n_kv_heads} × numbers ({d_k} + {d_v}) × bytes 8 "
    "= {bytes:,} bytes. "
    "As MHA without a window: {plain:,} bytes.",
    "no_cache": "Nothing is kept: 0 bytes. A cache would hold {bytes:,} bytes now.",
}
LABELS = {
    "sentence": "own sentence",
    "placeholder": "words, then Enter",
    "step": "step",
    "weights": "weights so far, of one head",
    "play": "▶ play",
    "stop": "■ stop",
    "back": "◀ back",
    "forward": "forward ▶",
    "prompt": "prompt tokens",
    "window": "window",
    "kv": "key/value heads",
    "kind": "{n} ({kind})",
    "head": "head shown",
}
WAYS = {False: "with a KV cache", True: "recompute everything"}
