"""What the copying lab says."""

PRESETS = {
    "before": "two layers, before training",
    "drop": "two layers, in the middle of the drop",
    "after": "two layers, after training",
    "cut": "two layers, one head of layer 0 cut",
    "one": "one layer, after training",
    "own": "two layers to train yourself",
}

LABELS = {
    "goal": "Question: a word comes again; which head learns to look at what followed it? Does the loss fall then? "
    "Press train.",
    "play": "▶ train",
    "stop": "■ stop",
    "step": "training step",
    "run": "model",
    "seed": "seed",
    "stored": "stored",
    "cut": "cut head",
    "text": "your words",
    "placeholder": "words of the model, then Enter",
    "words": "Its words: {words}.",
}

RUN_LABELS = {
    "two": "two layers, the stored run",
    "one": "one layer, the stored run",
    "own two": "two layers, train them",
    "own one": "one layer, train it",
}

MESSAGES = {
    "status": "Step {step} of {last}. Where words come again: loss {again:.2f}, {right:.0%} right. "
    "Where they are new: loss {first:.2f}.",
    "guess": "Next: {guesses}. It goes on: {words}.",
    "one guess": "{word} {share:.2f}",
    "comma": ", ",
    "score": "induction score {score:.2f}",
    "cut": "cut: adds nothing",
    "loss": "loss {loss:.2f} (at step 0: {first:.2f})",
    "loss uncut": "nothing cut: loss {loss:.2f} (at step 0: {first:.2f})",
    "head": "layer {layer}, head {head}",
    "no head": "none",
    "time": "Induction score of each head, step by step",
    "time uncut": "Nothing is cut in these.",
    "bar": "step {step} of {last}, loss {loss:.2f}",
    "bar uncut": "step {step} of {last}, loss {loss:.2f}, nothing cut",
    "other bar": "training seed {seed}, layers {n_layers}: step {step}",
    "no bar": "Nothing is being trained.",
    "stopped": "Stopped at step {step}. What was learned stays; press again to go on.",
    "interrupted": "Interrupted at step {step}. What was learned stays; press again to go on.",
    "time is up": "{seconds:.0f} seconds of training are over, at step {step}. Press again to go on.",
    "done": "Trained to the end, step {step}. Slide through the steps to see how; another seed trains anew.",
    "other end": "The other run ended at step {step} and is kept (seed {seed}, layers {n_layers}).",
    "seed stored": "A stored run keeps the seed it was trained with; a run that you train lets you choose.",
    "own": "Your words.",
    "own first": "Your words. What followed the very first word is found less surely: put one word before it.",
    "unknown": "{word} is none of these words.",
    "still title": "Copying lab: the four heads after training",
    "still text": "Copying lab. {status}",
}
