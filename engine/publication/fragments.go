package publication

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/association"
	"github.com/anonsql/anonsql/anonymize/slicing"
	"github.com/anonsql/anonsql/anonymize/slppa"
)

// maxLevels is the number of distinguished values of a text when attributes are compared: the most frequent ones; all others are one.
const maxLevels = 256

// planFragments divides the quasi-identifiers: as requested, all in one for anatomy and
// mondrian, and else by the method's rule, with entropies and phi^2 from the engine's counts of
// every two columns.
func (e *Engine) planFragments(ctx context.Context, p *Plan) error {
	switch {
	case p.Division != nil:
		for _, names := range p.Division {
			p.fragments = append(p.fragments, p.columnsOf(names))
		}
		return nil
	case p.Fragments == 1:
		p.fragments = [][]Column{p.quasiIdentifiers}
		return nil
	}
	all := make([]attributeLevels, len(p.quasiIdentifiers))
	weights := make([]float64, len(all))
	for i, c := range p.quasiIdentifiers {
		counts, err := e.valuesOf(ctx, p, c)
		if err != nil {
			return err
		}
		weights[i] = association.EntropyOf(recordsOf(counts))
		all[i] = e.levelsOf(c, counts)
	}
	phi, err := e.associations(ctx, p, all)
	if err != nil {
		return err
	}
	division := slppa.Divide(weights, phi, p.Fragments)
	if p.Method == Slicing {
		if division, err = slicing.Cluster(ctx, len(all), phi, p.Fragments); err != nil {
			return err
		}
	}
	for _, members := range division {
		var fragment []Column
		for _, i := range members {
			fragment = append(fragment, p.quasiIdentifiers[i])
		}
		p.fragments = append(p.fragments, fragment)
	}
	return nil
}

// columnsOf returns quasi-identifiers by name.
func (p *Plan) columnsOf(names []string) (columns []Column) {
	for _, c := range p.quasiIdentifiers {
		if slices.Contains(names, c.Name) {
			columns = append(columns, c)
		}
	}
	return columns
}

// valuesOf returns a quasi-identifier's values, ascending. It reads them once.
func (e *Engine) valuesOf(ctx context.Context, p *Plan, c Column) ([]Count, error) {
	if known, ok := p.values[c.Name]; ok {
		return known, nil
	}
	counts, err := e.counts(ctx, p.Table, c)
	if err == nil && len(counts) == 0 {
		err = emptied(p.Table)
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(counts, func(a, b Count) int { return anonymize.Compare(a.Value, b.Value) })
	if p.values == nil {
		p.values = make(map[string][]Count)
	}
	p.values[c.Name] = counts
	return counts, nil
}

func recordsOf(counts []Count) (records []int64) {
	for _, c := range counts {
		records = append(records, c.Records)
	}
	return records
}

// attributeLevels is an attribute for phi^2: an expression whose values are its levels.
type attributeLevels struct {
	expression string
	column     Column // describes the expression's values
}

// levelsOf cuts numbers of more than association.DefaultBins values into as many bins with about equally many records, like
// slppa, and keeps texts of at most maxLevels values. Of other texts, all but the most frequent values become NULL.
func (e *Engine) levelsOf(c Column, counts []Count) attributeLevels {
	values := make([]anonymize.Value, len(counts))
	for i, of := range counts {
		values[i] = of.Value
	}
	name := e.Dialect.Name(c.Name)
	numeric := (&anonymize.Column{Dictionary: values}).IsNumeric()
	switch {
	case numeric && len(values) > association.DefaultBins:
		bin := association.EqualFrequency(values, recordsOf(counts), association.DefaultBins)
		first := 0
		if values[0].IsNull() {
			first = 1
		}
		var cuts []anonymize.Value
		for i := first + 1; i < len(values); i++ {
			if bin[i] != bin[i-1] {
				cuts = append(cuts, values[i])
			}
		}
		return attributeLevels{fmt.Sprintf("CASE WHEN %s IS NULL THEN -1 ELSE %s END", name, e.bin(c, name, cuts)), Column{c.Name, "bigint"}}
	case !numeric && len(values) > maxLevels:
		frequent := slices.Clone(counts)
		slices.SortStableFunc(frequent, func(a, b Count) int { return cmp.Compare(b.Records, a.Records) })
		var list []string
		for _, of := range frequent[:maxLevels-1] {
			if !of.Value.IsNull() {
				list = append(list, c.literal(e.Dialect, of.Value))
			}
		}
		return attributeLevels{fmt.Sprintf("CASE WHEN %s IN (%s) THEN %s END", name, strings.Join(list, ", "), name), c}
	}
	return attributeLevels{name, c}
}

// associations returns phi^2 of all attributes, nil if nothing must be compared.
func (e *Engine) associations(ctx context.Context, p *Plan, all []attributeLevels) ([][]float64, error) {
	if p.Fragments == 1 || p.Fragments == len(all) {
		return nil, nil
	}
	phi := make([][]float64, len(all))
	for i := range all {
		phi[i] = make([]float64, len(all))
		phi[i][i] = 1
		for j := range i {
			pairs, err := e.pairs(ctx, p.Table, all[i], all[j])
			if err != nil {
				return nil, err
			}
			phi[i][j] = association.PhiSquaredOf(pairs, association.Options{})
			phi[j][i] = phi[i][j]
		}
	}
	return phi, nil
}

// pairs counts the records of two attributes' levels, numbered in order of appearance.
func (e *Engine) pairs(ctx context.Context, t *Table, a, b attributeLevels) (pairs []association.Pair, err error) {
	numbers := [2]map[anonymize.Value]uint32{{}, {}}
	err = e.Conn.Query(
		ctx,
		fmt.Sprintf("SELECT a, b, count(*) FROM (SELECT %s AS a, %s AS b FROM %s) AS levels GROUP BY a, b", a.expression, b.expression, e.raw(t)),
		func(row []any) error {
			var level [2]uint32
			for i, of := range []attributeLevels{a, b} {
				v, err := of.column.value(row[i])
				if err != nil {
					return err
				}
				number, known := numbers[i][v]
				if !known {
					number = uint32(len(numbers[i]))
					numbers[i][v] = number
				}
				level[i] = number
			}
			n, err := readCount(row[2])
			pairs = append(pairs, association.Pair{A: level[0], B: level[1], Records: n})
			return err
		},
	)
	if err == nil && len(pairs) == 0 {
		err = emptied(t)
	}
	// The engine's order varies, and sums of floats must not depend on it.
	slices.SortFunc(pairs, func(x, y association.Pair) int { return cmp.Compare(x.Records, y.Records) })
	return pairs, err
}
