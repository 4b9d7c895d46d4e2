package catalog

import (
	"strings"

	"github.com/anonsql/anonsql/catalog/raw"
)

// Names are those of raw.Names, and the names of releases.
type Names struct {
	raw.Names
	releases *releaseSnapshot
}

// Names are those of what is committed.
func (c *Catalog) Names() Names {
	n := Names{Names: c.Store.Names()}
	if r := c.releases.Load(); r != nil {
		n.releases = r.current.Load()
	}
	return n
}

// Find is that of raw.Names; releases are found too, with the names of their columns.
func (n Names) Find(word string, before Names, part, view func(string)) bool {
	found := n.release(word, before, part)
	return n.Names.Find(word, before.Names, part, view) || found
}

func (n Names) release(word string, before Names, part func(string)) bool {
	if n.releases == nil || n.releases == before.releases {
		return false
	}
	published, ok := n.releases.tables[word]
	if ok {
		for _, c := range published.table.Schema() {
			part(c.Name)
		}
	}
	return ok
}

// Release tells whether there is a release of that name.
func (n Names) Release(name string) bool {
	return n.release(strings.ToLower(name), Names{}, func(string) {})
}
