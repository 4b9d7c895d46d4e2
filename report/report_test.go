package report_test

import (
	"crypto/sha256"
	dbsql "database/sql"
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/functions/texts"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// One house serves all: its releases take most of the time.
func TestReport(t *testing.T) {
	h := open(t)
	t.Run("comparison", func(t *testing.T) { checkComparison(t, h) })
	t.Run("concerns", func(t *testing.T) { checkConcerns(t, h) })
	t.Run("first page", func(t *testing.T) { checkFirstPage(t, h) })
	for _, release := range testsize.Some(testsize.Levels(2, 5, 5), []string{"people", "general", "buckets", "two", "live"}) {
		t.Run(release, func(t *testing.T) {
			text := call(t, h.owner, release)
			page := parse(t, text)
			checkForm(t, text, page)
			checkFigures(t, h.owner, release, page)
			statements := page.statements()
			if len(statements) < 8 {
				t.Errorf("%d statements: %q", len(statements), statements)
			}
			runAll(t, h.owner, statements)
		})
	}
	t.Run("analyst", func(t *testing.T) { checkAnalyst(t, h) })
	t.Run("refusals", func(t *testing.T) { checkRefusals(t, h) })
	t.Run("screenshots", func(t *testing.T) { checkScreenshots(t, h) })
	t.Run("estimators", func(t *testing.T) { checkEstimators(t, h) })
}

// checkEstimators: a page says who answers, what both got wrong, the default one
// first, and has examples that go with it. Where there is one estimator there is no word
// of it.
func checkEstimators(t *testing.T, h *house) {
	errors := func(page document) (lines []string) {
		for _, table := range page.all("table") {
			if !strings.HasPrefix(table.text(), "Measured relative error") {
				continue
			}
			for _, line := range table.all("tbody")[0].all("th") {
				lines = append(lines, plain(line.text()))
			}
		}
		return lines
	}
	page := parse(t, call(t, h.owner, "people"))
	lines := errors(page)
	if len(lines) < 6 || len(lines)%2 != 0 {
		t.Fatalf("the errors are of %q", lines)
	}
	for i := 0; i < len(lines); i += 2 {
		band, ofImputed := strings.CutSuffix(lines[i], ", imputed")
		if other, ofOther := strings.CutSuffix(lines[i+1], ", independent fragments"); !ofImputed || !ofOther || band != other {
			t.Errorf("errors of %q are followed by those of %q", lines[i], lines[i+1])
		}
	}
	statements := strings.Join(page.statements(), ";")
	if text := plain(page.text()); !strings.Contains(text, "Answers are imputed: means over 12 completed tables") || !strings.Contains(statements, "FROM published.people_imputed") {
		t.Error("the page does not say who answers")
	}
	servertest.Exec(t, h.owner, "CALL fit_release('people', 'estimator=independent')")
	page = parse(t, call(t, h.owner, "people"))
	if lines = errors(page); !strings.HasSuffix(lines[0], ", independent fragments") || !strings.Contains(plain(page.text()), "Answers take relations for independent inside groups. There are 12 completed tables, too") {
		t.Errorf("after another choice the page begins with the errors of %q", lines[0])
	}
	servertest.Exec(t, h.owner, "CALL fit_release('people')")
	for _, name := range []string{"imputed", "independent fragments"} {
		if strings.Contains(call(t, h.owner, "general"), name) {
			t.Errorf("a release without completed tables has a page that says %q", name)
		}
	}
	servertest.Exec(t, h.owner, "CALL anonymize('census.people', 'anatomy', "+quasi+", 'sa=disease', 'l=3', 'publish=bare', 'private=true', 'calibrate=false', 'seed=1')")
	if statements := strings.Join(parse(t, call(t, h.owner, "bare")).statements(), ";"); !strings.Contains(statements, "ANON_INTERVAL_LOW") {
		t.Error("no example has an interval, which completed tables have without calibration")
	}
}

// checkForm: nothing is fetched, nothing runs, the sheet is the one that the policy
// names; headings, captions and titles are where readers of the page's form expect
// them.
func checkForm(t *testing.T, text string, page document) {
	t.Helper()
	for _, name := range []string{"script", "link", "img", "iframe", "object", "embed", "form", "base", "audio", "video", "use", "image"} {
		if found := page.all(name); len(found) > 0 {
			t.Errorf("%d <%s>", len(found), name)
		}
	}
	ids := make(map[string]bool)
	for _, e := range page.all("") {
		for _, a := range e.attributes {
			if key := strings.ToLower(a.Name.Local); key == "style" || strings.HasPrefix(key, "on") || key == "src" || key == "href" && !strings.HasPrefix(a.Value, "#") {
				t.Errorf("<%s %s=%q>", e.name, a.Name.Local, a.Value)
			}
		}
		if id := e.attribute("id"); id != "" {
			if ids[id] {
				t.Errorf("two elements have the id %s", id)
			}
			ids[id] = true
		}
	}
	for _, e := range page.all("") {
		if label := e.attribute("aria-labelledby"); label != "" && !ids[label] {
			t.Errorf("nothing has the id %s", label)
		}
		if href := e.attribute("href"); href != "" && !ids[href[1:]] {
			t.Errorf("nothing has the id of %s", href)
		}
	}
	sheets := page.all("style")
	if len(sheets) != 1 || regexp.MustCompile(`(?i)url\(|@import|expression|https?:`).MatchString(sheets[0].children[0].content) {
		t.Fatalf("%d style sheets, or one that fetches", len(sheets))
	}
	sum := sha256.Sum256([]byte(sheets[0].children[0].content))
	policy := ""
	for _, meta := range page.all("meta") {
		if meta.attribute("http-equiv") == "Content-Security-Policy" {
			policy = meta.attribute("content")
		}
	}
	if want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.HasPrefix(policy, want) {
		t.Errorf("the policy is %q, want %q", policy, want)
	}
	checkReadable(t, page)
	if strings.Contains(text, "ZgotmplZ") || strings.Contains(text, "NaN") || strings.Contains(text, "<no value>") {
		t.Error("a figure or a text was not written")
	}
}

func checkReadable(t *testing.T, page document) {
	t.Helper()
	if n := len(page.all("h1")); n != 1 {
		t.Errorf("%d first headings", n)
	}
	for _, table := range page.all("table") {
		if len(table.all("caption")) != 1 || len(table.all("th")) == 0 {
			t.Errorf("a table without caption or heads: %.80q", table.text())
		}
	}
	for _, section := range page.all("section") {
		if len(section.all("h2")) != 1 {
			t.Errorf("a section has %d headings", len(section.all("h2")))
		}
	}
	for _, drawing := range page.all("svg") {
		inner := drawing.parent.name == "svg"
		hidden := drawing.attribute("aria-hidden") == "true" || (document{drawing.parent}).attribute("aria-hidden") == "true"
		if !inner && !hidden && (drawing.attribute("role") != "img" || len(drawing.all("title")) == 0) {
			t.Errorf("a drawing says nothing to who cannot see it: %v", drawing.attributes)
		}
	}
	if page.all("html")[0].attribute("lang") != "en" {
		t.Error("the page has no language")
	}
}

// checkFigures compares the page with ANON_PRIVACY and ANON_UTILITY.
func checkFigures(t *testing.T, db *dbsql.DB, release string, page document) {
	t.Helper()
	rows, err := db.Query("SELECT guarantee, required, achieved, worst_group, holds, detail FROM ANON_PRIVACY('" + release + "')")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var places []document
	for _, section := range page.all("section") {
		if label := section.attribute("aria-labelledby"); label == "guarantees" || label == "attacks" {
			places = append(append(places, section.all("li")...), section.all("tr")...)
		}
	}
	seen := 0
	for rows.Next() {
		var name, detail string
		var required dbsql.NullFloat64
		var achieved float64
		var group dbsql.NullInt64
		var holds dbsql.NullBool
		if err := rows.Scan(&name, &required, &achieved, &group, &holds, &detail); err != nil {
			t.Fatal(err)
		}
		// One name may have a figure an attribute, each in a place of its own.
		shown := strconv.FormatFloat(achieved, 'g', -1, 64)
		at := slices.IndexFunc(places, func(d document) bool {
			return slices.ContainsFunc(d.all("code"), func(code document) bool { return code.text() == name }) && d.figures()[shown] > 0
		})
		if at < 0 {
			t.Errorf("%s is not in the page with %v", name, achieved)
			continue
		}
		seen++
		place := places[at]
		if slices.Contains([]string{"alpha", "gamma", "delta"}, name) && required.Float64 == 1 { // which nothing can break
			if strings.Contains(place.text(), "Holds") {
				t.Errorf("%s of at most 1 is shown as held", name)
			}
			continue
		}
		if required.Valid && place.figures()[strconv.FormatFloat(required.Float64, 'g', -1, 64)] == 0 {
			t.Errorf("%s: required %v is not shown", name, required.Float64)
		}
		if group.Valid && !regexp.MustCompile(fmt.Sprintf(`\b%d\b`, group.Int64)).MatchString(place.text()) {
			t.Errorf("%s: the worst group %d is not in %q", name, group.Int64, place.text())
		}
		if required.Valid != holds.Valid || required.Valid && (!holds.Bool || !strings.Contains(place.text(), "Holds") || !strings.Contains(place.text(), detail)) {
			t.Errorf("%s: holds %v, %q: %q", name, holds.Bool, detail, place.text())
		}
		if title := place.all("bdi")[0].text(); title == name {
			t.Errorf("there are no words for the guarantee %s", name)
		}
	}
	if err := rows.Err(); err != nil || seen < 5 {
		t.Fatalf("%d guarantees, %v", seen, err)
	}
	checkUtility(t, db, release, page.figures())
}

// shownMeasures are the rows of ANON_UTILITY that the page has.
const shownMeasures = `measure IN ('groups', 'tuples', 'equivalence_classes', 'discernibility', 'glp', 'probability_mean', 'phi_squared_before', 'phi_squared_after',
	'coverage_before', 'coverage_after', 'relative_error_mean', 'relative_error_median', 'relative_error_p95')
	OR measure LIKE 'group_size%' AND (SELECT MAX(size) > MIN(size) FROM published.%s_gid) OR measure = 'certainty_penalty' AND detail LIKE 'normalized%%'`

func checkUtility(t *testing.T, db *dbsql.DB, release string, figures map[string]int) {
	t.Helper()
	rows, err := db.Query("SELECT measure, value, detail FROM ANON_UTILITY('" + release + "') WHERE " + strings.ReplaceAll(strings.ReplaceAll(shownMeasures, "%s", release), "%%", "%"))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	rounded := make(map[float64]bool) // as ANON_UTILITY has them; the page has all digits
	for figure := range figures {
		if x, err := strconv.ParseFloat(figure, 64); err == nil {
			rounded[texts.Millionths(x)] = true
		}
	}
	seen := 0
	for rows.Next() {
		var measure, detail string
		var value float64
		if err := rows.Scan(&measure, &value, &detail); err != nil {
			t.Fatal(err)
		}
		seen++
		if !rounded[value] {
			t.Errorf("%s %v (%s) is not in the page", measure, value, detail)
		}
	}
	if err := rows.Err(); err != nil || seen < 5 {
		t.Fatalf("%d measures, %v", seen, err)
	}
}

// An analyst's page has what the analyst may read: no raw table, no measured
// errors, no facts, nothing for the owner; and its examples run.
func checkAnalyst(t *testing.T, h *house) {
	owners := plain(parse(t, call(t, h.owner, "people")).text())
	text := call(t, h.analyst, "published.people")
	page := parse(t, text)
	checkForm(t, text, page)
	checkFigures(t, h.analyst, "people", page)
	for _, private := range []string{"census", "Measured relative error", "What the method reported", "For its owner", "ANON_ACTUAL", "create_analyst", "made in",
		"Correspondence loss", "On average over", "had the truth, at publication", "Connection with disease Correspondence"} {
		if strings.Contains(page.text(), private) {
			t.Errorf("an analyst reads %q", private)
		}
		if !strings.Contains(owners, private) {
			t.Errorf("the owner does not read %q", private)
		}
	}
	runAll(t, h.analyst, page.statements())
	live := parse(t, call(t, h.analyst, "live")).text()
	if strings.Contains(live, "live_v1") || strings.Contains(live, "persons inserted") {
		t.Error("an analyst reads of the earlier versions of a release that follows its table")
	}
	if owned := parse(t, call(t, h.owner, "live")).text(); !strings.Contains(owned, "live_v1") || !strings.Contains(owned, "counterfeits") {
		t.Error("the owner does not read of the earlier versions")
	}
	// Grants on the view alone: the relations' rows stay away.
	servertest.Exec(t, h.owner, "CREATE USER 'narrow'@'%'", "GRANT SELECT ON published.people TO 'narrow'@'%'")
	narrow := parse(t, call(t, h.server.Open(t, servertest.Account{User: "narrow"}), "people"))
	if strings.Contains(narrow.text(), "What it looks like") || strings.Contains(strings.Join(narrow.statements(), " "), "people_qi1") {
		t.Error("an account reads rows of relations that it may not SELECT from")
	}
}

func checkRefusals(t *testing.T, h *house) {
	for _, c := range []struct {
		db        *dbsql.DB
		arguments []any
		number    int
		message   string
	}{
		{h.owner, []any{"nothing"}, 30001, `there is no release "nothing"`},
		{h.owner, []any{"people", "colour=red"}, 1210, "option is 'colour=red', which is unknown; there are compare, part, title"},
		{h.owner, []any{"people", "compare=live"}, 1210, `compare is 'live', is a release of another table than "people"`},
		{h.owner, []any{"people", "compare=people"}, 1210, "must name one to 19 other releases of the same table"},
		{h.owner, []any{"people", "compare="}, 1210, "must name one to 19 other releases of the same table"},
		{h.owner, []any{"people", "compare=nothing"}, 30001, `there is no release "nothing"`},
		{h.analyst, []any{"general"}, 30001, `there is no release "general"`},
		{h.analyst, []any{"people", "compare=general"}, 1142, "SELECT command denied"},
	} {
		_, err := tryCall(c.db, c.arguments...)
		if err == nil || servertest.Number(err) != c.number || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%v: got %v, want %d %s", c.arguments, err, c.number, c.message)
		}
	}
	servertest.Exec(t, h.owner, "CREATE USER 'nobody'@'%'")
	nobody := h.server.Open(t, servertest.Account{User: "nobody"})
	if _, err := tryCall(nobody, "people"); servertest.Number(err) != 1044 {
		t.Errorf("an account without grants: %v", err)
	}
	if _, err := h.owner.Exec("CALL report()"); err == nil || !strings.Contains(err.Error(), "write CALL report('adult'") {
		t.Errorf("no argument: %v", err)
	}
}

// Releases are measured alike when they are published, so that there is a plot; those that were not are a table and
// the statements that mend it.
func checkComparison(t *testing.T, h *house) {
	text := call(t, h.owner, "people", "compare=general, published.buckets", "title=Which one?")
	page := parse(t, text)
	checkForm(t, text, page)
	if h1 := page.all("h1")[0].text(); h1 != "Which one?" {
		t.Errorf("the title is %q", h1)
	}
	points := slices.DeleteFunc(page.all("circle"), func(d document) bool { c := d.attribute("class"); return c != "best" && c != "beaten" })
	best := slices.DeleteFunc(slices.Clone(points), func(d document) bool { return d.attribute("class") != "best" })
	if len(points) != 6 || len(best) < 2 {
		t.Errorf("%d points, %d beaten by no other", len(points), len(best))
	}
	checkEvaluations(t, h, page.figures())
	checkGreatest(t, h, page.all("table")[0].figures())
	measureAlike(t, h)
}

// measureAlike runs the statements that a page has instead of a plot, of a release that was not measured.
func measureAlike(t *testing.T, h *house) {
	t.Helper()
	servertest.Exec(t, h.owner, "CALL anonymize('census.people', 'mondrian', "+quasi+", 'sa=disease', 'k=9', 'publish=unmeasured', 'private=true', 'calibrate=false')")
	before := parse(t, call(t, h.owner, "general", "compare=unmeasured"))
	if !strings.Contains(plain(before.text()), "There is no plot yet") {
		t.Error("there is a plot without a common workload")
	}
	var measure []string
	for _, statement := range before.statements() {
		if strings.HasPrefix(statement, "CALL evaluate('general'") && strings.Contains(statement, ";\n") {
			measure = strings.Split(statement, ";\n")
		}
	}
	if len(measure) != 2 {
		t.Fatalf("the statements to measure are %q", measure)
	}
	runAll(t, h.owner, measure)
	if after := parse(t, call(t, h.owner, "general", "compare=unmeasured")); len(after.all("circle")) < 4 {
		t.Error("there is no plot of measured releases")
	}
}

// checkEvaluations wants the measured errors of the three releases in the page.
func checkEvaluations(t *testing.T, h *house, figures map[string]int) {
	t.Helper()
	rows, err := h.owner.Query("SELECT `release`, mean, median, coverage FROM anonsql.evaluations WHERE qi = '1-3' AND queries = 500 AND aggregate = 'COUNT(*)' AND `release` <> 'two'")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		var release string
		var mean, median, coverage float64
		if err := rows.Scan(&release, &mean, &median, &coverage); err != nil {
			t.Fatal(err)
		}
		n++
		for _, x := range []float64{mean, median, coverage} {
			if figures[strconv.FormatFloat(x, 'g', -1, 64)] == 0 {
				t.Errorf("%s: %v is not in the page", release, x)
			}
		}
	}
	if err := rows.Err(); err != nil || n != 3 {
		t.Errorf("%d evaluations, %v", n, err)
	}
}

// checkGreatest wants the probabilities that are verified among the greatest ones that
// the page compares.
func checkGreatest(t *testing.T, h *house, compared map[string]int) {
	t.Helper()
	var beta, breach float64
	if err := h.owner.QueryRow("SELECT (SELECT achieved FROM ANON_PRIVACY('people') WHERE guarantee = 'beta'), (SELECT achieved FROM ANON_PRIVACY('buckets') WHERE guarantee = 'breach')").Scan(&beta, &breach); err != nil {
		t.Fatal(err)
	}
	for _, x := range []float64{beta, breach} {
		near := false
		for value := range compared {
			f, _ := strconv.ParseFloat(value, 64)
			near = near || f-x < 1e-8 && x-f < 1e-8
		}
		if !near {
			t.Errorf("the greatest probability %v is not among %v", x, compared)
		}
	}
}
