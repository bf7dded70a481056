"""The swarms: who announced which torrent, by family of address, and whom other trackers know. No I/O here."""
