-- Names that a raw table with releases had, the latest last: its releases know
-- it by them when it was renamed, dropped and loaded again.
CREATE TABLE former_names (
    table_id INTEGER NOT NULL,
    database TEXT NOT NULL COLLATE NOCASE,
    name     TEXT NOT NULL COLLATE NOCASE,
    PRIMARY KEY (table_id, database, name)
) STRICT;
