package catalogtest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/jobs"
)

// Publish stores a live release of table t (q, s).
func (c *Client) Publish(r *catalog.Releases, g Grouping, name string, change func(*catalog.Publication)) (*catalog.ReleaseRecord, error) {
	c.T.Helper()
	id := c.Follow(r, "t", "q", "s")
	table := c.Table("t")
	data, keys, err := table.MicrodataWithKeys(c.Context(), []string{"q", "s"}, nil)
	if err != nil {
		c.T.Fatal(err)
	}
	l := g.Start(data.Columns, keys)
	p := &catalog.Publication{Release: g.Release(l), Live: l, History: []byte("history 1")}
	p.Record = catalog.ReleaseRecord{
		Name:          name,
		SourceTable:   table.ID(),
		Database:      "d",
		Table:         "t",
		SourceVersion: table.Version(),
		Columns:       []string{"q", "s"},
		QuasiIdentifiers: []string{
			"q",
		},
		Sensitive:  []string{"s"},
		Parameters: map[string]string{},
		Live:       &catalog.LiveRecord{Lineage: id, Updates: "sealed", K: int(g)},
	}
	if change != nil {
		change(p)
	}
	record, err := c.Store(r, p)
	if err != nil || record.Live == nil {
		if err := r.Unfollow(c.Context(), id); err != nil {
			c.T.Fatal(err)
		}
	}
	return record, err
}

// Store admits and publishes a publication.
func (c *Client) Store(r *catalog.Releases, p *catalog.Publication) (*catalog.ReleaseRecord, error) {
	admission, err := r.Admit(c.Context(), p)
	if err != nil {
		return nil, err
	}
	return r.Publish(c.Context(), admission)
}

// Refreshed makes the next version of a release from its pending changes.
func (c *Client) Refreshed(r *catalog.Releases, g Grouping, pending *catalog.Pending) (*catalog.ReleaseRecord, error) {
	l := g.Next(pending.Live, pending.Changed)
	p := &catalog.Publication{Record: *pending.Record, Release: g.Release(l), Live: l, History: []byte(fmt.Sprint("history ", pending.Record.Version+1))}
	p.Record.SourceVersion = pending.SourceVersion
	return r.Refresh(c.Context(), pending, p)
}

// Refresh makes the next version of a release.
func (c *Client) Refresh(r *catalog.Releases, g Grouping, name string) *catalog.ReleaseRecord {
	c.T.Helper()
	pending, err := r.Changes(c.Context(), name)
	if err != nil {
		c.T.Fatal(err)
	}
	record, err := c.Refreshed(r, g, pending)
	if err != nil {
		c.T.Fatal(err)
	}
	return record
}

// Persons lists the persons of a live release as key:value,value.
func Persons(l *anonymize.Live) []string {
	var list []string
	for i, key := range l.Key {
		if l.Kind[i] == anonymize.Person {
			list = append(list, fmt.Sprintf("%d:%s,%s", key, l.Columns[0].Value(i), l.Columns[1].Value(i)))
		}
	}
	slices.Sort(list)
	return list
}

// Rows lists the rows of t in the same format.
func (c *Client) Rows() []string {
	c.T.Helper()
	data, keys, err := c.Table("t").MicrodataWithKeys(c.Context(), []string{"q", "s"}, nil)
	if err != nil {
		c.T.Fatal(err)
	}
	c.Session.SessionEnd()
	var list []string
	for i, key := range keys {
		list = append(list, fmt.Sprintf("%d:%s,%s", key, data.Columns[0].Value(i), data.Columns[1].Value(i)))
	}
	slices.Sort(list)
	return list
}

// Serve adds the databases published and anonsql.
func (c *Client) Serve(r *catalog.Releases) {
	c.Catalog.Provider().AddSystemDatabase(r.PublishedDatabase())
	c.Catalog.Provider().AddSystemDatabase(r.SystemDatabase(&jobs.Jobs{}))
}

// Named returns the release of that name.
func Named(t testing.TB, r *catalog.Releases, name string) *catalog.Published {
	t.Helper()
	p, err := r.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
