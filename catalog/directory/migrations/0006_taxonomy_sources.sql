-- The table that a taxonomy of kind 'table' was read from: who may read the
-- column need not know of it. '' for the other kinds.
ALTER TABLE taxonomies ADD COLUMN source_database TEXT NOT NULL DEFAULT '';
ALTER TABLE taxonomies ADD COLUMN source_table    TEXT NOT NULL DEFAULT '';
