package catalog

import (
	"context"
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/recognition"
	"github.com/anonsql/anonsql/catalog/source"
)

// A candidate is the raw table of a publication, with what it has in common with tables of past
// ones.
type candidate struct {
	source   origin
	key      []byte
	table    *recognition.Table // nil if it is not compared
	sketched []byte             // the sketch to remember
	alike    map[int64]recognition.Likeness
	mayRead  map[int64]bool // by table of a past publication, once checked
}

// CompareRecords compares the publication's records with those of past ones, and refuses a copy
// of a table that has, or had, a public release. Call it before long work; the records must not
// change afterwards. Publish compares them with what was published meanwhile. O(records).
func (a *Admission) CompareRecords(ctx *sql.Context) (err error) {
	if a.records, err = a.releases.sketch(ctx, a.publication); err != nil {
		return err
	}
	return a.refuseCopy(ctx, nil)
}

// sketch prepares the comparison of a publication's records; private ones are not compared.
func (r *Releases) sketch(ctx *sql.Context, p *Publication) (*candidate, error) {
	c := &candidate{source: p.Record.source(), sketched: []byte{},
		alike: make(map[int64]recognition.Likeness), mayRead: make(map[int64]bool)}
	if p.Record.Private || len(p.Records) == 0 {
		return c, nil
	}
	var err error
	if c.key, err = r.catalog.secret(ctx, sketchKey); err != nil {
		return nil, err
	}
	if c.table, err = recognition.NewTable(ctx, c.key, p.Records, p.Record.Columns, p.Record.Sensitive); err != nil {
		return nil, err
	}
	s, err := c.table.Sketch(ctx)
	if err != nil {
		return nil, err
	}
	if s != nil {
		c.sketched = s.Encode()
	}
	return c, nil
}

// refuseCopy refuses a public release of records for which another table has or had one: a copy
// under another name.
func (a *Admission) refuseCopy(ctx *sql.Context, _ *releaseSnapshot) error {
	if a.records == nil {
		return nil
	}
	other, alike, err := a.releases.likePast(ctx, a.records)
	if err != nil || other == nil {
		return err
	}
	return a.compose(other.refusal(describeCopy(a.records.source.name, other.source().name, alike)))
}

// likePast finds the past publication of another table with the candidate's records, preferably
// one that is still public. It does not repeat comparisons.
func (r *Releases) likePast(ctx *sql.Context, c *candidate) (*pastPublication, recognition.Likeness, error) {
	none := recognition.Likeness{}
	if c.table == nil {
		return nil, none, nil
	}
	past, err := r.pastPublications(ctx)
	if err != nil {
		return nil, none, err
	}
	for _, other := range past {
		same, err := r.sameSource(ctx, other.source(), c.source)
		if err != nil {
			return nil, none, err
		}
		// Other rules know the same table. An account that may not read the other one did not copy it, and must not find out
		// by trials who is in it.
		may, asked := c.mayRead[other.id]
		if !same && !asked {
			may = r.mayRead(ctx, other.source())
			if !may && source.HomeOf(ctx) != nil { // an engine has one account for everybody
				may = r.sourceIsGone(ctx, &ReleaseRecord{SourceTable: other.table, Database: other.database}) != nil
			}
			c.mayRead[other.id] = may
		}
		if same || !may {
			continue
		}
		alike, err := c.likeness(ctx, other)
		if err != nil || alike.Share > 0 {
			return other, alike, err
		}
	}
	return nil, none, nil
}

// likeness returns what the candidate has in common with a remembered publication; it compares
// once.
func (c *candidate) likeness(ctx context.Context, other *pastPublication) (alike recognition.Likeness, err error) {
	alike, ok := c.alike[other.id]
	if ok {
		return alike, nil
	}
	if len(other.sketch) == 0 { // it was not compared
		return alike, nil
	}
	known, err := recognition.Decode(other.sketch)
	if err != nil {
		return alike, fault.Damaged("compare with release "+other.releaseName, err)
	}
	if alike, err = c.table.Compare(ctx, known); err == nil {
		c.alike[other.id] = alike
	}
	return alike, err
}

// describeCopy says how a table was recognised.
func describeCopy(table, known tableName, alike recognition.Likeness) string {
	switch alike.Reason {
	case recognition.Recoded:
		return fmt.Sprintf("%s seems to be table %s with other values for the same things: "+
			"it has the same groups of records with the same sensitive values, about %.0f %% of the records", table, known, 100*alike.Share)
	case recognition.Numbered:
		return fmt.Sprintf("%s seems to be table %s: "+
			"behind the same row numbers are the same sensitive values, of about %.0f %% of the records", table, known, 100*alike.Share)
	case recognition.Counted:
		return fmt.Sprintf("%s seems to have the records of table %s: "+
			"the values of some columns are as frequent in both as they never are by chance", table, known)
	}
	if alike.Within {
		return fmt.Sprintf("about %.0f %% of the records of %s are records of table %s", 100*alike.Share, table, known)
	}
	return fmt.Sprintf("about %.0f %% of the records of table %s are records of %s", 100*alike.Share, known, table)
}

// checkSketch validates what is remembered of a publication; empty data means that it was not compared.
func checkSketch(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	if _, err := recognition.Decode(data); err != nil {
		return fault.ErrDamaged
	}
	return nil
}
