#!lua flags=allow-oom
-- Move the checkpoint of R forward; R is deleted when it reaches the end.
-- KEYS: meta, R
-- ARGV: lease, segment, checkpoint, entries passed, octets passed
-- Returns OK or DONE
if lost(now()) then return {'LOST'} end
local segment = ARGV[2]
if redis.call('HGET', meta, 'R') ~= segment then return {'STALE'} end
redis.call('HSET', meta, 'checkpoint', ARGV[3])
count(segment, 0 - ARGV[4], 0 - ARGV[5])
-- Whole blocks that the checkpoint has passed give their memory back at once, which a full Redis needs.
redis.call('XTRIM', KEYS[2], 'MINID', '~', ARGV[3])
return {finish(KEYS[2], segment) and 'DONE' or 'OK'}
