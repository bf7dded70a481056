#!lua flags=allow-oom
-- Take the lease of an owner: when there is none, it is the caller's, it has run out, or it was given in an earlier run
-- of this Redis.
-- KEYS: meta
-- ARGV: run id, nonce, time to live (ms)
-- Returns OK, lease, all of meta; or HELD, ms until it runs out
local time = now()
local run, nonce = ARGV[1], ARGV[2]
local held = redis.call('HMGET', meta, 'lease', 'expires')
if held[1] and tonumber(held[2]) > time then
  local holder, given = string.match(held[1], '^%d+:(%w+):(%w+)$')
  if given == run and holder ~= nonce then return {'HELD', held[2] - time} end
end
local lease = redis.call('HINCRBY', meta, 'leases', 1) .. ':' .. nonce .. ':' .. run
redis.call('HSET', meta, 'lease', lease, 'expires', time + ARGV[3])
return {'OK', lease, redis.call('HGETALL', meta)}
