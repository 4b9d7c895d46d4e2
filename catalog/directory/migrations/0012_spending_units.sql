-- Of whom a release has spent: the columns that name the unit, such as patient; none for rows.
ALTER TABLE epsilon_spent ADD COLUMN unit TEXT NOT NULL COLLATE NOCASE DEFAULT '';
