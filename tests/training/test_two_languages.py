"""The grammar: what it draws makes sense in both languages, and a page is judged as a reader would."""

import numpy as np

from attention_lib.training.two_languages import WORDS, Page, draw_sentence, in_english, in_korean, judge, read_english


def drawn(n=400, seed=0):
    rng = np.random.default_rng(seed)
    return [draw_sentence(rng) for _ in range(n)]


def test_what_is_drawn_is_understood_and_uses_every_word():
    sentences = drawn()
    assert all(read_english(in_english(sentence)) == sentence for sentence in sentences)
    used = {word for sentence in sentences for word in in_english(sentence) + in_korean(sentence)}
    assert used == set(WORDS)


def test_what_is_no_sentence_is_not_read():
    wrong = ("the cat sees the moon", "the moon sees the cat .", "the cat sees the cat .")
    for text in (*wrong, "the cat sees the small moon .", "고양이 가 달 을 본다 .", ""):
        assert read_english(text.split()) is None, text


def test_a_page_is_judged_pair_by_pair():
    good = "the cat sees the moon . 고양이 가 달 을 본다 . "
    wrong_korean = "the cat sees the moon . 고양이 이 달 을 본다 . "
    wrong_english = "the letter . "
    page = (good + wrong_korean + wrong_english + good + "the bear").split()
    assert judge(page) == Page(pairs=4, english=3, korean=2)
    no_stop = "the cat sees the moon . 고양이 가 달 을 본다 likes the moon ."
    assert judge(no_stop.split()) == Page(pairs=1, english=1, korean=1)
    assert judge(["the", "cat"]) == judge([]) == Page(0, 0, 0)
