package catalog

import (
	"database/sql/driver"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// tables reads every row of every raw table.
func (c *checker) tables() error {
	var total, done int64
	for _, t := range c.meta.tables {
		total += t.rows
	}
	for _, id := range slices.Sorted(maps.Keys(c.meta.tables)) {
		t := c.meta.tables[id]
		c.report.Tables++
		if err := c.table(t, done, total); err != nil {
			return err
		}
		done += t.rows
	}
	return nil
}

func (c *checker) table(t *tableMeta, done, total int64) error {
	name := t.database + "." + t.name
	if missing := c.missing(t); missing != "" {
		c.report.find(doReload, "table %s: %s", name, missing)
		return nil
	}
	ordinals := make([]int, len(t.definition.Columns))
	for i := range ordinals {
		ordinals[i] = i
	}
	w := &work{conn: c.conn, meta: c.meta}
	chunks, err := w.chunkNumbers(t)
	rows := int64(0)
	for _, chunk := range chunks {
		if c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		columns, readErr := w.buildColumns(t, chunk, ordinals)
		if readErr != nil {
			err = readErr
			break
		}
		rows += int64(len(columns[0].codes))
		c.progress.tell("reading the tables", done+rows, total)
	}
	c.report.Rows += rows
	switch {
	case err != nil:
		c.report.find(doReload, "table %s cannot be read: %v", name, err)
	case rows != t.rows:
		c.report.find(doReload, "table %s has %d rows, and should have %d", name, rows, t.rows)
	}
	return nil
}

// chunkNumbers returns the chunks that have rows. After damage a row may have
// any number, and there are more numbers than one can count through.
func (w *work) chunkNumbers(t *tableMeta) (chunks []int64, err error) {
	next := int64(0)
	for {
		first := int64(-1)
		err := query(w.conn, func(row []driver.Value) error { return scanValues(row, &first) },
			fmt.Sprintf("SELECT rowid FROM t%d WHERE rowid >= ? ORDER BY rowid LIMIT 1", t.storage), next)
		if err != nil || first < 0 {
			return chunks, err
		}
		chunks = append(chunks, first/chunkRows)
		next = (first/chunkRows + 1) * chunkRows
		if next < first {
			return chunks, nil
		}
	}
}

// missing says what of a table's definition is not in the file.
func (c *checker) missing(t *tableMeta) string {
	storage := storageName(t.storage)
	if c.objects[storage].kind != "table" {
		return "its rows are not there"
	}
	stored := make(map[string]bool)
	err := query(c.conn, func(row []driver.Value) error {
		var name string
		err := scanValues(row, &name)
		stored[name] = true
		return err
	}, "SELECT name FROM pragma_table_info(?)", storage)
	if err != nil {
		return err.Error()
	}
	for _, column := range t.definition.Columns {
		if !stored[fmt.Sprintf("c%d", column.ID)] {
			return fmt.Sprintf("column %q is not there", column.Name)
		}
	}
	for _, index := range t.definition.keys() {
		if o := c.objects[indexName(t.storage, index)]; o.kind != "index" || o.table != storage {
			return fmt.Sprintf("index %q is not there", index.Name)
		}
	}
	return ""
}

var (
	storageTable = regexp.MustCompile(`^t[0-9]+$`)
	changesTable = regexp.MustCompile(`^live[0-9]+$`)
)

// storages finds tables for rows that belong to nothing. The next start drops
// them.
func (c *checker) storages() error {
	lineages, err := readLineages(c.conn, "lost = ''")
	if err != nil {
		return err
	}
	known := make(map[string]bool)
	for _, t := range c.meta.tables {
		known[storageName(t.storage)] = true
	}
	for _, l := range lineages {
		known[l.changes()] = true
	}
	var orphans []string
	for name, o := range c.objects {
		if o.kind == "table" && !known[name] && (storageTable.MatchString(name) || changesTable.MatchString(name)) {
			orphans = append(orphans, name)
		}
	}
	slices.Sort(orphans)
	if len(orphans) > 0 {
		c.report.Notes = append(c.report.Notes, fmt.Sprintf("%d stored tables belong to nothing (%s): %s", len(orphans), strings.Join(orphans, ", "), doTidy))
	}
	return nil
}
