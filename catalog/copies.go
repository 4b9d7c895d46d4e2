package catalog

import (
	"context"
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/recognition"
)

// A candidate is the raw table of a publication that is to be admitted, and what
// it has in common with those of past ones.
type candidate struct {
	key      []byte
	table    *recognition.Table // nil for one that is not compared
	sketched []byte             // what is to be remembered of it
	first    recognition.Former // in the form of older programs, made when one is met
	alike    map[int64]recognition.Likeness
}

// compare sketches the records of a publication and compares them with those of
// past ones; a private one is not compared.
func (r *Releases) compare(ctx *sql.Context, p *Publication) (*candidate, error) {
	c := &candidate{sketched: []byte{}, alike: make(map[int64]recognition.Likeness)}
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
	_, _, err = r.likePast(ctx, p, c)
	return c, err
}

// admitCopy refuses a public release of records that another table's public
// release had: a copy under another name.
func (r *Releases) admitCopy(ctx *sql.Context, p *Publication, c *candidate) error {
	other, alike, err := r.likePast(ctx, p, c)
	if err != nil || other == nil {
		return err
	}
	if !p.AllowComposition {
		return other.refusal(p, describeCopy(p, other, alike))
	}
	p.Record.Composed = true
	return nil
}

// likePast finds the past publication of another table whose records the
// candidate has; one that is public before one that was. What was compared is not
// compared again.
func (r *Releases) likePast(ctx *sql.Context, p *Publication, c *candidate) (*pastPublication, recognition.Likeness, error) {
	if c.table == nil {
		return nil, recognition.Likeness{}, nil
	}
	past, err := r.pastPublications(ctx)
	if err != nil {
		return nil, recognition.Likeness{}, err
	}
	for _, other := range past {
		same, err := r.sameSource(ctx, other.record(), &p.Record)
		if err != nil {
			return nil, recognition.Likeness{}, err
		}
		// admitPublic and admitPast know the same table. Who may not read the other
		// one did not copy it, and must not learn by trying who is in it.
		if same || !r.mayReadSource(ctx, other.record()) {
			continue
		}
		alike, ok := c.alike[other.id]
		if !ok {
			if alike, err = c.likeness(ctx, p, other); err != nil {
				return nil, alike, err
			}
			c.alike[other.id] = alike
		}
		if alike.Share > 0 {
			return other, alike, nil
		}
	}
	return nil, recognition.Likeness{}, nil
}

// likeness compares the candidate with what is remembered of a publication.
func (c *candidate) likeness(ctx context.Context, p *Publication, other *pastPublication) (recognition.Likeness, error) {
	none := recognition.Likeness{}
	doing := "compare with release " + other.releaseName
	if recognition.Encoded(other.sketch) {
		known, err := recognition.Decode(other.sketch)
		if err != nil {
			return none, fault.Damaged(doing, err)
		}
		return c.table.Compare(ctx, known)
	}
	known, err := recognition.DecodeFormer(other.sketch)
	if err != nil {
		return none, fault.Cannot(doing, fault.ErrDamaged)
	}
	if len(known) == 0 {
		return none, nil
	}
	if c.first == nil {
		if c.first, err = recognition.NewFormer(ctx, c.key, releasedColumns(p)); err != nil {
			return none, err
		}
	}
	if share := c.first.Overlap(known); share >= recognition.Copied {
		return recognition.Likeness{Share: share, Within: true}, nil
	}
	return none, nil
}

// releasedColumns are the records' columns that the publication shows, which is
// what older programs sketched.
func releasedColumns(p *Publication) (released []*anonymize.Column) {
	for _, c := range p.Records {
		for _, name := range p.Record.Columns {
			if c.Name == name {
				released = append(released, c)
			}
		}
	}
	return released
}

// describeCopy says by what a table was recognised.
func describeCopy(p *Publication, other *pastPublication, alike recognition.Likeness) string {
	table, known := p.Record.Database+"."+p.Record.Table, other.database+"."+other.name
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

// checkSketch reads what is remembered of a publication, of either form.
func checkSketch(data []byte) error {
	if recognition.Encoded(data) {
		_, err := recognition.Decode(data)
		return err
	}
	if _, err := recognition.DecodeFormer(data); err != nil {
		return fault.ErrDamaged
	}
	return nil
}
