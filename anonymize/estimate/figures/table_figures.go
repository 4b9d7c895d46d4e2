package figures

import (
	"context"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A tableFigures collects the figures of every table, and of the mean weights, by key and
// aggregate.
type tableFigures struct {
	question *question.Question
	terms    *question.Terms
	tables   int
	// tallies has, by key, the numbers of the running figures: for every aggregate those of
	// each table, those of the mean weights, and what these would be if numbers of both signs did
	// not cancel. first has the position of each aggregate, and last the length.
	tallies [][]float64
	first   []int
	// met has, for the values of COUNT(DISTINCT x), the index of their words in in, with a bit
	// per table that has the value.
	met map[metValue]int
	in  []uint64
	// sorted are the keys of the answer's rows.
	sorted []int
}

// A metValue is a value, by its number, of an aggregate under a key.
type metValue struct{ key, aggregate, value int32 }

func NewTableFigures(q *question.Question, sides []*question.Side, tables int) *tableFigures {
	f := &tableFigures{question: q, terms: question.NewTerms(q, sides), tables: tables, met: make(map[metValue]int)}
	at := 0
	for _, a := range q.Aggregates {
		f.first = append(f.first, at)
		at += a.Kind.Numbers()*(tables+1) + 1
	}
	f.first = append(f.first, at)
	return f
}

// runningFigure returns the running figure of an aggregate for a key in table d; d = tables
// stands for the mean weights.
func (f *tableFigures) runningFigure(key, a, d int) Running {
	kind := f.question.Aggregates[a].Kind
	n := f.tallies[key][f.first[a]+d*kind.Numbers():]
	switch {
	case kind == question.Count || kind == question.Distinct:
		return Running{Records: n[0]}
	case kind <= question.Average:
		return Running{Records: n[0], Sum: n[1]}
	case kind.KeepsValues():
		return Running{Records: n[0], extreme: int(n[1]) - 1}
	}
	return Running{Records: n[0], Mean: n[1], Squares: n[2]}
}

// put stores a running figure.
func (f *tableFigures) put(key, a, d int, r Running) {
	kind := f.question.Aggregates[a].Kind
	n := f.tallies[key][f.first[a]+d*kind.Numbers():]
	n[0] = r.Records
	switch {
	case kind == question.Count || kind == question.Distinct:
	case kind <= question.Average:
		n[1] = r.Sum
	case kind.KeepsValues():
		n[1] = float64(r.extreme + 1)
	default:
		n[1], n[2] = r.Mean, r.Squares
	}
}

// Add adds a combination of classes with its number of records by table.
func (f *tableFigures) Add(classes []uint32, records []uint32) error {
	entry, err := f.terms.EntryOf(classes)
	if err != nil || f.terms.Key[entry] < 0 {
		return err
	}
	if f.question.MaxKeys > 0 && len(f.terms.Keys) > f.question.MaxKeys {
		return question.ErrTooManyKeys
	}
	f.growToKeys()
	for a, c := range f.terms.Figures[entry] {
		if f.question.Aggregates[a].Kind == question.Distinct {
			f.meet(f.terms.Key[entry], a, c, records)
			continue
		}
		if err := f.addRecords(int(f.terms.Key[entry]), a, c, records); err != nil {
			return err
		}
	}
	return nil
}

// growToKeys makes room for the keys that occurred.
func (f *tableFigures) growToKeys() {
	for len(f.tallies) < len(f.terms.Keys) {
		f.tallies = append(f.tallies, make([]float64, f.first[len(f.first)-1]))
	}
}

func (f *tableFigures) addRecords(key, a int, c question.Contribution, records []uint32) error {
	all := 0.0
	for d, n := range records {
		all += float64(n)
		if n > 0 {
			if err := f.addTo(key, a, d, float64(n), c); err != nil {
				return err
			}
		}
	}
	switch kind := f.question.Aggregates[a].Kind; {
	case kind.KeepsValues():
		return nil
	case kind == question.Sum || kind == question.Average:
		f.tallies[key][f.first[a+1]-1] += all * math.Abs(c.Sum)
	}
	return f.addTo(key, a, f.tables, all, c)
}

func (f *tableFigures) addTo(key, a, d int, records float64, c question.Contribution) error {
	r := f.runningFigure(key, a, d)
	err := r.add(f.terms, a, records, c)
	f.put(key, a, d, r)
	return err
}

// meet counts a value in the tables in which no earlier record had it.
func (f *tableFigures) meet(key int32, a int, c question.Contribution, records []uint32) {
	if c.Records == 0 {
		return
	}
	value := metValue{key, int32(a), int32(c.Sum)}
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

// Rows returns the answer and its standard errors, ascending by key.
func (f *tableFigures) Rows(ctx context.Context) ([]question.AnswerRow, [][]anonymize.Value, error) {
	if len(f.question.Keys) == 0 && len(f.terms.Keys) == 0 {
		f.terms.Keys = [][]anonymize.Value{nil}
		f.growToKeys()
	}
	work := &question.Checkpoint{Ctx: ctx}
	order, err := f.order(work)
	if err != nil {
		return nil, nil, err
	}
	f.sorted = order
	rows, deviations := make([]question.AnswerRow, len(order)), make([][]anonymize.Value, len(order))
	for i, key := range order {
		if err := work.Pass(question.WorkPerEvaluation * f.tables); err != nil {
			return nil, nil, err
		}
		n := len(f.question.Aggregates)
		rows[i] = question.AnswerRow{Keys: f.terms.Keys[key], Figures: make([]anonymize.Value, n)}
		deviations[i] = make([]anonymize.Value, n)
		for a := range n {
			figure, err := f.figure(key, a)
			if err != nil {
				return nil, nil, err
			}
			rows[i].Figures[a], deviations[i][a] = figure, f.deviation(key, a, figure)
			all := f.means(key, a)
			if canceled := all.canceled(f.question.Aggregates[a].Kind); canceled > 0 {
				rows[i].SetCanceled(a, canceled)
			}
		}
	}
	return rows, deviations, nil
}

// order sorts the keys. When ctx ends, it treats all keys as equal so that sorting ends soon.
func (f *tableFigures) order(work *question.Checkpoint) ([]int, error) {
	order := anonymize.Ints(len(f.terms.Keys))
	var end error
	slices.SortFunc(order, func(a, b int) int {
		if end == nil {
			end = work.Pass(1)
		}
		if end != nil {
			return 0
		}
		return slices.CompareFunc(f.terms.Keys[a], f.terms.Keys[b], anonymize.Compare)
	})
	return order, end
}

// means returns the running figure of the mean weights.
func (f *tableFigures) means(key, a int) Running {
	all, tables := f.runningFigure(key, a, f.tables), float64(f.tables)
	all.Records, all.Sum, all.Squares = all.Records/tables, all.Sum/tables, all.Squares/tables
	all.absolute = f.tallies[key][f.first[a+1]-1] / tables
	return all
}

// figure returns the figure over all tables.
func (f *tableFigures) figure(key, a int) (anonymize.Value, error) {
	kind, all := f.question.Aggregates[a].Kind, f.means(key, a)
	switch {
	case kind == question.Distinct:
		return anonymize.RealValue(all.Records), nil
	case kind.KeepsValues():
		return f.median(key, a)
	}
	return all.Number(kind), nil
}

// median returns the extreme value of the median table (of two, the lower one) in the
// aggregate's order; NULL if no table has one.
func (f *tableFigures) median(key, a int) (anonymize.Value, error) {
	var extremes []anonymize.Value
	for d := range f.tables {
		if t := f.runningFigure(key, a, d); t.extreme >= 0 {
			extremes = append(extremes, f.terms.Values[a].List[t.extreme])
		}
	}
	if len(extremes) == 0 {
		return anonymize.NullValue, nil
	}
	var failure error
	slices.SortFunc(extremes, func(x, y anonymize.Value) int {
		order, err := f.question.Aggregates[a].Order(x, y)
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

// deviation returns the standard error of a figure: Eq. (3.1.4) and (3.1.5) over the tables
// that have one.
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
	return ErrorBetween(n, squares)
}

// ErrorBetween returns the standard error of the figures of n tables from their sum of squared distances: Eq. (3.1.4) and (3.1.5). It is NULL for n < 2.
func ErrorBetween(n, squares float64) anonymize.Value {
	if n < 2 {
		return anonymize.NullValue
	}
	return anonymize.RealValue(math.Sqrt((1 + 1/n) * squares / (n - 1)))
}

// tablesWith returns the number of tables that have a figure.
func (f *tableFigures) tablesWith(key, a int) (n int) {
	for d := range f.tables {
		if _, has := f.figureOfTable(key, a, d); has {
			n++
		}
	}
	return n
}

// figureOfTable returns the figure of one table. For COUNT, SUM and COUNT(DISTINCT x) all
// tables have one.
func (f *tableFigures) figureOfTable(key, a, d int) (figure anonymize.Value, has bool) {
	t := f.runningFigure(key, a, d)
	switch kind := f.question.Aggregates[a].Kind; {
	case kind == question.Count || kind == question.Distinct:
		return anonymize.RealValue(t.Records), true
	case kind == question.Sum:
		return anonymize.RealValue(t.Sum), true
	case !kind.KeepsValues():
		figure = t.Number(kind)
		return figure, !figure.IsNull()
	case t.extreme < 0:
		return anonymize.NullValue, false
	}
	return f.terms.Values[a].List[t.extreme], true
}
