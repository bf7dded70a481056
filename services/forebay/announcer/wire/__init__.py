"""What goes over the wire: bencoding, requests and answers over HTTP, packets of UDP. No I/O here."""
