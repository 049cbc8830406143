"""What is said about mistakes in derivatives and measures."""

from .mistake import Mistake

MEASURES: dict[str, Mistake] = {
    # derivatives and measures
    "logarithm_missing": Mistake(
        "The logarithm is missing",
        "You divide by the ratio of two weights. That ratio is exp of what you need: take its logarithm.",
    ),
    "divisor_inverted": Mistake(
        "Turned round",
        "That is 1 over the divisor. The logarithm of the ratio is the difference divided already.",
    ),
    "d_k_for_divisor": Mistake(
        "The square of the divisor",
        "That is the square of the divisor, as if d_k were asked. The scores were divided by its root.",
    ),
    "one_weight_alone": Mistake(
        "One weight alone",
        "You use one weight alone. It holds the sum of its row as well, which only a ratio of two weights takes out.",
    ),
    "scaled_difference_returned": Mistake(
        "The difference of scaled scores",
        "That is the difference of two scaled scores. Compare it with the difference of the same two scores.",
    ),
    "diagonal_only": Mistake(
        "Only the diagonal",
        "Raising one score lowers the other weights too: the entries off the diagonal are -w_i * w_j.",
    ),
    "sign": Mistake(
        "The sign is turned round",
        "Every entry has the opposite sign.",
    ),
    "zero_log_zero": Mistake(
        "nan from 0 times log 0",
        "A weight of 0 adds nothing to the entropy. Leave zeros out before taking the log.",
    ),
    "log_2": Mistake(
        "Bits in place of nats",
        "This uses log base 2. Here the natural log is asked for.",
    ),
    "entropy_over_queries": Mistake(
        "Summed over the wrong axis",
        "Each query's row of weights has one entropy: sum over the last axis.",
    ),
    "entropy_averaged": Mistake(
        "A mean in place of a sum",
        "The entropy adds up -w * log(w) over the keys. It is not divided by their number.",
    ),
    "entropy_of_everything": Mistake(
        "One number for the whole map",
        "Each query has an entropy of its own: sum over the last axis.",
    ),
    "entropy_not_added": Mistake(
        "The terms are not added up",
        "These are the terms -w * log(w). The entropy of a query is their sum over its keys.",
    ),
    "w_forgotten": Mistake(
        "The factor w is missing",
        "Each log is weighed by its own weight: -w * log(w).",
    ),
    "log_10": Mistake(
        "log to base 10",
        "This uses log base 10. Here the natural log is asked for: np.log.",
    ),
    "entropy_in_shares": Mistake(
        "Divided by its largest value",
        "This is a share of log n. Asked is the entropy itself.",
    ),
    "epsilon": Mistake(
        "A small number in the log",
        "log(w + a small number) is a little off everywhere. Leave zeros out: np.where(w > 0, w, 1) in the log.",
    ),
    "perplexity": Mistake(
        "exp of the entropy",
        "exp of the entropy says to how many equal keys a row comes. Asked is the entropy.",
    ),
    "rows_for_columns": Mistake(
        "Divided by the number of rows",
        "A flat position counts through the columns of a row: divide by the number of columns, weights.shape[1].",
    ),
    "largest_of_the_first_row": Mistake(
        "Only the first row",
        "The largest weight of the whole map may stand in any row.",
    ),
    "largest_row_and_column": Mistake(
        "The largest row sum and column sum",
        "Asked is where the largest single weight stands.",
    ),
    "previous_listed": Mistake(
        "The weights themselves",
        "These are the weights on the key before. Asked is their mean, one number.",
    ),
    "mean_of_everything": Mistake(
        "The mean of the whole map",
        "Only the weights on the key just before count: one below the main diagonal.",
    ),
    "largest_share": Mistake(
        "The largest in place of the mean",
        "One query is not the head. Take the mean over all queries that count.",
    ),
    "median_share": Mistake(
        "The median in place of the mean",
        "Asked is the mean weight.",
    ),
    "all_earlier": Mistake(
        "All earlier keys",
        "Only the key just before counts, not all of those before.",
    ),
    "two_back": Mistake(
        "Two back in place of one",
        "The key just before query i is in column i - 1.",
    ),
    "first_wraps_round": Mistake(
        "The first query counts the last key",
        "For query 0, column i - 1 is -1: the last key. The first query has no key before it and does not count.",
    ),
    "token_switched_off": Mistake(
        "A token is switched off",
        "The first axis holds the heads: head_outputs[head] is set to 0, not a row of every head.",
    ),
    "column_switched_off": Mistake(
        "A single column is switched off",
        "A head owns d_v columns of concat: head*d_v to (head+1)*d_v.",
    ),
    "head_dropped": Mistake(
        "The head is taken out",
        "Without it the heads behind it meet the wrong rows of W_O. Keep its place, and set it to 0.",
    ),
    "head_averaged": Mistake(
        "The head is averaged, not switched off",
        "Its mean over the tokens stays. Asked is the output with 0 in its place.",
    ),
    "lengths_for_queries": Mistake(
        "The lengths meet the queries",
        "A length belongs to a key, a column of the map: put the new axis in the middle, lengths[:, None, :].",
    ),
    "shares_missing": Mistake(
        "The shares are missing",
        "These are the products. Divide each row by its sum.",
    ),
    "squared_lengths": Mistake(
        "The lengths are squared",
        "The length is the root of the sum of squares: np.linalg.norm(V, axis=-1).",
    ),
    "sum_for_length": Mistake(
        "A sum in place of a length",
        "The numbers of a value may cancel in a sum. Its length is the root of the sum of squares.",
    ),
    "absolute_sum_for_length": Mistake(
        "The sum of sizes in place of a length",
        "The length is the root of the sum of squares, not the sum of the sizes.",
    ),
    "lengths_alone": Mistake(
        "The weights are not used",
        "These are shares of the lengths alone. Each length is multiplied by its weight.",
    ),
    "lengths_forgotten": Mistake(
        "The lengths have no say",
        "These are the weights as they came: no length is used, or one for the whole row (of the query, of the output, "
        "how many numbers a value has), which the division takes out again. A length belongs to a key, a column.",
    ),
    "shares_over_queries": Mistake(
        "Shares over the wrong axis",
        "Each query's row sums to 1: divide by the sum over the last axis.",
    ),
    "shares_of_the_map": Mistake(
        "Shares of the whole map",
        "Each query's row sums to 1: divide by the sum of the row, not of the map.",
    ),
    "token_for_head": Mistake(
        "A token in place of the head",
        "`head` is an index of the first axis, the heads. Here it is used on the axis of the tokens.",
    ),
    "zero_for_mean": Mistake(
        "Zero in place of the mean",
        "That switches the head off. Asked is its mean over the tokens in its place.",
    ),
    "features_averaged": Mistake(
        "The mean over the wrong axis",
        "That is one mean for each token, over its features. Asked is one row, the mean over the tokens.",
    ),
    "one_number_averaged": Mistake(
        "One number in place of a row",
        "The mean over the tokens has d_v numbers; each column keeps its own mean.",
    ),
    "mean_of_all_heads": Mistake(
        "The mean of all heads",
        "The other heads are in this mean too. Choose the head first: head_outputs[head].",
    ),
    "all_heads_averaged": Mistake(
        "Every head is replaced",
        "Only the head asked for is replaced; the others keep a row for each token.",
    ),
    "plain_mean": Mistake(
        "The mean is not weighted",
        "What is subtracted is sum(w * g) over the row: each entry of the gradient weighed by its own weight.",
    ),
    "sum_without_weights": Mistake(
        "The sum of the gradient without the weights",
        "What is subtracted is sum(w * g), not sum(g).",
    ),
    "one_sided_backwards": Mistake(
        "Measured from one side",
        "(f(x) - f(x - step)) / step has an error that shrinks only like the step. Measure from both sides.",
    ),
    "half_step": Mistake(
        "Half a step to each side",
        "The task moves an entry by a whole step up and a whole step down: two steps apart.",
    ),
    "difference_not_in_brackets": Mistake(
        "The difference is not in brackets",
        "`/` binds before `-`, so only the second value is divided. (f(x + move) - f(x - move)) / (2 * step).",
    ),
    "step_times_entry": Mistake(
        "The nudge goes with the entry",
        "Each entry is moved by `step` itself, however large the entry is: x[i] + step and x[i] - step.",
    ),
    "other_entries_left_out": Mistake(
        "The other entries are left out",
        "f is given the moved entry alone. All others stay in x as they are: f takes the whole of x.",
    ),
    "back_to_where_it_was": Mistake(
        "The second value is not below",
        "After moving up by `step`, moving down by `step` comes back to x. From there it is one more step down; the "
        "two values must lie 2 * step apart.",
    ),
    "times_half_step": Mistake(
        "Multiplied by the step",
        "(f(up) - f(down)) / 2 * step divides by 2 and multiplies by the step. Write / (2 * step).",
    ),
    "not_moved_back": Mistake(
        "The entry is not moved back",
        "Each slope is measured at x. An entry that stays moved changes the slopes of those after it.",
    ),
    "one_number_for_all": Mistake(
        "One number in place of one for each entry",
        "Each entry of x has a slope of its own.",
    ),
    "one_array_for_both": Mistake(
        "Both sides are the same",
        "f(up) - f(down) is 0 everywhere. `up = x` makes no copy: up and down are then one array. Write x.copy().",
    ),
    "step_of_its_own": Mistake(
        "Another step than the one given",
        "The slope is measured, but not with `step`. With the step given it is a little different.",
    ),
    "total_from_one": Mistake(
        "The total starts from 1",
        "Nothing has been added up before the first block: the total starts from 0.",
    ),
    "log_returned": Mistake(
        "The logarithm of the sum",
        "This is the logarithm of the sum of all exp(score). Asked is the sum of exp(score - largest) itself.",
    ),
    "pair_exchanged": Mistake(
        "The two are in the wrong order",
        "Both are right, but they are returned the other way round.",
    ),
    "next_token": Mistake(
        "The next token in place of the previous one",
        "Rows are queries. The key before query i is in column i - 1, one below the main diagonal.",
    ),
    "own_token": Mistake(
        "The token itself",
        "That is the main diagonal. The key before query i is in column i - 1.",
    ),
    "first_query_counted": Mistake(
        "Divided by n",
        "The first query has no key before it, so n - 1 queries count.",
    ),
    "mean_missing": Mistake(
        "A sum in place of a mean",
        "Divide by the number of queries that count, so that maps of different sizes can be compared.",
    ),
    "only_that_head": Mistake(
        "Only that head is left",
        "This is what that head adds. Asked is the output of all heads, with this one's mean in its place.",
    ),
    "output_columns_zeroed": Mistake(
        "Columns of the output set to 0",
        "A head has columns of its own in concat only. W_O spreads it over all columns of the output.",
    ),
    "nothing_switched_off": Mistake(
        "No head is switched off",
        "This is the whole output.",
    ),
    "mean_not_subtracted": Mistake(
        "The mean is not subtracted",
        "Raising one score lowers the other weights. That is the term - sum(w * g).",
    ),
    "mean_over_queries": Mistake(
        "The mean over the wrong axis",
        "Each query has a softmax of its own, so the sum runs over the keys of its row.",
    ),
    "mean_over_all": Mistake(
        "One mean for all rows",
        "`.sum()` adds up the whole matrix. Each query has a softmax of its own: one mean for each row.",
    ),
    "weights_forgotten": Mistake(
        "The factor w is missing",
        "A weight near 0 hardly moves: the difference is multiplied by the weight itself.",
    ),
    "batch_not_averaged": Mistake(
        "Not averaged over the batch",
        "The loss is a mean over the sentences. So each sentence asks for 1/n of p - y: divide by their number.",
    ),
    "averaged_over_classes": Mistake(
        "Averaged over the classes too",
        "The mean runs over the sentences. A sentence has one loss, however many classes there are.",
    ),
    "answer_not_subtracted": Mistake(
        "The right answer is not subtracted",
        "p says what the layer said. The gradient is what was said minus what is right: subtract 1 at the right class.",
    ),
    "logits_for_shares": Mistake(
        "Logits in place of probabilities",
        "What is compared with the right answer are the probabilities: the softmax of the logits.",
    ),
    "right_class_alone": Mistake(
        "Only the right class",
        "The wrong classes have a gradient too: p - 0. It pushes their logits down.",
    ),
    "centred_without_weights": Mistake(
        "Centred by a plain mean, without the factor w",
        "Its rows sum to 0. What is asked is w * (g - sum(w * g)).",
    ),
    "one_sided": Mistake(
        "Measured from one side",
        "(f(x + step) - f(x)) / step has an error that shrinks only like the step. Measure from both sides.",
    ),
    "half_the_width": Mistake(
        "Divided by one step",
        "From x - step to x + step are two steps.",
    ),
    "step_forgotten": Mistake(
        "Not divided by the step",
        "A slope is a change for each unit moved.",
    ),
    "all_entries_moved": Mistake(
        "All entries moved at once",
        "Move one entry and leave the others, else all slopes come out as their sum.",
    ),
    "changes_input": Mistake(
        "The input is changed",
        "In-place steps such as `x -= ...` write into the caller's array. Make a new one: `x = x - ...`.",
    ),
}
