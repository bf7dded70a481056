#!lua flags=allow-oom
-- Put an owner into the registry, even when Redis is full: what it has there must be drained.
-- KEYS: registry
-- ARGV: owner
return redis.call('SADD', KEYS[1], ARGV[1])
