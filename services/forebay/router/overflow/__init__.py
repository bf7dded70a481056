"""What waits in the Spill, since there is no memory for it: one stream a process or link that reads too slowly."""
