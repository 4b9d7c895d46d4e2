package functions

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/interval"
	"github.com/anonsql/anonsql/anonymize/utility"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/functions/texts"
)

// bindUtility makes ANON_UTILITY(release): the utility of the release, recomputed from the stored fragments, and the width of its intervals, for
// every reader. Only accounts that may read the raw table see figures measured with it (loss, calibration, evaluations), and the method's facts.
func (e *Environment) bindUtility(ctx *sql.Context, arguments []sql.Expression) (*relation, error) {
	return e.bindRelease("anon_utility", sql.Schema{
		{Name: "measure", Type: types.LongText},
		{Name: "value", Type: types.Float64, Nullable: true},
		{Name: "detail", Type: types.LongText},
	}, e.utilityRows)(ctx, arguments)
}

func (e *Environment) utilityRows(ctx *sql.Context, p *catalog.Published) ([]sql.Row, error) {
	if p.IsLarge() {
		return e.countedUtility(ctx, p)
	}
	release, err := p.Release(ctx)
	if err != nil {
		return nil, err
	}
	widths, err := interval.Decode(p.Record().Calibration)
	if err != nil {
		return nil, fmt.Errorf("release %s: %w", p.Record().Name, err)
	}
	evaluations, err := e.Releases.Evaluations(ctx, p)
	if err != nil {
		return nil, err
	}
	loss, err := e.loss(ctx, p)
	if err != nil {
		return nil, err
	}
	calibration, err := e.calibrated(ctx, p)
	if err != nil {
		return nil, err
	}
	var m measures
	m.groups(release.Rows, utility.SizesOf(release))
	m.fragments(release)
	m.generalization(release, p.Record().Guarantees)
	m.loss(loss)
	m.completed(p.Record())
	m.widths(widths)
	m.facts(withoutMeasures(e.Releases.RecordFor(ctx, p).Facts, release))
	m.calibration(calibration)
	m.evaluations(evaluations)
	return m, nil
}

// countedUtility are the measures of a release that an engine counts: stored figures, and counts of the engine. They lack the expected errors of
// correlations, which need the whole release.
func (e *Environment) countedUtility(ctx *sql.Context, p *catalog.Published) ([]sql.Row, error) {
	record := p.Record()
	var m measures
	m.groups(record.Rows, utility.SizesCounted(p.GroupSizes()))
	for _, f := range record.Fragments {
		once, distinct, err := e.Releases.SubTuples(ctx, p, f.Name)
		if err != nil {
			return nil, err
		}
		var names []string
		for _, c := range f.Columns {
			names = append(names, c.Name)
		}
		m.fragment(f.Name, f.Tuples, names, once, distinct)
	}
	m.facts(e.Releases.RecordFor(ctx, p).Facts)
	evaluations, err := e.Releases.Evaluations(ctx, p)
	if err != nil {
		return nil, err
	}
	m.evaluations(evaluations)
	return m, nil
}

// completed is the rows about completed tables and the default estimator.
func (m *measures) completed(record *catalog.ReleaseRecord) {
	if record.Completion != nil {
		m.add("completed_tables", float64(record.Completion.Tables), "the estimator %s answers by default; SET anon_estimator chooses", record.Estimator())
	}
}

// loss is the loss measured at publication, if the account may see it, otherwise the part that follows from the release alone.
func (e *Environment) loss(ctx *sql.Context, p *catalog.Published) (*utility.LossReport, error) {
	record := e.Releases.RecordFor(ctx, p)
	measured, err := utility.DecodeLoss(record.Loss)
	if err != nil {
		return nil, fmt.Errorf("release %s: %w", record.Name, err)
	}
	if measured != nil {
		if len(record.Unit) > 0 {
			measured.LeaveOutRecords()
		}
		return measured, nil
	}
	release, err := p.Release(ctx)
	if err != nil {
		return nil, err
	}
	return utility.LossShown(ctx, release, record.QuasiIdentifiers, record.Sensitive)
}

// calibrated is the calibration of intervals, for accounts that may read the raw table; nil for others. Its public part is in the intervals.
func (e *Environment) calibrated(ctx *sql.Context, p *catalog.Published) (*utility.Calibration, error) {
	if !e.Releases.OwnerOf(ctx, p) {
		return nil, nil
	}
	calibration, err := utility.DecodeCalibration(e.Releases.RecordFor(ctx, p).Calibration)
	if err != nil {
		return nil, fmt.Errorf("release %s: %w", p.Record().Name, err)
	}
	return calibration, nil
}

// measures are the rows of ANON_UTILITY.
type measures []sql.Row

func (m *measures) add(measure string, value float64, detail string, values ...any) {
	*m = append(*m, sql.Row{measure, texts.Millionths(value), fmt.Sprintf(detail, values...)})
}

func (m *measures) groups(records int, sizes utility.GroupSizes) {
	m.add("groups", float64(sizes.Groups), "of %d records", records)
	if sizes.Groups == 0 {
		return
	}
	m.add("group_size_min", sizes.Least, "")
	m.add("group_size_lower_quartile", sizes.Lower, "")
	m.add("group_size_median", sizes.Median, "")
	m.add("group_size_upper_quartile", sizes.Upper, "")
	m.add("group_size_max", sizes.Greatest, "")
	m.add("group_size_mean", texts.Thousandths(sizes.Mean), "")
}

func (m *measures) generalization(release *anonymize.Release, promised []anonymize.Guarantee) {
	l := utility.GeneralizationOf(release)
	if l == nil {
		return
	}
	m.add("equivalence_classes", float64(l.Classes), "of records with the same quasi-identifiers, in whichever groups")
	m.add("class_size_mean", texts.Thousandths(l.MeanClass), "")
	if at := slices.IndexFunc(promised, func(g anonymize.Guarantee) bool { return g.Name == "k" && g.Required != nil }); at >= 0 {
		counted := "records"
		if release.Units != nil { // k counts units
			counted = "units"
		}
		m.add("class_size_normalized", texts.Thousandths(utility.GeneralizationOf(release.PerUnit()).NormalizedClass(promised[at].Required.Float())),
			"C_AVG (LeFevre et al. 2006): %s by class, by k; 1 at best", counted)
	}
	m.add("discernibility", l.Discernibility, "C_DM: sum of squared class sizes; suppressed records are one class")
	m.add("discernibility_suppressed", l.DiscernibilitySuppressed,
		"C_DM (Bayardo, Agrawal 2005): each of %d suppressed costs %d", l.Suppressed, l.Records)
	m.add("certainty_penalty", l.Mean, "GCP, mean of all cells: 0 nothing, 1 everything is generalized")
	for _, p := range l.Penalties {
		m.add("certainty_penalty", p.Penalty, "%s: the part of its domain that a cell spans", p.Attribute)
	}
	m.add("granularity_loss", l.Granularity, "LM (Iyengar 2002), mean of all cells: values beside the own one")
	for _, p := range l.Penalties {
		m.add("granularity_loss", p.Granularity, "%s: of its domain", p.Attribute)
	}
}

func (m *measures) loss(l *utility.LossReport) {
	for _, a := range l.Attributes {
		if a.GLP != nil {
			m.add("glp", *a.GLP, "%s: mean probability of values that no such record has", a.Attribute)
		}
		if p := a.Probability; p != nil {
			m.add("probability_mean", p.Mean, "%s: probability of a record's actual value", a.Attribute)
			m.add("probability_max", p.Greatest, "%s: the greatest of a record, at most 1/%d", a.Attribute, p.L)
			m.add("reconstruction_error", p.Error, "%s: sum over the records of the probability of other values", a.Attribute)
			m.add("reconstruction_error_bound", p.Bound, "%s: the least possible at l = %d", a.Attribute, p.L)
		}
		for _, c := range a.Correlations {
			if !l.Shown {
				m.add("phi_squared_before", c.Before, "%s with %s: phi^2 in the table", c.Attribute, a.Attribute)
			}
			m.add("phi_squared_after", c.After, "%s with %s: phi^2 that the release lets one expect", c.Attribute, a.Attribute)
		}
	}
	if e := l.Entropy; e != nil {
		m.add("nonuniform_entropy", e.Share, "of a suppressed table (Gionis, Tassa 2009): %.3g bits a record", e.Bits)
	}
	if l.Divergence != nil {
		m.add("kl_divergence", *l.Divergence, "bits by which expected records are off (Kifer, Gehrke 2006)")
	}
	for _, point := range l.Curve {
		m.add("matching_share", point.Share, "of the records: who counts matches gives their value >= %.3f", point.Probability)
	}
}

// A fact's name may end with the paper's symbol. Its value may begin with a figure.
var (
	symbolOfFact = regexp.MustCompile(`^(.*) \((\w+(?:\(\w+'?\))?)\)$`)
	notInMeasure = regexp.MustCompile(`\W+`)
	figureOfFact = regexp.MustCompile(`^(\d+(?:\.\d+)?)(?:[ ,]|$)`)
	recordOfFact = regexp.MustCompile(`, (\d+(?:\.\d+)?) of a record`)
)

// facts are the rows of the method's facts: a figure with a symbol has the symbol as its measure; others are a fact, whose value is NULL for a text.
// A long text has several rows.
func (m *measures) facts(facts []anonymize.Fact) {
	for _, f := range facts {
		figure, known := figureIn(figureOfFact, f.Value)
		symbol := symbolOfFact.FindStringSubmatch(f.Name)
		if !known || symbol == nil {
			m.fact(f, figure, known)
			continue
		}
		measure, about := measureName(symbol[2]), symbol[1]
		mean, of := figureIn(recordOfFact, f.Value)
		if !of {
			m.add(measure, figure, "%s: %s", about, f.Value)
			continue
		}
		whole, _, _ := strings.Cut(f.Value, ", ")
		m.add(measure, figure, "%s: %s", about, whole)
		m.add(measure+"_per_record", mean, "%s: of a record, on average", about)
	}
}

// fact is a fact without a symbol, one row per line; the first row has the figure.
func (m *measures) fact(f anonymize.Fact, figure float64, known bool) {
	for i, line := range texts.Lines(f.Name+": "+f.Value, texts.Detail) {
		if i == 0 && known {
			m.add("fact", figure, "%s", line)
			continue
		}
		*m = append(*m, sql.Row{"fact", nil, line})
	}
}

// measureName is the measure for a symbol: P(D') is p_d.
func measureName(symbol string) string {
	return strings.Trim(notInMeasure.ReplaceAllString(strings.ToLower(symbol), "_"), "_")
}

// figureIn returns the figure that a pattern finds in a text.
func figureIn(pattern *regexp.Regexp, text string) (figure float64, found bool) {
	match := pattern.FindStringSubmatch(text)
	if match == nil {
		return 0, false
	}
	figure, err := strconv.ParseFloat(match[1], 64)
	return figure, err == nil
}

func (m *measures) fragments(r *anonymize.Release) {
	for _, f := range r.Fragments {
		var names []string
		for _, c := range f.Columns {
			names = append(names, c.Name)
		}
		once, distinct := subTuples(f)
		m.fragment(f.Name, f.Tuples(), names, once, distinct)
	}
}

func (m *measures) fragment(name string, tuples int, columns []string, once, distinct int) {
	m.add("tuples", float64(tuples), "fragment %s", name)
	m.add("attributes", float64(len(columns)), "%s", texts.List("fragment "+name+": ", columns, texts.Detail))
	m.add("unique_share", float64(once)/float64(max(1, distinct)),
		"fragment %s: %d of %d sub-tuples occur once, and reveal a group", name, once, distinct)
}

// subTuples counts a fragment's combinations of cells with a single record, and all combinations.
func subTuples(f *anonymize.Fragment) (once, distinct int) {
	order := anonymize.Indices(f.Tuples())
	compare := func(a, b uint32) int {
		for _, c := range f.Columns {
			if d := cmp.Compare(c.Codes[a], c.Codes[b]); d != 0 {
				return d
			}
		}
		return 0
	}
	slices.SortFunc(order, compare)
	for first := 0; first < len(order); {
		records, next := 0, first
		for next < len(order) && compare(order[first], order[next]) == 0 {
			records += int(f.Count[order[next]])
			next++
		}
		if records == 1 {
			once++
		}
		distinct++
		first = next
	}
	return once, distinct
}

func (m *measures) calibration(c *utility.Calibration) {
	if c == nil || c.Queries == 0 { // an imported release has only the widths
		return
	}
	m.add("calibration_queries", float64(c.Queries), "random queries at publication")
	for _, x := range c.Coverage {
		m.add("coverage_before", x.Before, "%s: share of %d estimates within the model's own 95 percent interval", x.Aggregate, x.Estimates)
		if x.After > 0 { // 0: too few to measure
			m.add("coverage_after", x.After, "%s: in the published interval, of queries that did not choose it", x.Aggregate)
		}
	}
	for _, x := range c.Everyday {
		m.add("coverage_everyday", x.Covered, "%s: %d everyday cells; mean half width %.3g of the figure",
			x.Aggregate, x.Cells, x.Width)
		if x.Family != "" {
			m.add("coverage_everyday_least", x.Least, "%s: %s, the least of 20 cells or more", x.Aggregate, x.Family)
		}
	}
	for first := 0; first < len(c.Cells); {
		next := first
		for next < len(c.Cells) && c.Cells[next].Aggregate == c.Cells[first].Aggregate && c.Cells[next].Fragments == c.Cells[first].Fragments {
			next++
		}
		m.cells(c.Cells[first:next])
		first = next
	}
}

// cells are the rows of one aggregate and number of fragments.
func (m *measures) cells(cells []utility.Cell) {
	squares, estimates := 0.0, 0
	for _, c := range cells {
		squares += c.RMS * c.RMS * float64(c.Estimates)
		estimates += c.Estimates
	}
	about := fmt.Sprintf("%s, %d fragments", cells[0].Aggregate, cells[0].Fragments)
	rms := math.Round(1000*math.Sqrt(squares/float64(estimates))) / 1000
	m.add("rms_z", rms, "%s: root mean square of error / standard error, n = %d", about, estimates)
	nominal := slices.Index(interval.Levels, 0.95)
	for _, c := range cells {
		m.add("factor_95", c.Quantiles[nominal], "%s, %.4g to %.4g: |error| / standard error, n = %d", about, c.Low, c.High, c.Estimates)
	}
}

// evaluations are the rows of the latest evaluation of every aggregate, band and estimator, which is named if there are two.
func (m *measures) evaluations(records []catalog.EvaluationRecord) {
	both := slices.ContainsFunc(records, func(r catalog.EvaluationRecord) bool { return r.Estimator != catalog.Independent })
	for i, r := range records {
		if slices.ContainsFunc(records[i+1:], func(later catalog.EvaluationRecord) bool { return sameBand(later, r) }) {
			continue
		}
		about := fmt.Sprintf("%d-%d qi, %d queries, seed %d", r.Low, r.High, r.Queries, r.Seed)
		if both {
			about += ", " + r.Estimator
		}
		mean := "RECQ, " + about // the name of Zhu et al. 2015 for it
		if r.Of != "" {
			about = r.Aggregate() + ", " + about
			mean = about
		}
		m.add("relative_error_mean", r.Mean, "%s", mean)
		m.add("relative_error_median", r.Median, "%s", about)
		m.add("relative_error_p95", r.P95, "%s", about)
	}
}

// sameBand reports whether the later of two evaluations replaces the other.
func sameBand(a, b catalog.EvaluationRecord) bool {
	return a.Aggregate() == b.Aggregate() && a.Low == b.Low && a.High == b.High && a.Estimator == b.Estimator
}
