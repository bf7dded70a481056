"""Generate docs/from-innfeed.md from what the import knows of innfeed.conf and newsfeeds.

Usage: generate_from_innfeed.py [--check]

With --check nothing is written: the exit status is 1 when the page is not current.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from generatedpage import main

from forebay.outfeed.migration.innfeedkeys import PEER_KEYS, PROCESS_KEYS, Key
from forebay.outfeed.migration.siteflags import FLAGS, Flag

PAGE = Path(__file__).with_name("from-innfeed.md")
BEFORE = """\
# From innfeed

<!-- Made by docs/generate_from_innfeed.py from services/forebay/outfeed/migration; change that, then run it. -->

An INN server says in two files what it sends: `newsfeeds` which articles each site gets, `innfeed.conf` how innfeed
sends them. Both together become the resources of an Outfeed:

```
forebay import /etc/news/innfeed.conf /etc/news/newsfeeds --to manifests
forebay validate -f manifests
```

`outfeed.yaml` holds an Outfeed that INN can feed, with its Spill; `peers.yaml` a Peerfeed for each site, behind
comments that tell what of it could not be carried over; `secrets.yaml`, which only you can read, the passwords. What is
left at its default in INN's files is left at Forebay's, which differ: see [Resources](resources.md). How INN is then
pointed at Forebay is told in [Feeding from INN](feed-from-inn.md).

## Which entries become peers

An entry of `newsfeeds` becomes a Peerfeed when its `Tm` leads, through other funnels or not, to a channel that runs
innfeed: called itself, by the old `startinnfeed`, or behind `delayer`. It is sought in `innfeed.conf` by its name; with
`innfeed -y` one that is not there is dialled by its name. Everything else (files for other senders, programs, gateways,
`imapfeed`) is told and left out, as is a peer of `innfeed.conf` to which `newsfeeds` sends nothing.

- Values are inherited as in INN: of the peer, else of the closest group around it, else of the file. `$INCLUDE` is
  followed.
- The patterns of `ME` come before those of each entry, and its exclusions are added to each. Of the distributions of
  `ME` and the entry an article has to pass both. INN would not even take such articles in; here they come in and go
  nowhere.
- Variables and joined lines are read as INN reads them.

**A peer is paused** (`pause: true`) when something is lost that decides which articles it gets, so that nothing goes
out that you never meant to send. The comment above it tells what; mend it, then remove the field.

A file that INN itself could not read ends the import with the place and what is wrong there. Only a missing `ME` is
told and passed over.
"""
INNFEED = """\
## innfeed.conf

| key | where it went |
|---|---|
"""
PROCESS = """
Keys of the process as a whole:

| key | where it went |
|---|---|
"""
NEWSFEEDS = """
## newsfeeds

| of an entry | where it went |
|---|---|
| name | `metadata.name`, and `pathIdentity` unless `Ap` is given |
| `/exclude,...` | `excludePath` |
| patterns | `groups`, one an item; `!` at the head of the list, where nothing is to be taken out yet, goes |
| `/distribution,...` | `distributions` |
| parameter | of a funnel: where it leads; `delayer --delay` on the way is `delay` |

| flag | where it went |
|---|---|
"""


def page() -> str:
    """The whole page."""
    return "".join([BEFORE, "\n", INNFEED, *rows(PEER_KEYS), PROCESS, *rows(PROCESS_KEYS), NEWSFEEDS, *rows(FLAGS)])


def rows(known: Mapping[str, Key] | Mapping[str, Flag]) -> Iterator[str]:
    """A row for each key or flag."""
    found: Iterable[tuple[str, Key | Flag]] = known.items()
    return (f"| `{name}` | {each.where} |\n" for name, each in found)


if __name__ == "__main__":
    main(PAGE, page, Path(__file__), __doc__)
