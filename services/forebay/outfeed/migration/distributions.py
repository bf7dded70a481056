"""Lists of distributions: two that an article has to pass both, made one."""

from collections.abc import Sequence


def passes(distributions: Sequence[str], word: str) -> bool:
    """Whether a list lets a distribution pass, as newsfeeds(5) has it."""
    for listed in distributions:
        if listed.removeprefix("!").lower() == word.lower():
            return not listed.startswith("!")
    return not distributions or any(listed.startswith("!") for listed in distributions)


def both(one: Sequence[str], other: Sequence[str]) -> list[str] | None:
    """The list that lets pass what both do; None where they have nothing in common."""
    words = list(dict.fromkeys(listed.removeprefix("!").lower() for listed in (*one, *other)))
    agreed = {word: passes(one, word) and passes(other, word) for word in words}
    unlisted = "!"  # No distribution is called so: it stands for all that are not listed.
    if passes(one, unlisted) and passes(other, unlisted):
        return [f"!{word}" for word, allowed in agreed.items() if not allowed]
    return [word for word, allowed in agreed.items() if allowed] or None
