-- The folders of an owner are counted before another one is made: those that are gone are not gone through.
CREATE INDEX folders_there ON folders (context_type, context_id) WHERE workflow_state = 'visible';
