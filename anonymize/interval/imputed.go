package interval

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// A Misfit measures the error of completed tables by some attributes beyond their differences.
// Package misfit measures it; [Unmeasured] is for tables that were not measured.
type Misfit interface {
	// Ratio returns r: the relative error of the records of every cell of the attributes is r/2.
	Ratio(columns []string) float64
	// Luck returns the additional variance per record of single values; it is less if the
	// question takes values of an attribute together.
	Luck(columns []string, taken func(column string) Selection) float64
	// Average returns r for a mean of numbers, and how much nearer it is to the mean of all
	// records, relative to its distance from that.
	Average(of, columns []string) (ratio, drawn float64)
}

// Unmeasured is the same r for everything.
type Unmeasured float64

// Ratio implements Misfit.
func (u Unmeasured) Ratio([]string) float64 { return float64(u) }

// Luck implements Misfit.
func (u Unmeasured) Luck([]string, func(string) Selection) float64 { return 0 }

// Average implements Misfit.
func (u Unmeasured) Average(_, _ []string) (ratio, drawn float64) { return float64(u), 0 }

// Independent returns false: no association is known to be invented.
func (u Unmeasured) Independent([]string) bool { return false }

// A Coarse is a misfit for a column whose numbers are known approximately: each record's has an
// independent relative error, and their sum a shared one.
type Coarse struct {
	Misfit
	Column            string
	Deviation, Shared float64
}

// imputed is how intervals around the answers of completed tables are made: with D
// tables that have the figure, T their variance (1 + 1/D) B, t the quantile of Student's t with D - 1 degrees
// of freedom, r the misfit and b the luck, they reach
//
//	t sqrt(T + (r / 2)^2 (P^2 + M^2) + b sum e^2)                          COUNT, SUM
//	t sqrt(T + (r sum|e| / 2N)^2 / 2 + b sum e^2 / N^2 + (u distance)^2)   AVG, quotients
//
// to both sides (Rubin 1987, (3.1.8), with no variance within a table); e are the residuals of
// [estimate.Scatter], P is the sum of those above 0 and M that of those below: of numbers of one sign,
// one of both is the figure and the other 0. Misfit moves records between cells: those with numbers
// above 0 all alike, and those below by themselves. Were the records above an average off by r/2 of
// themselves, all alike, and those below by themselves, it would be off by r/2 times the root of
// the sum of both squared sums of residuals, by N; either sum is half of sum|e|. The last part is for
// what tables do not learn, and have as all records have it: u is how much nearer that brings an average to
// the one over all records, by distance, that from it.
//
// For a [Coarse] column in the argument, add the square of its deviation to b, and the square of twice the
// shared deviation to r^2; for an AVG add c figure^2 / N and the square of the shared part of the figure.
//
// Where all
// tables have the same COUNT, the next one has another with a probability of some
// 1 / (D + 2) (Laplace's rule of succession): intervals of a greater level reach 1 to both sides, and so do SUMs of
// conditions; shares reach one record.
type imputed struct {
	tables int
	// By aggregate, and by quotient.
	aggregates, quotients []offset
	answer                *estimate.Answer
}

// An offset is the misfit of one figure.
type offset struct {
	ratio, luck, drawn float64
	// Set if the argument's numbers are not the table's; else nil.
	coarse *Coarse
	// overall is the figure over all records, if drawn is positive.
	overall float64
}

// OfCompleted computes the parts of what stands beside an answer of c to q; intervals of one that did not
// come of AskWithSpread cost another question. m may be nil: none.
func OfCompleted(ctx context.Context, c *estimate.Completed, q *estimate.Question, answer *estimate.Answer, wanted Parts, m Misfit) (*Spread, error) {
	s := &Spread{question: q, answer: answer, imputed: &imputed{tables: c.Tables(), answer: answer}}
	var err error
	if wanted.Bounds || wanted.Intervals {
		if s.Bounds, err = c.Bounds(ctx, q, answer); errors.As(err, new(*estimate.UnansweredError)) && !wanted.Bounds {
			s.Bounds, err = noBounds(answer), nil // which cut no interval then
		}
		if err != nil {
			return nil, err
		}
	}
	if wanted.Deviations || wanted.Intervals {
		if s.Deviations, err = c.StandardErrors(ctx, q, answer); err != nil {
			return nil, err
		}
		if err := s.addNoise(ctx, c.Prepared().Release(), q); err != nil {
			return nil, err
		}
	}
	if !wanted.Intervals || answer.IsAlike() && answer.Scatters == nil {
		return s, nil
	}
	if answer.Scatters == nil {
		if s.imputed.answer, err = c.AskWithSpread(ctx, q); err != nil {
			return nil, err
		}
	}
	if err := s.findApart(ctx, c.Prepared(), q); err != nil {
		return nil, err
	}
	return s, s.imputed.measure(ctx, c, q, m)
}

// noBounds returns unknown bounds for all figures.
func noBounds(answer *estimate.Answer) [][]estimate.Bound {
	rows := make([][]estimate.Bound, len(answer.Rows))
	for i, row := range answer.Rows {
		rows[i] = slices.Repeat([]estimate.Bound{{Low: anonymize.NullValue, High: anonymize.NullValue}}, len(row.Figures))
	}
	return rows
}

// measure computes the misfit of every figure, by the attributes that it reads.
func (i *imputed) measure(ctx context.Context, c *estimate.Completed, q *estimate.Question, m Misfit) error {
	if m == nil {
		m = Unmeasured(0)
	}
	var failed error
	read := reader{c.Prepared().Release(), q, func(fragment, column int) (values []anonymize.Value, records []uint64) {
		values, records, err := c.Prepared().Margin(ctx, fragment, column)
		failed = errors.Join(failed, err)
		return values, records
	}}
	asked := read.columns(append(slices.Clone(q.Where), q.Keys...)...)
	for a := range q.Aggregates {
		i.aggregates = append(i.aggregates, read.offset(m, q.Aggregates[a].Kind == estimate.Average, q.Aggregates[a:a+1], asked))
	}
	for _, quotient := range q.Quotients {
		parts := []estimate.Aggregate{q.Aggregates[quotient.Numerator], q.Aggregates[quotient.Denominator]}
		i.quotients = append(i.quotients, read.offset(m, true, parts, asked))
	}
	if failed != nil {
		return failed
	}
	hidden := func(o offset) bool { return o.drawn > 0 }
	if !slices.ContainsFunc(i.aggregates, hidden) && !slices.ContainsFunc(i.quotients, hidden) {
		return nil
	}
	everybody := *q
	everybody.Where, everybody.Keys = nil, nil
	all, err := c.Ask(ctx, &everybody)
	if err != nil {
		return err
	}
	number := func(a int) float64 { x, _ := all.Rows[0].Figures[a].Number(); return x }
	for a := range i.aggregates {
		i.aggregates[a].overall = number(a)
	}
	for n, quotient := range q.Quotients {
		if by := number(quotient.Denominator); by != 0 {
			i.quotients[n].overall = number(quotient.Numerator) / by
		}
	}
	return nil
}

// A reader finds the attributes that a question reads.
type reader struct {
	release  *anonymize.Release
	question *estimate.Question
	// margin returns the values of a column and their numbers of records. The release lacks both if an engine keeps it.
	margin func(fragment, column int) (values []anonymize.Value, records []uint64)
}

func (r reader) columns(expressions ...estimate.Expression) (names []string) {
	for _, x := range expressions {
		for _, l := range x.Leaves {
			leaf := r.question.Leaves[l]
			for _, column := range leaf.Columns {
				names = append(names, r.release.Fragments[leaf.Fragment].Columns[column].Name)
			}
		}
	}
	return names
}

// offset returns the misfit of a figure of aggregates: of one, or of both parts of a quotient. asked
// are the attributes of keys and conditions: moving records between these moves no mean by itself.
func (r reader) offset(m Misfit, averages bool, of []estimate.Aggregate, asked []string) offset {
	own := r.arguments(of)
	o := r.offsetOfTables(m, averages, of, own, asked)
	weighed := r.arguments(slices.DeleteFunc(slices.Clone(of), isNumber))
	if c, ok := m.(Coarse); ok && slices.Contains(weighed, c.Column) {
		o.coarse = &c
		o.ratio, o.luck = math.Hypot(o.ratio, 2*c.Shared), o.luck+c.Deviation*c.Deviation
	}
	return o
}

// offsetOfTables treats an attribute that selects records in every part, such as the condition's in AVG(IF(condition, number, NULL)), like
// asked ones. For a share, SUM(a AND b) / COUNT(*), the joint effect of its condition's attributes counts, as the number's does above.
func (r reader) offsetOfTables(m Misfit, averages bool, of []estimate.Aggregate, own, asked []string) (o offset) {
	taken := func(name string) Selection { return r.selection(of, name) }
	columns := append(slices.Clone(asked), own...)
	numbers := slices.DeleteFunc(slices.Clone(own), func(name string) bool {
		beside := func(a estimate.Aggregate) bool { return !slices.Contains(r.arguments([]estimate.Aggregate{a}), name) }
		return !taken(name).Weighted && !slices.ContainsFunc(of, beside)
	})
	if !averages || len(numbers) == 0 {
		o.ratio, o.luck = m.Ratio(columns), m.Luck(columns, taken)
		return o
	}
	o.ratio, o.drawn = m.Average(numbers, columns)
	for _, name := range columns {
		if !slices.Contains(numbers, name) {
			o.luck = max(o.luck, m.Luck(append(slices.Clone(numbers), name), taken))
		}
	}
	if isNumber(of[0]) {
		o.ratio, o.luck = math.Hypot(o.ratio, m.Ratio(numbers)), max(o.luck, m.Luck(numbers, taken))
	}
	return o
}

// arguments returns the attributes that aggregates read.
func (r reader) arguments(of []estimate.Aggregate) (names []string) {
	for _, a := range of {
		if a.Argument != nil {
			names = append(names, r.columns(*a.Argument)...)
		}
	}
	return names
}

// halfWidth returns the half width of an interval around a figure; for a quotient or an AVG it uses its residuals.
func halfWidth(o offset, quotient bool, figure, deviation float64, scatter estimate.Scatter, level float64) float64 {
	misfit := o.ratio * bothSigns(figure, scatter.Absolute) / 2
	if quotient {
		misfit = o.ratio * scatter.Absolute / scatter.Total / 2 / math.Sqrt2
	}
	square := deviation*deviation + misfit*misfit + o.luck*scatter.Squares/(scatter.Total*scatter.Total)
	if quotient {
		distance := o.drawn * (figure - o.overall)
		square += distance * distance
	}
	return student(level, scatter.Tables-1) * math.Sqrt(square)
}

// bothSigns returns the root of the sum of the squared positive and the squared negative partial sum, from the
// sum and the sum of absolute values. It is the sum's absolute value if all numbers have one sign.
func bothSigns(sum, absolute float64) float64 {
	if absolute <= math.Abs(sum)*(1+tolerance) { // or is not known
		return sum
	}
	return math.Hypot((absolute+sum)/2, (absolute-sum)/2)
}

// beyondAlike extends a half width by one record, of those that a share refers to, if all tables agree.
func beyondAlike(half, deviation, level float64, scatter estimate.Scatter) float64 {
	if deviation == 0 && level > float64(scatter.Tables+1)/float64(scatter.Tables+2) {
		return max(half, 1/scatter.Total)
	}
	return half
}

// isNumber reports whether an aggregate is a number of records.
func isNumber(a estimate.Aggregate) bool {
	return a.Kind == estimate.Count || a.Kind == estimate.Sum && a.Truths
}

// ends returns the ends of a figure's interval before clamping to the hard bounds.
func (i *imputed) ends(asked estimate.Aggregate, scatter estimate.Scatter, aggregate int, figure, deviation anonymize.Value,
	level float64) (low, high float64) {
	if deviation.IsNull() {
		return math.NaN(), math.NaN()
	}
	half := halfWidth(i.aggregates[aggregate], asked.Kind == estimate.Average, figure.Float, deviation.Float, scatter, level)
	if c := i.aggregates[aggregate].coarse; asked.Kind == estimate.Average && c != nil {
		half = math.Hypot(half, student(level, scatter.Tables-1)*math.Hypot(c.Deviation/math.Sqrt(scatter.Total), c.Shared)*figure.Float)
	}
	if asked.Kind == estimate.Count || asked.Truths {
		half = beyondAlike(half, deviation.Float, level, scatter)
	}
	return figure.Float - half, figure.Float + half
}

// QuotientInterval returns the interval of a quotient at a level, without clamping: a quotient
// has no known hard bounds, except that a part of COUNT(*) is a share. ok is false if it is
// NULL, has no deviation, is not of completed tables, or has noise in one part alone.
func (s *Spread) QuotientInterval(row, quotient int, level float64) (low, high float64, ok bool) {
	if s.imputed == nil || s.imputed.quotients == nil || s.isNoisyQuotient(row, quotient) || CheckLevel(level) != nil {
		return 0, 0, false
	}
	q, asked := s.imputed.answer.Quotients[row][quotient], s.question.Quotients[quotient]
	if q.Figure.IsNull() || q.Deviation.IsNull() {
		return 0, 0, false
	}
	figure, half := q.Figure.Float, halfWidth(s.imputed.quotients[quotient], true, q.Figure.Float, q.Deviation.Float, q.Scatter, level)
	over, under := s.question.Aggregates[asked.Numerator], s.question.Aggregates[asked.Denominator]
	if isNumber(over) && under.Kind == estimate.Count && under.Argument == nil {
		half = beyondAlike(half, q.Deviation.Float, level, q.Scatter)
		return max(figure-half, 0), min(figure+half, 1), true
	}
	return figure - half, figure + half, true
}
