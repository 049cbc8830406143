"""What is said about the predictions of notebook 03."""

from ..predictions import Question

QUESTIONS = {
    "03.allowed": Question(
        topic="causal mask",
        tolerance=0.01,
        digits=0,
        right="Row i allows i + 1 keys: its own and all before it.",
        wrong={
            "without_diagonal": "That leaves out the diagonal. A token may attend to itself, so row 0 has one key.",
            "all": "That counts every pair. A query may not look at keys after its own position.",
            "other": "Count row by row: 1 key, 2 keys, 3 keys, and so on.",
        },
    ),
    "03.zeroed": Question(
        topic="zero is not -inf",
        choices={
            "zero": "no weight at all",
            "some": "some weight",
        },
        right=(
            "exp(0) is 1, so a score of 0 still takes its share. The "
            "probability leaks to keys that were meant to be hidden."
        ),
        wrong={
            "zero": (
                "0 is an ordinary score, even a high one among negative scores. Only -inf turns into a weight of 0."
            ),
        },
    ),
    "03.after_softmax": Question(
        topic="mask after softmax",
        choices={"one": "exactly 1", "less": "less than 1", "more": "more than 1"},
        right="The hidden keys took their share first, and it is then thrown away.",
        wrong={
            "one": (
                "Softmax made the row sum to 1 with the hidden keys counted "
                "in. Setting them to 0 afterwards takes their part away."
            ),
            "more": "Nothing is added: weights are set to 0, so the sum can only shrink.",
        },
    ),
    "03.pad": Question(
        topic="pad columns",
        choices={
            "columns": "the columns of the pad tokens",
            "rows": "the rows of the pad tokens",
            "both": "both are needed",
        },
        right="A pad token must not be read, so its column is masked. Its own row makes an output that nobody uses.",
        wrong={
            "rows": (
                "A row belongs to a query. Masking a pad token's row changes "
                "only its own output, and real tokens still read the padding."
            ),
            "both": "Masking the rows too changes nothing for the real tokens, and leaves rows with no key at all.",
        },
    ),
    "03.dead_row": Question(
        topic="rows with no allowed key",
        choices={"nan": "nan", "zero": "0", "equal": "the same share for every key"},
        right="The largest score is -inf, and -inf - (-inf) is nan. This library gives 0 there, by convention.",
        wrong={
            "zero": (
                "That is what this library and newer PyTorch return, by "
                "a rule of their own. The plain formula divides 0 by 0."
            ),
            "equal": (
                "That is what a finite fill such as -1e9 gives: all keys "
                "tie. With -inf the formula has no number to give."
            ),
        },
    ),
    "03.reach": Question(
        topic="stacked windows",
        tolerance=0.01,
        digits=0,
        right="Each layer hands on what the layer below had gathered, so the reach adds up.",
        wrong={
            "one_layer": (
                "That is the reach of one layer. What a neighbour gathered in the layer below comes along with it."
            ),
            "doubled": "The reach adds one window a layer; it does not double.",
            "other": "Count the steps: each layer goes back by one more window.",
        },
    ),
    "03.polarity": Question(
        topic="mask polarity",
        choices={
            "torch_sdpa": "PyTorch scaled_dot_product_attention",
            "torch_multihead_attention": "PyTorch nn.MultiheadAttention",
            "hugging_face": "Hugging Face",
            "onnx_attention": "ONNX Attention",
        },
        right="In nn.MultiheadAttention, True means blocked: the opposite of what it means in the same library's SDPA.",
        wrong={
            "torch_sdpa": "There True means may attend, as here. Its older neighbour in the same library differs.",
            "hugging_face": "There the mask is added: 0 for may attend, the lowest finite number for blocked.",
            "onnx_attention": "There True means may attend, as here.",
        },
    ),
}
