package utility

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// Naive Bayes assigns a row with the categories x_1, x_2, ... to the class c that maximizes
//
//	log (n_c + 1) + sum over the predictors i of log ((n_c,xi + 1) / (n_c + K_i))
//
// with n the counts of the training rows, and K_i the number of categories of predictor i:
// maximum a posteriori with Laplace's rule of succession. Ties go to the first class. Better
// models exist; this one is the same for table and release, and reads the two-way margins that
// a release keeps or loses.

// maxBins is the greatest number of categories of numbers, maxValues of other attributes.
const maxBins, maxValues = 16, 64

// categoriesOf groups the values of a dictionary; codes are the table's. Numbers and points in
// time go into at most maxBins bins of about as many records. Of other values the most frequent
// have a category each, and the rest share one. A value that is not in the dictionary has the
// last value's category.
func categoriesOf(dictionary []anonymize.Value, codes []uint32) (category []int, n int) {
	count := make([]int, len(dictionary)+1)
	for _, code := range codes {
		count[code]++
	}
	category = make([]int, len(count))
	if len(dictionary) > maxBins && (&anonymize.Column{Dictionary: dictionary}).IsNumeric() {
		before := 0
		for code, records := range count {
			category[code] = maxBins * before / max(1, len(codes))
			before += records
		}
		return category, maxBins
	}
	order := anonymize.Ints(len(dictionary))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(count[b], count[a]) })
	n = min(len(dictionary), maxValues)
	for rank, code := range order {
		category[code] = min(rank, n-1)
	}
	category[len(dictionary)] = n - 1
	return category, n
}

// counts are numbers of rows by fold, class and category.
type counts struct {
	class [][]int   // by fold and class
	joint [][][]int // by fold and predictor: at class * categories + category
}

func (s *study) newCounts() *counts {
	c := &counts{}
	for range s.folds {
		c.class = append(c.class, make([]int, s.classes()))
		joint := make([][]int, len(s.predictors))
		for i, n := range s.categories {
			joint[i] = make([]int, s.classes()*n)
		}
		c.joint = append(c.joint, joint)
	}
	return c
}

func (c *counts) add(other *counts) {
	for f := range c.class {
		for i, n := range other.class[f] {
			c.class[f][i] += n
		}
		for p := range c.joint[f] {
			for i, n := range other.joint[f][p] {
				c.joint[f][p][i] += n
			}
		}
	}
}

// train counts rows. It ignores classes that the release does not know.
func (s *study) train(to *counts, rows *labelled) {
	for row, class := range rows.class {
		if int(class) >= s.classes() {
			continue
		}
		f := s.fold(rows, row)
		to.class[f][class]++
		for p, codes := range rows.codes {
			to.joint[f][p][int(class)*s.categories[p]+s.category[p][codes[row]]]++
		}
	}
}

// trainAndTest trains one model on several tables in parallel, with equal weights, and tests it
// on the truth.
func (s *study) trainAndTest(
	ctx context.Context,
	tables int,
	rowsOf func(d int) *labelled,
	truth *labelled,
	progress func(done, total int),
) (*Accuracy, error) {
	done := parallel.NewCounter(tables, progress)
	parts, err := parallel.Collect(ctx, parallel.All, tables, func(int) *counts { return s.newCounts() }, func(own *counts, d int) error {
		s.train(own, rowsOf(d))
		done.Add(1)
		return nil
	})
	if err != nil {
		return nil, err
	}
	all := s.newCounts()
	for _, own := range parts {
		all.add(own) // whole numbers: the order does not matter
	}
	return s.test(ctx, all, truth, tables, false)
}

// test tests each fold with a model of the other folds. Counts are sums over that many tables.
// The majority's model ignores predictors.
func (s *study) test(ctx context.Context, c *counts, truth *labelled, tables int, majority bool) (*Accuracy, error) {
	models := make([]*bayes, s.folds)
	for f := range models {
		models[f] = s.trainWithoutFold(c, f, float64(tables))
		if majority {
			models[f].likelihood = nil
		}
	}
	blocks := (len(truth.class) + scanBlock - 1) / scanBlock
	right, all := make([]int, s.folds*blocks), make([]int, s.folds*blocks)
	err := parallel.Run(ctx, blocks, func(b int) error {
		for row := b * scanBlock; row < min((b+1)*scanBlock, len(truth.class)); row++ {
			f := s.fold(truth, row)
			all[b*s.folds+f]++
			if models[f].predict(s, truth, row) == int(truth.class[row]) {
				right[b*s.folds+f]++
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := s.folds; i < len(all); i++ { // the first block has the sums
		all[i%s.folds] += all[i]
		right[i%s.folds] += right[i]
	}
	return accuracyOf(right[:s.folds], all[:s.folds]), nil
}

// A bayes is a trained model.
type bayes struct {
	prior      []float64
	likelihood [][]float64 // by predictor: at class * categories + category; nil for the majority's model
}

// trainWithoutFold trains on all folds except one.
func (s *study) trainWithoutFold(c *counts, fold int, tables float64) *bayes {
	m, rows := &bayes{prior: make([]float64, s.classes())}, make([]float64, s.classes())
	for f := range c.class {
		for class, n := range c.class[f] {
			if f != fold {
				rows[class] += float64(n) / tables
			}
		}
	}
	for class, n := range rows {
		m.prior[class] = math.Log(n + 1)
	}
	for p, categories := range s.categories {
		likelihood := make([]float64, len(rows)*categories)
		for f := range c.joint {
			for i, n := range c.joint[f][p] {
				if f != fold {
					likelihood[i] += float64(n)
				}
			}
		}
		for i, n := range likelihood {
			likelihood[i] = math.Log((n/tables + 1) / (rows[i/categories] + float64(categories)))
		}
		m.likelihood = append(m.likelihood, likelihood)
	}
	return m
}

func (m *bayes) predict(s *study, rows *labelled, row int) int {
	best, greatest := 0, math.Inf(-1)
	for class, score := range m.prior {
		for p, likelihood := range m.likelihood {
			score += likelihood[class*s.categories[p]+s.category[p][rows.codes[p][row]]]
		}
		if score > greatest {
			best, greatest = class, score
		}
	}
	return best
}

// completedRows are the rows of completed tables: tuples has, by fragment, the tuple at every
// place.
type completedRows struct {
	release    *anonymize.Release
	completion *anonymize.Completion
	tuples     [][]uint32
	first      []int // by record: where its group begins
}

func newCompletedRows(r *anonymize.Release, c *anonymize.Completion) *completedRows {
	rows := &completedRows{release: r, completion: c}
	for _, f := range r.Fragments {
		var tuples []uint32
		for t, n := range f.Count { // tuples are sorted by group
			tuples = append(tuples, slices.Repeat([]uint32{uint32(t)}, int(n))...)
		}
		rows.tuples = append(rows.tuples, tuples)
	}
	for _, size := range r.GroupSizes {
		rows.first = append(rows.first, slices.Repeat([]int{len(rows.first)}, int(size))...)
	}
	return rows
}

// column returns the codes of a column of table d.
func (c *completedRows) column(d int, name string) []uint32 {
	f, at, _ := c.release.Locate(name)
	column, codes := c.release.Fragments[f].Columns[at], make([]uint32, len(c.first))
	for record, first := range c.first {
		place := record
		switch {
		case f == 0:
		case c.completion.Wide != nil:
			place = first + int(c.completion.Wide[d][f-1][record])
		default:
			place = first + int(c.completion.Narrow[d][f-1][record])
		}
		codes[record] = column.Codes[c.tuples[f][place]]
	}
	return codes
}

// completed returns the rows of table d.
func (s *study) completed(c *completedRows, d int) *labelled {
	rows := &labelled{class: c.column(d, s.target.Name)}
	for _, name := range s.names {
		rows.codes = append(rows.codes, c.column(d, name))
	}
	return rows
}
