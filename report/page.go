package report

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/utility"
)

//go:embed page
var files embed.FS

// page is parsed once; a template that does not parse fails every test.
var page = template.Must(template.ParseFS(files, "page/*.html"))

// style returns the style sheet and the policy that permits only it. Nothing in it comes from a
// release.
func style() (sheet template.CSS, policy template.HTML, err error) {
	text, err := files.ReadFile("page/style.css")
	if err != nil {
		return "", "", err
	}
	sum := sha256.Sum256(text)
	return template.CSS(text), template.HTML(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-` +
		base64.StdEncoding.EncodeToString(sum[:]) + `'; base-uri 'none'; form-action 'none'"/>`), nil
}

// Write writes the page of a release. compared are releases of the same table, readable for the
// reader, for a comparison; fewer than two make none.
func Write(ctx context.Context, w io.Writer, s Subject, compared []Subject) error {
	v, err := newView(ctx, &s)
	if err != nil {
		return err
	}
	if len(compared) > 1 {
		if v.Comparison, err = compare(ctx, compared); err != nil {
			return err
		}
	}
	if v.Style, v.Policy, err = style(); err != nil {
		return err
	}
	return page.ExecuteTemplate(w, "page.html", v)
}

// WriteDecision writes only the first page, without head and style, for pages that have [Sheet].
func WriteDecision(ctx context.Context, w io.Writer, s Subject) error {
	v, err := newView(ctx, &s)
	if err != nil {
		return err
	}
	return page.ExecuteTemplate(w, "decision", v)
}

// A view has the template's texts and positions.
type view struct {
	*Subject
	Style  template.CSS
	Policy template.HTML

	Summary    []keyFigure
	Decision   *decision
	MethodName string // in full; ShortName without the part after the colon
	ShortName  string
	Records    Figure
	GroupCount Figure
	Forged     Figure
	When, Now  string
	Took       string
	Set, Left  []parameter
	Fragments  []fragmentLine
	Promised   []bullet
	Over       []bullet // promised over all versions
	Reported   []reportedFigure
	Spans      bool // a record's group cannot be told
	Attacks    []bullet
	Sizes      *histogram
	Risk       *riskChart
	Losses     []lossTable
	Spent      []measure
	Errors     *errorChart
	Coverage   []coverageLine
	Default    []imputedLine
	Relations  []relation
	Beside     []string // relations published beside the fragments
	Queries    []Example
	Owners     []Example
	VersionsOf []versionLine
	Comparison *comparison
}

// A keyFigure is one of the few figures at the top.
type keyFigure struct {
	Figure Figure
	Label  string
}

type parameter struct{ Name, Value, Doc string }

type fragmentLine struct {
	Name, Role string
	Columns    []string
	Tuples     Figure
}

type versionLine struct {
	Version
	Records, Groups, Forged Figure
	When                    string
}

const dayAndTime = "2 January 2006, 15:04 UTC"

func newView(ctx context.Context, s *Subject) (*view, error) {
	if s.Title == "" {
		s.Title = s.Name
	}
	r := s.Release
	v := &view{
		Subject:    s,
		MethodName: methodName(s.Method),
		ShortName:  shortName(s.Method),
		Records:    count(r.Rows),
		GroupCount: count(r.Groups()),
		Forged:     count(r.Forged),
		When:       s.Published.UTC().Format(dayAndTime),
		Now:        s.Made.UTC().Format(dayAndTime),
	}
	if s.Seconds != nil {
		v.Took = trimmed(*s.Seconds, 1) + " s"
		if *s.Seconds < 0.05 {
			v.Took = "less than 0.1 s"
		}
	}
	risks, err := RiskOf(ctx, r, s.Sensitive)
	if err != nil {
		return nil, err
	}
	v.parameters()
	v.guarantees()
	v.Spans = utility.SpansGroups(r)
	v.Sizes = newHistogram(r)
	v.Risk = newRiskChart(risks, s.Guarantees)
	v.losses()
	v.Errors = newErrorChart("all-errors", s.Evaluations)
	v.coverage()
	v.fragments()
	v.Queries, v.Owners = Examples(s)
	for _, version := range s.Versions {
		v.VersionsOf = append(
			v.VersionsOf,
			versionLine{version, count(version.Rows), count(version.Groups), count(version.Forged), version.At.UTC().Format(dayAndTime)},
		)
	}
	v.decide(risks)
	v.summary(risks)
	return v, nil
}

func methodName(m anonymize.Method) string {
	if m.Title != "" {
		return m.Title
	}
	return m.Name
}

// shortName returns a method's title without its explanation.
func shortName(m anonymize.Method) string {
	name, _, _ := strings.Cut(methodName(m), ":")
	return name
}

// parameters lists the set parameters, in the order of their declaration, with their meaning;
// and those left at their default in one line.
func (v *view) parameters() {
	for _, p := range v.Method.Parameters {
		value, ok := v.Parameters[p.Name]
		switch line := (parameter{p.Name, value, p.Doc}); {
		case !ok:
		case p.Default != "" && value == p.Default:
			v.Left = append(v.Left, line)
		default:
			v.Set = append(v.Set, line)
		}
	}
}

func (v *view) fragments() {
	roles := map[anonymize.FragmentRole]string{
		anonymize.QuasiIdentifying: "quasi-identifiers",
		anonymize.Sensitive:        "sensitive",
		anonymize.Mixed:            "both, linked",
	}
	for _, f := range v.Release.Fragments {
		line := fragmentLine{Name: v.Name + "_" + f.Name, Role: roles[f.Role], Tuples: count(f.Tuples())}
		for _, c := range f.Columns {
			line.Columns = append(line.Columns, clean(c.Name))
		}
		v.Fragments = append(v.Fragments, line)
		if slices.Contains(v.Subject.Relations, f.Name) {
			v.Relations = append(v.Relations, firstRows(v.Name, f))
		}
	}
	v.Beside = []string{v.Name + "_gid"}
	if v.Release.Model != nil {
		v.Beside = append(v.Beside, v.Name+"_model")
	}
	if v.Tables > 0 {
		v.Beside = append(v.Beside, v.Name+"_imputed")
	}
}

// summary selects the figures for the top: how many, how safe, how accurate.
func (v *view) summary(risks []Risk) {
	v.Summary = []keyFigure{{v.Records, "records"}, {v.GroupCount, "groups"}}
	worst := 0.0
	for _, risk := range risks {
		if risk.Attribute != "" {
			worst = max(worst, risk.Greatest)
		}
	}
	if worst > 0 {
		v.Summary = append(v.Summary, keyFigure{share(worst), "greatest probability of a sensitive value"})
	}
	if attacked, _, ok := strongestAttack(v.Guarantees); ok {
		v.Summary = append(v.Summary, keyFigure{share(attacked), "mean probability of the own value for the strongest attacker"})
	}
	if len(v.Evaluations) > 0 {
		e := v.Evaluations[0]
		v.Summary = append(v.Summary, keyFigure{share(e.Median), "median error of a query on " + quasiIdentifiers(e.Low, e.High)})
	} else if sizes := utility.SizesOf(v.Release); sizes.Groups > 0 {
		v.Summary = append(v.Summary, keyFigure{number(sizes.Least), "records in the smallest group"})
	}
}

// quasiIdentifiers describes a band in words.
func quasiIdentifiers(low, high int) string {
	switch {
	case low == high && low == 1:
		return "1 quasi-identifier"
	case low == high:
		return fmt.Sprintf("%d quasi-identifiers", low)
	}
	return fmt.Sprintf("%d to %d quasi-identifiers", low, high)
}

// clean returns a text of the release as valid UTF-8.
func clean(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(float64(n)) + " " + many
}

func dateTime(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// PublishedAt returns the time in a machine-readable form.
func (v *view) PublishedAt() string { return dateTime(v.Published) }

// MadeAt returns the time in a machine-readable form.
func (v *view) MadeAt() string { return dateTime(v.Made) }

// Sheet returns the page's style sheet, for related pages.
func Sheet() ([]byte, error) { return files.ReadFile("page/style.css") }
