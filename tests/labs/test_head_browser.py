"""The head browser: its plain model, and its controls without a browser."""

from itertools import count

import numpy as np
import pytest

from attention_lib import MultiHeadAttention
from attention_lib.analysis.measures import arriving_share, mean_entropy, offset_share
from attention_lib.examples.head_choice import SETTINGS, found_beforehand
from attention_lib.examples.minilm import EncoderTrace, weights_folder
from attention_lib.examples.trained_heads import KINDS, load_sentence, sentence_names
from attention_lib.labs import head_browser
from attention_lib.labs.head_browser import HeadBrowser
from attention_lib.labs.head_model import MEASURES, MOST_TOKENS, PRESETS, HeadModel
from attention_lib.view.lab import CHANGED
from attention_lib.view.lab import MESSAGES as SAID
from attention_lib.view.typed import MESSAGES as TYPED

counter = count(1)
# of each preset: sentence, query, key, open head, measure, order, what stands under the open head
TALK = {
    "paper": ("paper", "it", "paper", (4, 4), "pair", "grid", "0.76"),
    "back": ("keys", "are", "cabinet", (0, 2), "previous", "largest", "1.00"),
    "sinks": ("keys", "are", "[CLS]", (4, 5), "cls", "largest", "0.88"),
    "arriving": ("keys", "are", "[CLS]", (4, 5), "cls", "grid", "0.19"),
    "cup": ("cup", "it", "cup", (3, 1), "pair", "largest", "0.73"),
    "creature": ("creature", "creature", "fluffy", (0, 1), "pair", "largest", "0.40"),
}


def fake_encoder(text):
    """An encoder of random numbers: 6 layers of 12 heads, as the model has."""
    tokens = ("[CLS]", *text.split(), "[SEP]")
    rng = np.random.default_rng(0)
    X = rng.standard_normal((len(tokens), 384)).astype(np.float32)
    W = (rng.standard_normal((4, 384, 384)) / 20).astype(np.float32)
    layers = tuple(MultiHeadAttention(*W, n_heads=12)(X) for _ in range(6))
    return EncoderTrace(tokens, layers, np.stack([X] * 7))


@pytest.fixture
def model():
    return HeadModel()


@pytest.fixture
def lab():
    return HeadBrowser()


# --- the model


def test_it_opens_at_the_strongest_head(model):
    state = model.state
    assert (state.layer, state.head) == (4, 4)
    assert (model.names[state.query], model.names[state.key]) == ("it", "paper")
    assert model.captions()["map"].startswith("Head 4.4: “it” reads paper 0.76,")


def test_pictures_are_the_stored_numbers(model):
    sentence, shown = load_sentence("paper"), model.pictures()
    np.testing.assert_array_equal(model.values, sentence.trace.weights[:, :, 6, 2])
    np.testing.assert_array_equal(model.maps[4 * 12 + 11], sentence.trace.weights[4, 11])
    assert model.maps.shape == (72, 11, 11) and model.chosen == 4 * 12 + 4 and model.mark() == (6, 2)
    np.testing.assert_array_equal(shown["map"], sentence.trace.weights[4, 4])
    product = np.hstack([shown["first half"], shown["second half"]])  # (3, 32)
    np.testing.assert_array_equal(product[0], sentence.trace.Q[4, 4, 6])
    np.testing.assert_array_equal(product[1], sentence.trace.K[4, 4, 2])
    assert product[2].sum() == pytest.approx(sentence.trace.scores[4, 4, 6, 2], rel=1e-4)
    assert f"{product[2].sum():.2f}" in model.captions()["second half"]


@pytest.mark.parametrize("measure", MEASURES)
def test_each_measure_ranks_all_heads(model, measure):
    model.choose_measure(measure)
    weights = load_sentence("paper").trace.weights
    expected = {
        "pair": weights[:, :, 6, 2],
        "entropy": mean_entropy(weights) / np.log(11),
        "previous": offset_share(weights, -1),
        "next": offset_share(weights, 1),
        "self": offset_share(weights, 0),
        "cls": weights[:, :, 1:, 0].mean(-1),
    }[measure]
    np.testing.assert_allclose(model.values, expected, rtol=1e-5)
    assert model.mark() == ((6, 2) if measure == "pair" else ())
    assert model.values.max() <= 1 + 1e-6
    values = [value for _, _, value in model.ranked]
    assert values == sorted(values, reverse=True) and len(values) == 72
    assert (model.state.layer, model.state.head) == np.unravel_index(expected.argmax(), (6, 12))
    assert MEASURES[measure] in model.heads_text() and "number 1 of 72" in model.rank_text()


def test_a_number_is_rounded_once(model):
    for query, key in np.ndindex(11, 11):
        model.choose_pair(query, key)
        layer, head, value = model.ranked[0]
        assert f"{value:.2f}" == f"{model.values[layer, head]:.2f}"
        assert f"largest {value:.2f} in head {layer}.{head}" in model.heads_text()


def test_what_arrives_is_shown_in_every_map_and_number(model):
    trace = load_sentence("paper").trace
    model.choose_measure("cls")
    model.open_head(4, 5)
    before = model.values
    model.show_arriving(True)
    shares = arriving_share(trace.weights, trace.V)
    np.testing.assert_array_equal(model.maps.reshape(shares.shape), shares)
    np.testing.assert_array_equal(model.pictures()["map"], shares[4, 5])
    np.testing.assert_allclose(model.values, shares[:, :, 1:, 0].mean(-1), rtol=1e-5)
    assert (model.state.layer, model.state.head) == (4, 5)  # the open head stays open
    assert model.values.mean() < before.mean() / 3  # the value of [CLS] is short
    assert model.captions()["map"].startswith("Head 4.5: of what arrives at “it”, ")
    assert "Weight × value length" in model.heads_text() and "weight × value length" in model.still_title()
    model.read("cat")
    assert model.state.arriving
    model.undo(), model.undo()
    assert not model.state.arriving and "Weight, on [CLS]" in model.heads_text()


def test_the_goal_counts_the_five_sentences(model):
    assert model.goal_texts()[0].endswith("in all 5 test sentences. Head 4.4: in 1. Click a small map.")
    model.open_head(3, 1)
    assert model.goal_texts()[0].startswith("Goal reached: head 3.1 finds the noun in 5 of 5.")
    counts = found_beforehand()
    five = [load_sentence(name) for name in sentence_names("beforehand")]
    for layer, head in np.ndindex(6, 12):
        firsts = [s.head(layer, head).weights[s.query, 1:-1].argmax() + 1 for s in five]
        assert counts[layer, head] == sum(first == s.key for first, s in zip(firsts, five))


def test_orders(model):
    assert model.sequence() == []
    model.choose_order("largest")
    values = model.values.ravel()[model.sequence()]
    assert sorted(model.sequence()) == list(range(72)) and (np.diff(values) <= 0).all()
    assert model.sequence()[0] == model.chosen == 52
    model.choose_order("smallest")
    values = model.values.ravel()[model.sequence()]
    assert sorted(model.sequence()) == list(range(72)) and (np.diff(values) >= 0).all()
    assert model.chosen == 52  # another order opens no other head
    model.read("cat")
    assert model.state.order == "smallest"
    for _ in range(3):
        model.undo()
    assert model.sequence() == []


def test_a_pair_moves_the_table_and_not_the_head(model):
    model.choose_pair(8, 9)
    assert (model.state.layer, model.state.head) == (4, 4)
    np.testing.assert_array_equal(model.values, load_sentence("paper").trace.weights[:, :, 8, 9])


def test_repeated_words_are_told_apart(model):
    assert model.names[3] == "was (3)" and model.names[7] == "was (7)" and model.names[2] == "paper"


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_sets_everything_in_one_step(model, name):
    assert set(PRESETS) == set(SETTINGS) == set(TALK)
    model.read("cat")
    model.choose_order("smallest")
    model.start_from(name)
    state = model.state
    shown = (state.sentence.name, model.names[state.query], model.names[state.key], (state.layer, state.head))
    assert (*shown, state.measure, state.order, f"{model.values.ravel()[model.chosen]:.2f}") == TALK[name]
    assert model.state.arriving == (name == "arriving")
    assert model.rank == 0 or name == "arriving"  # the head of the talk comes first by its measure
    assert model.preset == name
    assert model.undo()
    assert (model.state.sentence.name, model.state.order, model.preset) == ("cat", "smallest", None)


def test_a_preset_is_left_with_every_change(model):
    assert model.preset == "paper"
    for change in (
        lambda: model.open_head(4, 5),
        lambda: model.choose_pair(6, 4),
        lambda: model.choose_order("largest"),
        lambda: model.read("cat"),
        lambda: model.choose_measure("self"),
    ):
        model.start_from("paper")
        change()
        assert model.preset is None
        model.undo()
        assert model.preset == "paper"


def test_undo_and_reset(model):
    assert not model.undo()
    model.read("cat")
    model.open_head(3, 5)
    strongest = (model.start.layer, model.start.head)
    model.reset()  # to the start of this sentence
    assert model.state.sentence.name == "cat" and (model.state.layer, model.state.head) == strongest
    for expected in [("cat", 5), ("cat", strongest[1]), ("paper", 4)]:
        assert model.undo()
        assert (model.state.sentence.name, model.state.head) == expected
    assert not model.undo()


@pytest.mark.parametrize("arriving", [False, True])
@pytest.mark.parametrize("name", sentence_names(*KINDS))
def test_the_code_gives_the_numbers_shown(name, arriving, capsys):
    model = HeadModel(name)
    model.open_head(2, 3)
    model.show_arriving(arriving)
    found = {}
    exec(model.state.code(), found)
    np.testing.assert_array_equal(found["head"].weights, model.trace.weights)
    printed = capsys.readouterr().out
    assert str(model.open_map.round(2)) in printed and str(model.values.round(2)) in printed


def test_own_sentence(model):
    model.type("a cat sat", fake_encoder)
    assert model.state.sentence.tokens == ("[CLS]", "a", "cat", "sat", "[SEP]")
    assert (model.names[model.state.query], model.names[model.state.key]) == ("sat", "a")
    assert model.pictures()["map"].shape == (5, 5)
    assert "MiniLM().run(text)" in model.state.code() and "'a cat sat'" in model.state.code()


@pytest.mark.parametrize(
    ("text", "said"), [("", "Type a sentence"), (" \n", "Type a sentence"), ("a " * 31, "33 tokens")]
)
def test_own_sentences_that_cannot_be_shown(model, text, said):
    with pytest.raises(ValueError, match=said):
        model.type(text, fake_encoder)
    assert model.state.sentence.name == "paper" and not model.undo()


def test_one_word_and_the_most_words(model):
    model.type("cat", fake_encoder)
    assert model.captions()["map"]
    model.type("a " * (MOST_TOKENS - 2), fake_encoder)
    assert model.pictures()["map"].shape == (MOST_TOKENS, MOST_TOKENS)


# --- the controls


def select(lab, panel, row, column):
    message = {"do": "select", "view": "t", "n": next(counter), "panel": panel, "row": row, "column": column}
    lab.view._receive(lab.view, message, [])
    assert lab.view.last_error is None


def open_head(lab, k):
    """Play the message that the browser sends when the reader opens a small map."""
    state = {"_wish": [k, "t", next(counter)]}
    lab.thumbnails._handle_msg({"content": {"data": {"method": "update", "state": state}}, "buffers": []})
    assert lab.thumbnails.last_error is None


def assert_shown(lab):
    model, small = lab.model, lab.thumbnails
    for name, array in model.pictures().items():
        view = lab.view if name == "map" else lab.product
        np.testing.assert_allclose(view[name], array, rtol=1e-6, err_msg=name)
    shown = np.frombuffer(small._maps, np.uint8).reshape(72, small._size, small._size)
    np.testing.assert_allclose(shown / 255, model.maps, atol=0.5 / 255 + 1e-9)
    assert small._numbers == [f"{value:.2f}" for value in model.values.ravel()]
    assert small._chosen[0] == 12 * model.state.layer + model.state.head
    assert small._order == model.sequence() and small._mark == list(model.mark())
    assert small._caption == f"{model.heads_text()} {model.rank_text()}"


def test_a_click_on_a_small_map_opens_it(lab):
    assert_shown(lab)
    open_head(lab, 2)
    assert (lab.model.state.layer, lab.model.state.head) == (0, 2)
    assert lab.view["map"][6, 5] > 0.99
    assert_shown(lab)
    assert "Head 0.2: " in lab.thumbnails._caption
    open_head(lab, 3 * 12 + 2)
    assert (lab.model.state.layer, lab.model.state.head) == (3, 2)
    assert_shown(lab)


def test_the_switch_changes_all_maps(lab):
    lab._shown_as.value = True
    assert lab.model.state.arriving
    assert_shown(lab)
    lab.buttons["undo"].click()
    assert lab._shown_as.value is False
    assert_shown(lab)


def test_the_product_is_opened_by_its_button(lab):
    assert lab.product.layout.display == "none"
    lab._product.value = True
    assert lab.product.layout.display == ""
    lab._product.value = False
    assert lab.product.layout.display == "none"


def test_a_click_on_the_map_opens_a_product(lab):
    select(lab, "map", 9, 2)
    assert (lab.model.state.query, lab.model.state.key) == (9, 2)
    assert_shown(lab)
    select(lab, "map", 7, None)
    assert (lab.model.state.query, lab.model.state.key) == (7, 2)
    assert_shown(lab)


def test_another_sentence_has_other_sizes(lab):
    lab._sentence.value = "animal_wide"
    assert lab.view["map"].shape == (14, 14)
    assert_shown(lab)
    lab.buttons["undo"].click()
    assert lab.view["map"].shape == (11, 11) and lab._sentence.value == "paper"
    assert_shown(lab)
    lab.buttons["undo"].click()
    assert lab._message.value == SAID["nothing to undo"]


def test_labels_follow_a_sentence_of_the_same_length(lab):
    select(lab, "map", 3, 4)
    lab._sentence.value = "keys"  # 11 tokens, as before
    assert lab.view.selected is None
    assert lab.view.panels["map"].columns[5] == "cabinet"


def test_measures_and_orders(lab):
    lab._measure.value = "previous"
    assert (lab.model.state.layer, lab.model.state.head) == (0, 2)
    assert_shown(lab)
    lab._order.value = "largest"
    assert_shown(lab)
    assert lab.thumbnails._order[0] == 2
    lab.buttons["undo"].click()
    assert lab._order.value == "grid" and lab._measure.value == "previous"
    assert_shown(lab)
    lab.buttons["reset"].click()
    assert lab._measure.value == "pair"
    assert_shown(lab)


def test_the_code_is_shown_on_demand(lab):
    open_head(lab, 2)
    assert lab._code.area.layout.display == "none"
    lab._code.switch.value = True
    assert lab._code.area.layout.display == "" and "sentence.head(0, 2)" in lab._code.area.value
    open_head(lab, 15)
    assert "sentence.head(1, 3)" in lab._code.area.value


def test_own_sentence_without_weights_is_told_how(monkeypatch):
    monkeypatch.setattr(head_browser, "weights_folder", lambda: None)
    monkeypatch.setattr("attention_lib.examples.minilm.weights_folder", lambda: None)
    monkeypatch.setattr(HeadBrowser, "_encoder", None)
    lab = HeadBrowser()
    assert "requirements-models.txt" in lab._own_said.value
    lab._own.value = "A cat"
    assert "requirements-models.txt" in lab._own_said.value
    assert lab.model.state.sentence.name == "paper"
    assert lab._bar.layout.display == "none"
    lab._own.value = ""
    assert lab._own_said.value == TYPED["no words"]


def test_own_sentence_is_shown(lab, monkeypatch):
    monkeypatch.setattr(lab, "_encode", fake_encoder)
    lab._own.value = "a cat <b>"
    assert lab._own_said.value == "Your sentence, 5 tokens."
    assert lab._sentence.value is None
    assert lab.view["map"].shape == (5, 5)
    lab._sentence.value = "paper"
    assert lab.view["map"].shape == (11, 11)
    assert "Your sentence" not in lab._own_said.value and lab._own.value == ""
    lab.buttons["undo"].click()
    assert lab._own.value == "a cat <b>"


@pytest.mark.skipif(weights_folder() is None, reason="the model's weights are not installed")
def test_own_sentence_with_the_model(lab, monkeypatch):
    monkeypatch.setattr(HeadBrowser, "_encoder", None)
    lab._own.value = "The paper was rejected because it was poorly written"
    assert lab._bar.value == 1 and lab._bar.layout.display == "none"
    stored = load_sentence("paper")
    np.testing.assert_allclose(
        lab.view["map"], stored.trace.weights[lab.model.state.layer, lab.model.state.head], atol=3e-3
    )
    assert list(lab.model.state.sentence.tokens) == list(stored.tokens)


@pytest.fixture
def messages(lab):
    """What each of the three pictures sends, from now on: the names of what changed, message by message."""
    sent = {"thumbnails": [], "view": [], "product": []}

    def listen(name):
        def send(data=None, **_):
            if data["method"] == "update":
                sent[name].append({*data["state"], *(path[0] for path in data["buffer_paths"])})

        getattr(lab, name).comm.send = send

    for name in sent:
        listen(name)
    return sent


def test_one_message_a_click(lab, messages):
    open_head(lab, 15)
    assert [len(of_one) for of_one in messages.values()] == [1, 1, 1]
    assert messages["thumbnails"] == [{"_chosen", "_caption"}]  # the maps do not travel again


def test_one_message_a_sentence(lab, messages):
    lab._sentence.value = "animal_wide"
    assert [len(of_one) for of_one in messages.values()] == [1, 1, 1]
    assert {"_maps", "_size", "_numbers", "_chosen"} <= messages["thumbnails"][0]


@pytest.mark.parametrize("name", ["back", "arriving", "creature"])
def test_one_message_a_preset(lab, messages, name):
    lab._preset.value = name
    assert [len(of_one) for of_one in messages.values()] == [1, 1, 1]
    assert_shown(lab)
    chosen = (lab._sentence.value, lab._measure.value, lab._order.value)
    assert chosen == (TALK[name][0], *TALK[name][4:6]) and lab._preset.value == name


def test_the_preset_menu_follows(lab):
    lab._preset.value = "back"
    open_head(lab, 3)
    assert lab._preset.value == CHANGED
    lab._preset.value = "back"  # the same can be chosen again
    assert lab.model.preset == "back"
    assert_shown(lab)
    lab.buttons["reset"].click()
    assert lab._preset.value == "back" and lab.model.chosen != 3  # nothing had been changed since
    lab.buttons["undo"].click()
    assert lab._preset.value == CHANGED and lab.model.chosen == 3
    assert_shown(lab)


def test_the_still_picture(lab):
    data, _ = lab._repr_mimebundle_()
    assert data["text/plain"] == repr(lab)
    assert repr(lab).startswith("Head browser: Weight, the chosen pair: mean 0.10; largest 0.76 in head 4.4,")
    assert data["image/png"].startswith("iVBOR")
    drawn = lab.still_figure().axes[0]
    np.testing.assert_array_equal([image.get_array() for image in drawn.images], lab.model.maps)
    heads, sentence = drawn.get_title().split("\n")
    assert heads == "72 heads: weight of “it” on “paper” (framed), largest 0.76 in head 4.4"
    assert sentence == lab.model.state.sentence.text
    lab._measure.value = "self"
    assert "(framed)" not in lab.still_figure().axes[0].get_title()
