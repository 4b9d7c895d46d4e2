-- The role of columns that name the person, or the household, of a row: unit.
-- Column 0, which no table has, has it where every row is a person of its own.
CREATE TABLE attributes_with_units (
    table_id  INTEGER NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
    column_id INTEGER NOT NULL,
    role      TEXT NOT NULL CHECK (role IN ('ei', 'unit', 'qi', 'sa', 'other')),
    PRIMARY KEY (table_id, column_id)
);
INSERT INTO attributes_with_units SELECT table_id, column_id, role FROM attributes;
DROP TABLE attributes;
ALTER TABLE attributes_with_units RENAME TO attributes;
