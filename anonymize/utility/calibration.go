package utility

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/interval"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// A Calibration says how far the estimates of one release are from the truth,
// in units of the model's standard error. That error is right where attributes
// are independent inside groups, which those of real tables are not: a nominal
// 95 percent interval made of it covers far less. So the truth is asked, once,
// at publication, on a random workload and on everyday questions
// (calibration_everyday.go), and what is kept is the distribution of
//
//	z = (actual - estimate) / standard error
//
// per aggregate, number of fragments touched and size of the answer, and how many
// intervals cover.
//
// It is made from the raw table, so it is for those who may read that. Analysts
// get its Widths and nothing else (interval.Decode): these are what intervals are
// made of, for everybody. It has no query, no answer and no seed, only quantiles of |z|
// over at least minimumQueries queries, to three digits.
type Calibration struct {
	// Widths are the public part.
	Widths  *interval.Widths `json:"-"`          // stored by interval.Stored
	Queries int              `json:",omitempty"` // of the random workload
	// Coverage of nominal 95 percent intervals, per aggregate.
	Coverage []Coverage `json:",omitempty"`
	// Everyday is the coverage of the intervals that everybody gets on everyday
	// questions, per aggregate.
	Everyday []EverydayCoverage `json:",omitempty"`
	// Cells are in the order of aggregate, fragments and size.
	Cells []Cell `json:",omitempty"`
}

// A Coverage is the share of intervals that contained the actual figure, over
// the estimated figures: those with a standard error above 0.
type Coverage struct {
	Aggregate string // COUNT, SUM, AVG
	Estimates int
	// Before is that of the model's own normal interval.
	Before float64
	// After is that of the interval that everybody gets, on queries that its
	// width was not chosen on: each fifth of the workload is measured with the
	// widths chosen on the other four.
	After float64
}

// A Cell has the distribution of z for one kind of estimate.
type Cell struct {
	Aggregate string // COUNT, SUM, AVG
	Fragments int    // touched by conditions, keys and argument; 1 where cells or counterfeits leave something open
	// Low and High bound the size of the answer: (estimate / standard error)
	// squared, about the expected count of a COUNT, see sizeOf.
	Low, High float64
	Estimates int
	RMS       float64 // root of the mean of z squared; 1 where the model is right
	Coverage  float64 // of the model's own nominal 95 percent interval
	// Quantiles of |z|, one per level of Levels.
	Quantiles []float64
}

// CalibrationOptions choose the workload.
type CalibrationOptions struct {
	// Queries is the number of random queries; each asks COUNT, and SUM and
	// AVG where the release has a number to add up. Defaults to
	// DefaultQueries(rows).
	Queries int
	// Seed makes the workload: the same seed, the same calibration. Whoever
	// knows it can recompute the workload: make it from real entropy for a
	// publication, and forget it.
	Seed uint64
}

// DefaultQueries is the number of queries for a table of that many rows: 500,
// which take about a second for 50,000 rows on two cores, and fewer above
// 100,000 rows, so that the time grows with the root of the rows down to 250
// queries: about one cell per aggregate and number of fragments.
func DefaultQueries(rows int) int {
	if rows <= 100_000 {
		return 500
	}
	return max(250, int(500*math.Sqrt(100_000/float64(rows))))
}

// Calibrate measures a release against the records that it publishes, over all
// cores: those of the table that it was made from, and of a release that follows
// its table the counterfeits among them, which intervals allow for by themselves
// (package interval). So a width stays true whoever leaves. The result depends on nothing
// but its arguments, and the everyday questions on release and table alone. Cost per
// query: an estimate with its standard errors and bounds, and a pass over the touched
// columns of the table. progress may be nil; it is called from several goroutines.
func Calibrate(
	ctx context.Context,
	r *anonymize.Release,
	table *anonymize.Microdata,
	o CalibrationOptions,
	progress func(done, total int),
) (*Calibration, error) {
	if o.Queries == 0 {
		o.Queries = DefaultQueries(table.Rows)
	}
	if o.Queries < 0 {
		return nil, &anonymize.ParameterError{Parameter: "queries", Value: strconv.Itoa(o.Queries), Rule: "must be at least 1"}
	}
	measured, everyday, err := survey(ctx, r, table, o, progress)
	if err != nil {
		return nil, err
	}
	c := &Calibration{Widths: widthsOf(measured, everyday), Queries: o.Queries, Cells: cellsOf(measured)}
	c.Coverage = coverages(measured, everyday)
	c.Everyday = everydayCoverages(everyday, c.Widths)
	c.round()
	return c, nil
}

// A measurement is one estimated figure beside the actual one.
type measurement struct {
	kind      estimate.Kind
	fragments int
	// query numbers the random query: figures of one query are not independent.
	query int
	// argument names the attribute of a random query that SUM and AVG take.
	argument string
	// family and records are those of an everyday question, and the actual records of
	// its cell.
	family  string
	records float64
	interval.Figure
	actual float64
}

// multiple is how often the model's own half width reaches to the actual figure.
func (m *measurement) multiple() float64 {
	return math.Abs(m.actual-m.Estimate) / interval.Unit(m.kind, m.Figure)
}

// survey asks the random workload and the everyday questions, and returns of each the
// figures that are not exact, in the order of the queries.
func survey(ctx context.Context, r *anonymize.Release, table *anonymize.Microdata, o CalibrationOptions,
	progress func(done, total int)) (measured, everyday []measurement, err error) {
	if table.Rows == 0 {
		return nil, nil, &anonymize.DataError{Reason: "the raw table is empty: there is nothing to compare with"}
	}
	published := *r
	published.Forged = 0
	s, err := newSurveyor(&published, table)
	if err != nil {
		return nil, nil, err
	}
	random := rand.New(rand.NewPCG(o.Seed, 1))
	queries := make([]query, o.Queries)
	for i := range queries {
		queries[i] = s.draw(random)
	}
	groupings := s.everydayQueries()
	each := make([][]measurement, len(queries)+len(groupings))
	done := parallel.NewCounter(len(each), progress)
	if err := parallel.Run(ctx, len(each), func(i int) (err error) {
		defer done.Add(1)
		if i < len(queries) {
			each[i], err = s.measure(ctx, i, queries[i])
		} else {
			each[i], err = s.measureEveryday(ctx, &groupings[i-len(queries)])
		}
		return err
	}); err != nil {
		return nil, nil, err
	}
	return slices.Concat(each[:len(queries)]...), slices.Concat(each[len(queries):]...), nil
}

func (s *surveyor) measure(ctx context.Context, i int, q query) ([]measurement, error) {
	asked := s.question(q)
	rows, err := s.estimates(ctx, asked)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	like := measurement{query: i}
	if q.argument != nil {
		like.argument = q.argument.Name
	}
	return compare(asked, rows[0].figures, q.actual(s.rows), like), nil
}

// An estimatedRow is a row of an answer; figures that are NULL are NaN.
type estimatedRow struct {
	keys    []anonymize.Value
	figures []interval.Figure
}

// estimates asks the release; no row where the answer is exact.
func (s *surveyor) estimates(ctx context.Context, asked *estimate.Question) ([]estimatedRow, error) {
	answer, err := s.prepared.AskWithSpread(ctx, asked)
	if err != nil || answer.Exact {
		return nil, err
	}
	deviations, err := s.prepared.StandardErrors(ctx, asked, answer)
	if err != nil {
		return nil, err
	}
	bounds, err := s.prepared.Bounds(ctx, asked, answer)
	if err != nil {
		return nil, err
	}
	rows := make([]estimatedRow, len(answer.Rows))
	for i, row := range answer.Rows {
		rows[i].keys = row.Keys
		for a, figure := range row.Figures {
			f := interval.Figure{Estimate: math.NaN()}
			if !figure.IsNull() {
				f = interval.Figure{Estimate: figure.Float, Deviation: deviations[i][a].Float, Low: bounds[i][a].Low.Float, High: bounds[i][a].High.Float}
			}
			rows[i].figures = append(rows[i].figures, f)
		}
	}
	return rows, nil
}

// compare puts figures that are estimates beside the actual ones; like has what all of
// them share.
func compare(asked *estimate.Question, figures []interval.Figure, actual []float64, like measurement) (measured []measurement) {
	for a, f := range figures {
		if math.IsNaN(f.Estimate) || math.IsNaN(actual[a]) || isExact(f.Estimate, f.Deviation) {
			continue
		}
		m := like
		m.kind, m.fragments, m.Figure, m.actual = asked.Aggregates[a].Kind, fragmentsTouched(asked, a), f, actual[a]
		measured = append(measured, m)
	}
	return measured
}

// isExact: a standard error of 0, or what rounding makes of it.
func isExact(estimated, stderr float64) bool {
	return stderr <= 1e-6*math.Abs(estimated)
}

// fragmentsTouched is the number of fragments that an aggregate of a question
// depends on: those of the conditions, the keys and its argument.
func fragmentsTouched(q *estimate.Question, aggregate int) int {
	touched := make(map[int]bool)
	add := func(e *estimate.Expression) {
		for _, l := range e.Leaves {
			touched[q.Leaves[l].Fragment] = true
		}
	}
	for i := range q.Where {
		add(&q.Where[i])
	}
	for i := range q.Keys {
		add(&q.Keys[i])
	}
	if argument := q.Aggregates[aggregate].Argument; argument != nil {
		add(argument)
	}
	return len(touched)
}

// Encode returns the calibration as it is stored with a release.
func (c *Calibration) Encode() (json.RawMessage, error) {
	return json.Marshal(struct {
		interval.Stored
		*Calibration
	}{interval.Stored{Factors: c.Widths}, c})
}

// DecodeCalibration reads a stored calibration, for accounts that may read the raw
// table; for others see interval.Decode. Nothing stored is nil: the release was
// published without one.
func DecodeCalibration(stored json.RawMessage) (*Calibration, error) {
	if len(stored) == 0 || string(stored) == "null" {
		return nil, nil
	}
	c := &Calibration{}
	if err := json.Unmarshal(stored, c); err != nil {
		return nil, fmt.Errorf("the stored calibration is damaged: %w", err)
	}
	for _, cell := range c.Cells {
		if len(cell.Quantiles) != len(interval.Levels) {
			return nil, fmt.Errorf("the stored calibration is damaged: %d quantiles instead of %d", len(cell.Quantiles), len(interval.Levels))
		}
	}
	var err error
	c.Widths, err = interval.Decode(stored)
	return c, err
}
