"""What a pattern means, told in the slow and plain way: by regular expressions, and by trying strings."""

import re
from functools import cache
from itertools import product

from hypothesis import strategies as st

from forebay.conduit.core.uri import fault_of

PATTERNS = st.text("ab/*?", max_size=6).map(lambda tail: "/" + tail).filter(lambda uri: fault_of(uri) is None)
DEEP_PATTERNS = st.text("ab/*?", max_size=5).map(lambda tail: "**" + tail).filter(lambda uri: fault_of(uri) is None)
URIS = st.text("ab/", min_size=1, max_size=6).map(lambda tail: "/" + tail).filter(lambda uri: fault_of(uri) is None)


def matched_by(pattern: str, string: str) -> bool:
    expression = re.sub(r"\*{2,}", ".*", pattern).replace("?", "[^/]")
    return re.fullmatch(re.sub(r"(?<!\.)\*", "[^/]*", expression), string) is not None


@cache
def strings(longest: int) -> list[str]:
    """Every string of slashes and three letters up to that length, of which patterns name but two."""
    return ["".join(letters) for size in range(longest + 1) for letters in product("/abc", repeat=size)]


def share_a_string(first: str, second: str, longest: int) -> bool:
    return any(matched_by(first, string) and matched_by(second, string) for string in strings(longest))
