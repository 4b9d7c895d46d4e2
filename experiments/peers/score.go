package peers

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/utility"
)

// A Score measures the loss and the guarantees of a release of generalized records. It counts records that a tool
// dropped from the table as suppressed.
type Score struct {
	// Classes, K and Share ignore suppressed records. Classes is the number of distinct tuples of cells, K the least
	// number of records with one, and Share the greatest share of a sensitive value among the records with one.
	Classes, K int
	Share      float64
	// Suppressed is the number of records without any quasi-identifier.
	Suppressed int
	// Penalty (NCP), Granularity (LM), Discernibility (C_DM) and DiscernibilitySuppressed are from
	// [utility.GeneralizationLoss]. The cells of dropped records count 1, and all dropped records form one class.
	Penalty, Granularity                     float64
	Discernibility, DiscernibilitySuppressed float64
	// Errors are the errors of a workload of counts over the whole table.
	Errors utility.Distribution
}

// Counts is the workload by which all releases are judged.
func Counts(queries int, seed uint64) utility.Workload {
	return utility.Workload{Queries: queries, Low: 1, High: 3, AndSensitive: true, Least: minCount, Seed: seed}
}

// Score judges a release of the table, by one of our methods or from ReadRecords.
func (t *Table) Score(ctx context.Context, r *anonymize.Release, w utility.Workload) (*Score, error) {
	loss := utility.GeneralizationOf(r)
	if loss == nil {
		return nil, fmt.Errorf("a release of %s does not generalize", r.Method)
	}
	e, err := utility.Evaluate(ctx, estimate.Prepare(r), t.Microdata, w, nil, nil)
	if err != nil {
		return nil, err
	}
	dropped, all := float64(t.Rows-r.Rows), float64(t.Rows)
	s := &Score{Suppressed: loss.Suppressed + t.Rows - r.Rows, Errors: e.Estimate,
		Penalty:        (loss.Mean*float64(r.Rows) + dropped) / all,
		Granularity:    (loss.Granularity*float64(r.Rows) + dropped) / all,
		Discernibility: loss.Discernibility + dropped*dropped,
		// package utility charges a suppressed record the number of published records only
		DiscernibilitySuppressed: loss.DiscernibilitySuppressed + float64(loss.Suppressed)*dropped + dropped*all}
	s.keep(r)
	return s, nil
}

// keep recomputes K and the share from the relations. A class has all records with the same cells. Within a group,
// every record may have each of the group's sensitive values.
func (s *Score) keep(r *anonymize.Release) {
	cells, sensitive := r.Fragments[0], r.Fragments[1]
	number, classes := cells.NumberTuples(len(cells.Columns))
	sizes, suppressed := make([]int, classes), make([]bool, classes)
	values := make([]map[uint32]float64, classes) // expected records
	for g, size := range r.GroupSizes {
		for t := cells.GroupStart[g]; t < cells.GroupStart[g+1]; t++ {
			class := number[t]
			if values[class] == nil {
				values[class], suppressed[class] = make(map[uint32]float64), tellsNothing(cells, int(t))
			}
			sizes[class] += int(cells.Count[t])
			for v := sensitive.GroupStart[g]; v < sensitive.GroupStart[g+1]; v++ {
				values[class][sensitive.Columns[0].Codes[v]] += float64(cells.Count[t]) * float64(sensitive.Count[v]) / float64(size)
			}
		}
	}
	for class, size := range sizes {
		if suppressed[class] {
			continue
		}
		if s.Classes++; s.Classes == 1 || size < s.K {
			s.K = size
		}
		s.Share = max(s.Share, slices.Max(slices.Collect(maps.Values(values[class])))/float64(size))
	}
}

// tellsNothing reports whether every cell of a tuple stands for all values.
func tellsNothing(f *anonymize.Fragment, t int) bool {
	return !slices.ContainsFunc(f.Columns, func(c *anonymize.FragmentColumn) bool {
		return c.IsPoint() && len(c.Dictionary) > 1 || !c.IsPoint() && len(c.Cells[c.Codes[t]].Members) < len(c.Dictionary)
	})
}
