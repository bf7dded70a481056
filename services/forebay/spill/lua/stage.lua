#!lua
-- Write entries to a temporary stream, and have it stay for a while. A repeat of what was written does nothing.
-- KEYS: stream
-- ARGV: ms it stays, entries it must have, field, then of each entry: its id, its data
-- Returns how many entries it has; fewer than it must have when it has expired
local before, added = redis.call('XLEN', KEYS[1]), (#ARGV - 3) / 2
if before == ARGV[2] + added then return before end
if before ~= tonumber(ARGV[2]) then return 0 end
for i = 4, #ARGV, 2 do redis.call('XADD', KEYS[1], ARGV[i], ARGV[3], ARGV[i + 1]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return before + added
