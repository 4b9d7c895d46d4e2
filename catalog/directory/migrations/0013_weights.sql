-- The role of the column that says how many persons of the population a row of a survey stands for: weight.
CREATE TABLE attributes_with_weights (
    table_id  INTEGER NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
    column_id INTEGER NOT NULL,
    role      TEXT NOT NULL CHECK (role IN ('ei', 'unit', 'qi', 'sa', 'weight', 'other')),
    PRIMARY KEY (table_id, column_id)
);
INSERT INTO attributes_with_weights SELECT table_id, column_id, role FROM attributes;
DROP TABLE attributes;
ALTER TABLE attributes_with_weights RENAME TO attributes;
