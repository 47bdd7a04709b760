-- Mastery tracking. An account is a district; every record belongs to one. `source_id` is the id of the system it comes
-- from. `ordinal` counts a district's records without a gap, so that any page of them is found at once. What is loaded
-- together was made at the same moment: without an index for each direction, a sort by it would sort everything.

CREATE TABLE mastery_credentials (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES accounts (id),
    client_id TEXT NOT NULL UNIQUE,
    secret_hash TEXT NOT NULL,
    scopes TEXT NOT NULL,
    -- The only schools that it reads of; null: all.
    school_ids TEXT,
    expires_at TEXT,
    revoked_at TEXT,
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX mastery_credentials_by_account ON mastery_credentials (account_id, id);

CREATE TABLE mastery_tokens (
    hash TEXT PRIMARY KEY,
    credential_id INTEGER NOT NULL REFERENCES mastery_credentials (id),
    scopes TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    revoked_at TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX mastery_tokens_by_credential ON mastery_tokens (credential_id);
CREATE INDEX mastery_tokens_by_end ON mastery_tokens (expires_at);

CREATE TABLE mastery_subjects (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    name TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_subjects_in_order ON mastery_subjects (district_id, ordinal);

CREATE TABLE mastery_schools (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    name TEXT NOT NULL,
    nces_school_id TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_schools_in_order ON mastery_schools (district_id, ordinal);
CREATE INDEX mastery_schools_by_name ON mastery_schools (district_id, name, id);
CREATE INDEX mastery_schools_by_creation ON mastery_schools (district_id, created_at, id);
CREATE INDEX mastery_schools_latest_first ON mastery_schools (district_id, created_at DESC, id);
CREATE INDEX mastery_schools_by_nces ON mastery_schools (district_id, nces_school_id, id);

CREATE TABLE mastery_teachers (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    school_id INTEGER REFERENCES mastery_schools (id),
    first_name TEXT,
    last_name TEXT NOT NULL,
    email TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_teachers_in_order ON mastery_teachers (district_id, ordinal);
CREATE INDEX mastery_teachers_by_name ON mastery_teachers (district_id, last_name, id);
CREATE INDEX mastery_teachers_by_school ON mastery_teachers (district_id, school_id, id);
CREATE INDEX mastery_teachers_by_creation ON mastery_teachers (district_id, created_at, id);
CREATE INDEX mastery_teachers_latest_first ON mastery_teachers (district_id, created_at DESC, id);

CREATE TABLE mastery_sections (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    school_id INTEGER REFERENCES mastery_schools (id),
    name TEXT NOT NULL,
    period TEXT,
    archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1)),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_sections_in_order ON mastery_sections (district_id, ordinal);
CREATE INDEX mastery_sections_by_name ON mastery_sections (district_id, name, id);
CREATE INDEX mastery_sections_by_school ON mastery_sections (district_id, school_id, id);
CREATE INDEX mastery_sections_by_creation ON mastery_sections (district_id, created_at, id);
CREATE INDEX mastery_sections_latest_first ON mastery_sections (district_id, created_at DESC, id);
CREATE INDEX mastery_sections_archived ON mastery_sections (district_id, archived, id);

CREATE TABLE mastery_classrooms (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    school_id INTEGER REFERENCES mastery_schools (id),
    teacher_id INTEGER REFERENCES mastery_teachers (id),
    title TEXT NOT NULL,
    subject TEXT,
    archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1)),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_classrooms_in_order ON mastery_classrooms (district_id, ordinal);
CREATE INDEX mastery_classrooms_by_title ON mastery_classrooms (district_id, title, id);
CREATE INDEX mastery_classrooms_by_school ON mastery_classrooms (district_id, school_id, id);
CREATE INDEX mastery_classrooms_by_teacher ON mastery_classrooms (district_id, teacher_id, id);
CREATE INDEX mastery_classrooms_by_creation ON mastery_classrooms (district_id, created_at, id);
CREATE INDEX mastery_classrooms_latest_first ON mastery_classrooms (district_id, created_at DESC, id);
CREATE INDEX mastery_classrooms_archived ON mastery_classrooms (district_id, archived, id);

CREATE TABLE mastery_objectives (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    subject_id INTEGER REFERENCES mastery_subjects (id),
    name TEXT NOT NULL,
    description TEXT,
    grade TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_objectives_in_order ON mastery_objectives (district_id, ordinal);

CREATE TABLE mastery_class_objectives (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    classroom_id INTEGER NOT NULL REFERENCES mastery_classrooms (id),
    objective_id INTEGER NOT NULL REFERENCES mastery_objectives (id),
    name TEXT NOT NULL,
    class_objective_type TEXT,
    available INTEGER NOT NULL DEFAULT 1 CHECK (available IN (0, 1)),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_class_objectives_in_order ON mastery_class_objectives (district_id, ordinal);
CREATE INDEX mastery_class_objectives_by_name ON mastery_class_objectives (district_id, name, id);
CREATE INDEX mastery_class_objectives_by_classroom ON mastery_class_objectives (classroom_id, objective_id);
CREATE INDEX mastery_class_objectives_available ON mastery_class_objectives (district_id, available, id);
CREATE INDEX mastery_class_objectives_by_type ON mastery_class_objectives (district_id, class_objective_type, id);

CREATE TABLE mastery_materials (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    subject_id INTEGER REFERENCES mastery_subjects (id),
    objective_id INTEGER REFERENCES mastery_objectives (id),
    teacher_id INTEGER REFERENCES mastery_teachers (id),
    title TEXT,
    description TEXT,
    privacy_level INTEGER NOT NULL DEFAULT 1,
    draft INTEGER NOT NULL DEFAULT 0 CHECK (draft IN (0, 1)),
    available INTEGER NOT NULL DEFAULT 1 CHECK (available IN (0, 1)),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_materials_in_order ON mastery_materials (district_id, ordinal);
CREATE INDEX mastery_materials_by_title ON mastery_materials (district_id, title, id);
CREATE INDEX mastery_materials_by_change ON mastery_materials (district_id, updated_at, id);
CREATE INDEX mastery_materials_latest_change_first ON mastery_materials (district_id, updated_at DESC, id);
CREATE INDEX mastery_materials_by_creation ON mastery_materials (district_id, created_at, id);
CREATE INDEX mastery_materials_latest_first ON mastery_materials (district_id, created_at DESC, id);
CREATE INDEX mastery_materials_by_subject ON mastery_materials (district_id, subject_id, id);
CREATE INDEX mastery_materials_by_objective ON mastery_materials (district_id, objective_id, id);
CREATE INDEX mastery_materials_draft ON mastery_materials (district_id, draft, id);
CREATE INDEX mastery_materials_available ON mastery_materials (district_id, available, id);

CREATE TABLE mastery_items (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    material_id INTEGER NOT NULL REFERENCES mastery_materials (id),
    objective_id INTEGER REFERENCES mastery_objectives (id),
    position INTEGER NOT NULL,
    title TEXT,
    item_type INTEGER,
    points INTEGER,
    dok INTEGER,
    -- The question of this service whose answers are scores of the item too.
    question_id INTEGER REFERENCES quiz_questions (id),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_items_in_order ON mastery_items (district_id, ordinal);
CREATE INDEX mastery_items_by_material ON mastery_items (material_id, id);

CREATE TABLE mastery_banks (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    name TEXT NOT NULL,
    bank_type INTEGER NOT NULL DEFAULT 1,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_banks_in_order ON mastery_banks (district_id, ordinal);
CREATE INDEX mastery_banks_by_name ON mastery_banks (district_id, name, id);

-- With whom a bank is shared beside its own district.
CREATE TABLE mastery_bank_shares (
    bank_id INTEGER NOT NULL REFERENCES mastery_banks (id),
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    PRIMARY KEY (district_id, bank_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE mastery_passages (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    bank_id INTEGER NOT NULL REFERENCES mastery_banks (id),
    title TEXT,
    body TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_passages_in_order ON mastery_passages (district_id, ordinal);
CREATE INDEX mastery_passages_by_bank ON mastery_passages (bank_id, id);
CREATE INDEX mastery_passages_by_creation ON mastery_passages (bank_id, created_at, id);
CREATE INDEX mastery_passages_latest_first ON mastery_passages (bank_id, created_at DESC, id);

CREATE TABLE mastery_questions (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    bank_id INTEGER NOT NULL REFERENCES mastery_banks (id),
    objective_id INTEGER REFERENCES mastery_objectives (id),
    passage_id INTEGER REFERENCES mastery_passages (id),
    item_type INTEGER,
    points INTEGER,
    stem TEXT,
    dok INTEGER,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_questions_in_order ON mastery_questions (district_id, ordinal);
CREATE INDEX mastery_questions_by_bank ON mastery_questions (bank_id, id);
CREATE INDEX mastery_questions_by_creation ON mastery_questions (bank_id, created_at, id);
CREATE INDEX mastery_questions_latest_first ON mastery_questions (bank_id, created_at DESC, id);

CREATE TABLE mastery_curriculum_maps (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    subject_id INTEGER REFERENCES mastery_subjects (id),
    title TEXT NOT NULL,
    description TEXT,
    privacy_level INTEGER NOT NULL DEFAULT 1,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_curriculum_maps_in_order ON mastery_curriculum_maps (district_id, ordinal);
CREATE INDEX mastery_curriculum_maps_by_title ON mastery_curriculum_maps (district_id, title, id);

-- What a curriculum map leads through: an objective or a material.
CREATE TABLE mastery_map_entries (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    curriculum_map_id INTEGER NOT NULL REFERENCES mastery_curriculum_maps (id),
    objective_id INTEGER REFERENCES mastery_objectives (id),
    material_id INTEGER REFERENCES mastery_materials (id),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_map_entries_in_order ON mastery_map_entries (district_id, ordinal);
CREATE INDEX mastery_map_entries_by_map ON mastery_map_entries (curriculum_map_id, id);

CREATE TABLE mastery_pathways (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    subject_id INTEGER REFERENCES mastery_subjects (id),
    name TEXT NOT NULL,
    available INTEGER NOT NULL DEFAULT 1 CHECK (available IN (0, 1)),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_pathways_in_order ON mastery_pathways (district_id, ordinal);
CREATE INDEX mastery_pathways_by_name ON mastery_pathways (district_id, name, id);

-- A material as it is given in a classroom.
CREATE TABLE mastery_assessments (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    classroom_id INTEGER NOT NULL REFERENCES mastery_classrooms (id),
    material_id INTEGER NOT NULL REFERENCES mastery_materials (id),
    objective_id INTEGER REFERENCES mastery_objectives (id),
    title TEXT,
    -- The quiz of this service in which it is taken.
    quiz_id INTEGER REFERENCES quizzes (id),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_assessments_in_order ON mastery_assessments (district_id, ordinal);
CREATE INDEX mastery_assessments_by_classroom ON mastery_assessments (classroom_id, id);

-- The score of one response to an item. Whose response it was is not kept.
CREATE TABLE mastery_item_scores (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    assessment_id INTEGER NOT NULL REFERENCES mastery_assessments (id),
    item_id INTEGER NOT NULL REFERENCES mastery_items (id),
    points_earned REAL NOT NULL,
    points_possible REAL NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_item_scores_in_order ON mastery_item_scores (district_id, ordinal);
CREATE INDEX mastery_item_scores_by_item ON mastery_item_scores (assessment_id, item_id);
