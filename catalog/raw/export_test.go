package raw

import dbsql "database/sql"

// ChunkRows is chunkRows.
const ChunkRows = chunkRows

// Writer is the writer's connection, for what a test sets on it outside of
// transactions.
func (c *Store) Writer() *dbsql.Conn { return c.writer }
