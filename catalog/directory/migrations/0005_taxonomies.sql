-- How the values of a column compare, where the owner said so. By column id, as
-- roles.
CREATE TABLE scales (
    table_id  INTEGER NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
    column_id INTEGER NOT NULL,
    scale     TEXT    NOT NULL CHECK (scale IN ('numeric', 'ordinal', 'semantic', 'nominal')),
    PRIMARY KEY (table_id, column_id)
) STRICT;

-- The tree over the values of a column, or their order (kind 'order').
CREATE TABLE taxonomies (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    table_id  INTEGER NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
    column_id INTEGER NOT NULL,
    kind      TEXT    NOT NULL,
    source    TEXT    NOT NULL,
    nodes     INTEGER NOT NULL,
    leaves    INTEGER NOT NULL,
    height    INTEGER NOT NULL,
    root      TEXT    NOT NULL, -- '' for an order
    UNIQUE (table_id, column_id)
) STRICT;

-- Nodes in the order of a walk: a parent before its children, children in their
-- order. The parent of the root is -1, and so is that of every place of an order.
CREATE TABLE taxonomy_nodes (
    taxonomy_id INTEGER NOT NULL REFERENCES taxonomies (id) ON DELETE CASCADE,
    node        INTEGER NOT NULL,
    parent      INTEGER NOT NULL,
    label       TEXT    NOT NULL,
    PRIMARY KEY (taxonomy_id, node)
) STRICT, WITHOUT ROWID;
