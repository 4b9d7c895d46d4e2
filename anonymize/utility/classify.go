package utility

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// ClassificationOptions say what to predict from what.
type ClassificationOptions struct {
	// Target is the attribute to predict. Required; it has at most maxClasses values.
	Target string
	// Predictors are the attributes to predict from; by default all others of the release.
	Predictors []string
	// Folds is the number of parts of the cross-validation, 2 to 100; 5 by default.
	Folds int
	// Seed determines the folds, and the tables drawn from a release without completed ones.
	Seed uint64
}

// A Classification says how well models predict the target of raw records on which they were
// not trained.
type Classification struct {
	Records, Classes, Folds int
	// Majority always predicts the most frequent value in the other folds of the raw table.
	// Truth is trained on these folds. Independent is trained on tables drawn from the release
	// with independent fragments within groups; Imputed on its completed tables (nil without
	// them).
	Majority, Truth, Independent, Imputed *Accuracy
}

// Accuracy is the share of correct predictions: over all records, and the least, the greatest
// and the standard deviation over the folds.
type Accuracy struct {
	Mean, Least, Greatest, Deviation float64
}

const (
	maxClasses  = 256
	maxFolds    = 100
	drawnTables = 5
)

// Classify trains one kind of model, naive Bayes on categories (classify_bayes.go), on the raw
// table and on tables that agree with the release, and tests all of them on the raw table by
// cross-validation (Stone, Cross-Validatory Choice and Assessment of Statistical Predictions,
// JRSS B 36(2), 1974). The difference in accuracy is what the release loses.
//
// A release does not link rows to records, so folds are not of records: a hash of the
// predictors assigns all rows with equal predictors to one fold, in the raw table and in the
// release's tables. So no model has seen the predictors on which it is tested. completion may
// be nil. The result depends only on the arguments. Errors: *ParameterError for the options,
// *DataError if a fold would be empty, the context's. Cost: a pass over the predictors of every
// table, and classes x predictors per tested record.
func Classify(ctx context.Context, r *anonymize.Release, completion *anonymize.Completion, table *anonymize.Microdata, o ClassificationOptions,
	progress func(done, total int)) (*Classification, error) {
	s, err := newStudy(r, table, o)
	if err != nil {
		return nil, err
	}
	result := &Classification{Records: table.Rows, Classes: s.classes(), Folds: s.folds}
	truth := s.rowsOf(table)
	if err := s.divide(truth); err != nil {
		return nil, err
	}
	all := s.newCounts()
	s.train(all, truth)
	if result.Majority, err = s.test(ctx, all, truth, 1, true); err != nil {
		return nil, err
	}
	if result.Truth, err = s.test(ctx, all, truth, 1, false); err != nil {
		return nil, err
	}
	drawn := func(d int) *labelled { return s.rowsOf(estimate.Draw(r, rand.NewPCG(o.Seed, uint64(d)))) }
	tables := drawnTables
	if completion != nil {
		tables += completion.Tables
	}
	report := func(done, _ int) {
		if progress != nil {
			progress(done, tables)
		}
	}
	if result.Independent, err = s.trainAndTest(ctx, drawnTables, drawn, truth, report); err != nil {
		return nil, err
	}
	if completion == nil {
		return result, nil
	}
	rows := newCompletedRows(r, completion)
	result.Imputed, err = s.trainAndTest(ctx, completion.Tables, func(d int) *labelled { return s.completed(rows, d) }, truth,
		func(done, _ int) { report(drawnTables+done, tables) })
	if err != nil {
		return nil, err
	}
	return result, nil
}

// A study is what all models of a classification share. Codes are those of the published
// dictionaries; a value that is not in its dictionary has the code len(dictionary).
type study struct {
	target     *anonymize.FragmentColumn
	predictors []*anonymize.FragmentColumn
	names      []string // of the predictors, as published
	category   [][]int  // by predictor and code
	categories []int    // by predictor
	folds      int
	seed       uint64
	bounds     []uint64 // hashes where folds begin, except the first
}

func newStudy(r *anonymize.Release, table *anonymize.Microdata, o ClassificationOptions) (*study, error) {
	s := &study{folds: o.Folds, seed: o.Seed}
	if s.folds == 0 {
		s.folds = 5
	}
	if s.folds < 2 || s.folds > maxFolds {
		return nil, &anonymize.ParameterError{Parameter: "folds", Value: strconv.Itoa(s.folds), Rule: fmt.Sprintf("must be 2 to %d", maxFolds)}
	}
	if err := s.choose(r, o); err != nil {
		return nil, err
	}
	for _, c := range s.predictors {
		raw := table.Column(c.Name)
		if raw == nil {
			return nil, &anonymize.DataError{Reason: fmt.Sprintf("the table has no column %s any more", c.Name)}
		}
		category, n := categoriesOf(c.Dictionary, recoded(raw, c.Dictionary))
		s.category, s.categories = append(s.category, category), append(s.categories, n)
	}
	if table.Column(s.target.Name) == nil {
		return nil, &anonymize.DataError{Reason: fmt.Sprintf("the table has no column %s any more", s.target.Name)}
	}
	return s, nil
}

// choose locates the target and the predictors.
func (s *study) choose(r *anonymize.Release, o ClassificationOptions) error {
	find := func(option, name string) (*anonymize.FragmentColumn, error) {
		f, c, ok := r.Locate(name)
		if !ok {
			return nil, &anonymize.ParameterError{Parameter: option, Value: "'" + name + "'", Rule: "must be an attribute that the release publishes"}
		}
		return r.Fragments[f].Columns[c], nil
	}
	var err error
	if s.target, err = find("target", o.Target); err != nil {
		return err
	}
	if n := len(s.target.Dictionary); n > maxClasses {
		return &anonymize.ParameterError{Parameter: "target", Value: "'" + o.Target + "'",
			Rule: fmt.Sprintf("has %d values, must have at most %d: a class is a value", n, maxClasses)}
	}
	names := o.Predictors
	if len(names) == 0 {
		for _, f := range r.Fragments {
			for _, c := range f.Columns {
				if c.Name != o.Target {
					names = append(names, c.Name)
				}
			}
		}
	}
	for i, name := range names {
		c, err := find("predictors", name)
		if err != nil {
			return err
		}
		if c == s.target || slices.Contains(names[:i], name) {
			return &anonymize.ParameterError{Parameter: "predictors", Value: "'" + name + "'", Rule: "must be attributes other than the target, each once"}
		}
		s.predictors, s.names = append(s.predictors, c), append(s.names, name)
	}
	if len(names) == 0 {
		return &anonymize.DataError{Reason: "the release has no attribute beside " + o.Target + " to predict it from"}
	}
	return nil
}

func (s *study) classes() int { return len(s.target.Dictionary) }

// labelled rows have the codes of the predictors and of the target.
type labelled struct {
	codes [][]uint32 // by predictor and row
	class []uint32
}

// rowsOf returns the rows of a raw or drawn table.
func (s *study) rowsOf(table *anonymize.Microdata) *labelled {
	rows := &labelled{class: recoded(table.Column(s.target.Name), s.target.Dictionary)}
	for _, c := range s.predictors {
		rows.codes = append(rows.codes, recoded(table.Column(c.Name), c.Dictionary))
	}
	return rows
}

// hash hashes the predictors of a row (Steele, Lea and Flood, Fast Splittable Pseudorandom
// Number Generators, OOPSLA 2014: the mixing function).
func (s *study) hash(rows *labelled, row int) uint64 {
	h := s.seed
	for _, codes := range rows.codes {
		h += 0x9e3779b97f4a7c15 * (1 + uint64(codes[row]))
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}

// divide makes folds with about equally many records of the raw table.
func (s *study) divide(truth *labelled) error {
	hashes := make([]uint64, len(truth.class))
	for row := range hashes {
		hashes[row] = s.hash(truth, row)
	}
	slices.Sort(hashes)
	for i := 1; i < s.folds && len(hashes) > 0; i++ {
		s.bounds = append(s.bounds, hashes[i*len(hashes)/s.folds])
	}
	distinct := len(slices.Compact(slices.Clone(s.bounds)))
	if distinct < s.folds-1 || len(hashes) == 0 || s.bounds[0] == hashes[0] {
		return &anonymize.DataError{
			Reason: fmt.Sprintf(
				"the predictors have too few combinations for %d folds, of which one would be empty: give fewer folds, or other predictors",
				s.folds,
			),
		}
	}
	return nil
}

// fold returns the fold of a row.
func (s *study) fold(rows *labelled, row int) int {
	h := s.hash(rows, row)
	at, found := slices.BinarySearch(s.bounds, h)
	if found {
		at++
	}
	return at
}

// accuracyOf summarizes the folds: right and all are numbers of records by fold.
func accuracyOf(right, all []int) *Accuracy {
	a, records, squares := &Accuracy{Least: 1}, 0, 0.0
	for f, n := range all {
		share := float64(right[f]) / float64(n)
		a.Mean += float64(right[f])
		records += n
		a.Least, a.Greatest = min(a.Least, share), max(a.Greatest, share)
	}
	a.Mean /= float64(records)
	mean := 0.0
	for f, n := range all {
		mean += float64(right[f]) / float64(n) / float64(len(all))
	}
	for f, n := range all {
		d := float64(right[f])/float64(n) - mean
		squares += d * d
	}
	a.Deviation = math.Sqrt(squares / float64(len(all)-1))
	return a
}
