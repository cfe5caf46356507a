"""A made-up history of conversations, the same on every run.

Word frequencies follow Zipf's law, as in real text: a few words are everywhere,
most are rare. One message in ten is Chinese or Japanese and one in eight holds
code (paths, snake_case, numbers), because those are what an index made for
English gets wrong. A message is about 127 bytes long.
"""

from __future__ import annotations

from itertools import accumulate, islice
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

COMMON = (
    "the of and to a in is that it for you was on are with as have be this at from or not but we can "
    "what all your when there use how which if will do file session one out up them then has some time "
    "so make like into could two more write go see no way my than first been call who its now find long "
    "down day did get come made may part error test run server message model agent memory search log"
).split()
SYLLABLES = (
    "ba be bi bo ca ce co cu da de di do fa fe fi fo ga ge go ha he hi ho ja jo ka ke ki la le li lo "
    "ma me mi mo na ne ni no pa pe pi po qua ra re ri ro sa se si so ta te ti to va ve vi wa we wi "
    "ya yo za ze al an ar as el en er es in ir is ol on or os ul un ur us st nd th ch sh ck ng nt"
).split()
HAN = (
    "的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后"
    "小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长"
    "知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最"
    "间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市"
    "眼体别处总才场师书比住员九笑性通目华报立马命张活难神数件安表原车白应路期叫死常提感金何更反合放做系计"
    "或司利受光王果亲界及今京务制解各任至清物台象记边共风战干接它许八特觉望直服毛林题建南度统色字请交爱让"
    "认算论百吃义科怎元社术结六功指思非流每青管夫连远资队跟带花快条院变联言权往展该领传近留红治决周保达办"
    "运武半候七必城父强步完革深区即求品士转量空甚众技轻程告江语英基派满式李息写呢识极令黄德收脸钱党倒未持"
    "取设始版双历越史商千片容研像找友孩站广改议形委早房音火际则首单据导影失拿网香似斯专石若兵弟谁校读志飞"
    "观争究包组造落视济喜离虽坏兴件"
)
KANA = (
    "のにはをたがでてとしれさあるいうもなかこそすくきりおえけせちつぬねへほまみむめやゆよらろわんアイウエ"
    "オカキクケコサシスセソタチツテトナニノハヒフヘホマミムメモラリルレロンー"
)


def corpus(count: int, seed: int = 7) -> Iterator[str]:
    """As many messages as asked for; a longer run begins like a shorter one."""
    dice = Random(seed)
    words = _words(dice, 200_000)
    weights = _zipf(len(words), 2.7)
    han = _zipf(len(HAN), 20)
    stream = _drawn(dice, words, weights)
    for number in range(count):
        kind = dice.random()
        if kind < 0.07:
            yield _sentence(dice.choices(HAN, cum_weights=han, k=dice.randint(10, 70)), "\uff0c")
        elif kind < 0.10:
            mixed = HAN[:200] + KANA * 4
            yield _sentence(dice.choices(mixed, k=dice.randint(10, 70)), "\u3001")
        else:
            said = list(islice(stream, dice.randint(8, 34)))
            if kind > 0.875:
                said.append(_code(dice, said, number))
            yield " ".join(said).capitalize() + "."


def questions(count: int, seed: int = 11) -> Iterator[tuple[str, str]]:
    """Queries as people type them, each with the name of its class."""
    dice = Random(seed)
    words = _words(Random(7), 200_000)
    weights = _zipf(len(words), 2.7)
    for number in range(count):
        drawn = dice.choices(words, cum_weights=weights, k=5)
        middle = words[dice.randint(100, 5_000)]
        rare = words[dice.randint(20_000, 150_000)]
        han = dice.randint(0, len(HAN) - 4)
        cases = (
            ("word", drawn[0]),
            ("common", " ".join(dice.sample(COMMON, dice.randint(1, 4)))),
            ("words", " ".join(drawn[: dice.randint(2, 5)])),
            ("middling", f"{middle} {words[dice.randint(100, 5_000)]}"),
            ("rare", f"{rare} {drawn[0]}"),
            ("phrase", f'"{drawn[0]} {drawn[1]}"'),
            ("substring", middle[1:] if dice.random() < 0.5 else middle[:-1]),
            ("short", dice.choice(SYLLABLES)),
            ("cjk", "".join(dice.sample(HAN[:150], dice.randint(1, 3)))),
            ("cjk rare", HAN[han : han + 2]),
            ("code", dice.choice((f"src/{middle}", f"{drawn[0]}_{drawn[1]}", f"{number}"))),
            ("absent", f"{drawn[0]} zzyzx{number}"),
        )
        name, query = cases[number % len(cases)]
        yield name, query


def _zipf(count: int, shift: float) -> list[float]:
    return list(accumulate((rank + shift) ** -1.1 for rank in range(count)))


def _words(dice: Random, count: int) -> list[str]:
    made = dict.fromkeys(COMMON)
    while len(made) < count:
        made["".join(dice.choices(SYLLABLES, k=dice.choice((2, 2, 3, 3, 3, 4, 5))))] = None
    return list(made)


def _drawn(dice: Random, words: Sequence[str], weights: Sequence[float]) -> Iterator[str]:
    while True:
        yield from dice.choices(words, cum_weights=weights, k=10_000)


def _sentence(letters: list[str], comma: str) -> str:
    if len(letters) > 20:
        letters[len(letters) // 2] = comma
    return "".join(letters) + "。"


def _code(dice: Random, said: Sequence[str], number: int) -> str:
    first, second = said[0], said[-1]
    return dice.choice(
        (
            f"src/{first}/{second}.py",
            f"{first}_{second}({number})",
            f"{dice.getrandbits(32):08x}",
            f"https://example.org/{second}?id={number}",
        )
    )
