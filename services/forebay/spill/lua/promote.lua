#!lua flags=allow-oom
-- Make the oldest backlog segment R, or the oldest deferred one that is old enough where there is no backlog.
-- KEYS: meta, R, stream of the segment
-- ARGV: lease, kind, segment, minimum age of a deferred segment (ms)
-- Returns OK; or YOUNG, ms to wait; or GONE when the stream does not exist and was struck off the list
local time = now()
if lost(time) then return {'LOST'} end
local kind, segment = ARGV[2], ARGV[3]
local state = redis.call('HMGET', meta, 'R', kind, 'B')
if state[1] or head(state[2]) ~= segment or (kind == 'D' and state[3]) then return {'STALE'} end
if kind == 'D' then
  local wait = redis.call('HGET', meta, segment .. ':opened') + ARGV[4] - time
  if wait > 0 then return {'YOUNG', wait} end
end
unlist(kind, segment, state[2])
if redis.call('EXISTS', KEYS[3]) == 0 then
  forget(segment)
  return {'GONE'}
end
redis.call('RENAME', KEYS[3], KEYS[2])
redis.call('HSET', meta, 'R', segment, 'R:kind', kind)
return {'OK'}
