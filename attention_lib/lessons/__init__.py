"""One folder for each notebook: its exercises, its predictions, and what only this notebook and its lab calculate."""

NOTEBOOKS = (
    "01_self_attention",
    "02_scaling",
    "03_masking",
    "04_cross_attention",
    "05_multi_head_attention",
    "06_kv_cache",
    "07_trained_attention",
    "08_learning_attention",
    "09_mistakes",
    "10_positions",
    "11_a_small_language_model",
    "12_the_articles_checked",
)
