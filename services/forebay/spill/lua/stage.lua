#!lua
-- Write entries to a temporary stream, and have it stay for a while. A repeat of what was written does nothing,
-- whatever was written behind it.
-- KEYS: stream
-- ARGV: ms it stays, entries it must have, field, then of each entry: its id, its data
-- Returns how many entries it has; fewer than it must have when it has expired
local call, stream, field = redis.call, KEYS[1], ARGV[3]
local before, added = call('XLEN', stream), (#ARGV - 3) / 2
if before >= ARGV[2] + added then return ARGV[2] + added end
if before ~= tonumber(ARGV[2]) then return 0 end
for i = 4, #ARGV, 2 do call('XADD', stream, ARGV[i], field, ARGV[i + 1]) end
call('PEXPIRE', stream, ARGV[1])
return before + added
