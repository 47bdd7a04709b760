-- The secret of a tool is changed without a pause: the one before signs too, until then.
ALTER TABLE tool_proxies ADD COLUMN sealed_previous_secret TEXT;
ALTER TABLE tool_proxies ADD COLUMN previous_secret_until TEXT;
-- Tokens that were given out before this moment, in seconds since 1970 began, are good for nothing.
ALTER TABLE tool_proxies ADD COLUMN tokens_since INTEGER;

CREATE INDEX tool_proxies_by_previous_seal ON tool_proxies (sealed_previous_secret)
WHERE sealed_previous_secret IS NOT NULL;
