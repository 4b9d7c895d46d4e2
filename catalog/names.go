package catalog

import (
	"strings"

	"github.com/anonsql/anonsql/catalog/raw"
)

// Names are the raw.Names with the names of releases.
type Names struct {
	raw.Names
	releases *releaseSnapshot
}

// Names returns the names in the committed state.
func (c *Catalog) Names() Names {
	n := Names{Names: c.Store.Names()}
	if r := c.releases.Load(); r != nil {
		n.releases = r.current.Load()
	}
	return n
}

// Find is raw.Names.Find, and also finds releases, with the names of their columns.
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

// Release reports whether a release of that name exists.
func (n Names) Release(name string) bool {
	return n.release(strings.ToLower(name), Names{}, func(string) {})
}
