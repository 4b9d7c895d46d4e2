package catalog

import (
	"fmt"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/catalog/source"
)

// If another server keeps a table, nothing records which rows change: a refresh reads the whole table and
// compares it with the release's private side, by the numbers that the primary key gives its records.

// IsMirrored reports whether [Releases.ReadAgain] has to read the changes.
func (p *Pending) IsMirrored() bool { return raw.IsMirror(p.Record.Database) }

// ReadAgain adds the changes of a table on another server, which it reads in one consistent read, with the columns beside. It does nothing for other
// tables. An *anonymize.DataError says that the table is no longer the one that the release follows. progress may be nil.
func (r *Releases) ReadAgain(ctx *sql.Context, p *Pending, beside []string, progress func(done, total int)) error {
	if !p.IsMirrored() {
		return nil
	}
	table, err := r.keyed(ctx, p.Record)
	if err != nil {
		return err
	}
	if err := p.stillFollowed(ctx, r.catalog); err != nil { // opening the table may have ended the following
		return err
	}
	names := make([]string, len(p.Live.Columns))
	for i, c := range p.Live.Columns {
		names[i] = c.Name
	}
	now, err := table.PrimaryKey(ctx, names)
	if err != nil {
		return err
	}
	if reason := p.Key.Differs(now); reason != "" {
		return p.errOtherTable(reason)
	}
	data, keys, err := table.MicrodataByKey(ctx, slices.Concat(names, beside), p.Key, progress)
	if err != nil {
		return err
	}
	if len(beside) > 0 {
		p.Beside = &anonymize.Microdata{Rows: data.Rows, Columns: slices.Clone(data.Columns)}
		data.Columns = data.Columns[:len(names)]
	}
	p.Digests = make(map[string]string)
	for i, c := range data.Columns {
		p.Digests[c.Name] = source.Digest(c)
		if coding.Widens(p.Live.Columns[i].Type, c.Type) {
			p.Live.Columns[i].Type = c.Type
		}
		if data.Columns[i], err = table.AsSpelled(ctx, c, p.Live.Columns[i]); err != nil {
			return err
		}
	}
	left := 0
	if p.Changed, left, err = difference(p.Live, keys, data.Columns); err != nil {
		return p.errOtherTable(err.Error())
	}
	if reason := replaced(p.Live, left, len(keys), p.Key.Created != now.Created); reason != "" {
		return p.errOtherTable(reason)
	}
	now.Secret = p.Key.Secret
	p.Key = now
	return r.catalog.Snapshot(ctx, func(w *raw.Work) error {
		l, err := p.Record.lineage(w.Conn())
		if err != nil {
			return err
		}
		t := w.TableByID(l.Table)
		if t == nil {
			return p.errTableGone()
		}
		p.SourceVersion = t.Version()
		return p.readDomains(w.Conn(), t, l)
	})
}

// keyed opens a release's table where it lives.
func (r *Releases) keyed(ctx *sql.Context, record *ReleaseRecord) (source.Keyed, error) {
	table, err := r.catalog.RawTableByID(ctx, record.SourceTable)
	if err != nil {
		return nil, err
	}
	keyed, ok := table.(source.Keyed)
	if !ok {
		return nil, fmt.Errorf("the records of %s.%s have no key", record.Database, record.Table)
	}
	return keyed, nil
}

// stillFollowed returns an error if the following has ended.
func (p *Pending) stillFollowed(ctx *sql.Context, c *Catalog) error {
	return c.Snapshot(ctx, func(w *raw.Work) error {
		_, err := p.Record.lineage(w.Conn())
		return err
	})
}

// errOtherTable refuses a table that is no longer the one that the release follows.
func (p *Pending) errOtherTable(reason string) error {
	return &anonymize.DataError{Reason: fmt.Sprintf("release %s cannot recognise the records of %s.%s any more: %s. But "+replaceRelease+source.ThenSealed,
		p.Record.Name, p.Record.Database, p.Record.Table, reason)}
}

func (p *Pending) errTableGone() error {
	return &anonymize.DataError{Reason: fmt.Sprintf("the raw table of release %s does not exist any more", p.Record.Name)}
}

// replaced returns why the table is no longer the release's table, "" if it is. left is the number of the release's
// persons that still have a row. A table that was recreated and loaded with the same keys still counts. If keys were
// reassigned, unchanged persons would get new groups beside their old ones, which together would identify them.
func replaced(l *anonymize.Live, left, rows int, created bool) string {
	persons := 0
	for _, kind := range l.Kind {
		if kind == anonymize.Person {
			persons++
		}
	}
	switch {
	case left == 0 && persons > 0 && rows > 0:
		return fmt.Sprintf("of %d keys none is left, and the table has %d others", persons, rows)
	case created && 2*left < persons && rows > 0:
		return fmt.Sprintf("the table was created anew, and has %d of %d keys", left, persons)
	}
	return ""
}

// difference compares the release's persons with the current rows: it returns those with changed values
// or on one side only, and the number on both sides. columns are the Live's, with its spellings.
func difference(l *anonymize.Live, keys []int64, columns []*anonymize.Column) (changed *anonymize.Changed, left int, err error) {
	rowOf := make(map[int64]int, len(keys))
	for row, key := range keys {
		if _, twice := rowOf[key]; twice {
			return nil, 0, fmt.Errorf("two of its keys are alike under the secret of the release")
		}
		rowOf[key] = row
	}
	codes := make([][]uint32, len(columns))
	for i, c := range columns {
		codes[i] = translated(c.Dictionary, l.Columns[i].Dictionary)
	}
	changed = &anonymize.Changed{}
	var there []int // changed rows
	for record, key := range l.Key {
		if l.Kind[record] != anonymize.Person {
			continue
		}
		row, ok := rowOf[key]
		if !ok {
			changed.Key, changed.Row = append(changed.Key, key), append(changed.Row, -1)
			continue
		}
		left++
		delete(rowOf, key)
		for i, c := range columns {
			if codes[i][c.Codes[row]] != l.Columns[i].Codes[record] {
				changed.Key, changed.Row, there = append(changed.Key, key), append(changed.Row, len(there)), append(there, row)
				break
			}
		}
	}
	for row, key := range keys {
		if _, unknown := rowOf[key]; unknown {
			changed.Key, changed.Row, there = append(changed.Key, key), append(changed.Row, len(there)), append(there, row)
		}
	}
	for _, c := range columns {
		values := make([]anonymize.Value, len(there))
		for i, row := range there {
			values[i] = c.Value(row)
		}
		changed.Columns = append(changed.Columns, anonymize.NewColumn(c.Name, c.Type, values))
	}
	return changed, left, nil
}

// translated returns, by value of one sorted dictionary, its index in another; past the end if it is missing.
func translated(from, to []anonymize.Value) []uint32 {
	places := make([]uint32, len(from))
	for i, v := range from {
		at, found := slices.BinarySearchFunc(to, v, anonymize.Compare)
		if places[i] = uint32(at); !found {
			places[i] = uint32(len(to))
		}
	}
	return places
}
