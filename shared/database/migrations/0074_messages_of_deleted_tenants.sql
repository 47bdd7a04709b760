-- The users of a tenant that is deleted are told nothing more. What waits for them is found by their channels: states are named as the
-- index of these names them, too.
CREATE TRIGGER accounts_take_messages AFTER UPDATE OF workflow_state ON accounts
WHEN new.workflow_state = 'deleted' AND old.workflow_state <> 'deleted' AND new.id = new.root_account_id
BEGIN
    DELETE FROM messages
    WHERE state = 'gathered' AND state IN ('gathered', 'queued') AND channel_id IN (
        SELECT c.id FROM users u CROSS JOIN communication_channels c ON c.user_id = u.id WHERE u.root_account_id = new.id);
    UPDATE messages SET state = 'dead', failure = 'the institution was deleted', body = iif(confidential, '', body)
    WHERE state = 'queued' AND state IN ('gathered', 'queued') AND channel_id IN (
        SELECT c.id FROM users u CROSS JOIN communication_channels c ON c.user_id = u.id WHERE u.root_account_id = new.id);
END;

CREATE TRIGGER messages_of_deleted_tenants BEFORE INSERT ON messages
WHEN (SELECT workflow_state FROM accounts WHERE id = new.root_account_id) = 'deleted'
BEGIN
    SELECT RAISE(IGNORE);
END;

DELETE FROM messages
WHERE state = 'gathered' AND root_account_id IN (SELECT id FROM accounts WHERE workflow_state = 'deleted');
UPDATE messages SET state = 'dead', failure = 'the institution was deleted', body = iif(confidential, '', body)
WHERE state = 'queued' AND root_account_id IN (SELECT id FROM accounts WHERE workflow_state = 'deleted');

-- Of several channels of a user that are told by default, one stays so: the first active e-mail channel, or else the first.
UPDATE communication_channels SET told_by_default = 0
WHERE told_by_default = 1 AND workflow_state <> 'retired' AND id <> (
    SELECT told.id FROM communication_channels told
    WHERE told.user_id = communication_channels.user_id AND told.told_by_default = 1 AND told.workflow_state <> 'retired'
    ORDER BY told.workflow_state <> 'active', told.type <> 'email', told.position, told.id LIMIT 1
);
