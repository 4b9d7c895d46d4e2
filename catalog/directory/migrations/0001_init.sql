-- Owner's databases. Names are unique without regard to case and kept as
-- written.
CREATE TABLE databases (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    name      TEXT NOT NULL UNIQUE COLLATE NOCASE,
    collation TEXT NOT NULL
);

-- Raw tables. Their rows are in the table t<storage>, columns c<column id>.
-- An id is never used twice (AUTOINCREMENT), so a release may point to it.
CREATE TABLE tables (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    database_id    INTEGER NOT NULL REFERENCES databases (id) ON DELETE CASCADE,
    name           TEXT NOT NULL COLLATE NOCASE,
    storage        INTEGER NOT NULL UNIQUE,
    definition     TEXT NOT NULL, -- JSON: columns, keys, checks, comment
    version        INTEGER NOT NULL,
    row_count      INTEGER NOT NULL,
    auto_increment TEXT NOT NULL, -- unsigned 64-bit number in decimal
    UNIQUE (database_id, name)
);

-- The numbers given to t<storage>: a rewritten table keeps its id and gets a
-- new storage.
CREATE TABLE storages (
    id INTEGER PRIMARY KEY AUTOINCREMENT
);

CREATE TABLE views (
    database_id INTEGER NOT NULL REFERENCES databases (id) ON DELETE CASCADE,
    name        TEXT NOT NULL COLLATE NOCASE,
    definition  TEXT NOT NULL,
    statement   TEXT NOT NULL,
    sql_mode    TEXT NOT NULL,
    PRIMARY KEY (database_id, name)
);

CREATE TABLE procedures (
    database_id INTEGER NOT NULL REFERENCES databases (id) ON DELETE CASCADE,
    name        TEXT NOT NULL COLLATE NOCASE,
    statement   TEXT NOT NULL,
    created_at  INTEGER NOT NULL, -- microseconds since 1970, UTC
    modified_at INTEGER NOT NULL,
    sql_mode    TEXT NOT NULL,
    PRIMARY KEY (database_id, name)
);

-- Roles of columns. By column id, so that they follow a rename.
CREATE TABLE attributes (
    table_id  INTEGER NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
    column_id INTEGER NOT NULL,
    role      TEXT NOT NULL CHECK (role IN ('ei', 'qi', 'sa', 'other')),
    PRIMARY KEY (table_id, column_id)
);

CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value BLOB NOT NULL
);
