#!lua
-- Refused while Redis is full, since it lacks allow-oom.
return {'OK'}
