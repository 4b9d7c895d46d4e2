package functions

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/interval"
	"github.com/anonsql/anonsql/anonymize/methods"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/functions/options"
	"github.com/anonsql/anonsql/report"
)

var reportSchema = sql.Schema{
	{Name: "release", Type: types.LongText},
	{Name: "version", Type: types.Int32},
	{Name: "html", Type: types.LongText},
}

// maxCompared is the most releases in a plot of numbered points.
const maxCompared = 20

// CALL report('adult', 'compare=adult_v1,adult_v2', 'title=...') returns the report of a release as one HTML page. Every reader of the release
// may call it, and the page has what ANON_PRIVACY, ANON_UTILITY and anonsql.releases show to that account: only accounts that may read the raw
// table see its name, figures measured with it, and the method's facts. compare= puts releases of one table side by side, private ones too; it
// compares measured errors, so it needs access to the raw table. part=decision is only the first page, which the console shows.
func (e *Environment) report(ctx *sql.Context, release string, arguments ...string) (sql.RowIter, error) {
	given, err := options.Report.Read(arguments)
	if err != nil {
		return nil, err
	}
	p, err := e.readableRelease(ctx, releaseName(release))
	if err != nil {
		return nil, err
	}
	compared, err := e.comparedReleases(ctx, p, given)
	if err != nil {
		return nil, err
	}
	it := &reporting{environment: e, of: p, title: options.Title.Read(given), compared: compared,
		decision: options.Part.Read(given) == "decision"}
	return rowOf(it.perform), nil
}

// comparedReleases reads compare=: the release itself comes first, named or not.
func (e *Environment) comparedReleases(ctx *sql.Context, p *catalog.Published, given anonymize.Settings) ([]*catalog.Published, error) {
	text, asked := options.Compare.Given(given)
	if !asked {
		return nil, nil
	}
	if err := e.checkSource(ctx, p); err != nil {
		return nil, err
	}
	compared := []*catalog.Published{p}
	for _, name := range options.Compare.Read(given) {
		other, err := e.readableRelease(ctx, releaseName(name))
		if err != nil {
			return nil, err
		}
		if e.Releases.RecordFor(ctx, other).SourceTable != e.Releases.RecordFor(ctx, p).SourceTable {
			return nil, &anonymize.ParameterError{Parameter: "compare", Value: "'" + name + "'",
				Rule: fmt.Sprintf("is a release of another table than %q: compare releases of one table", p.Record().Name)}
		}
		if !slices.Contains(compared, other) {
			compared = append(compared, other)
		}
	}
	if len(compared) < 2 || len(compared) > maxCompared {
		return nil, &anonymize.ParameterError{Parameter: "compare", Value: "'" + text + "'",
			Rule: fmt.Sprintf("must name one to %d other releases of the same table", maxCompared-1)}
	}
	return compared, nil
}

// checkSource is error 1142 for accounts that may not read the raw table.
func (e *Environment) checkSource(ctx *sql.Context, p *catalog.Published) error {
	view, err := e.Releases.View(ctx, p.Record().Name)
	if err != nil {
		return err
	}
	return view.CheckSourceAccess(ctx)
}

// A reporting is a CALL report.
type reporting struct {
	environment *Environment
	of          *catalog.Published
	title       string
	compared    []*catalog.Published
	decision    bool // the first page alone
}

func (it *reporting) perform(ctx *sql.Context) (sql.Row, error) {
	progress := stages(ctx)
	progress("look at the release", 0, 1)
	subject, err := it.environment.subject(ctx, it.of)
	if err != nil {
		return nil, err
	}
	if it.title != "" {
		subject.Title = it.title
	}
	var compared []report.Subject
	for i, p := range it.compared {
		progress("compare", i, len(it.compared))
		s, err := it.environment.subject(ctx, p)
		if err != nil {
			return nil, err
		}
		compared = append(compared, *s)
	}
	progress("write", 0, 1)
	var page strings.Builder
	if it.decision {
		err = report.WriteDecision(ctx, &page, *subject)
	} else {
		err = report.Write(ctx, &page, *subject, compared)
	}
	if err != nil {
		return nil, err
	}
	return sql.Row{subject.Name, int32(subject.Version), page.String()}, nil
}

// subject has everything that the account may know of a release.
func (e *Environment) subject(ctx *sql.Context, p *catalog.Published) (*report.Subject, error) {
	record, owner := e.Releases.RecordFor(ctx, p), e.Releases.OwnerOf(ctx, p)
	s := &report.Subject{Name: record.Name, Owner: owner, Status: record.Status(), Version: record.Version,
		Published: record.Published, Made: e.Releases.Now(), Parameters: record.Parameters,
		QuasiIdentifiers: record.QuasiIdentifiers, Sensitive: record.Sensitive, Estimator: record.Estimator(),
		Sequence: record.Sequence, Versions: e.keptVersions(ctx, p), Bare: bareName}
	if at := record.Live; at != nil && !at.Refreshed.IsZero() {
		s.Published = at.Refreshed
	}
	var err error
	if s.Method, err = methods.ByName(record.Method); err != nil {
		s.Method = anonymize.Method{Name: record.Method} // a method that this program does not know
	}
	if owner {
		s.Source, s.Seconds, s.Facts, s.Statement = record.Database+"."+record.Table, &record.Seconds, record.Facts, record.Statement
	}
	if s.Release, err = p.Promised(ctx); err != nil {
		return nil, err
	}
	for _, f := range s.Release.Fragments {
		if e.CanRead(ctx, catalog.PublishedDatabaseName, record.Name+"_"+f.Name) {
			s.Relations = append(s.Relations, f.Name)
		}
	}
	if record.Completion != nil {
		s.Tables, s.Imputed = record.Completion.Tables, e.CanRead(ctx, catalog.PublishedDatabaseName, record.ImputedName())
	}
	if s.Guarantees, err = e.guarantees(ctx, p); err != nil {
		return nil, err
	}
	return s, e.addUtility(ctx, p, s)
}

// addUtility adds what ANON_UTILITY knows beyond the fragments.
func (e *Environment) addUtility(ctx *sql.Context, p *catalog.Published, s *report.Subject) error {
	var err error
	if s.Widths, err = interval.Decode(p.Record().Calibration); err != nil {
		return fmt.Errorf("release %s: %w", p.Record().Name, err)
	}
	if s.Calibration, err = e.calibrated(ctx, p); err != nil {
		return err
	}
	if s.Loss, err = e.loss(ctx, p); err != nil {
		return err
	}
	records, err := e.Releases.Evaluations(ctx, p)
	if err != nil {
		return err
	}
	s.Workloads = lastEvaluations(records, s.Estimator, func(a, b catalog.EvaluationRecord) bool {
		return sameBand(a, b) && a.Queries == b.Queries && a.Seed == b.Seed
	})
	s.Evaluations = lastEvaluations(records, s.Estimator, sameBand) // as in ANON_UTILITY
	return nil
}

// lastEvaluations are the latest of the evaluations that same takes for equal: counts before
// sums, few quasi-identifiers before many, the release's default estimator before the other.
func lastEvaluations(records []catalog.EvaluationRecord, estimator string, same func(a, b catalog.EvaluationRecord) bool) []report.Evaluation {
	var shown []report.Evaluation
	for i, r := range records {
		if slices.ContainsFunc(records[i+1:], func(later catalog.EvaluationRecord) bool { return same(later, r) }) {
			continue
		}
		shown = append(shown, report.Evaluation{Aggregate: r.Aggregate(), Low: r.Low, High: r.High, Queries: r.Queries, Seed: r.Seed,
			Answered: r.Queries - r.Zero, Estimates: r.Estimates, Estimator: r.Estimator,
			Mean: r.Mean, Median: r.Median, P95: r.P95, Coverage: r.Coverage, Width: r.Width})
	}
	slices.SortStableFunc(shown, func(a, b report.Evaluation) int {
		if a.Aggregate != b.Aggregate {
			return strings.Compare(a.Aggregate, b.Aggregate)
		}
		if byWidth := (a.High - a.Low) - (b.High - b.Low); byWidth != 0 {
			return byWidth
		}
		if a.Low != b.Low || a.Estimator == b.Estimator {
			return a.Low - b.Low
		}
		if a.Estimator == estimator {
			return -1
		}
		return 1
	})
	return shown
}

// keptVersions are the versions of a release that follows its table, as far as the account may see them; none if there is only one.
func (e *Environment) keptVersions(ctx *sql.Context, p *catalog.Published) []report.Version {
	live := e.Releases.RecordFor(ctx, p).Live
	if live == nil {
		return nil
	}
	var versions []report.Version
	for _, other := range e.Releases.All(ctx) {
		record := e.Releases.RecordFor(ctx, other)
		if record.Live == nil || record.Live.Lineage != live.Lineage {
			continue
		}
		at := record.Published
		if !record.Live.Refreshed.IsZero() {
			at = record.Live.Refreshed
		}
		versions = append(versions, report.Version{Name: record.Name, Version: record.Version, Rows: record.Rows, Groups: record.Groups,
			Forged: record.Forged, At: at, Shown: other == p})
	}
	if len(versions) < 2 {
		return nil
	}
	slices.SortFunc(versions, func(a, b report.Version) int { return a.Version - b.Version })
	return versions
}

var plainName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// bareName reports whether SQL reads a name without backticks.
func bareName(name string) bool {
	if !plainName.MatchString(name) {
		return false
	}
	_, err := sqlparser.Parse("SELECT " + name + " AS " + name + " FROM " + name)
	return err == nil
}
