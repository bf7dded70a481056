"""Sessions and reliable conduits over UDP, unicast and multicast, for lossy links."""
