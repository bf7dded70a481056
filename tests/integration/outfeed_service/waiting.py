"""What several tests wait for, and look at."""


def ids(articles):
    return [article.message_id for article in articles]


async def streams(redis, kinds=("B:", "D:", "R", "X")):
    """Names of the streams of all peers, without what they have in common, by kind and then by age."""
    keys = [key.decode().rpartition("}:")[2] for key in await redis.command("KEYS", "forebay:*")]
    return sorted((key for key in keys if key.startswith(kinds)), key=lambda key: (key[0], len(key), key))


async def is_without_streams(redis):
    return not await streams(redis)


async def has_spilled(outfeed, name, count):
    """Whether so many articles of a peer are on Redis."""
    return (await outfeed.peers())[name].backlog.entries == count


async def has_deferred(outfeed, name, count):
    return (await outfeed.counters(name)).deferred == count


async def keeps_bodies(outfeed, count):
    return (await outfeed.metrics())["forebay_outfeed_store_messages"] == count


async def is_whole(outfeed):
    return not await outfeed.degradations()
