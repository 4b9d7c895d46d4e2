package functions

import (
	"strings"
	"testing"
)

// page is the report that an account gets.
func (b *bench) page(user, call string) string {
	b.t.Helper()
	r := b.run(user, call)
	if len(r.rows) != 1 || strings.Join(r.columns, " ") != "release version html" {
		b.t.Fatalf("%s: %v", call, r.columns)
	}
	html := r.rows[0][2].(string)
	if !strings.HasPrefix(html, "<!") || !strings.HasSuffix(strings.TrimSpace(html), "</html>") {
		b.t.Errorf("%s is no page: %.80s ...", call, html)
	}
	return html
}

func has(t *testing.T, page, name string, wanted bool, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(page, text) != wanted {
			t.Errorf("%s: %q there: %v, want %v", name, text, !wanted, wanted)
		}
	}
}

// The page has only what its reader may know: an analyst sees neither measurements against the table nor its name.
func TestReportByReader(t *testing.T) {
	b := newBench(t)
	b.run("root", `CALL set_attributes('hospital.patients', 'qi=age,sex', 'sa=disease', 'ei=name');
		CALL anonymize('hospital.patients', 'slppa', 'beta=1/2', 'seed=7', 'calibrate=true', 'attacks=true', 'publish=ill');
		CALL evaluate('ill', 'queries=20', 'qi=1-2', 'seed=1'); CALL evaluate('ill', 'queries=25', 'qi=1', 'aggregate=sum', 'of=age');
		CALL evaluate('ill', 'queries=30', 'qi=1', 'seed=4')`)
	owner, analyst := b.page("clerk", "CALL report('published.ill')"), b.page("analyst", "CALL report('`ill`')")
	for name, page := range map[string]string{"owner": owner, "analyst": analyst} {
		has(t, page, name, true, "ill", "SLPPA", "disease", "beta")
		has(t, page, name, false, "11100", "Ann", "mine")
	}
	has(t, owner, "owner", true, "hospital.patients", "definetti", "learned", "own value for the strongest attacker", "Measured relative error", "SUM(age)")
	has(t, analyst, "analyst", false, "hospital", "definetti", "learned", "strongest attacker", "Measured relative error", "SUM(age)", "Correspondence loss")
	has(t, b.page("analyst", "CALL report('ill', 'title=Who is <ill>?')"), "title", true, "Who is &lt;ill&gt;?")
}

// compare= shows private releases beside the public one, each once.
func TestReportComparison(t *testing.T) {
	b := newBench(t)
	b.run("root", `CALL set_attributes('hospital.patients', 'qi=age,sex', 'sa=disease', 'ei=name');
		CALL anonymize('hospital.patients', 'in_order', 'seed=7', 'publish=first');
		CALL anonymize('hospital.patients', 'anatomy', 'l=2', 'seed=7', 'private=true', 'publish=rival');
		CALL evaluate('first', 'queries=20', 'qi=1-2', 'seed=1'); CALL evaluate('rival', 'queries=20', 'qi=1-2', 'seed=1')`)
	alone := b.page("root", "CALL report('first')")
	has(t, alone, "alone", false, "rival", "The releases compared")
	beside := b.page("root", "CALL report('first', 'compare=rival, published.first,`rival`')")
	has(t, beside, "beside", true, "rival", "Anatomy (AT)", "in_order", "The releases compared")
	// From the rival's side, in the other order.
	has(t, b.page("root", "CALL report('rival', 'compare=first')"), "other side", true, "first", "in_order")
}

// A release that follows its table shows its versions to accounts that may see them.
func TestReportVersions(t *testing.T) {
	b := newBench(t)
	b.ward()
	has(t, b.page("root", "CALL report('ward')"), "first version", false, "ward_v1")
	b.run("root", "DELETE FROM hospital.ward WHERE id = 1; CALL refresh_release('ward', 'seed=2')")
	has(t, b.page("root", "CALL report('ward')"), "second version", true, "ward_v1")
	has(t, b.page("root", "CALL report('ward_v1')"), "earlier version", true, "ward_v1")
	has(t, b.page("analyst", "CALL report('ward')"), "analyst", false, "ward_v1")
}

func TestBareNames(t *testing.T) {
	for name, bare := range map[string]bool{"adult": true, "adult_2": true, "_x": true,
		"Adult": false, "2adult": false, "select": false, "a b": false, "": false, "order": false} {
		if bareName(name) != bare {
			t.Errorf("%q is bare: %v", name, !bare)
		}
	}
}

func TestReleaseNames(t *testing.T) {
	for text, want := range map[string]string{"adult": "adult", " published.adult ": "adult", "`published`.`adult`": "adult", "`a``b`": "a`b", "`": "`",
		"published.`adult`": "adult", "publishedx": "publishedx"} {
		if got := releaseName(text); got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}
