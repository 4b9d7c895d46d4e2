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

// A Score is what a release of generalized records keeps, and loses. Records of the table that
// it lacks, because a tool dropped them, are suppressed.
type Score struct {
	// Classes, K and Share are without the suppressed records: how many different tuples of cells
	// there are, the least number of records of one, and the greatest share of a sensitive value
	// among the records of one.
	Classes, K int
	Share      float64
	// Suppressed is the number of records of which no quasi-identifier is told, SuppressedShare
	// the greatest share of a sensitive value among those that are published; 0 without.
	Suppressed      int
	SuppressedShare float64
	// Penalty (NCP), Granularity (LM), Discernibility (C_DM) and DiscernibilitySuppressed are
	// those of [utility.GeneralizationLoss], with 1 for the cells of a dropped record; all
	// dropped records are a class.
	Penalty, Granularity                     float64
	Discernibility, DiscernibilitySuppressed float64
	// Errors are of a workload of counts of the whole table.
	Errors utility.Distribution
}

// Counts are the questions by which all releases are judged.
func Counts(queries int, seed uint64) utility.Workload {
	return utility.Workload{Queries: queries, Low: 1, High: 3, AndSensitive: true, Least: minCount, Seed: seed}
}

// Score judges a release of the table, one of our methods or one that ReadRecords read.
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
		// utility lets a suppressed record cost the records that are published
		DiscernibilitySuppressed: loss.DiscernibilitySuppressed + float64(loss.Suppressed)*dropped + dropped*all}
	s.keep(r)
	return s, nil
}

// keep recomputes k and the shares from the relations: of every class, the records with the same
// cells. Within a group every record may have each of its sensitive values.
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
		share := slices.Max(slices.Collect(maps.Values(values[class]))) / float64(size)
		if suppressed[class] {
			s.SuppressedShare = share
			continue
		}
		if s.Classes++; s.Classes == 1 || size < s.K {
			s.K = size
		}
		s.Share = max(s.Share, share)
	}
}

// tellsNothing: every cell of a tuple stands for all values.
func tellsNothing(f *anonymize.Fragment, t int) bool {
	return !slices.ContainsFunc(f.Columns, func(c *anonymize.FragmentColumn) bool {
		return c.IsPoint() && len(c.Dictionary) > 1 || !c.IsPoint() && len(c.Cells[c.Codes[t]].Members) < len(c.Dictionary)
	})
}
