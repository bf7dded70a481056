#!lua flags=allow-oom
-- Delete all that an owner has.
-- KEYS: meta, every stream
-- ARGV: lease, generation of the list the caller has the streams from
if lost(now()) then return {'LOST'} end
if (redis.call('HGET', meta, 'generation') or '0') ~= ARGV[2] then return {'STALE'} end
for _, key in ipairs(KEYS) do redis.call('UNLINK', key) end
return {'OK'}
