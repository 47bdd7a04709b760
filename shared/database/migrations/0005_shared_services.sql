-- What several areas share: counts of calls within a rolling window, and switches.

-- One row for each call that counts, until its window has passed. Times are milliseconds since 1970 began.
CREATE TABLE throttle_hits (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    at INTEGER NOT NULL,
    until INTEGER NOT NULL
) STRICT;
CREATE INDEX throttle_hits_by_key ON throttle_hits (key, until);

-- A key clears up after itself.
CREATE TRIGGER throttle_hits_inserted AFTER INSERT ON throttle_hits BEGIN
    DELETE FROM throttle_hits WHERE key = new.key AND until <= new.at;
END;

-- What an account has switched on or off, for itself and the accounts below it.
CREATE TABLE feature_flags (
    account_id INTEGER NOT NULL REFERENCES accounts (id),
    feature TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('on', 'off')),
    updated_at TEXT NOT NULL,
    PRIMARY KEY (account_id, feature)
) STRICT;
