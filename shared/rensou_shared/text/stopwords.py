"""English words too common to find anything by."""

from typing import Final

_LISTED: Final = """
    a an the this that these those some any each both few more most other such own same
    i me my myself mine we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves one
    am is are was were be been being have has had having do does did doing done
    can could will would shall should may might must ought let
    not no nor only so than too very just also
    and but if or because as until while although though
    of at by for with about against between into through during before after above below to from
    up down in out on off over under again further then once here there
    what which who whom whose when where why how all
    don't doesn't didn't isn't aren't wasn't weren't haven't hasn't hadn't won't wouldn't shan't shouldn't
    can't cannot couldn't mustn't mightn't needn't ain't
    dont doesnt didnt isnt arent wasnt werent havent hasnt hadnt wont wouldnt shouldnt cant couldnt
    im ive
"""

STOP_WORDS: Final = frozenset(_LISTED.split())
"""Case-folded, apostrophes as U+0027; clitics ('s, 're, 've, 'll, 'd, 'm) are cut off before the look-up."""
