-- Measured relative errors of releases, one row a band of a workload. They go
-- with their release.
CREATE TABLE evaluations (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    release_id INTEGER NOT NULL,
    record     TEXT    NOT NULL -- JSON, see EvaluationRecord
) STRICT;
CREATE INDEX evaluations_by_release ON evaluations (release_id);
