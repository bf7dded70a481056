#!lua
-- Put rows into a timetable, in the place of those that have the same keys. A repeat does no harm.
-- Without allow-oom: a full Redis refuses it before it has done anything.
-- KEYS: meta, times, values
-- ARGV: lease, then of each row: its time, its key, its value
if lost(now()) then return {'LOST'} end
for i = 2, #ARGV, 3 do
  redis.call('ZADD', KEYS[2], ARGV[i], ARGV[i + 1])
  redis.call('HSET', KEYS[3], ARGV[i + 1], ARGV[i + 2])
end
return {'OK'}
