"""English words and their stems, as the published algorithm has them."""

import pytest

from holdfast.stores.text_index.stemming import prefix, stem

STEMS = """
consign consigned consigning consignment: consign
consist consisted consistency consistent consistently: consist
console consoled consoling consolation consolations consolingly: consol
constancy: constanc
conspicuous conspicuously: conspicu
knack knacks: knack
knackeries: knackeri
knotted knots: knot
hope hoping hoped hopeful hopefulness: hope
hopping hopped: hop
generate generated generator: generat
generic: generic
communism: communism
communication communicate: communic
arsenal: arsenal
relational relate: relat
happy happiness: happi
marry married marries: marri
marriage: marriag
organization organizations organize: organ
national: nation
argument: argument
electricity electrical electric: electr
probably probable: probabl
by: by
say: say
playing played: play
cries cried: cri
ties tied: tie
bed: bed
agreed agree: agre
agreedly: agre
feed: feed
beautifully beautiful: beauti
controlling control: control
roll: roll
goodness good: good
allowance: allow
adoption adopt: adopt
onion: onion
vietnamization: vietnam
skis: ski
skies sky: sky
dying: die
inning innings: inning
gas: gas
gaps: gap
kiwis: kiwi
this: this
bus: bus
grasses: grass
sing: sing
luxuriated: luxuri
sized: size
disabled: disabl
youth: youth
formative: format
negative: negat
native: nativ
analogies: analog
hourly: hour
lesslly: lesslli
rate: rate
fully: fulli
carefully: care
""".strip()


@pytest.mark.parametrize("line", STEMS.splitlines())
def test_forms_of_a_word_have_one_stem(line: str) -> None:
    """
    A question in one form finds an answer in another.
    """
    words, root = line.split(": ")

    assert {root} == {stem(word) for word in words.split()}


@pytest.mark.parametrize("term", ["a", "no", "src2", "结", "straße", "2023", ""])
def test_what_is_no_english_word_stays_as_it_is(term: str) -> None:
    """
    Numbers, identifiers and other languages have no endings that we know.
    """
    assert term == stem(term)


@pytest.mark.parametrize("word", ["hoping", "married", "happiness", "relational", "running", "cities"])
def test_words_begin_with_the_prefix_of_their_stem(word: str) -> None:
    """
    That is how the words of a stem are found in the index.
    """
    assert word.startswith(prefix(stem(word)))
