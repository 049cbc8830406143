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
    "rows_added_up": Mistake(
        "The new rows are added to the old ones",
        "+ adds numbers. The new rows come below the old ones: np.concatenate.",
    ),
    "one_row_too_few": Mistake(
        "Only one of the new rows",
        "Several tokens may come at once: all rows of `new` are appended.",
    ),
    "caches_exchanged": Mistake(
        "The caches are exchanged",
        "The keys' cache comes before the values' cache.",
    ),
    "own_token_alone": Mistake(
        "The new token reads itself alone",
        "The output is a weighted sum of all values, cached ones included.",
    ),
    "keys_not_appended": Mistake(
        "The keys are not appended",
        "Each value needs its key: append to both caches.",
    ),
    "row_kept": Mistake(
        "A matrix of one row",
        "The output is right, but it is (1, d_v). Asked is the row itself, (d_v,): take [0].",
    ),
    "new_tokens_first": Mistake(
        "The new keys stand in front",
        "The cached keys are the earlier ones, so their columns come first.",
    ),
    "whole_text": Mistake(
        "The mask of the whole text",
        "Only the new tokens ask. Their rows are the last ones of this mask.",
    ),
    "only_new_keys": Mistake(
        "The cached keys are left out",
        "The new tokens read the cached keys too: n_cached columns more, all True.",
    ),
    "row_overwrites": Mistake(
        "The newest cached row is overwritten",
        "When the window is full, the oldest row goes, at the other end.",
    ),
    "numbers_for_bytes": Mistake(
        "Numbers, not bytes",
        "This counts the numbers. Each takes bytes_per_number bytes.",
    ),
    "width_forgotten": Mistake(
        "The width of a head is forgotten",
        "A key is d_head numbers, and so is a value.",
    ),
    "tokens_forgotten": Mistake(
        "The tokens are forgotten",
        "Every token leaves a key and a value behind: multiply by n_tokens.",
    ),
    "tokens_squared": Mistake(
        "The tokens count twice",
        "The map grows with the square of the tokens. The cache holds one key and one value for each token.",
    ),
    "in_kilobytes": Mistake(
        "Another unit",
        "Asked is the number of bytes, not of kilobytes, megabytes or gigabytes.",
    ),
    "added_up": Mistake(
        "Added up in place of multiplied",
        "Every layer has all heads, every head all tokens: the numbers multiply.",
    ),
    "cache_overwrites": Mistake(
        "The cache is overwritten",
        "The new rows take the place of old ones. They come after them: nothing cached is lost.",
    ),
    "cache_replaced": Mistake(
        "Only the new rows are kept",
        "Everything cached before is lost. The new rows come after the old ones.",
    ),
    "cache_prepended": Mistake(
        "New rows in front",
        "The cache is in the order of the tokens: new rows come last.",
    ),
    "cache_along_features": Mistake(
        "Joined along the features",
        "Rows are tokens, so new tokens are new rows: join along axis 0.",
    ),
    "cache_aliases": Mistake(
        "The cache shares its memory with its input",
        "When the caller writes the next token into the same array, the cache changes too. Keep a copy.",
    ),
    "cache_unchanged": Mistake(
        "Nothing is appended",
        "The cache comes back as it was.",
    ),
    "cache_keeps_Q": Mistake(
        "The cache keeps q in place of k",
        "Later tokens read the keys of earlier ones and never their queries. Append k.",
    ),
    "forgets_new_token": Mistake(
        "The new token does not see itself",
        "Append first, then attend: the new token's own key is the last one it may read.",
    ),
    "values_not_appended": Mistake(
        "The values are not appended",
        "Each key needs its value: append to both caches.",
    ),
    "recomputes": Mistake(
        "The past is computed again",
        "The outputs are right, but project was called again for tokens it had already seen. Keep their k and v.",
    ),
    "sees_the_future": Mistake(
        "Every token sees the whole sentence",
        "When token i is decoded, the later ones are not there yet: it attends to 0 to i.",
    ),
    "last_output_only": Mistake(
        "Only the last output",
        "Each token's output is one row of the answer.",
    ),
    "new_tokens_see_all": Mistake(
        "New tokens see each other's future",
        "All cached keys are allowed. Among the new tokens, each sees itself and those before it.",
    ),
    "cache_hidden": Mistake(
        "The cached keys are forbidden",
        "Everything cached lies in the past, so every new token may read it.",
    ),
    "attends_across_heads": Mistake(
        "The heads of one token attend to each other",
        "The last two axes must be tokens and features: swap the axes to (h, n, d) before Q @ K.swapaxes(-1, -2).",
    ),
    "row_not_appended": Mistake(
        "The new row is not appended",
        "The cache comes back without the row that has come in. Append it first, then drop what is too old.",
    ),
    "evicts_newest": Mistake(
        "The oldest are kept",
        "The window moves along with the text: keep the newest rows and drop the oldest.",
    ),
    "window_one_too_many": Mistake(
        "Off by one: one row too many",
        "After the new row is in, at most `window` rows stay.",
    ),
    "window_one_too_few": Mistake(
        "Off by one: one row too few",
        "The new row counts among the `window` rows that stay, and no more than the oldest must go.",
    ),
    "window_never_evicts": Mistake(
        "Nothing is dropped",
        "The cache grows for ever. Keep the newest `window` rows.",
    ),
    "window_cleared": Mistake(
        "Everything is dropped at once",
        "When the window is full, only the oldest row goes.",
    ),
    "keys_only": Mistake(
        "Only the keys are counted",
        "Each token keeps a key and a value: two rows for each layer and head.",
    ),
    "counts_Q": Mistake(
        "Queries are counted too",
        "Q, K and V make three, but Q is never cached.",
    ),
    "layers_forgotten": Mistake(
        "The layers are forgotten",
        "Every layer has keys and values of its own.",
    ),
    "heads_forgotten": Mistake(
        "The heads are forgotten",
        "Each key/value head keeps its own rows.",
    ),
    "bits": Mistake(
        "Bits in place of bytes",
        "bytes_per_number is in bytes already: 2 for float16.",
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
