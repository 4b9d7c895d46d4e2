package publication

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// anonymity returns k: the least number of records that the relation of ranges shows with equal ranges, over all groups (Samarati 2001).
func (a *Attempt) anonymity(ctx context.Context, promised anonymize.Promise) (anonymize.Guarantee, error) {
	g := anonymize.Guarantee{Name: "k", Required: &promised.Bound, WorstGroup: -1}
	r := a.Fragments[0]
	var names []string
	for _, name := range r.stored() {
		names = append(names, a.engine.Dialect.Name(name))
	}
	err := a.engine.Conn.Query(
		ctx,
		fmt.Sprintf("SELECT min(records), min_by(gid, records) FROM (SELECT min(gid) AS gid, %s AS records FROM %s GROUP BY %s) AS shown",
			a.records(), a.relation(r), strings.Join(names, ", ")),
		func(row []any) error {
			k, err := readCount(row[0])
			if err != nil {
				return err
			}
			gid, err := readCount(row[1])
			g.Achieved, g.WorstGroup, g.Detail = float64(k), int(gid), fmt.Sprintf("%d records are shown alike", k)
			g.Holds = uint64(k) >= promised.Bound.Num
			return err
		},
	)
	return g, err
}

// SharesRanges reports whether some groups of a relation of ranges show the same ranges.
func (a *Attempt) SharesRanges(ctx context.Context, r Relation) (bool, error) {
	var names []string
	for _, name := range r.stored() {
		names = append(names, a.engine.Dialect.Name(name))
	}
	n, err := a.queryNumber(ctx, fmt.Sprintf("SELECT count(*) FROM (SELECT count(*) AS shown FROM %s GROUP BY %s) AS classes WHERE shown > 1",
		a.relation(r), strings.Join(names, ", ")))
	return n > 0, err
}

// checkRanges checks that every record of the assignment lies in its group's ranges.
func (a *Attempt) checkRanges(ctx context.Context, r Relation) error {
	released := a.plan.released()
	var outside []string
	for _, c := range r.Columns {
		of, name := "a."+attribute(slices.Index(released, c)), func(ending string) string { return "r." + a.engine.Dialect.Name(c.Name+ending) }
		outside = append(outside, fmt.Sprintf("%s IS NULL AND NOT %s OR %s < %s OR %s > %s OR %s IS NOT NULL AND %s IS NULL",
			of, name(null), of, name(low), of, name(high), of, name(low)))
	}
	n, err := a.queryNumber(
		ctx,
		fmt.Sprintf(
			"SELECT count(*) FROM %s AS a LEFT JOIN %s AS r ON r.gid = a.gid WHERE r.gid IS NULL OR %s",
			a.table(a.source),
			a.relation(r),
			strings.Join(outside, " OR "),
		),
	)
	if err == nil && n > 0 {
		err = fmt.Errorf("the release was not accepted: %d records lie outside of the ranges of their groups", n)
	}
	return err
}

// pullRanges is pull for a relation of ranges.
func (a *Attempt) pullRanges(ctx context.Context, r Relation, every int64) (*anonymize.Fragment, []int64, error) {
	names := []string{"gid"}
	for _, name := range r.stored() {
		names = append(names, a.engine.Dialect.Name(name))
	}
	names = append(names, a.count())
	var tuples []tuple
	numbers, spans := make([]map[Span]uint32, len(r.Columns)), make([][]Span, len(r.Columns))
	err := a.engine.Conn.Query(
		ctx,
		fmt.Sprintf("SELECT %s FROM %s WHERE mod(gid, %d) = 0", strings.Join(names, ", "), a.relation(r), every),
		func(row []any) error {
			t, err := newTuple(row, len(r.Columns))
			if err != nil {
				return err
			}
			for i, c := range r.Columns {
				s, err := c.spanOf(row[1+3*i : 4+3*i])
				if err != nil {
					return err
				}
				if numbers[i] == nil {
					numbers[i] = make(map[Span]uint32)
				}
				number, known := numbers[i][s]
				if !known {
					number = uint32(len(spans[i]))
					numbers[i][s], spans[i] = number, append(spans[i], s)
				}
				t.codes[i] = number
			}
			tuples = append(tuples, t)
			return nil
		},
	)
	if err != nil {
		return nil, nil, err
	}
	f := &anonymize.Fragment{Name: r.Fragment(), Role: r.Role}
	for i, c := range r.Columns {
		domain, err := a.readDomain(ctx, r, i)
		if err != nil {
			return nil, nil, err
		}
		cells, place, err := CellsOf(domain, spans[i])
		if err != nil {
			return nil, nil, fmt.Errorf("the release was not accepted: column %q: %w", c.Name, err)
		}
		for t := range tuples {
			tuples[t].codes[i] = place[tuples[t].codes[i]]
		}
		f.Columns = append(f.Columns, &anonymize.FragmentColumn{Name: c.Name, Type: c.Type, Dictionary: domain, Cells: cells})
	}
	return f, lay(f, tuples), nil
}
