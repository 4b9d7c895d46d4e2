package releases

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/engine/dialect"
	"github.com/anonsql/anonsql/engine/publication"
	"github.com/anonsql/anonsql/engine/tables"
)

// sampledGroups is the number of whole groups that are also verified here; fewer if they are large, with about verifiedRecords.
const sampledGroups, verifiedRecords = 2000, 500_000

// An attempt is a publication in progress.
type attempt struct {
	store *Store
	table *tables.Table
	name  string
	plan  *publication.Plan
	asked []anonymize.Promise  // beyond the method's own
	made  *publication.Attempt // nil before Assign
	told  []string             // columns of ranges whose occurring numbers readers learn
	// columns are the released ones, by name.
	columns map[string]*countedColumn
}

var _ source.Attempt = (*attempt)(nil)

// Assign implements source.Attempt.
func (a *attempt) Assign(ctx context.Context, progress func(done, total int)) (err error) {
	a.made, err = a.store.engine().Assign(ctx, a.plan, a.name, progress)
	return err
}

// Verify implements source.Attempt. The engine numbers groups differently, so no group is named.
func (a *attempt) Verify(ctx context.Context) ([]anonymize.Guarantee, error) {
	size := a.plan.Records / max(1, a.made.Groups)
	found, err := a.made.Verify(ctx, min(sampledGroups, max(fewSampled, int(verifiedRecords/max(1, size)))))
	for i := range found {
		found[i].WorstGroup = -1
	}
	if err == nil {
		err = checkAsked(a.asked, found)
	}
	return found, err
}

// Written implements source.Attempt.
func (a *attempt) Written(ctx *sql.Context) (*source.Written, error) {
	w := &source.Written{
		Place:   source.Place{Engine: a.store.Engine(), Name: a.name, Schema: a.store.private, Declared: make(map[string]string)},
		Digests: make(map[string]string),
	}
	a.columns = make(map[string]*countedColumn)
	types := make(map[string]string)
	for _, c := range a.table.Schema() {
		types[c.Name] = coding.TypeText(c.Type)
	}
	for i, relation := range a.made.Fragments {
		f := source.Fragment{Name: relation.Fragment(), Role: relation.Role}
		for _, c := range relation.Columns {
			f.Columns = append(f.Columns, source.FragmentColumn{Name: c.Name, Type: types[c.Name], Ranges: relation.IsRanges()})
			w.Place.Declared[c.Name] = c.Type
		}
		if err := a.digests(ctx, w, f, relation); err != nil {
			return nil, err
		}
		if err := a.describe(ctx, w, &f, i == 0); err != nil {
			return nil, err
		}
		w.Fragments = append(w.Fragments, f)
	}
	if int64(w.Rows) != a.plan.Records || int64(w.Groups) != a.made.Groups {
		return nil, fmt.Errorf("the relations have %d records in %d groups, planned were %d in %d", w.Rows, w.Groups, a.plan.Records, a.made.Groups)
	}
	w.Facts = a.facts()
	return w, a.preview(ctx, w)
}

// digests returns the digests of a relation's columns. For ranges it uses the assignment, which has the records' values.
func (a *attempt) digests(ctx context.Context, w *source.Written, f source.Fragment, of publication.Relation) error {
	relation, err := a.store.relation(w.Place, f.Name)
	if err != nil {
		return err
	}
	d := a.store.dialect
	for i, c := range f.Columns {
		from, name, records := relation, d.Name(c.Name), d.Cast("sum("+d.Name("count")+")", dialect.BigInt)
		if of.IsRanges() {
			from, name = a.made.Assigned(of.Columns[i])
			records = "count(*)"
		}
		column, err := a.store.counted(ctx, from, name, records, c)
		if err != nil {
			return err
		}
		w.Digests[c.Name] = source.DigestOf(column.Column, column.counts)
		a.columns[c.Name] = column
		if of.IsRanges() && column.IsNumeric() && !everyListed(column.Dictionary) {
			a.told = append(a.told, c.Name)
		}
	}
	return nil
}

// everyListed reports whether a dictionary has all values from its least to its greatest, so that it does not reveal which occur.
func everyListed(dictionary []anonymize.Value) bool {
	values := slices.DeleteFunc(slices.Clone(dictionary), anonymize.Value.IsNull)
	return len(values) == len(anonymize.Listing(values))
}

// describe counts a relation's tuples and, if sizes is set, the group sizes, which all relations share.
func (a *attempt) describe(ctx context.Context, w *source.Written, f *source.Fragment, sizes bool) error {
	relation, err := a.store.relation(w.Place, f.Name)
	if err != nil {
		return err
	}
	if err := a.store.asker.Query(ctx, "SELECT count(*) FROM "+relation, func(row []any) error {
		n, ok := row[0].(int64)
		if !ok {
			return fmt.Errorf("the engine returned %v for a number of tuples", row[0])
		}
		f.Tuples = int(n)
		return nil
	}); err != nil || !sizes {
		return err
	}
	d := a.store.dialect
	return a.store.asker.Query(
		ctx,
		fmt.Sprintf("SELECT records, count(*) FROM (SELECT gid, %s AS records FROM %s GROUP BY gid) AS sized GROUP BY records ORDER BY records",
			d.Cast("sum("+d.Name("count")+")", dialect.BigInt), relation),
		func(row []any) error {
			records, ok := row[0].(int64)
			groups, counted := row[1].(int64)
			if !ok || !counted || records < 1 || records > math.MaxUint32 || groups < 1 {
				return fmt.Errorf("the engine returned %v groups of %v records", row[1], row[0])
			}
			w.Place.Sizes = append(w.Place.Sizes, estimate.GroupSize{Size: uint32(records), Groups: uint64(groups)})
			w.Rows, w.Groups = w.Rows+int(records*groups), w.Groups+int(groups)
			return nil
		},
	)
}

// A countedColumn is a column without rows, with the number of records of every value.
type countedColumn struct {
	*anonymize.Column
	counts []int // by code
}

// counted reads the raw table's values of a column, at most publication.MaxValues, from a table with
// that column as name; records is an expression of the number of records that its rows represent.
func (s *Store) counted(ctx context.Context, from, name, records string, c source.FragmentColumn) (*countedColumn, error) {
	var values []any
	var codes []uint32
	var counts []int
	text := fmt.Sprintf("SELECT %s, %s FROM %s GROUP BY %s LIMIT %d", name, records, from, name, publication.MaxValues+1)
	if err := s.asker.Query(ctx, text, func(row []any) error {
		if len(values) == publication.MaxValues {
			return publication.TooManyValues(c.Name)
		}
		if text, ok := row[0].(string); ok && strings.Contains(text, dialect.Replaced) {
			return publication.NoText(c.Name, text)
		}
		n, ok := row[len(row)-1].(int64)
		if !ok {
			return fmt.Errorf("the engine returned %v for a number of records", row[len(row)-1])
		}
		codes, values, counts = append(codes, uint32(len(values))), append(values, row[0]), append(counts, int(n))
		return nil
	}); err != nil {
		return nil, err
	}
	column, err := keptColumn(ctx, c, codes, values)
	if err != nil {
		return nil, err
	}
	byCode := make([]int, len(counts))
	for i, code := range column.Codes {
		byCode[code] = counts[i]
	}
	return &countedColumn{&anonymize.Column{Name: c.Name, Type: column.Type, Dictionary: column.Dictionary}, byCode}, nil
}

// previewRows is about the number of records of a preview.
const previewRows = 10_000

// preview chooses the groups that a preview shows. Group numbers are random, so the groups with one remainder are a random sample.
func (a *attempt) preview(ctx context.Context, w *source.Written) error {
	w.Place.Preview = source.Preview{Every: max(1, int64(w.Rows)/previewRows), Rows: w.Rows}
	if w.Place.Preview.Every == 1 {
		return nil
	}
	relation, err := a.store.relation(w.Place, w.Fragments[0].Name)
	if err != nil {
		return err
	}
	d := a.store.dialect
	return a.store.asker.Query(
		ctx,
		fmt.Sprintf(
			"SELECT coalesce(%s, 0) FROM %s WHERE mod(gid, %d) = 0",
			d.Cast("sum("+d.Name("count")+")", dialect.BigInt),
			relation,
			w.Place.Preview.Every,
		),
		func(row []any) error {
			n, ok := row[0].(int64)
			if !ok {
				return fmt.Errorf("the engine returned %v for a number of records", row[0])
			}
			w.Place.Preview.Rows = int(n)
			return nil
		},
	)
}

// facts returns facts for the owner.
func (a *attempt) facts() []anonymize.Fact {
	facts := []anonymize.Fact{{Name: "published in", Value: a.store.Engine()}}
	if a.plan.Blocks > 1 {
		facts = append(facts, anonymize.Fact{Name: "blocks of neighbours", Value: fmt.Sprint(a.plan.Blocks)})
	}
	if len(a.told) > 0 {
		facts = append(facts, anonymize.Fact{Name: "warning", Value: fmt.Sprintf("estimates tell readers which numbers of %s occur in the table, "+
			"and so whether somebody has a certain one: round them before you publish in the engine", strings.Join(a.told, ", "))})
	}
	return facts
}

// Close implements source.Attempt.
func (a *attempt) Close(ctx context.Context) error { return a.made.Close(ctx) }

// Publish implements source.Attempt.
func (a *attempt) Publish(ctx context.Context, w *source.Written) error {
	w.Place.Schema = ""
	if w.Place.Tables > 0 {
		return a.made.Publish(ctx, publication.RelationName(a.name, completed))
	}
	return a.made.Publish(ctx)
}

// Discard implements source.Attempt.
func (a *attempt) Discard(ctx context.Context) error {
	if a.made == nil { // a failed Assign has dropped everything itself
		return nil
	}
	return errors.Join(a.dropCompleted(ctx), a.made.Discard(ctx))
}

// Done implements source.Attempt.
func (a *attempt) Done() { a.store.end(a.name) }
