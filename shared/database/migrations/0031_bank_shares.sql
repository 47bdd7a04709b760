-- A share of a bank is loaded by the district that owns it, as the bank is. One that is not active has ended.
ALTER TABLE mastery_bank_shares RENAME TO mastery_former_bank_shares;
CREATE TABLE mastery_bank_shares (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    bank_id INTEGER NOT NULL REFERENCES mastery_banks (id),
    shared_with_id INTEGER NOT NULL REFERENCES accounts (id),
    active INTEGER NOT NULL DEFAULT 1,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_bank_shares_in_order ON mastery_bank_shares (district_id, ordinal);
CREATE INDEX mastery_bank_shares_by_reader ON mastery_bank_shares (shared_with_id, bank_id);
INSERT INTO mastery_bank_shares (district_id, source_id, ordinal, bank_id, shared_with_id, created_at, updated_at)
SELECT b.district_id, 'share-' || f.bank_id || '-' || f.district_id,
       row_number() OVER (PARTITION BY b.district_id ORDER BY f.bank_id, f.district_id),
       f.bank_id, f.district_id, b.updated_at, b.updated_at
FROM mastery_former_bank_shares f JOIN mastery_banks b ON b.id = f.bank_id;
DROP TABLE mastery_former_bank_shares;
