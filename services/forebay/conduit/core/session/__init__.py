"""Sessions with peers: scouting, opening, leases, and their end."""
