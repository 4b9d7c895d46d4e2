-- Releases are immutable: one row of description, and their fragments as
-- dictionary-encoded column chunks. Deleting a release deletes its parts.
CREATE TABLE releases (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    name   TEXT NOT NULL UNIQUE COLLATE NOCASE,
    record TEXT NOT NULL -- JSON, see ReleaseRecord
) STRICT;

-- fragment -1 is the release itself (sizes of groups). position is the column
-- inside the fragment, -1 for what belongs to all its columns. kind: sizes
-- (records per group), tuples (tuples per group), counts (records per tuple),
-- codes (one per tuple), dictionary, cells.
CREATE TABLE release_parts (
    release_id INTEGER NOT NULL,
    fragment   INTEGER NOT NULL,
    position   INTEGER NOT NULL,
    kind       TEXT    NOT NULL,
    chunk      INTEGER NOT NULL,
    data       BLOB    NOT NULL,
    PRIMARY KEY (release_id, fragment, position, kind, chunk)
) STRICT;
