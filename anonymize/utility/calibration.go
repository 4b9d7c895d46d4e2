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

// A Calibration says how far the estimates of one release are from the truth, in units of the
// model's standard error. That error is right if attributes are independent within groups. In
// real tables they are not: a nominal 95 percent interval made of it covers far less. So the
// truth is measured once, at publication, on a random workload and on everyday questions
// (calibration_everyday.go). The calibration keeps the distribution of
//
//	z = (actual - estimate) / standard error
//
// by aggregate, number of touched fragments and size of the answer, and the share of intervals
// that cover.
//
// It comes from the raw table, so only accounts that may read the table may read it. Analysts
// get only its Widths (interval.Decode), from which everyone's intervals are made. Widths have
// no query, answer or seed, only quantiles of |z| over at least minimumQueries queries, to
// three digits.
type Calibration struct {
	// Widths are the public part.
	Widths  *interval.Widths `json:"-"`          // stored by interval.Stored
	Queries int              `json:",omitempty"` // of the random workload
	// Coverage of nominal 95 percent intervals, by aggregate.
	Coverage []Coverage `json:",omitempty"`
	// Everyday is the coverage of the published intervals on everyday questions, by aggregate.
	Everyday []EverydayCoverage `json:",omitempty"`
	// Cells are ordered by aggregate, fragments and size.
	Cells []Cell `json:",omitempty"`
}

// A Coverage is the share of intervals that contain the actual figure, over the estimated
// figures with a standard error above 0.
type Coverage struct {
	Aggregate string // COUNT, SUM, AVG
	Estimates int
	// Before is the coverage of the model's own normal interval.
	Before float64
	// After is the coverage of the published interval on queries that did not determine its
	// width: each fifth of the workload is measured with widths from the other four.
	After float64
}

// A Cell has the distribution of z for one kind of estimate.
type Cell struct {
	Aggregate string // COUNT, SUM, AVG
	Fragments int    // touched by conditions, keys and argument; 1 if cells or counterfeits leave something open
	// Low and High bound the size of the answer: (estimate / standard error) squared, which for
	// COUNT is close to the expected count; see sizeOf.
	Low, High float64
	Estimates int
	RMS       float64 // root mean square of z; 1 if the model is right
	Coverage  float64 // of the model's own nominal 95 percent interval
	// Quantiles of |z|, one per level of Levels.
	Quantiles []float64
}

// CalibrationOptions choose the workload.
type CalibrationOptions struct {
	// Queries is the number of random queries. Each asks for COUNT, and for SUM and AVG if the
	// release has a number to add up. The default is DefaultQueries(rows).
	Queries int
	// Seed determines the workload and so the calibration. Anyone who knows the seed can
	// recompute the workload: for a publication, take it from a real entropy source and forget
	// it.
	Seed uint64
}

// DefaultQueries returns the number of queries for a table of that many rows: 500 up to 100,000
// rows, which take about a second for 50,000 rows on two cores. Beyond, it decreases so that
// the time grows with the root of the rows, down to 250 queries: about one cell per aggregate
// and number of fragments.
func DefaultQueries(rows int) int {
	if rows <= 100_000 {
		return 500
	}
	return max(250, int(500*math.Sqrt(100_000/float64(rows))))
}

// Calibrate measures a release against its published records, on all cores: table has those of
// the original table and, for a release that follows its table, the counterfeits among them.
// Intervals allow for counterfeits separately (package interval), so widths stay true when
// records leave. The result depends only on the arguments; the everyday questions depend only
// on release and table. Cost per query: an estimate with its standard errors and bounds, and a
// pass over the touched columns of the table. progress may be nil; several goroutines call it.
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

// A measurement is an estimated figure with the actual one.
type measurement struct {
	kind      estimate.Kind
	fragments int
	// query is the number of the random query: figures of one query are not independent.
	query int
	// argument is the attribute of a random query's SUM and AVG.
	argument string
	// family is that of an everyday question; records is the actual number of records in its
	// cell.
	family  string
	records float64
	interval.Figure
	actual float64
}

// multiple returns the actual error in units of the model's own half width.
func (m *measurement) multiple() float64 {
	return math.Abs(m.actual-m.Estimate) / interval.Unit(m.kind, m.Figure)
}

// survey asks the random workload and the everyday questions, and returns for each the figures
// that are not exact, in the order of queries.
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

// An estimatedRow is a row of an answer; NULL figures are NaN.
type estimatedRow struct {
	keys    []anonymize.Value
	figures []interval.Figure
}

// estimates asks the release. It returns no rows if the answer is exact.
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

// compare combines estimated figures with the actual ones; like has the common fields.
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

// isExact reports whether a standard error is 0 except for rounding.
func isExact(estimated, stderr float64) bool {
	return stderr <= 1e-6*math.Abs(estimated)
}

// fragmentsTouched returns the number of fragments on which an aggregate depends: those of the
// conditions, the keys and its argument.
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

// Encode returns the calibration in its stored form.
func (c *Calibration) Encode() (json.RawMessage, error) {
	return json.Marshal(struct {
		interval.Stored
		*Calibration
	}{interval.Stored{Factors: c.Widths}, c})
}

// DecodeCalibration parses a stored calibration, for accounts that may read the raw table; for
// others see interval.Decode. It returns nil if the release was published without one.
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
