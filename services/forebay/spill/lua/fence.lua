#!lua flags=allow-oom
-- A write that WAITAOF on this connection then waits for: all writes before it are on disk with it.
-- KEYS: a marker of an owner, which goes by itself
redis.call('SET', KEYS[1], '', 'PX', 60000)
return {'OK'}
