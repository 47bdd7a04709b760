-- The signatures with which tools of LTI 2 have registered, as hashes: each is good once, as long as its time is.
CREATE TABLE tool_registration_nonces (
    tool_registration_id INTEGER NOT NULL REFERENCES tool_registrations (id),
    nonce TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    PRIMARY KEY (tool_registration_id, nonce)
) STRICT, WITHOUT ROWID;
CREATE INDEX tool_registration_nonces_by_expiry ON tool_registration_nonces (expires_at);
