-- What was ever public of a raw table, one row a release: it stays when the
-- release is dropped, because who has read it still knows it. Replacing and
-- refreshing change the row of the release.
CREATE TABLE publications (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    release_id INTEGER NOT NULL, -- of the newest version, which may be gone
    table_id   INTEGER NOT NULL,
    database   TEXT    NOT NULL COLLATE NOCASE,
    name       TEXT    NOT NULL COLLATE NOCASE,
    release    TEXT    NOT NULL,
    version    INTEGER NOT NULL,
    method     TEXT    NOT NULL,
    columns    TEXT    NOT NULL, -- JSON
    published  TEXT    NOT NULL, -- RFC 3339, UTC
    dropped    TEXT    NOT NULL DEFAULT '', -- '' while it is public
    sketch     BLOB    NOT NULL  -- see sketch.go; empty for none
) STRICT;
CREATE INDEX publications_by_table ON publications (table_id);

INSERT INTO publications (release_id, table_id, database, name, release, version, method, columns, published, sketch)
SELECT id, json_extract(record, '$.SourceTable'), json_extract(record, '$.Database'), json_extract(record, '$.Table'), name,
       json_extract(record, '$.Version'), json_extract(record, '$.Method'), coalesce(json_extract(record, '$.Columns'), '[]'), json_extract(record, '$.Published'), x''
FROM releases WHERE json_extract(record, '$.Private') = 0;
