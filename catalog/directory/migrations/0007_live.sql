-- A lineage is a release that follows its raw table, with all its versions. The
-- triggers live<id>_insert, live<id>_update and live<id>_delete on the table's
-- storage record in the table live<id> which rows changed since the release saw
-- them last.
CREATE TABLE live_lineages (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    table_id INTEGER NOT NULL,
    columns  TEXT    NOT NULL, -- JSON: id, name and type of the released columns
    next_row INTEGER NOT NULL, -- lower row numbers are given to no new row
    lost     TEXT    NOT NULL DEFAULT '', -- what ended the following
    problem  TEXT    NOT NULL DEFAULT ''  -- why the last automatic refresh failed
) STRICT;
CREATE INDEX live_lineages_by_table ON live_lineages (table_id);

-- The private side of the newest version of every lineage: columns, codes and
-- dictionaries, keys, groups, kinds, history.
CREATE TABLE live_state (
    release_id INTEGER NOT NULL,
    part       TEXT    NOT NULL,
    data       BLOB    NOT NULL,
    PRIMARY KEY (release_id, part)
) STRICT;
