"""Known wrong forms of attention, the checks that catch them, and the sentences that name them."""
