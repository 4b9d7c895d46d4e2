package plainsql

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/quoting"
)

// An item is a column of a SELECT: its text, its outer name, and the id that the nodes above use.
type item struct {
	id    sql.ColumnId
	text  string
	name  string
	kind  textKind // characters of its texts
	folds bool     // a text whose comparisons ignore case
}

// A selection is a SELECT under construction. Nodes are added from the bottom up. A node that would change the
// meaning of the selection first wraps it into a derived table.
type selection struct {
	items    []item
	from     string
	where    []string
	group    []string
	grouped  bool
	order    []string
	distinct bool
	limit    string
	offset   string
	// isTable means that from is one table and nothing was added.
	isTable bool
}

// cut reports whether the SELECT has chosen rows, so that conditions or an order added now would mean something else.
func (s *selection) cut() bool {
	return s.grouped || s.distinct || s.limited()
}

// limited reports whether the SELECT has chosen rows by position.
func (s *selection) limited() bool { return s.limit != "" || s.offset != "" }

// rename gives the items the names of a schema.
func (s *selection) rename(schema sql.Schema) {
	for i := range s.items {
		if i < len(schema) {
			s.items[i].name = schema[i].Name
		}
	}
}

// text writes the SELECT. It indents every line except the first.
func (s *selection) text(indent string) string {
	columns := make([]string, len(s.items))
	for i, it := range s.items {
		columns[i] = it.text
		if name := quoting.Name(it.name); it.text != name && !strings.HasSuffix(it.text, "."+name) {
			columns[i] += " AS " + name
		}
	}
	distinct := ""
	if s.distinct {
		distinct = "DISTINCT "
	}
	lines := []string{"SELECT " + distinct + strings.Join(columns, ", ")}
	clause := func(name string, parts []string, separator string) {
		if len(parts) > 0 {
			lines = append(lines, name+" "+strings.Join(parts, separator))
		}
	}
	if s.from != "" {
		clause("FROM", []string{s.from}, "")
	}
	clause("WHERE", s.where, " AND ")
	clause("GROUP BY", s.group, ", ")
	clause("ORDER BY", s.order, ", ")
	if s.limited() {
		limit := s.limit
		if limit == "" {
			limit = "9223372036854775807" // neither dialect allows OFFSET alone
		}
		if s.offset != "" {
			limit += " OFFSET " + s.offset
		}
		lines = append(lines, "LIMIT "+limit)
	}
	return strings.ReplaceAll(strings.Join(lines, "\n"), "\n", "\n"+indent)
}

// derived writes a SELECT as a table of a FROM clause.
func derived(text, alias string) string {
	return "(\n  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n) AS " + quoting.Name(alias)
}

// uniqueNames numbers duplicate names: a derived table needs unique ones.
func (s *selection) uniqueNames() {
	seen := make(map[string]bool)
	for i := range s.items {
		name := s.items[i].name
		for n := 2; seen[strings.ToLower(name)]; n++ {
			name = fmt.Sprintf("%s_%d", s.items[i].name, n)
		}
		seen[strings.ToLower(name)] = true
		s.items[i].name = name
	}
}
