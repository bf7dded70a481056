"""Which queues an address reaches: exact addresses and patterns, remembered by address."""

from collections.abc import Iterable, Mapping

REMEMBERED = 10_000
"""Addresses whose queues are remembered; beyond it all are looked up afresh."""


class _Node:
    """What follows after some words of a pattern."""

    __slots__ = ("below", "names")

    def __init__(self) -> None:
        self.below: dict[str, _Node] = {}
        self.names: list[str] = []
        """Queues whose pattern ends here."""


class Routes:
    """Bindings of queues. A pattern is words separated by dots; `*` is any one word, `#` any number of words."""

    def __init__(self) -> None:
        self._root = _Node()
        self._order: dict[str, int] = {}
        self._known: dict[str, tuple[str, ...]] = {}

    def bind(self, bindings: Mapping[str, Iterable[str]]) -> None:
        """Make these all the bindings there are: patterns by name of the queue."""
        self._root = _Node()
        self._order = {name: place for place, name in enumerate(bindings)}
        self._known = {}
        for name, patterns in bindings.items():
            for pattern in patterns:
                node = self._root
                for word in pattern.split("."):
                    node = node.below.setdefault(word, _Node())
                node.names.append(name)

    def queues(self, address: str) -> tuple[str, ...]:
        """Names of the queues that an address reaches, each once, in the order in which they were bound."""
        found = self._known.get(address)
        if found is None:
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            found = self._known[address] = tuple(sorted(self._find(address.split(".")), key=self._order.__getitem__))
        return found

    def _find(self, words: list[str]) -> set[str]:
        """Walk all patterns at once, a word at a time, so that many `#` cost no more than the patterns are long."""
        nodes = _with_none(self._root)
        for word in words:
            further: set[_Node] = set()
            for node, swallows in nodes.items():
                if swallows:
                    further.add(node)
                for key in (word, "*"):
                    if key in node.below:
                        further.add(node.below[key])
            nodes = _reached(further, nodes)
        return {name for node in nodes for name in node.names}


def _reached(further: Iterable[_Node], before: Mapping[_Node, bool]) -> dict[_Node, bool]:
    """Those nodes, and what `#` for no word reaches from them; True: more words may follow at this place."""
    reached: dict[_Node, bool] = {}
    for node in further:
        for each, swallows in _with_none(node, swallows=before.get(node, False)).items():
            reached[each] = reached.get(each, False) or swallows
    return reached


def _with_none(node: _Node, *, swallows: bool = False) -> dict[_Node, bool]:
    """A node and those behind it by a `#` that stands for no word."""
    reached = {node: swallows}
    while (hash_ := node.below.get("#")) is not None:
        reached[hash_] = True
        node = hash_
    return reached
