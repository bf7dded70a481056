#!lua flags=allow-oom
-- Take rows out of a timetable. A repeat does no harm.
-- KEYS: meta, times, values
-- ARGV: lease, keys...
if lost(now()) then return {'LOST'} end
for i = 2, #ARGV do
  redis.call('ZREM', KEYS[2], ARGV[i])
  redis.call('HDEL', KEYS[3], ARGV[i])
end
return {'OK'}
