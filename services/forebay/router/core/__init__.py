"""What the router and its clients have in common: addresses, messages, and the rules by which they flow. No I/O."""
