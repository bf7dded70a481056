#!lua flags=allow-oom
-- KEYS: meta
-- ARGV: lease, time to live (ms)
local time = now()
if lost(time) then return {'LOST'} end
redis.call('HSET', meta, 'expires', time + ARGV[2])
return {'OK'}
