#!lua flags=allow-oom
-- Drop the oldest entries of a stream, until a bound of octets, of age or of entries is met.
-- KEYS: meta, stream
-- ARGV: lease, generation of the list by which there is too much, kind (B, D or R), segment, from, to (ids),
--       most entries, octets to drop at least ('' when age decides)
-- Returns OK, whether the segment is gone, octets, entries...
if lost(now()) then return {'LOST'} end
local kind, segment, enough = ARGV[3], ARGV[4], tonumber(ARGV[8])
-- A compaction may have made room.
if (redis.call('HGET', meta, 'generation') or '0') ~= ARGV[2] then return {'STALE'} end
local ids, dropped, bytes = {}, {}, 0
for _, entry in ipairs(redis.call('XRANGE', KEYS[2], ARGV[5], ARGV[6], 'COUNT', ARGV[7])) do
  if enough and bytes >= enough then break end
  ids[#ids + 1] = entry[1]
  dropped[#dropped + 1] = entry[2][2]
  bytes = bytes + #entry[2][2]
end
if #ids > 0 then
  redis.call('XDEL', KEYS[2], unpack(ids))
  count(segment, 0 - #ids, 0 - bytes)
end
local gone = false
if kind == 'R' then
  gone = finish(KEYS[2], segment)
elseif redis.call('XLEN', KEYS[2]) == 0 then
  redis.call('UNLINK', KEYS[2])
  unlist(kind, segment, redis.call('HGET', meta, kind))
  forget(segment)
  gone = true
end
return {'OK', gone and 1 or 0, bytes, unpack(dropped)}
