"""Manifests with one fault each (tests/manifests/wrong): its field, and the remedy that Kubernetes names."""

from pathlib import Path

FOLDER = Path(__file__).parent / "manifests" / "wrong"
WRONG = {
    "spill-without-server": ("spec.managed", "is missing; give managed, url or urlFrom"),
    "spill-of-two-servers": ("spec.url", "excludes managed; remove one of them"),
    "spill-password-in-url": ("spec.url", "a URL with one belongs into a Secret that urlFrom names"),
    "spill-memory-too-small": ("spec.managed.memory", "give 64MiB to 1TiB"),
    "spill-durability-unknown": ("spec.durability", 'supported values: "everysec", "always"'),
    "spill-name-too-long": ("metadata.name", "at most 40"),
    "outfeed-size-in-other-units": ("spec.storage.size", "give 1GiB to 64TiB, as a number with its unit"),
    "outfeed-header-above-article": ("spec.articles.maxHeaderSize", "is above maxSize; lower it, or raise maxSize"),
    "outfeed-remembers-a-number": ("spec.history.remember", "give 1h to 365d, as a number with its unit"),
    "outfeed-address-with-port": ("spec.listeners.nntp.address", "the port has a field of its own"),
    "outfeed-ports-alike": ("spec.listeners.nntp.port", "is the same as grpc.port; name another"),
    "outfeed-client-in-capitals": ("spec.clients[0]", "give lower-case letters"),
    "outfeed-client-twice": ("spec.clients", 'Duplicate value: "feeder"'),
    "outfeed-without-spill": ("spec.spillRef", "Required value"),
    "peerfeed-to-nobody": ("spec.hosts", "is missing; give hosts or target"),
    "peerfeed-to-hosts-and-target": ("spec.target", "excludes hosts; remove one of them"),
    "peerfeed-to-itself": ("spec.target.name", "is the same as outfeedRef.name; name another"),
    "peerfeed-host-with-port": ("spec.hosts[0]", "the port has a field of its own"),
    "peerfeed-wants-nothing": ("spec.groups", "begin it with '*', or with what is wanted"),
    "peerfeed-patterns-in-one-item": ("spec.groups[0]", "give one pattern an item"),
    "peerfeed-smallest-above-largest": ("spec.minSize", "is above maxSize; lower it, or raise maxSize"),
    "peerfeed-waits-too-long": ("spec.reconnect.maximum", "give 100ms to 1d"),
    "peerfeed-first-wait-above-longest": ("spec.reconnect.initial", "is above maximum; lower it, or raise maximum"),
    "peerfeed-window-too-large": ("spec.window", "should be less than or equal to 10000"),
    "peerfeed-port-in-words": ("spec.port", "must be of type integer"),
    "peerfeed-user-with-blank": ("spec.auth.username", "give a user name without blanks"),
    "compaction-of-another-kind": ("spec.targetRef.kind", "does not go with job compact-spill; give Spill"),
    "compaction-schedule-of-an-hour-too-many": ("spec.schedule", "give minute, hour, day of the month"),
    "compaction-threshold-of-another-job": ("spec.threshold", "means nothing here; remove it, or give job"),
    "compaction-key-of-the-operator": ("spec.sparkConf", "keys that begin with spark. and that the operator"),
    "compaction-driver-too-small": ("spec.driver.memory", "give 512MiB to 1TiB"),
    "compaction-begins-with-a-digit": ("metadata.name", "with a letter first"),
}
"""By the name of the file."""
