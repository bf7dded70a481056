#!lua flags=allow-oom
-- Delete the oldest stream of dropped entries: all that they stood for was released.
-- KEYS: meta, stream
-- ARGV: lease, id
if lost(now()) then return {'LOST'} end
local id = ARGV[2]
local list = redis.call('HGET', meta, 'dropped')
if head(list) ~= id then return {'STALE'} end
redis.call('UNLINK', KEYS[2])
redis.call('HDEL', meta, id .. ':kind', id .. ':reason')
local rest = string.match(list, '^%d+ (.+)$')
if rest then redis.call('HSET', meta, 'dropped', rest) else redis.call('HDEL', meta, 'dropped') end
return {'OK'}
