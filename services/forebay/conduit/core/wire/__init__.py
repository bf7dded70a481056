"""The wire format: zhe protocol version 1, and what our own nodes add to it after agreeing on it."""
