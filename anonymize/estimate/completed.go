package estimate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/anonsql/anonsql/anonymize"
)

// A Completed is a release with its completed tables: the second estimator. It is
// multiple imputation (Rubin, Multiple Imputation for Nonresponse in Surveys,
// 1987, section 3.1). With Q_d the plain figure of completed table d of D,
//
//	Q = sum_d Q_d / D                     (3.1.2)
//	U = 0                                 (3.1.3)
//	B = sum_d (Q_d - Q)^2 / (D - 1)       (3.1.4)
//	T = U + (1 + 1/D) B                   (3.1.5)
//
// U, the variance within a table, is 0 because the question is about the table that
// was published and not about a population that it was drawn from. The standard
// error is the root of T, and (figure - Q) / sqrt(T) follows Student's t with D - 1
// degrees of freedom.
//
// The figures of a question that touches several fragments are:
//
//   - COUNT, SUM and COUNT(DISTINCT x): the mean of Q_d. A table without the key
//     counts 0, also in a SUM; a SUM over nothing in all tables is NULL.
//   - AVG, variances and standard deviations: those of the mean weights, as
//     [VariancePopulation] says; AVG is the ratio of the mean SUM to the mean COUNT.
//   - Least and Greatest: the figure of the median table, of two the lower one, so
//     that it always is a value of the column. They are no bounds here.
//
// An answer to a question that touches one fragment or none is that of the
// [Prepared], and exact. Every figure is a mean over tables that agree with the
// release, so that it is inside the hard bounds. Safe for concurrent use.
type Completed struct {
	prepared   *Prepared
	completion *anonymize.Completion
	blocks     []recordBlock
	mostSlots  int           // of a block
	pairs      []*pairCounts // those made last
	making     chan struct{} // has room for who makes one
	units      unitTables
}

// maxCompletedRecords bounds the records of a release that has completed tables,
// so that counters of 32 bits never overflow.
const maxCompletedRecords = 1<<31 - 1

// WithTables returns p with completed tables of its release. Errors: a completion
// that does not fit the release; cells that stand for several values, of which a
// completed table does not say which; counterfeits, which would be rows of every
// completed table; the context's. Cost: one pass over the completion.
func (p *Prepared) WithTables(ctx context.Context, completion *anonymize.Completion) (*Completed, error) {
	r := p.release
	switch {
	case completion == nil:
		return nil, errors.New("there is no completion of the release")
	case r.Forged > 0:
		return nil, fmt.Errorf("%d of the %d records are counterfeits, and completed tables would have them as rows", r.Forged, r.Rows)
	case r.Rows > maxCompletedRecords:
		return nil, fmt.Errorf("the release has %d records, completed tables at most %d", r.Rows, maxCompletedRecords)
	}
	for _, f := range r.Fragments {
		for _, c := range f.Columns {
			if !c.IsPoint() {
				return nil, fmt.Errorf("cells of column %s of fragment %s stand for several values, and completed tables do not say for which", c.Name, f.Name)
			}
		}
	}
	if err := completion.Check(ctx, r); err != nil {
		return nil, fmt.Errorf("the completion does not fit the release: %w", err)
	}
	return p.WithCheckedTables(completion), nil
}

// WithCheckedTables is [Prepared.WithTables] of completed tables that it has taken for the same release before.
func (p *Prepared) WithCheckedTables(completion *anonymize.Completion) *Completed {
	r := p.release
	c := &Completed{prepared: p, completion: completion, blocks: recordBlocks(r.GroupSizes), making: make(chan struct{}, 1)}
	for b, from := range c.blocks[:len(c.blocks)-1] {
		c.mostSlots = max(c.mostSlots, c.blocks[b+1].record-from.record)
	}
	return c
}

// Prepared returns the release without its completed tables.
func (c *Completed) Prepared() *Prepared { return c.prepared }

// Completion returns the completed tables. They must not be changed.
func (c *Completed) Completion() *anonymize.Completion { return c.completion }

// Bytes is the memory that the completed tables take at most, beside that of the Prepared.
func (c *Completed) Bytes() int64 {
	return c.completion.Bytes() + int64(c.maxPairs())*int64(c.maxPairBytes()) + int64(len(c.blocks))*int64(unsafe.Sizeof(recordBlock{})) +
		c.unitBytes()
}

// Tables returns the number D of completed tables; intervals by Student's t have
// one degree of freedom less.
func (c *Completed) Tables() int { return c.completion.Tables }

// Ask answers q from all completed tables. Rows has one entry per key that some
// table has. An expression that fails for a value fails the question only where a
// record of some completed table has that value and satisfies all other conditions.
//
// Cost: per touched column a pass over its codes, and for every table a look-up per
// touched fragment beyond the first and record, of those whose tuple in the first
// satisfies its conditions and whose group has a tuple that does in all others. COUNT, SUM
// and AVG of single columns by keys of one fragment look at no table, but at every two
// records of a group: the answer has no standard errors then, and StandardErrors asks again.
func (c *Completed) Ask(ctx context.Context, q *Question) (*Answer, error) {
	if err := q.check(c.prepared.release); err != nil {
		return nil, err
	}
	touched := q.touched()
	if len(touched) < 2 {
		return c.prepared.Ask(ctx, q)
	}
	rows, err := c.means(ctx, q)
	if err != nil {
		return nil, err
	}
	if rows != nil {
		return &Answer{Fragments: touched, Rows: rows}, nil
	}
	return c.ask(ctx, q, 0, c.Tables(), false)
}

// AskWithSpread answers q as Ask does, for a caller who will ask for the standard errors of
// the answer: StandardErrors makes no further pass then. It answers the question's quotients besides. The figures are the same to the last
// bit, where Ask has them from sums that are whole, and from no table.
func (c *Completed) AskWithSpread(ctx context.Context, q *Question) (*Answer, error) {
	answer, err := c.ask(ctx, q, 0, c.Tables(), true)
	if err != nil || answer.isAlike() {
		return answer, err
	}
	rows, err := c.means(ctx, q)
	for i, row := range rows {
		answer.Rows[i].Figures = row.Figures // of the same keys: those that some table has
	}
	return answer, err
}

// AskOne answers q from one completed table, 0 to Tables()-1: its plain figures,
// of keys that it has. They are the actual figures of that table, and no estimate
// has a spread of its own: StandardErrors of the answer are NULL, unless it is exact.
func (c *Completed) AskOne(ctx context.Context, q *Question, table int) (*Answer, error) {
	if table < 0 || table >= c.Tables() {
		return nil, fmt.Errorf("completed table %d is asked, there are 0 to %d", table, c.Tables()-1)
	}
	return c.ask(ctx, q, table, table+1, false)
}

// ask answers from the tables first to end-1, with scatters where a spread is wanted.
func (c *Completed) ask(ctx context.Context, q *Question, first, end int, spread bool) (*Answer, error) {
	r := c.prepared.release
	if err := q.check(r); err != nil {
		return nil, err
	}
	touched := q.touched()
	if len(touched) == 1 && q.Coarse && spread {
		return c.askCoarse(ctx, q)
	}
	if len(touched) < 2 {
		return c.prepared.Ask(ctx, q)
	}
	sides, err := sidesOf(ctx, r, q)
	if err != nil {
		return nil, err
	}
	counts, err := c.count(ctx, newTablePlan(r, sides, touched, first, end))
	if err != nil {
		return nil, err
	}
	answer := &Answer{Fragments: touched}
	figures := newTableFigures(q, sides, end-first)
	if err := counts.visitCombinations(ctx, figures.add); err != nil {
		return nil, err
	}
	if answer.Rows, answer.deviations, err = figures.rows(ctx); err == nil && spread {
		err = figures.scatter(ctx, counts, answer)
	}
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// askCoarse has the figures of the one fragment that q touches, with the scatters of the tables, which all have that fragment: of q with a condition that
// all records of another one meet.
func (c *Completed) askCoarse(ctx context.Context, q *Question) (*Answer, error) {
	answer, err := c.prepared.Ask(ctx, q)
	if err != nil {
		return nil, err
	}
	wider, other := *q, 0
	if answer.Fragments[0] == 0 {
		other = 1
	}
	always := func([]anonymize.Value) (anonymize.Value, error) { return anonymize.IntegerValue(1), nil }
	wider.Leaves = append(slices.Clone(q.Leaves), Leaf{other, []int{0}, always})
	wider.Where = append(slices.Clone(q.Where), Expression{Leaves: []int{len(q.Leaves)}})
	scattered, err := c.ask(ctx, &wider, 0, c.Tables(), true)
	if err != nil {
		return nil, err
	}
	if len(scattered.Rows) != len(answer.Rows) {
		return nil, fmt.Errorf("completed tables have %d keys of a fragment that has %d", len(scattered.Rows), len(answer.Rows))
	}
	answer.scatters, answer.quotients = scattered.scatters, scattered.quotients
	return answer, nil
}

// StandardErrors returns, for every row of an answer of Ask and every aggregate,
// sqrt((1 + 1/D) B), with B around the figure of the answer; AskWithSpread has found them
// already. It is 0 where the answer is exact and NULL where the figure is.
//
// For AVG, variances, standard deviations, Least and Greatest, B is that of the
// tables' own figures and not by the delta method: the interval is to hold the
// figure of one table, the actual one, and a table with few records of the key,
// whose figure is far off, may be that one; the delta method would weigh it by its
// records. A table without a record of the key, or with too few for a variance of a
// sample, has no such figure and is left out: D is the number of the others.
//
// NULL as well where fewer than two tables have a figure, and where a Least or
// Greatest is no number. Instants have theirs in microseconds.
func (c *Completed) StandardErrors(ctx context.Context, q *Question, answer *Answer) ([][]anonymize.Value, error) {
	if answer.isAlike() {
		return noDeviations(answer), nil
	}
	if answer.deviations == nil {
		asked, err := c.AskWithSpread(ctx, q)
		if err != nil {
			return nil, err
		}
		return asked.deviations, nil
	}
	return answer.deviations, nil
}

// Bounds returns the hard bounds of the release, which hold for every table that
// agrees with it, whoever answers: see [Prepared.Bounds]. Those of COUNTs by keys come
// from the groups one by one: the kernels would find the moments of the other estimator
// along with them, which nobody has asked for.
func (c *Completed) Bounds(ctx context.Context, q *Question, answer *Answer) ([][]Bound, error) {
	if len(q.Keys) > 0 && !answer.Exact && !q.ReadsNoise(c.prepared.release) {
		sides, err := sidesOf(ctx, c.prepared.release, q)
		if err != nil {
			return nil, err
		}
		if bounds, err := countBounds(ctx, c.prepared.release, q, answer, sides); bounds != nil || err != nil {
			return bounds, err
		}
	}
	return c.prepared.Bounds(ctx, q, answer)
}

// isAlike says that all completed tables answer the same: they have the fragments of the release.
func (a *Answer) isAlike() bool { return a.Exact || len(a.Fragments) < 2 }

// noDeviations are 0 for every figure.
func noDeviations(answer *Answer) [][]anonymize.Value {
	rows := make([][]anonymize.Value, len(answer.Rows))
	for i, row := range answer.Rows {
		rows[i] = make([]anonymize.Value, len(row.Figures))
		for a, figure := range row.Figures {
			if !figure.IsNull() {
				rows[i][a] = anonymize.RealValue(0)
			}
		}
	}
	return rows
}

// A tableFigures collects, by key and aggregate, the figures of every table and
// those of the mean weights.
type tableFigures struct {
	question *Question
	terms    *terms
	tables   int
	// tallies has, by key, the numbers of the running figures of every aggregate and
	// table, and after the tables of an aggregate of one more, for the mean weights;
	// first where an aggregate's are, and last their number.
	tallies [][]float64
	first   []int
	// met numbers the words of in, a bit per table that has the value, of the values
	// of COUNT(DISTINCT x).
	met map[metValue]int
	in  []uint64
	// sorted are the keys of the answer's rows.
	sorted []int
}

// A metValue is a value, by its number, of an aggregate under a key.
type metValue struct{ key, aggregate, value int32 }

func newTableFigures(q *Question, sides []*side, tables int) *tableFigures {
	f := &tableFigures{question: q, terms: newTerms(q, sides), tables: tables, met: make(map[metValue]int)}
	at := 0
	for _, a := range q.Aggregates {
		f.first = append(f.first, at)
		at += a.Kind.numbers() * (tables + 1)
	}
	f.first = append(f.first, at)
	return f
}

// numbers is how many of the numbers of a running figure the kind keeps.
func (k Kind) numbers() int {
	switch {
	case k == Count || k == Distinct:
		return 1
	case k <= Average || k.keepsValues():
		return 2
	}
	return 3
}

// runningFigure returns the running figure of an aggregate, a key and a table; that of the mean
// weights for as many as there are tables.
func (f *tableFigures) runningFigure(key, a, d int) running {
	kind := f.question.Aggregates[a].Kind
	n := f.tallies[key][f.first[a]+d*kind.numbers():]
	switch {
	case kind == Count || kind == Distinct:
		return running{records: n[0]}
	case kind <= Average:
		return running{records: n[0], sum: n[1]}
	case kind.keepsValues():
		return running{records: n[0], extreme: int(n[1]) - 1}
	}
	return running{records: n[0], mean: n[1], squares: n[2]}
}

// put keeps the running figure.
func (f *tableFigures) put(key, a, d int, r running) {
	kind := f.question.Aggregates[a].Kind
	n := f.tallies[key][f.first[a]+d*kind.numbers():]
	n[0] = r.records
	switch {
	case kind == Count || kind == Distinct:
	case kind <= Average:
		n[1] = r.sum
	case kind.keepsValues():
		n[1] = float64(r.extreme + 1)
	default:
		n[1], n[2] = r.mean, r.squares
	}
}

// add takes in a combination of classes, with its number of records in every table.
func (f *tableFigures) add(classes []uint32, records []uint32) error {
	entry, err := f.terms.entryOf(classes)
	if err != nil || f.terms.key[entry] < 0 {
		return err
	}
	if f.question.MaxKeys > 0 && len(f.terms.keys) > f.question.MaxKeys {
		return ErrTooManyKeys
	}
	f.growToKeys()
	for a, c := range f.terms.figures[entry] {
		if f.question.Aggregates[a].Kind == Distinct {
			f.meet(f.terms.key[entry], a, c, records)
			continue
		}
		if err := f.addRecords(int(f.terms.key[entry]), a, c, records); err != nil {
			return err
		}
	}
	return nil
}

// growToKeys makes room for the keys met.
func (f *tableFigures) growToKeys() {
	for len(f.tallies) < len(f.terms.keys) {
		f.tallies = append(f.tallies, make([]float64, f.first[len(f.first)-1]))
	}
}

func (f *tableFigures) addRecords(key, a int, c contribution, records []uint32) error {
	all := 0.0
	for d, n := range records {
		all += float64(n)
		if n > 0 {
			if err := f.addTo(key, a, d, float64(n), c); err != nil {
				return err
			}
		}
	}
	if f.question.Aggregates[a].Kind.keepsValues() {
		return nil
	}
	return f.addTo(key, a, f.tables, all, c)
}

func (f *tableFigures) addTo(key, a, d int, records float64, c contribution) error {
	r := f.runningFigure(key, a, d)
	err := r.add(f.terms, a, records, c)
	f.put(key, a, d, r)
	return err
}

// meet counts a value in the tables that had no record with it so far.
func (f *tableFigures) meet(key int32, a int, c contribution, records []uint32) {
	if c.records == 0 {
		return
	}
	value := metValue{key, int32(a), int32(c.sum)}
	at, known := f.met[value]
	if !known {
		at = len(f.in)
		f.met[value] = at
		f.in = append(f.in, make([]uint64, (f.tables+63)/64)...)
	}
	counts := f.tallies[key][f.first[a]:]
	for d, n := range records {
		word, bit := &f.in[at+d/64], uint64(1)<<(d%64)
		if n > 0 && *word&bit == 0 {
			*word |= bit
			counts[d]++
			counts[f.tables]++
		}
	}
}

// rows returns the answer and its standard errors, ascending by key.
func (f *tableFigures) rows(ctx context.Context) ([]AnswerRow, [][]anonymize.Value, error) {
	if len(f.question.Keys) == 0 && len(f.terms.keys) == 0 {
		f.terms.keys = [][]anonymize.Value{nil}
		f.growToKeys()
	}
	work := &checkpoint{ctx: ctx}
	order, err := f.order(work)
	if err != nil {
		return nil, nil, err
	}
	f.sorted = order
	rows, deviations := make([]AnswerRow, len(order)), make([][]anonymize.Value, len(order))
	for i, key := range order {
		if err := work.pass(workPerEvaluation * f.tables); err != nil {
			return nil, nil, err
		}
		n := len(f.question.Aggregates)
		rows[i] = AnswerRow{Keys: f.terms.keys[key], Figures: make([]anonymize.Value, n)}
		deviations[i] = make([]anonymize.Value, n)
		for a := range n {
			figure, err := f.figure(key, a)
			if err != nil {
				return nil, nil, err
			}
			rows[i].Figures[a], deviations[i][a] = figure, f.deviation(key, a, figure)
		}
	}
	return rows, deviations, nil
}

// order sorts the keys. When the context ends all are alike, which ends it soon.
func (f *tableFigures) order(work *checkpoint) ([]int, error) {
	order := make([]int, len(f.terms.keys))
	for i := range order {
		order[i] = i
	}
	var end error
	slices.SortFunc(order, func(a, b int) int {
		if end == nil {
			end = work.pass(1)
		}
		if end != nil {
			return 0
		}
		return slices.CompareFunc(f.terms.keys[a], f.terms.keys[b], anonymize.Compare)
	})
	return order, end
}

// figure is that of all tables together.
func (f *tableFigures) figure(key, a int) (anonymize.Value, error) {
	kind, all := f.question.Aggregates[a].Kind, f.runningFigure(key, a, f.tables)
	tables := float64(f.tables)
	all.records, all.sum, all.squares = all.records/tables, all.sum/tables, all.squares/tables
	switch {
	case kind == Distinct:
		return anonymize.RealValue(all.records), nil
	case kind.keepsValues():
		return f.median(key, a)
	}
	return all.number(kind), nil
}

// median is the extreme value of the median table, of two the lower one, in the
// aggregate's order; NULL where no table has one.
func (f *tableFigures) median(key, a int) (anonymize.Value, error) {
	var extremes []anonymize.Value
	for d := range f.tables {
		if t := f.runningFigure(key, a, d); t.extreme >= 0 {
			extremes = append(extremes, f.terms.values[a].list[t.extreme])
		}
	}
	if len(extremes) == 0 {
		return anonymize.NullValue, nil
	}
	var failure error
	slices.SortFunc(extremes, func(x, y anonymize.Value) int {
		order, err := f.question.Aggregates[a].compare(x, y)
		if err != nil {
			failure = err
		}
		if order == 0 {
			return anonymize.Compare(x, y)
		}
		return order
	})
	return extremes[(len(extremes)-1)/2], failure
}

// deviation is the standard error of a figure: Eq. (3.1.4) and (3.1.5) over the
// tables that have one.
func (f *tableFigures) deviation(key, a int, figure anonymize.Value) anonymize.Value {
	center, isNumber := figure.Number()
	if !isNumber {
		return anonymize.NullValue
	}
	n, squares := 0.0, 0.0
	for d := range f.tables {
		own, has := f.figureOfTable(key, a, d)
		if !has {
			continue
		}
		number, isNumber := own.Number()
		if !isNumber {
			return anonymize.NullValue
		}
		n++
		squares += (number - center) * (number - center)
	}
	if n < 2 {
		return anonymize.NullValue
	}
	return anonymize.RealValue(math.Sqrt((1 + 1/n) * squares / (n - 1)))
}

// figureOfTable is the figure of one table; COUNT, SUM and COUNT(DISTINCT x) have one in all
// of them.
func (f *tableFigures) figureOfTable(key, a, d int) (figure anonymize.Value, has bool) {
	t := f.runningFigure(key, a, d)
	switch kind := f.question.Aggregates[a].Kind; {
	case kind == Count || kind == Distinct:
		return anonymize.RealValue(t.records), true
	case kind == Sum:
		return anonymize.RealValue(t.sum), true
	case !kind.keepsValues():
		figure = t.number(kind)
		return figure, !figure.IsNull()
	case t.extreme < 0:
		return anonymize.NullValue, false
	}
	return f.terms.values[a].list[t.extreme], true
}
