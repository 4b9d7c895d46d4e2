package raw

import (
	"cmp"
	"strings"
)

// Names are the names of databases, tables, views and procedures at one moment, all of
// them, whoever may see them. They cost nothing to take: definitions do not change,
// their successors take their places. The zero value has no names.
type Names struct{ meta *metadata }

// Names are those of what is committed.
func (c *Store) Names() Names { return Names{c.meta.Load()} }

// Find tells whether a word, in lower case, names something. It calls part with the
// names of columns, indexes and checks of the tables that have that name, in whatever
// database, and view with the texts of the views. What has not changed since before is
// passed over, as if it were not there.
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

// Table tells whether there is a table or view of that name: of database.table, or
// in any database.
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
