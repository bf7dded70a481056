#!lua
-- Write entries that are dropped to a temporary stream, many of them as fields of one entry, and have it stay for a
-- while. A repeat of what was written does nothing, whatever was written behind it.
-- KEYS: stream
-- ARGV: ms it stays, entries it must have, field, how many become one, then the data of each
-- Returns how many entries it has; fewer than it must have when it has expired
local call, stream, field, lump = redis.call, KEYS[1], ARGV[3], tonumber(ARGV[4])
local before, added = call('XLEN', stream), math.ceil((#ARGV - 4) / lump)
if before >= ARGV[2] + added then return ARGV[2] + added end
if before ~= tonumber(ARGV[2]) then return 0 end
for entry = 1, added do
  local fields = {}
  for i = 5 + (entry - 1) * lump, math.min(4 + entry * lump, #ARGV) do
    fields[#fields + 1] = field
    fields[#fields + 1] = ARGV[i]
  end
  call('XADD', stream, '0-' .. before + entry, unpack(fields))
end
call('PEXPIRE', stream, ARGV[1])
return before + added
