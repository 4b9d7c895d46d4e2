package plainsql

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/quoting"
)

// An item is a column of a SELECT: its text, its name outside, and the id under
// which the nodes above refer to it.
type item struct {
	id    sql.ColumnId
	text  string
	name  string
	kind  textKind // of its texts
	folds bool     // it is a text that compares without its case
}

// A selection is a SELECT that is being put together. Nodes are added from the
// bottom up; one that would change the meaning of what is there makes a derived
// table of it first.
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
	// isTable says that from is one table and nothing was added.
	isTable bool
}

// cut reports whether rows were chosen, so that conditions and order above mean
// something else.
func (s *selection) cut() bool {
	return s.grouped || s.distinct || s.limited()
}

// limited reports whether rows were chosen by their places.
func (s *selection) limited() bool { return s.limit != "" || s.offset != "" }

// rename gives the items the names of a schema.
func (s *selection) rename(schema sql.Schema) {
	for i := range s.items {
		if i < len(schema) {
			s.items[i].name = schema[i].Name
		}
	}
}

// text writes the SELECT, every line but the first behind indent.
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
			limit = "9223372036854775807" // neither dialect has OFFSET alone
		}
		if s.offset != "" {
			limit += " OFFSET " + s.offset
		}
		lines = append(lines, "LIMIT "+limit)
	}
	return strings.ReplaceAll(strings.Join(lines, "\n"), "\n", "\n"+indent)
}

// derived is the selection as a table of a FROM clause.
func derived(text, alias string) string {
	return "(\n  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n) AS " + quoting.Name(alias)
}

// uniqueNames numbers the names that come twice, as a derived table needs it.
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
