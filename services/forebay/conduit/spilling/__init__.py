"""What waits in the Spill, since its publisher's window has no room: one spool a publisher, sent on in order."""
