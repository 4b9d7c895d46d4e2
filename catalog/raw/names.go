package raw

import (
	"cmp"
	"strings"
)

// Names are the names of all databases, tables, views and procedures at one time, regardless of
// access rights. Taking them costs nothing, since definitions are immutable. The zero value has
// no names.
type Names struct{ meta *metadata }

// Names returns the names in the committed state.
func (c *Store) Names() Names { return Names{c.meta.Load()} }

// Find reports whether a lower-case word names something. It calls part with the names of
// columns, indexes and checks of all tables of that name, in any database, and view with the
// texts of views. It skips what has not changed since before, as if it did not exist.
func (n Names) Find(word string, before Names, part, view func(string)) (found bool) {
	if n.meta == nil || n.meta == before.meta {
		return false
	}
	for key, db := range n.meta.databases {
		if before.meta != nil && before.meta.databases[key] == db {
			continue
		}
		if t, ok := db.tables[word]; ok {
			found = true
			t.definition.names(part)
		}
		if v, ok := db.views[word]; ok {
			found = true
			view(cmp.Or(v.CreateViewStatement, v.TextDefinition))
		}
		_, procedure := db.procedures[word]
		found = found || procedure || key == word
	}
	return found
}

func (d *definition) names(yield func(string)) {
	for _, c := range d.Columns {
		yield(c.Name)
	}
	for _, i := range d.Indexes {
		yield(i.Name)
	}
	for _, c := range d.Checks {
		yield(c.Name)
	}
}

// Table reports whether a table or view of that name exists: database.table, or in any
// database.
func (n Names) Table(name string) bool {
	if n.meta == nil {
		return false
	}
	name = strings.ToLower(name)
	for key, db := range n.meta.databases {
		if db.taken(name) {
			return true
		}
		if inside, ok := strings.CutPrefix(name, key+"."); ok && db.taken(inside) {
			return true
		}
	}
	return false
}
