#!lua flags=allow-oom
-- Put streams that were written aside in the place of closed segments, all of them or none.
-- It takes no lease: whoever holds it finds another generation.
-- KEYS: meta, stream of each input, then of each output and of each stream of dropped entries: its temporary name, the
--       name it gets
-- ARGV: the change, as JSON; all numbers are texts, since Lua would write large ones in another way
-- Returns OK, generation; LAST, id given last to a segment, when the names are taken; or ABORTED, why
local change = cjson.decode(ARGV[1])

local function last_id(stream)
  local newest = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
  return newest and newest[1] or ''
end

-- The part of a list behind the inputs; nothing when it does not begin with them.
local function behind(kind)
  local inputs = {}
  for _, input in ipairs(change.inputs) do
    if input.kind == kind then inputs[#inputs + 1] = input.segment end
  end
  local list = redis.call('HGET', meta, kind) or ''
  if #inputs == 0 then return list end
  local head = table.concat(inputs, ' ')
  if list == head then return '' end
  if string.sub(list, 1, #head + 1) == head .. ' ' then return string.sub(list, #head + 2) end
end

local function unchanged(input, stream)
  local state = redis.call('HMGET', meta, input.segment .. ':entries', input.segment .. ':bytes',
    input.segment .. ':opened', 'open:' .. input.kind)
  return state[1] == input.entries and state[2] == input.bytes and state[3] == input.opened
    and state[4] ~= input.segment and last_id(stream) == input.last
end

local function complete(output, stream)
  return redis.call('XLEN', stream) == tonumber(output.entries) and last_id(stream) == output.last
end

-- A repeat, since an answer was lost.
if redis.call('HGET', meta, 'compaction') == change.id then
  return {'OK', redis.call('HGET', meta, 'generation')}
end
local behind_inputs = {B = behind('B'), D = behind('D')}
for _, kind in ipairs({'B', 'D'}) do
  if not behind_inputs[kind] then return {'ABORTED', 'segments of ' .. kind .. ' were promoted or dropped meanwhile'} end
end
for i, input in ipairs(change.inputs) do
  if not unchanged(input, KEYS[1 + i]) then return {'ABORTED', 'segment ' .. input.segment .. ' was changed meanwhile'} end
end
local first = 1 + #change.inputs
for i, output in ipairs(change.outputs) do
  if not complete(output, KEYS[first + 2 * i - 1]) then return {'ABORTED', 'what was written aside has expired'} end
end
local last = redis.call('HGET', meta, 'last')
if last ~= change.last then return {'LAST', last} end

local lists = {B = {}, D = {}, dropped = {}}
for i, output in ipairs(change.outputs) do
  local id, temporary, stream = last + i, KEYS[first + 2 * i - 1], KEYS[first + 2 * i]
  redis.call('PERSIST', temporary)
  redis.call('RENAME', temporary, stream)
  if output.reason then
    redis.call('HSET', meta, id .. ':kind', output.kind, id .. ':reason', output.reason)
    table.insert(lists.dropped, id)
  else
    redis.call('HSET', meta, id .. ':opened', output.opened)
    count(id, output.entries, output.bytes)
    table.insert(lists[output.kind], id)
  end
end
for i, input in ipairs(change.inputs) do
  redis.call('UNLINK', KEYS[1 + i])
  forget(input.segment)
end

local function store(name, list)
  if list == '' then redis.call('HDEL', meta, name) else redis.call('HSET', meta, name, list) end
end

for _, kind in ipairs({'B', 'D'}) do
  if behind_inputs[kind] ~= '' then table.insert(lists[kind], behind_inputs[kind]) end
  store(kind, table.concat(lists[kind], ' '))
end
local unread = redis.call('HGET', meta, 'dropped')
if unread then table.insert(lists.dropped, 1, unread) end
store('dropped', table.concat(lists.dropped, ' '))
redis.call('HSET', meta, 'last', last + #change.outputs, 'compaction', change.id)
changed()
return {'OK', redis.call('HGET', meta, 'generation')}
