package raw

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/catalog/coding"
)

// statements are the SQLite statements of one version of a table.
type statements struct {
	insert string // rowid and all columns
	update string // all columns, then rowid
	remove string // rowid
}

func newStatements(storage int64, d *definition) statements {
	names := make([]string, len(d.Columns))
	sets := make([]string, len(d.Columns))
	for i, c := range d.Columns {
		names[i] = fmt.Sprintf("c%d", c.ID)
		sets[i] = names[i] + " = ?"
	}
	return statements{
		insert: insertStatement(storage, d, 1),
		update: fmt.Sprintf("UPDATE t%d SET %s WHERE rowid = ?", storage, strings.Join(sets, ", ")),
		remove: fmt.Sprintf("DELETE FROM t%d WHERE rowid = ?", storage),
	}
}

// insertStatement returns a statement that inserts this number of rows.
func insertStatement(storage int64, d *definition, rows int) string {
	row := "(?" + strings.Repeat(", ?", len(d.Columns)) + ")"
	return fmt.Sprintf("INSERT INTO t%d (rowid, %s) VALUES %s", storage, d.columnList(), strings.Join(slices.Repeat([]string{row}, rows), ", "))
}

// createStorage returns the statement that creates a table for rows. Its columns have no type,
// so SQLite stores every value as it is.
func createStorage(storage int64, d *definition) string {
	return fmt.Sprintf("CREATE TABLE t%d (rowid INTEGER PRIMARY KEY, %s)", storage, d.columnList())
}

// indexTerm returns an indexed column as SQLite compares it. The index and look-ups share the
// text, so that SQLite uses the index.
func (d *definition) indexTerm(c indexColumn) string {
	column := d.Columns[d.ordinal(c.Column)]
	term := fmt.Sprintf("c%d", c.Column)
	if c.Length > 0 {
		term = fmt.Sprintf("substr(%s, 1, %d)", term, c.Length)
	}
	typ, err := coding.ParseType(column.Type)
	if err != nil {
		return term
	}
	if collation := coding.CollationOf(typ); collation != "BINARY" {
		term += " COLLATE " + collation
	}
	return term
}

func createIndex(storage int64, d *definition, index indexDefinition) string {
	terms := make([]string, len(index.Columns))
	for i, c := range index.Columns {
		terms[i] = d.indexTerm(c)
	}
	unique := ""
	if index.Unique {
		unique = "UNIQUE "
	}
	return fmt.Sprintf("CREATE %sINDEX %s ON t%d (%s)", unique, indexName(storage, index), storage, strings.Join(terms, ", "))
}

func storageName(storage int64) string { return fmt.Sprintf("t%d", storage) }

func indexName(storage int64, index indexDefinition) string {
	return fmt.Sprintf("i%d_%d", storage, index.ID)
}

// matching returns the condition for equality in the first n columns of an index; NULL equals NULL.
func (t *TableVersion) matching(columns string, index indexDefinition, n int) string {
	terms := make([]string, n)
	for i := range n {
		c := index.Columns[i]
		value := "?"
		if c.Length > 0 {
			value = fmt.Sprintf("substr(?, 1, %d)", c.Length)
		}
		terms[i] = t.definition.indexTerm(c) + " IS " + value
	}
	return fmt.Sprintf("SELECT %s FROM t%d WHERE %s", columns, t.storage, strings.Join(terms, " AND "))
}

func (d *definition) columnList() string {
	names := make([]string, len(d.Columns))
	for i, c := range d.Columns {
		names[i] = fmt.Sprintf("c%d", c.ID)
	}
	return strings.Join(names, ", ")
}
