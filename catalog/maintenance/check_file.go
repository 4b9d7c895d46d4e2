package maintenance

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/anonsql/anonsql/catalog/fault"
)

// maxProblems bounds SQLite's list of problems.
const maxProblems = 1000

var (
	inTree  = regexp.MustCompile(`^(?:On tree page|Tree) (\d+)`)
	inIndex = regexp.MustCompile(`index ([A-Za-z0-9_]+)`)
	inTable = regexp.MustCompile(`(?:in|from|value in|row in) ([a-z_0-9]+)\.`)
)

// integrity runs SQLite's check of pages, trees and indexes and groups its lines by object.
func (c *checker) integrity() error {
	c.progress.Report("checking the file", 0, 0)
	rows, err := c.conn.QueryContext(c.ctx, fmt.Sprintf("PRAGMA integrity_check(%d)", maxProblems))
	if err != nil {
		return err
	}
	defer rows.Close()
	lines := make(map[string][]string)
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return err
		}
		if text == "ok" {
			continue
		}
		for line := range strings.SplitSeq(text, "\n") {
			if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "*** in database") {
				continue
			}
			name := c.nameIn(line)
			lines[name] = append(lines[name], line)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		what, do := c.describe(name)
		found := lines[name]
		c.report.Find(do, "%s: %s in the file, the first: %s", what, fault.Counted(int64(len(found)), "problem"), found[0])
	}
	return rows.Err()
}

// nameIn returns the name of the SQLite object in a line of the check, "" for the file itself.
func (c *checker) nameIn(line string) string {
	if m := inTree.FindStringSubmatch(line); m != nil {
		root, _ := strconv.ParseInt(m[1], 10, 64)
		return c.roots[root]
	}
	for _, form := range []*regexp.Regexp{inIndex, inTable} {
		if m := form.FindStringSubmatch(line); m != nil {
			return m[1]
		}
	}
	return ""
}

// describe describes an SQLite object to users, with the remedy.
func (c *checker) describe(name string) (what, do string) {
	o := c.objects[name]
	if table := c.tables.TableOf(o.Table); table != "" {
		what, do = "table "+table, fault.DoReload
		if o.Kind == "index" {
			what, do = "an index of "+what, "restore a backup, or drop the index and create it again"
		}
		return what, do
	}
	switch o.Table {
	case "":
		return "the file", fault.DoRestore
	case "release_parts", "releases":
		return "the stored releases", fault.DoRestore
	}
	return "the catalog's table " + o.Table, fault.DoRestore
}

// references finds rows of the catalog's tables whose parent rows are missing.
func (c *checker) references() error {
	rows, err := c.conn.QueryContext(c.ctx, "PRAGMA foreign_key_check")
	if err != nil {
		return err
	}
	defer rows.Close()
	count := make(map[string]int)
	for rows.Next() {
		var child, parent string
		var rowid, key any
		if err := rows.Scan(&child, &rowid, &parent, &key); err != nil {
			return err
		}
		count[child+" point to no row of "+parent]++
	}
	for _, what := range slices.Sorted(maps.Keys(count)) {
		c.report.Find(fault.DoRestore, "%d rows of the catalog's table %s", count[what], what)
	}
	return rows.Err()
}
