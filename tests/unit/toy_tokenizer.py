"""A small tokenizer of the real library: byte-level BPE, so that a character past ASCII can be several tokens."""

from functools import cache

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

TRAINED_ON = (
    "The key is under the mat by the door. The tea pot is on the shelf, and the kettle stands beside the lamp.",
    "明日は京都で会議がある。鍵は玄関のマットの下にある。",
)
SPECIAL_TOKENS = 2


@cache
def toy_tokenizer() -> Tokenizer:
    """One of 400 tokens, with a special one before and one after each text."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<s>", "</s>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(TRAINED_ON, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    return tokenizer


def count_tokens(text: str) -> int:
    """Tokens of `text`, special ones included."""
    return len(toy_tokenizer().encode(text).ids)


def byte_spans(text: str) -> list[tuple[int, int]]:
    """Where each token that is not special stands, in bytes of UTF-8, as the library reports it in its own language.

    A token of some bytes of a character has the whole character's place, so neighbours can have the same one.
    """
    encoding = toy_tokenizer().encode(text, add_special_tokens=False)
    return [(len(text[:start].encode()), len(text[:stop].encode())) for start, stop in encoding.offsets]
