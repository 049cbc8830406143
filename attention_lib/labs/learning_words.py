"""What the learning lab says."""

PRESETS = {
    "before": "before training",
    "after": "after training",
    "unseen": "after training without 고파서",
    "frozen": "after training with W_Q and W_K frozen",
    "fast": "a learning rate that is too high",
}

LABELS = {
    "goal": "Question: does 배 look at the word that tells its meaning before the loss falls, with it, or after? "
    "Press play.",
    "step": "training step",
    "play": "▶ play the training",
    "stop": "■ stop",
    "case": "what is trained",
    "seed": "seed",
    "sentence": "sentence",
    "own": "own sentence",
    "typed": "your own",
    "placeholder": "with 배, then Enter",
    "words": "Its words: {words}.",
}

CASE_LABELS = {
    "plain": "as in the notebook",
    "slow": "learning rate 0.3, a tenth",
    "fast": "learning rate 100, too high",
    "unscaled": "scaling left out",
    "unseen": "고파서 never seen",
    "few": "12 sentences to learn from",
    "frozen": "W_Q and W_K frozen",
}

SENTENCE_LABELS = {
    "article": "the article's sentence",
    "pear": "a pear",
    "ship": "a ship",
    "two": "cues for two meanings",
    "none": "no cue at all",
}

MESSAGES = {
    "status": "Step {step} of {last}: loss {loss:.3f}, {accuracy:.0%} of held-out sentences right, "
    "{found:.2f} of 배's attention on their cue.",
    "row": "Here 배 looks most at {parts}. The layer says {meaning}, {share:.2f}.",
    "part": "{token} {weight:.2f}",
    "lost": "By step {step} the numbers of this run have grown beyond {largest:.0f}: it is lost. {left}",
    "before": "Shown are the steps before.",
    "only": "Only step 0 can be shown; there is nothing to play.",
    "comma": ", ",
    "loss": "loss {loss:.3f} (at step 0: {first:.3f})",
    "time": "What 배 takes from each word, step by step",
    "no 배": "The layer is asked about 배, so the sentence needs that word once.",
    "unknown": "{word} is none of these words.",
    "own": "Your sentence.",
    "still title": "Learning lab: the article's sentence after training",
    "still text": "Learning lab. {status} {row}",
}
