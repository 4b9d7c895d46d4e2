package releases

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/impute"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/engine/completion"
	"github.com/anonsql/anonsql/engine/estimates"
	"github.com/anonsql/anonsql/engine/publication"
)

// completed names the relation of completed tables among those of an attempt.
const completed = source.DrawnRelation

// sampledRecords is about the number of records to which the model is fitted and that are attacked.
const sampledRecords = 50_000

// sampledEvery returns the divisor of a sample's group numbers. The numbers are random.
func sampledEvery(w *source.Written) int64 {
	return int64(max(1, min(w.Rows/sampledRecords, w.Groups/fewSampled)))
}

// fewSampled is the least number of groups of a sample, if there are so many: some groups have tens of thousands of records.
const fewSampled = 50

// Sample implements source.Attempt.
func (a *attempt) Sample(ctx context.Context, w *source.Written) (sample *anonymize.Release, whole bool, err error) {
	if slices.ContainsFunc(w.Fragments, hasRanges) {
		return nil, false, nil
	}
	every := int64(1)
	if whole = w.Rows <= a.store.limit; !whole {
		every = sampledEvery(w)
	}
	if sample, err = a.store.Read(ctx, w.Place, w.Fragments, every); err != nil || whole {
		return sample, whole, err
	}
	for _, f := range sample.Fragments {
		for _, c := range f.Columns {
			if err := extend(c, a.columns[c.Name].Dictionary); err != nil {
				return nil, false, err
			}
		}
	}
	return sample, false, nil
}

// extend gives a column a larger, ascending dictionary.
func extend(c *anonymize.FragmentColumn, dictionary []anonymize.Value) error {
	place := make([]uint32, len(c.Dictionary))
	for code, v := range c.Dictionary {
		at, ok := slices.BinarySearchFunc(dictionary, v, anonymize.Compare)
		if !ok {
			return fmt.Errorf("column %s has the value %s, which it had not before", c.Name, v)
		}
		place[code] = uint32(at)
	}
	for t, code := range c.Codes {
		c.Codes[t] = place[code]
	}
	c.Dictionary = dictionary
	return nil
}

// Complete implements source.Attempt. A DataError means that the statement would be longer than engines read.
func (a *attempt) Complete(ctx context.Context, w *source.Written, fitted *impute.Fitted, progress func(done, total int)) error {
	r := completion.Request{
		Conn:    a.store.conn,
		Dialect: a.store.dialect,
		Fitted:  fitted,
		Largest: w.Place.Sizes[len(w.Place.Sizes)-1].Size,
		Seed:    fmt.Sprintf("%x", impute.Digest(fitted.Sample)),
		Table: func(name string) string {
			return a.store.dialect.Name(a.store.catalog, a.store.private, publication.RelationName(a.name, name))
		},
	}
	var err error
	if r.Result, err = a.store.relation(w.Place, completed); err != nil {
		return err
	}
	for _, f := range w.Fragments {
		r.Relations = append(r.Relations, a.store.counting(w.Place, f))
	}
	if err := completion.Draw(ctx, r); err != nil {
		if long := (*completion.LengthError)(nil); errors.As(err, &long) {
			return &anonymize.DataError{Reason: long.Error()}
		}
		return err
	}
	w.Place.Tables = len(fitted.Theta)
	return nil
}

// Republisher implements source.Attempt.
func (a *attempt) Republisher(m anonymize.Method) anonymize.Method {
	return a.plan.Republisher(m)
}

// dropCompleted drops completed tables, even incomplete ones.
func (a *attempt) dropCompleted(ctx context.Context) error {
	var failed []error
	for _, schema := range []string{a.store.private, a.store.schema} {
		relation, err := a.store.relation(source.Place{Engine: a.store.Engine(), Name: a.name, Schema: schema}, completed)
		if err == nil {
			_, err = a.store.conn.Exec(ctx, "DROP TABLE IF EXISTS "+relation)
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

// counting returns a relation of points for counting.
func (r *Reader) counting(p source.Place, f source.Fragment) estimates.Relation {
	relation := estimates.Relation{Path: []string{r.catalog, r.schemaOf(p), publication.RelationName(p.Name, f.Name)}}
	for _, c := range f.Columns {
		relation.Columns = append(relation.Columns, estimates.Column{Name: c.Name, Type: p.Declared[c.Name]})
	}
	return relation
}
