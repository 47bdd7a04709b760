-- Indexes for statements that went through a whole table without them.

-- Clearing up: what has ended before some moment.
CREATE INDEX access_tokens_by_revocation ON access_tokens (revoked_at) WHERE revoked_at IS NOT NULL;
CREATE INDEX refresh_tokens_by_revocation ON refresh_tokens (revoked_at) WHERE revoked_at IS NOT NULL;
CREATE INDEX authorization_codes_by_expiry ON authorization_codes (expires_at);
CREATE INDEX badge_refresh_tokens_by_expiry ON badge_refresh_tokens (expires_at);
CREATE INDEX confirmation_codes_by_expiry ON confirmation_codes (expires_at);
CREATE INDEX throttle_hits_by_end ON throttle_hits (until);

-- A refresh token stays as long as a code names it.
CREATE INDEX authorization_codes_by_refresh_token ON authorization_codes (refresh_token_id) WHERE refresh_token_id IS NOT NULL;

-- A new password takes back the codes of its user that are still good.
CREATE INDEX authorization_codes_unused ON authorization_codes (user_id) WHERE used_at IS NULL;

-- Who comes in with a password may leave the tenant open. With the login first, one index serves those who name it too.
DROP INDEX pseudonyms_by_unique_id;
CREATE UNIQUE INDEX pseudonyms_by_unique_id ON pseudonyms (unique_id, root_account_id) WHERE workflow_state = 'active';

-- The question banks of an account.
CREATE INDEX question_banks_by_account ON question_banks (account_id, id) WHERE account_id IS NOT NULL;

-- The images of a course that is exported.
CREATE INDEX media_objects_by_course ON media_objects (course_id, id);

-- The export that a file is the package of, when the file goes.
CREATE INDEX content_exports_by_attachment ON content_exports (attachment_id) WHERE attachment_id IS NOT NULL;

-- What else is exported for a user at the moment: one export at a time.
CREATE INDEX content_exports_under_way ON content_exports (user_id, leased_until) WHERE workflow_state IN ('created', 'exporting');

-- The subscriptions of a tenant that are there at present, for its administrators.
CREATE INDEX webhook_subscriptions_by_account ON webhook_subscriptions (root_account_id, id) WHERE status <> 'deleted';

-- A sealed text begins with the name of its key: what other keys have sealed stands before and behind those of the current one.
CREATE INDEX webhook_subscriptions_by_seal ON webhook_subscriptions (sealed_secret);
CREATE INDEX webhook_subscriptions_by_previous_seal ON webhook_subscriptions (sealed_previous_secret)
WHERE sealed_previous_secret IS NOT NULL;
CREATE INDEX tool_proxies_by_seal ON tool_proxies (sealed_secret);

-- What waits for a channel is found in the index of those that wait, which the condition has to name.
DROP TRIGGER messages_of_retired_channels;
CREATE TRIGGER messages_of_retired_channels AFTER UPDATE OF workflow_state ON communication_channels
WHEN new.workflow_state = 'retired' BEGIN
    DELETE FROM messages WHERE channel_id = new.id AND state IN ('gathered', 'queued') AND state = 'gathered';
    UPDATE messages SET state = 'dead', failure = 'the channel was taken away', body = iif(confidential, '', body)
    WHERE channel_id = new.id AND state IN ('gathered', 'queued') AND state = 'queued';
END;
