"""What is said about mistakes with heads and with the cache."""

from .mistake import Mistake

HEADS: dict[str, Mistake] = {
    # heads
    "reshape_without_transpose": Mistake(
        "Reshaped without the transpose",
        (
            "The shape is right and the numbers are in the wrong places: heads and "
            "tokens mix. Reshape to (n, h, d), then swap the first two axes."
        ),
    ),
    "heads_not_in_front": Mistake(
        "The swap is missing",
        "The pieces are right, but the tokens still stand in front: (n, h, d). Swap the first two axes.",
    ),
    "heads_interleaved": Mistake(
        "The heads take every h-th column",
        "Head 0 owns the first d columns, head 1 the next d. Reshape to (n, h, d), not to (n, d, h).",
    ),
    "last_axes_swapped": Mistake(
        "The last two axes are exchanged",
        "Each head is a matrix with one row a token: (n, d). Here its rows are features.",
    ),
    "tokens_cut": Mistake(
        "The tokens are cut, not the columns",
        "Every head keeps all tokens. It gets a share of the columns.",
    ),
    "size_for_number": Mistake(
        "The number of heads in the place of their width",
        "Reshape to (n, h, d), with h heads of d columns each, not to (n, d, h).",
    ),
    "heads_one_below_the_other": Mistake(
        "The heads stand one below the other",
        "Rows are tokens, so the heads stand side by side: join along the last axis.",
    ),
    "all_key_heads_read": Mistake(
        "Every query head reads all key heads",
        "Each query head belongs to one key head, and attends to the keys of that one alone.",
    ),
    "first_head_only": Mistake(
        "Only the first head",
        "Every head counts: side by side they make the row of a token.",
    ),
    "swap_without_reshape": Mistake(
        "The reshape is missing",
        "The tokens are in front now: (n, h, d). Write each token's pieces into one row: reshape(n, h*d).",
    ),
    "flattened": Mistake(
        "Everything in one flat row",
        "The axes are lost. Name the axis, or the shape that is needed.",
    ),
    "heads_not_merged": Mistake(
        "The heads are not brought together",
        "Each head's output is right. Side by side, (n, h*d), they go through W_O.",
    ),
    "heads_interleaved_once": Mistake(
        "The heads take every h-th column",
        "Splitting and merging do not fit together: head 0 owns the first d columns, head 1 the next d.",
    ),
    "scaled_by_wide_root": Mistake(
        "Divided by the root of the width of all heads",
        "A score of one head adds up d_k products. The width of W_Q is h times as large.",
    ),
    "W_O_transposed": Mistake(
        "W_O is transposed",
        "A row of concat stands left of W_O: concat @ W_O. Its columns meet W_O's rows.",
    ),
    "W_O_first": Mistake(
        "W_O stands on the wrong side",
        "Rows are tokens, so the projection stands on the right: concat @ W_O.",
    ),
    "W_O_last_rows": Mistake(
        "Every head uses the last rows of W_O",
        "Head i owns rows i*d_v to (i+1)*d_v of W_O.",
    ),
    "each_head_whole": Mistake(
        "The whole output for each head",
        "This is what all heads give together, several times. Asked is what each one adds.",
    ),
    "repeated_along_features": Mistake(
        "Repeated along the features",
        "Each head is repeated, not each column: the axis of the heads is third from the end.",
    ),
    "repeats_in_an_axis_of_their_own": Mistake(
        "The repeats have an axis of their own",
        "The order is right. Bring the heads and their repeats into one axis: reshape to (h_kv * n_repeats, n, d).",
    ),
    "not_repeated": Mistake(
        "Nothing is repeated",
        "The keys come back as they were.",
    ),
    "multiplied_by_the_number": Mistake(
        "Multiplied by the number of repeats",
        "K * n_repeats makes the numbers larger. Each head is to stand there n_repeats times.",
    ),
    "heads_averaged": Mistake(
        "The heads are averaged",
        "An average forgets which head said what. The heads' outputs stand side by side, and W_O mixes them.",
    ),
    "key_heads_averaged": Mistake(
        "The key heads are averaged",
        "A query head reads the keys and values of one head, as they are. A mean of heads belongs to none of them.",
    ),
    "merged_without_transpose": Mistake(
        "Merged without the transpose",
        "The split is right. A reshape of (h, n, d_v) does not put the heads side by side: swap the first two axes, "
        "then reshape to (n, h*d_v).",
    ),
    "mean_map_for_all": Mistake(
        "One map for all heads",
        "Every head uses the mean of all maps here. Each head has a map of its own, for its own values.",
    ),
    "scaled_by_model_over_heads": Mistake(
        "Divided by the root of d_model / n_heads",
        "The root is of d_k, the width of a head of Q, W_Q.shape[1] / n_heads. That is d_model / n_heads only where "
        "W_Q is square.",
    ),
    "contributions_summed": Mistake(
        "Added up already",
        "This is the sum over the heads. Asked are its terms, one matrix for each head: keep the axis of the heads.",
    ),
    "heads_summed": Mistake(
        "The heads are added up",
        "A plain sum treats all heads alike. They stand side by side, so that W_O can weigh each one.",
    ),
    "heads_reversed": Mistake(
        "The heads are in the wrong order",
        "Head 0 comes first: W_O's first rows belong to it.",
    ),
    "no_W_O": Mistake(
        "W_O is left out",
        "The heads' outputs stand side by side but nothing mixes them. The output is concat @ W_O.",
    ),
    "one_head": Mistake(
        "One wide head",
        "The projections are not cut into heads, so there is a single attention map. Split Q, K and V first.",
    ),
    "W_O_columns": Mistake(
        "Columns of W_O in place of rows",
        "concat's columns meet W_O's rows, so head i owns rows i*d_v to (i+1)*d_v.",
    ),
    "repeated_then_cut": Mistake(
        "Repeated along another axis, then cut",
        "The numbers or the rows of a head are repeated, and the reshape cuts them into heads anew. Repeat whole "
        "heads: along axis 0.",
    ),
    "W_O_first_rows": Mistake(
        "Every head uses the first rows of W_O",
        "Head i owns rows i*d_v to (i+1)*d_v of W_O.",
    ),
    "W_O_interleaved": Mistake(
        "Every h-th row of W_O",
        "The heads stand side by side in concat, so each owns rows of W_O that follow each other.",
    ),
    "tiled_instead_of_repeated": Mistake(
        "Tiled in place of repeated",
        "Key head 0 serves query heads 0 to r-1, so the order is 0 0 1 1, not 0 1 0 1. That is np.repeat, not np.tile.",
    ),
    "repeated_along_tokens": Mistake(
        "Repeated along the tokens",
        "Each head is repeated, not each token: the axis of the heads is third from the end.",
    ),
    # cache
    "caches_exchanged": Mistake(
        "The caches are exchanged",
        "The keys' cache comes before the values' cache.",
    ),
    "only_new_keys": Mistake(
        "The cached keys are left out",
        "The new tokens read the cached keys too: n_cached columns more, all True.",
    ),
    "cache_replaced": Mistake(
        "Only the new rows are kept",
        "Everything cached before is lost. The new rows come after the old ones.",
    ),
    "cache_unchanged": Mistake(
        "Nothing is appended",
        "The cache comes back as it was.",
    ),
    "cross_cache_grows": Mistake(
        "The target's own rows are read too",
        "In cross-attention keys and values come from the source alone; nothing is appended.",
    ),
    "recomputes": Mistake(
        "The past is computed again",
        "The outputs are right, but keys and values were made again for tokens whose keys and values were there.",
    ),
    "last_output_only": Mistake(
        "Only the last output",
        "Each token's output is one row of the answer.",
    ),
    "new_tokens_see_all": Mistake(
        "New tokens see each other's future",
        "All cached keys are allowed. Among the new tokens, each sees itself and those before it.",
    ),
    "attends_across_heads": Mistake(
        "The heads of one token attend to each other",
        "The last two axes must be tokens and features: swap the axes to (h, n, d) before Q @ K.swapaxes(-1, -2).",
    ),
    "new_block_scaled_too": Mistake(
        "The new block is rescaled too",
        "Only the old total is multiplied by exp(old - new). The new block is measured from the new largest already, "
        "and is shrunk twice here.",
    ),
    "largest_of_first_block": Mistake(
        "The largest stays that of the first block",
        "It is never raised afterwards. A later block may hold a larger score.",
    ),
    "old_total_not_rescaled": Mistake(
        "The old total is not rescaled",
        "When a larger number comes, the old total was measured from the old largest: multiply it by exp(old - new).",
    ),
    "last_block_only": Mistake(
        "Only the last block",
        "The total runs over all blocks: carry it from one to the next.",
    ),
    "rescaled_the_wrong_way": Mistake(
        "Rescaled the wrong way round",
        "The factor is exp(old largest - new largest), at most 1. The other way round it grows.",
    ),
    "new_block_not_rescaled": Mistake(
        "The new block is measured from another number",
        "The new block's exps need the same reference as the total: exp(block - new largest).",
    ),
    "largest_of_last_block": Mistake(
        "The largest of the last block",
        "The reference is the largest score so far: max(largest, block.max()), not that of the block alone.",
    ),
    "starts_from_zero": Mistake(
        "It starts from 0",
        "All scores may be negative, and then 0 is larger than each of them. Start from -inf.",
    ),
    "reads_twice": Mistake(
        "The blocks are read twice",
        "They can be read once: after the largest is found, none is left for the sum. Carry both from block to block.",
    ),
    "keeps_all_blocks": Mistake(
        "The blocks are collected first",
        (
            "The row is too long to keep: its memory is used again for every block. "
            "Carry two numbers on and let each block go."
        ),
    ),
    "block_totals_added": Mistake(
        "Totals with different reference points are added",
        "Each block's total is measured from that block's own largest number. Bring them to one reference first.",
    ),
}
