#!lua flags=allow-oom
-- Take entries out of R or the dead letters and put what stands for them into D, B or the dead letters.
-- An entry that is not there any more is left out, so that a repeat moves nothing twice.
-- KEYS: meta, stream of the open segment, stream of the next one, source stream
-- ARGV: lease, source segment, kind, open segment, next segment, rotate bytes, rotate age (ms),
--       then of each entry: its id in the source, its new form
-- Returns OK, segment, when it was opened (ms), entries, octets out, octets in, whether R is finished
local time = now()
if lost(time) then return {'LOST'} end
local source = ARGV[2]
if source ~= 'X' and redis.call('HGET', meta, 'R') ~= source then return {'STALE'} end
local segment, stream = writable(ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7]), time)
if not segment then return {'STALE'} end
local entries, taken, given = 0, 0, 0
for i = 8, #ARGV, 2 do
  local id, entry = ARGV[i], ARGV[i + 1]
  local found = redis.call('XRANGE', KEYS[4], id, id)[1]
  if found then
    redis.call('XDEL', KEYS[4], id)
    redis.call('XADD', stream, '*', 'e', entry)
    entries, taken, given = entries + 1, taken + #found[2][2], given + #entry
  end
end
count(source, 0 - entries, 0 - taken)
count(segment, entries, given)
local finished = source ~= 'X' and finish(KEYS[4], source) and 1 or 0
return {'OK', segment, redis.call('HGET', meta, segment .. ':opened') or '0', entries, taken, given, finished}
