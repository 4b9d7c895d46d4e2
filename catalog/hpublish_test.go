package catalog

import (
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// publish stores a live release of table t (q, s).
func (c *client) publish(r *Releases, g grouping, name string, change func(*Publication)) (*ReleaseRecord, error) {
	c.t.Helper()
	id := c.follow(r, "t", "q", "s")
	table := c.table("t")
	data, keys, err := table.MicrodataWithKeys(c.context(), []string{"q", "s"}, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	l := g.start(data.Columns, keys)
	p := &Publication{Release: g.release(l), Live: l, History: []byte("history 1")}
	p.Record = ReleaseRecord{Name: name, SourceTable: table.ID(), Database: "d", Table: "t", SourceVersion: table.Version(), Columns: []string{"q", "s"},
		QuasiIdentifiers: []string{"q"}, Sensitive: []string{"s"}, Parameters: map[string]string{}, Live: &LiveRecord{Lineage: id, Updates: "sealed", K: int(g)}}
	if change != nil {
		change(p)
	}
	record, err := r.Publish(c.context(), p)
	if err != nil || record.Live == nil {
		if err := r.Unfollow(c.context(), id); err != nil {
			c.t.Fatal(err)
		}
	}
	return record, err
}

// refreshed makes the next version of a release from what is pending.
func (c *client) refreshed(r *Releases, g grouping, pending *Pending) (*ReleaseRecord, error) {
	l := g.next(pending.Live, pending.Changed)
	p := &Publication{Record: *pending.Record, Release: g.release(l), Live: l, History: []byte(fmt.Sprint("history ", pending.Record.Version+1))}
	p.Record.SourceVersion = pending.SourceVersion
	return r.Refresh(c.context(), pending, p)
}

func (c *client) refresh(r *Releases, g grouping, name string) *ReleaseRecord {
	c.t.Helper()
	pending, err := r.Changes(c.context(), name)
	if err != nil {
		c.t.Fatal(err)
	}
	record, err := c.refreshed(r, g, pending)
	if err != nil {
		c.t.Fatal(err)
	}
	return record
}

// persons lists the persons of the private side as key:value,value.
func persons(l *anonymize.Live) []string {
	var list []string
	for i, key := range l.Key {
		if l.Kind[i] == anonymize.Person {
			list = append(list, fmt.Sprintf("%d:%s,%s", key, l.Columns[0].Value(i), l.Columns[1].Value(i)))
		}
	}
	slices.Sort(list)
	return list
}

// rows lists the rows of t in the same way.
func (c *client) rows() []string {
	c.t.Helper()
	data, keys, err := c.table("t").MicrodataWithKeys(c.context(), []string{"q", "s"}, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	c.session.SessionEnd()
	var list []string
	for i, key := range keys {
		list = append(list, fmt.Sprintf("%d:%s,%s", key, data.Columns[0].Value(i), data.Columns[1].Value(i)))
	}
	slices.Sort(list)
	return list
}

func (c *client) serve(r *Releases) {
	c.catalog.Provider().AddSystemDatabase(r.PublishedDatabase())
	c.catalog.Provider().AddSystemDatabase(r.SystemDatabase(&Jobs{}))
}
