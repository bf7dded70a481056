-- Shared by all scripts: put between a script's first line and its body.
local meta = KEYS[1]

-- Milliseconds by Redis' own clock: leases and ages never depend on the clocks of clients.
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Whether the lease is no longer the caller's, or has run out.
local function lost(time)
  local held = redis.call('HMGET', meta, 'lease', 'expires')
  return held[1] ~= ARGV[1] or tonumber(held[2]) <= time
end

-- Each change of the list of segments raises its generation, so that a plan made from an older list is noticed.
local function changed()
  redis.call('HINCRBY', meta, 'generation', 1)
end

local function count(segment, entries, bytes)
  redis.call('HINCRBY', meta, segment .. ':entries', entries)
  redis.call('HINCRBY', meta, segment .. ':bytes', bytes)
end

local function forget(segment)
  redis.call('HDEL', meta, segment .. ':opened', segment .. ':entries', segment .. ':bytes')
end

local function head(list)
  return list and string.match(list, '^%d+')
end

-- Take the oldest segment off the list of its kind; it may be the open one.
local function unlist(kind, segment, list)
  local rest = string.match(list, '^%d+ (.+)$')
  if rest then redis.call('HSET', meta, kind, rest) else redis.call('HDEL', meta, kind) end
  if redis.call('HGET', meta, 'open:' .. kind) == segment then redis.call('HDEL', meta, 'open:' .. kind) end
  changed()
end

local function full(segment, rotate_bytes, rotate_age, time)
  local state = redis.call('HMGET', meta, segment .. ':bytes', segment .. ':opened')
  return tonumber(state[1] or 0) >= rotate_bytes and time - tonumber(state[2]) >= rotate_age
end

local function open(kind, segment, list, time)
  redis.call('HSET', meta, 'open:' .. kind, segment, 'last', segment, segment .. ':opened', time,
    kind, list and list .. ' ' .. segment or segment)
  changed()
end

-- The segment and stream that take entries of a kind now; nothing when the caller's view (its open segment, and the
-- id of the one to open next) is out of date. KEYS[2] is the stream of the first, KEYS[3] of the second.
local function writable(kind, current, fresh, rotate_bytes, rotate_age, time)
  if kind == 'X' then return 'X', KEYS[2] end
  local state = redis.call('HMGET', meta, 'open:' .. kind, 'last', kind)
  local segment = state[1]
  if segment and segment ~= current and segment ~= fresh then return end
  if segment and not full(segment, rotate_bytes, rotate_age, time) then
    return segment, segment == current and KEYS[2] or KEYS[3]
  end
  if tonumber(state[2] or 0) + 1 ~= tonumber(fresh) then return end
  open(kind, fresh, state[3], time)
  return fresh, KEYS[3]
end

-- Delete R once nothing is left after its checkpoint.
local function finish(stream, segment)
  local checkpoint = redis.call('HGET', meta, 'checkpoint')
  local start = checkpoint and '(' .. checkpoint or '-'
  if #redis.call('XRANGE', stream, start, '+', 'COUNT', 1) > 0 then return false end
  redis.call('UNLINK', stream)
  redis.call('HDEL', meta, 'R', 'R:kind', 'checkpoint')
  forget(segment)
  changed()
  return true
end
