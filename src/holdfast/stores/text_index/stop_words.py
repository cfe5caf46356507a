"""Words that a question consists of and that say nothing about what is asked: they are left out of it.

If nothing else is left, they are kept.
"""

ENGLISH = frozenset(
    """
    a about above after again against all am an and any are aren as at be because been before being below between both
    but by can could couldn d did didn do does doesn doing don down during each ever few for from further get gets had
    hadn has hasn have haven having he her here hers herself him himself his how i if in into is isn it its itself just
    let like ll m many may me might more most much must my myself no nor not now of off on once only or other our ours
    ourselves out over own per re s same say says said shall she should shouldn so some such t tell than that the their
    theirs them themselves then there these they this those through to told too under until up upon us ve very was wasn
    we were weren what when where which while who whom whose why will with won would wouldn yes you your yours yourself
    """.split()
)

ASKING = frozenset("what when where which who whom whose why how".split())
"""Words that make a question of any text."""

CHINESE = frozenset(
    "的了吗呢么什是在我你他她它们有和就不也都这那谁哪几怎多少吧啊呀过着得地把被给对与或要会能可去来说个上次"
)
JAPANESE = frozenset("はがをにでとものかへやねよしたてるいすまなれさらりうくけっだそこどんあえおつきせわめばじゃ何誰私")
UNSPACED = CHINESE | JAPANESE
"""Characters that two of make no pair worth looking for, and none of which is looked for alone."""

UNSPACED_ASKING = (
    *("谁", "什么", "哪", "几", "怎", "多少", "吗", "为何", "何时"),
    *("何", "誰", "いつ", "どこ", "なぜ", "どう", "どんな", "どの", "いくつ", "いくら", "ですか", "ますか"),
    *("누구", "언제", "어디", "무엇", "뭐", "왜", "어떻게", "얼마"),
)
"""What makes a question of a text without spaces."""

TIME = frozenset("when date day month year time long since until".split())
"""Words that ask for a time."""
NAMES_A_TIME = frozenset(
    """
    yesterday today tomorrow tonight monday tuesday wednesday thursday friday saturday sunday january february march
    april june july august september october november december week weeks weekend month months year years ago last next
    since recently summer winter spring autumn birthday morning night day days hours minutes
    """.split()
)
"""Words that answer it."""
OWN = frozenset({"i", "my", "me", "we", "our"})
"""Words by which people speak of themselves."""
