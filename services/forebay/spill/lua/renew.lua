#!lua flags=allow-oom
-- KEYS: meta
-- ARGV: lease, time to live (ms)
-- Returns OK, generation of the list of segments
local time = now()
if lost(time) then return {'LOST'} end
redis.call('HSET', meta, 'expires', time + ARGV[2])
return {'OK', redis.call('HGET', meta, 'generation') or '0'}
