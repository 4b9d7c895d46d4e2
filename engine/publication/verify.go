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

// Verify recomputes the guarantee from the relations, as SQL over all groups in the engine, and again here over a sample of about sampled
// whole groups; and it compares the relations' marginals with the raw table's, and their groups with each other. A guarantee that does not hold,
// a relation that is not the table's, or a table that changed meanwhile, is an error. Nothing is taken from the plan but what was promised.
func (a *Attempt) Verify(ctx context.Context, sampled int) ([]anonymize.Guarantee, error) {
	diversity, err := a.diversity(ctx)
	if err != nil {
		return nil, err
	}
	if !diversity.Holds {
		return nil, fmt.Errorf("the release was not accepted: group %d has %s: l is %.4g, promised %d", diversity.WorstGroup, diversity.Detail, diversity.Achieved, a.plan.L)
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
	if err != nil {
		return nil, fmt.Errorf("the release was not accepted: in a sample of %d groups: %w", sample.Groups(), err)
	}
	if err := privacy.FirstBroken(found); err != nil {
		return nil, fmt.Errorf("the release was not accepted: in a sample of %d groups: %w", sample.Groups(), err)
	}
	return []anonymize.Guarantee{diversity}, nil
}

// diversity is l, the least of records / most frequent value over all groups (Machanavajjhala et al. 2006 in the simplest form, as in Xiao and
// Tao 2006, definition 2). Groups of as many records and as frequent a value are one row of the answer.
func (a *Attempt) diversity(ctx context.Context) (anonymize.Guarantee, error) {
	bound := anonymize.NewRatio(uint64(a.plan.L), 1)
	g := anonymize.Guarantee{Name: "l", Required: &bound, WorstGroup: -1}
	sensitive := a.Fragments[len(a.Fragments)-1]
	var groups int64
	err := a.engine.Conn.Query(ctx, fmt.Sprintf("SELECT records, most, count(*), min(gid) FROM (SELECT gid, %s AS records, max(%s) AS most FROM %s GROUP BY gid) AS sized GROUP BY records, most ORDER BY records, most",
		a.records(), a.count(), a.relation(sensitive)), func(row []any) error {
		var n [4]int64
		for i := range n {
			var err error
			if n[i], err = whole(row[i]); err != nil {
				return err
			}
		}
		groups += n[2]
		if l := float64(n[0]) / float64(n[1]); g.WorstGroup < 0 || l < g.Achieved {
			g.Achieved, g.WorstGroup = l, int(n[3])
			g.Detail = fmt.Sprintf("%d records, %d of one value", n[0], n[1])
		}
		return nil
	})
	if err == nil && groups != a.Groups {
		err = a.changed(fmt.Sprintf("there are %d groups, planned were %d", groups, a.Groups))
	}
	g.Holds = g.WorstGroup >= 0 && g.Achieved >= float64(a.plan.L)
	return g, err
}

// records is the number of records of a group or tuple, as an expression.
func (a *Attempt) records() string {
	return a.engine.Dialect.Cast("sum("+a.count()+")", dialect.BigInt)
}

func (a *Attempt) count() string { return a.engine.Dialect.Name("count") }

// changed is the error of a table that is not what was published.
func (a *Attempt) changed(how string) error {
	return &anonymize.DataError{Reason: fmt.Sprintf("the relations are not those of table %s.%s: %s. It has changed meanwhile: publish again when nobody writes to it",
		a.plan.Table.Schema, a.plan.Table.Name, how)}
}

// complete compares how many records every tuple has, in a relation and in the raw table: both ways, since a set difference has one.
func (a *Attempt) complete(ctx context.Context, r Relation) error {
	var names []string
	for _, c := range r.Columns {
		names = append(names, a.engine.Dialect.Name(c.Name))
	}
	list := strings.Join(names, ", ")
	published := fmt.Sprintf("SELECT %s, %s AS records FROM %s GROUP BY %s", list, a.records(), a.relation(r), list)
	raw := fmt.Sprintf("SELECT %s, count(*) AS records FROM %s GROUP BY %s", list, a.engine.raw(a.plan.Table), list)
	for _, two := range [][2]string{{published, raw}, {raw, published}} {
		differ, err := a.one(ctx, fmt.Sprintf("SELECT count(*) FROM (%s EXCEPT %s) AS difference", two[0], two[1]))
		if err != nil {
			return err
		}
		if differ > 0 {
			return a.changed(fmt.Sprintf("%d combinations of (%s) have another number of records", differ, list))
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
		differ, err := a.one(ctx, fmt.Sprintf("SELECT count(*) FROM (%s) AS one FULL JOIN (%s) AS other ON one.gid = other.gid WHERE one.gid IS NULL OR other.gid IS NULL OR one.records <> other.records",
			of(a.Fragments[0]), of(r)))
		if err != nil {
			return err
		}
		if differ > 0 {
			return fmt.Errorf("the release was not accepted: %d groups of %s are not those of %s", differ, r.Name, a.Fragments[0].Name)
		}
	}
	return nil
}

// one asks for one number.
func (a *Attempt) one(ctx context.Context, text string) (n int64, err error) {
	err = a.engine.Conn.Query(ctx, text, func(row []any) error {
		n, err = whole(row[0])
		return err
	})
	return n, err
}

// Sample pulls about so many whole groups, all for as many as there are, as a release of their own. Numbers of groups are random, so groups
// with neighbouring remainders are a random sample.
func (a *Attempt) Sample(ctx context.Context, groups int) (*anonymize.Release, error) {
	every := max(1, a.Groups/int64(groups))
	r := &anonymize.Release{Method: "anatomy", Promises: []anonymize.Promise{{Guarantee: "l", Bound: anonymize.NewRatio(uint64(a.plan.L), 1)}}}
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
