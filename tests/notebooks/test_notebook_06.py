"""What notebook 06 claims, beyond what its cells show."""


def test_how_little_the_shortest_times_of_llama_2_7b_leave_out():
    n_numbers, n = 32 * (4 * 4096**2 + 3 * 4096 * 11008), 1000
    assert round(100 * 4 * 4096 * 32 * (n * (n + 1) / 2) / (2 * n_numbers * n)) == 2  # queries and keys of a prompt
    assert round(100 * n * 2 * 32 * 32 * 128 * 2 / (2 * n_numbers)) == 4  # the cache of a prompt
    assert round(100 * 32_000 * 4096 / n_numbers) == 2  # the matrix that computes the logits
    assert 3 * 4096 * 11008 > 4 * 4096**2  # the feed-forward networks have most of the numbers
