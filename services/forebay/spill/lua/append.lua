#!lua
-- Append entries to the open segment of a kind, opening another first where that one is full and old enough.
-- Without allow-oom: a full Redis refuses it before it has done anything.
-- KEYS: meta, stream of the open segment, stream of the next one
-- ARGV: lease, turn, kind, open segment, next segment, rotate bytes, rotate age (ms), entries...
-- Returns OK, segment, when it was opened (ms), octets
local time = now()
if lost(time) then return {'LOST'} end
-- Turns keep the batches of one pipeline in order: when one fails, those behind it do nothing.
if (redis.call('HGET', meta, 'turn') or '0') ~= ARGV[2] then return {'TURN'} end
local kind = ARGV[3]
local segment, stream = writable(kind, ARGV[4], ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7]), time)
if not segment then return {'STALE'} end
local bytes = 0
for i = 8, #ARGV do
  local entry = ARGV[i]
  bytes = bytes + #entry
  redis.call('XADD', stream, '*', 'e', entry)
end
count(segment, #ARGV - 7, bytes)
redis.call('HINCRBY', meta, 'turn', 1)
return {'OK', segment, redis.call('HGET', meta, segment .. ':opened') or '0', bytes}
