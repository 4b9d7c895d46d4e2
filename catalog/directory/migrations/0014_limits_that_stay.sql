-- A limit stays when its table is dropped, and holds when the table is loaded again.
CREATE TABLE limits_that_stay (
    table_id INTEGER PRIMARY KEY,
    epsilon  TEXT NOT NULL
) STRICT;
INSERT INTO limits_that_stay SELECT table_id, epsilon FROM epsilon_limits;
DROP TABLE epsilon_limits;
ALTER TABLE limits_that_stay RENAME TO epsilon_limits;
-- The name that the column had when its table lost a name.
ALTER TABLE epsilon_spent ADD COLUMN last_name TEXT NOT NULL COLLATE NOCASE DEFAULT '';
