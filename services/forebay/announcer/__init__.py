"""The announcer service: a BitTorrent tracker that passes announces on to other trackers."""
