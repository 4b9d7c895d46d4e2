package raw

import dbsql "database/sql"

// ChunkRows is chunkRows.
const ChunkRows = chunkRows

// Writer returns the writer's connection, so that tests can configure it outside of transactions.
func (c *Store) Writer() *dbsql.Conn { return c.writer }
