-- What releases have spent of the privacy of sensitive attributes, one row a release with a noisy model. It stays when the release, or its
-- table, is dropped: who has read the release still knows it. There is a row exactly when a release was stored: one transaction writes both.
CREATE TABLE epsilon_spent (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    table_id  INTEGER NOT NULL,
    database  TEXT    NOT NULL COLLATE NOCASE,
    name      TEXT    NOT NULL COLLATE NOCASE,
    column_id INTEGER NOT NULL, -- of the table; 0 where it is not known
    sensitive TEXT    NOT NULL COLLATE NOCASE,
    release   TEXT    NOT NULL,
    version   INTEGER NOT NULL,
    epsilon   TEXT    NOT NULL, -- exact: 0.5 or 1/3
    spent     TEXT    NOT NULL  -- RFC 3339, UTC
) STRICT;
CREATE INDEX epsilon_spent_by_table ON epsilon_spent (table_id);

-- What owners allow to be spent of each sensitive attribute of a table.
CREATE TABLE epsilon_limits (
    table_id INTEGER PRIMARY KEY REFERENCES tables (id) ON DELETE CASCADE,
    epsilon  TEXT NOT NULL
) STRICT;
