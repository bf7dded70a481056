"""Messages to groups."""

from eventually import eventually
from forebay.client.router import Dropped, ProcessSettings, QueueLimits
from threads import Inbox


async def joined(process, name, group="news", pattern="", **options):
    inbox = Inbox(**options)
    thread = await process.thread(name, inbox)
    thread.join(group, pattern)
    return thread, inbox


async def settled(router, group, ways):
    await eventually(lambda: len(list(router.switch.groups.ways(group))) == ways)


async def test_every_member_gets_a_message_once(router, attach):
    one, two = await attach("one"), await attach("two")
    inboxes = [(await joined(process, f"{process.name}-{number}"))[1] for process in (one, two) for number in range(3)]
    outsider = Inbox()
    await one.thread("outsider", outsider)
    await settled(router, "news", 2)
    alice = await one.thread("alice")
    for number in range(10):
        alice.multicast("news", "m", bytes([number]))
    for inbox in inboxes:
        await inbox.got(10)
        assert inbox.bodies == [bytes([number]) for number in range(10)]
    assert inboxes[0].messages[0].recipient == "news@local"
    assert outsider.messages == []


async def test_a_filter_chooses_by_the_name_of_the_message(router, attach):
    one, two = await attach("one"), await attach("two")
    _, sport = await joined(two, "sport", pattern=r"sport\..*")
    thread, both = await joined(two, "both", pattern="weather")
    thread.join("news", r"sport\.rowing")
    _, everything = await joined(two, "everything")
    await settled(router, "news", 1)
    alice = await one.thread("alice")
    for name in ("sport.rowing", "sport.chess", "weather", "other"):
        alice.multicast("news", name)
    await everything.got(4)
    assert [message.name for message in sport.messages] == ["sport.rowing", "sport.chess"]
    assert [message.name for message in both.messages] == ["sport.rowing", "weather"]


async def test_who_has_left_or_ended_gets_no_more(router, attach):
    one, two = await attach("one"), await attach("two")
    bob, inbox = await joined(two, "bob")
    carol, _ = await joined(two, "carol")
    _, stays = await joined(one, "stays")
    await settled(router, "news", 2)
    bob.leave("news")
    bob.leave("other")
    await carol.end()
    await settled(router, "news", 1)
    alice = await one.thread("alice")
    alice.multicast("news", "m")
    await stays.got(1)
    assert inbox.messages == []


async def test_a_full_member_makes_nobody_wait_and_an_empty_group_tells_nobody(router, attach):
    settings = ProcessSettings(farewell=0.5, queue=QueueLimits(high=4, low=2))
    one, two = await attach("one"), await attach("two", settings)
    _, inbox = await joined(two, "bob", stalled=True)
    await settled(router, "news", 1)
    told = Inbox()
    alice = await one.thread("alice", on_event=told.on_event)
    alice.multicast("nothing", "m")
    for _ in range(100):
        alice.multicast("news", "m")
        await alice.drain()
    await one.flush()
    alice.send("nobody", "m")
    await told.told(Dropped)
    assert len(told.events) == 1
    inbox.open.set()
    await inbox.got(100)
