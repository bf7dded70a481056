"""The durable log of accepted articles, who still needs each of them, and the log of outcomes."""
