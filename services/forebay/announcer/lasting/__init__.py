"""What outlives the process: jobs in Redis, swarms and blocked forwarders on disk.

`ForwarderKeeper` and `SwarmKeeper` are loaded before the fronts open; a `JobKeeper`, where there is a Spill, loads by
itself in the background.
"""
