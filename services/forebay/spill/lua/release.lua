#!lua flags=allow-oom
-- KEYS: meta
-- ARGV: lease
if lost(now()) then return {'LOST'} end
redis.call('HDEL', meta, 'lease', 'expires')
return {'OK'}
