package publication

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/privacy"
	"github.com/anonsql/anonsql/engine/dialect"
)

// Verify recomputes the guarantees from the relations, by SQL over all groups in the engine, and again here over a sample of about sampled
// whole groups; it also compares the relations' marginals with the raw table's, and their groups with each other. It fails if a guarantee
// does not hold, a relation does not match, or the table has changed. Of the plan it uses only the promises.
func (a *Attempt) Verify(ctx context.Context, sampled int) ([]anonymize.Guarantee, error) {
	guarantees, err := a.guarantees(ctx)
	if err != nil {
		return nil, err
	}
	if err := privacy.FirstBroken(guarantees); err != nil {
		return nil, fmt.Errorf("the release was not accepted: %w", err)
	}
	for _, f := range a.Fragments {
		if err := a.complete(ctx, f); err != nil {
			return nil, err
		}
	}
	if err := a.sameGroups(ctx); err != nil {
		return nil, err
	}
	sample, err := a.Sample(ctx, sampled)
	if err != nil {
		return nil, err
	}
	found, err := privacy.Verify(sample)
	if err == nil {
		err = privacy.FirstBroken(found)
	}
	if err != nil {
		return nil, fmt.Errorf("the release was not accepted: in a sample of %d groups: %w", sample.Groups(), err)
	}
	return guarantees, nil
}

// Guarantees recomputes the promises of a committed release by SQL over all groups of its relations,
// reading nothing else. r has the method and all bounds; groups is the number of groups.
func (e *Engine) Guarantees(ctx context.Context, r Request, relations []Relation, groups int64) ([]anonymize.Guarantee, error) {
	a := &Attempt{engine: e, plan: &Plan{Request: r}, schema: e.Published, Fragments: relations, Groups: groups}
	return a.guarantees(ctx)
}

// guarantees returns the promised ones, over all groups, after the share of the records in groups with one value, if there are any.
func (a *Attempt) guarantees(ctx context.Context) (guarantees []anonymize.Guarantee, err error) {
	fragments := a.Fragments
	if a.plan.Method != Slppa {
		fragments = fragments[len(fragments)-1:]
	}
	groups, err := a.greatestCounts(ctx, fragments)
	if err != nil {
		return nil, err
	}
	if g, ok := a.oneValue(groups); ok {
		guarantees = append(guarantees, g)
	}
	for _, p := range a.plan.promises() {
		var g anonymize.Guarantee
		switch p.Guarantee {
		case "k":
			g, err = a.anonymity(ctx, p)
		case "l", "size":
			g = leastGuarantee(p, groups)
		case "delta":
			g, err = a.delta(ctx, p, recordsIn(groups))
		default:
			g = a.association(p, groups)
		}
		if err != nil {
			return nil, err
		}
		guarantees = append(guarantees, g)
	}
	return guarantees, nil
}

// records returns an expression of the number of records of a group or tuple.
func (a *Attempt) records() string {
	return a.engine.Dialect.Cast("sum("+a.count()+")", dialect.BigInt)
}

func (a *Attempt) count() string { return a.engine.Dialect.Name("count") }

// changed returns the error for relations that are not what was published.
func (a *Attempt) changed(how string) error {
	of := "what was published"
	if t := a.plan.Table; t != nil { // a release that is read again has none
		of = fmt.Sprintf("table %s.%s", t.Schema, t.Name)
	}
	return &anonymize.DataError{
		Reason: fmt.Sprintf("the relations are not those of %s: %s. It has changed meanwhile: publish again when nobody writes to it", of, how),
	}
}

// complete compares the record counts of every tuple in a relation and in the raw table. For a
// relation of ranges it compares the assignment, and the ranges with it. Sums of digests reveal
// a difference with a probability of 1 - 2^-112 and take no memory. If they differ, it counts
// tuples.
func (a *Attempt) complete(ctx context.Context, r Relation) error {
	var names, values, attributes []string
	released := a.plan.released()
	for _, c := range r.Columns {
		names = append(names, a.engine.Dialect.Name(c.Name))
		values = append(values, c.digested(a.engine.Dialect, a.engine.Dialect.Name(c.Name)))
		attributes = append(attributes, attribute(slices.Index(released, c)))
	}
	one := a.engine.Dialect.Cast("1", dialect.BigInt)
	published, raw := tuples{names, a.count(), a.relation(r)}, tuples{values, one, a.engine.raw(a.plan.Table)}
	if r.IsRanges() {
		published = tuples{attributes, one, a.table(a.source)}
	}
	first, err := a.digests(ctx, published)
	if err != nil {
		return err
	}
	second, err := a.digests(ctx, raw)
	if err != nil {
		return err
	}
	if first != second {
		if err := a.sameTuples(ctx, published, raw); err != nil {
			return err
		}
	}
	if r.IsRanges() {
		return a.checkRanges(ctx, r)
	}
	return nil
}

// tuples are columns of a table, each of whose rows represents some records.
type tuples struct {
	columns        []string
	records, table string
}

// digests returns the sums of two parts of the digests of all records' tuples.
func (a *Attempt) digests(ctx context.Context, of tuples) (sums [2]string, err error) {
	d := a.engine.Dialect
	err = a.engine.Conn.Query(ctx, fmt.Sprintf(
		"SELECT %s, %s FROM (SELECT %s AS records, %s AS digest FROM %s) AS digested",
		d.SumOfDigests(
			"digest",
			1,
			"records",
		),
		d.SumOfDigests("digest", 8, "records"),
		of.records,
		d.Digest(d.Row(of.columns...)),
		of.table,
	), func(row []any) error {
		for i := range sums {
			sums[i] = fmt.Sprint(row[i])
		}
		return nil
	})
	return sums, err
}

// sameTuples counts the tuples with different record counts, in both directions of the set difference.
func (a *Attempt) sameTuples(ctx context.Context, published, raw tuples) error {
	counted := func(of tuples) string {
		list := strings.Join(of.columns, ", ")
		return fmt.Sprintf("SELECT %s, %s AS records FROM %s GROUP BY %s", list, a.engine.Dialect.Cast("sum("+of.records+")", dialect.BigInt), of.table, list)
	}
	for _, two := range [][2]tuples{{published, raw}, {raw, published}} {
		differ, err := a.queryNumber(ctx, fmt.Sprintf("SELECT count(*) FROM (%s EXCEPT %s) AS difference", counted(two[0]), counted(two[1])))
		if err != nil {
			return err
		}
		if differ > 0 {
			return a.changed(fmt.Sprintf("%d combinations of (%s) have another number of records", differ, strings.Join(raw.columns, ", ")))
		}
	}
	return nil
}

// sameGroups compares the groups of all relations with those of the first.
func (a *Attempt) sameGroups(ctx context.Context) error {
	of := func(r Relation) string {
		return fmt.Sprintf("SELECT gid, %s AS records FROM %s GROUP BY gid", a.records(), a.relation(r))
	}
	for _, r := range a.Fragments[1:] {
		differ, err := a.queryNumber(
			ctx,
			fmt.Sprintf(
				"SELECT count(*) FROM (%s) AS one FULL JOIN (%s) AS other ON one.gid = other.gid WHERE one.gid IS NULL OR other.gid IS NULL OR one.records <> other.records",
				of(a.Fragments[0]),
				of(r),
			),
		)
		if err != nil {
			return err
		}
		if differ > 0 {
			return fmt.Errorf("the release was not accepted: %d groups of %s are not those of %s", differ, r.Name, a.Fragments[0].Name)
		}
	}
	return nil
}

// queryNumber runs a query of one number.
func (a *Attempt) queryNumber(ctx context.Context, text string) (n int64, err error) {
	err = a.engine.Conn.Query(ctx, text, func(row []any) error {
		n, err = readCount(row[0])
		return err
	})
	return n, err
}

// Sample reads about groups whole groups, or all of them if there are no more, as a separate release. Group numbers are random, so the groups with
// one remainder are a random sample. It has only promises that hold group by group: not delta, which compares groups with the whole relation.
func (a *Attempt) Sample(ctx context.Context, groups int) (*anonymize.Release, error) {
	every := max(1, a.Groups/int64(groups))
	r := &anonymize.Release{Method: a.plan.Method}
	for _, p := range a.plan.promises() {
		if p.Guarantee != "delta" || every == 1 {
			r.Promises = append(r.Promises, p)
		}
	}
	var gids []int64
	for i, f := range a.Fragments {
		fragment, of, err := a.pull(ctx, f, every)
		if err != nil {
			return nil, err
		}
		if i > 0 && !slices.Equal(of, gids) {
			return nil, fmt.Errorf("the release was not accepted: %s and %s have other groups", a.Fragments[0].Name, f.Name)
		}
		gids = of
		r.Fragments = append(r.Fragments, fragment)
	}
	first := r.Fragments[0]
	r.GroupSizes = make([]uint32, first.Groups())
	for g := range r.GroupSizes {
		for _, n := range first.Count[first.GroupStart[g]:first.GroupStart[g+1]] {
			r.GroupSizes[g] += n
		}
		r.Rows += int(r.GroupSizes[g])
	}
	return r, r.Check()
}
