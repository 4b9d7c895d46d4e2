package console

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// A statement names its roles, including the unit, whose values no release publishes.
func TestPublicationNamesTheUnit(t *testing.T) {
	form := url.Values{"database": {"h"}, "table": {"visits"}, "column": {"visit", "patient", "age", "disease"}, "method": {"anatomy"}, "parameters": {"l=3"},
		"role:visit": {"ei"}, "role:patient": {"unit"}, "role:age": {"qi"}, "role:disease": {"sa"}}
	for action, want := range map[string]string{
		"dry_run": `CALL anonymize('h.visits', 'anatomy', 'l=3', 'qi=age', 'sa=disease', 'unit=patient', 'dry_run=true')`,
		"advise":  `CALL advise('h.visits', 'qi=age', 'sa=disease', 'unit=patient')`,
	} {
		form.Set("action", action)
		if got, err := publication(form); err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("%s: %s, %v, want %s", action, got, err, want)
		}
	}
}

// A column that is left out keeps no role that its owner has stored: the server would fall back on it.
func TestPublicationLeavesOutStoredRoles(t *testing.T) {
	form := url.Values{"database": {"d"}, "table": {"t"}, "column": {"age", "w", "disease"}, "method": {"mondrian"}, "role:age": {"qi"}, "role:w": {"other"}, "role:disease": {"ei"},
		"stored:age": {"qi"}, "stored:w": {"weight"}, "stored:disease": {"sa"}}
	for action, want := range map[string]string{
		"publish": `CALL anonymize('d.t', 'mondrian', 'qi=age', 'sa=', 'weight=')`,
		"advise":  `CALL advise('d.t', 'qi=age', 'sa=', 'weight=')`,
	} {
		form.Set("action", action)
		if got, err := publication(form); err != nil || got[0] != want {
			t.Errorf("%s: %s, %v, want %s", action, got, err, want)
		}
	}
	form.Set("role:disease", "sa")
	form.Set("action", "advise")
	form.Del("stored:w")
	if got, err := publication(form); err != nil || got[0] != `CALL advise('d.t', 'qi=age', 'sa=disease')` {
		t.Errorf("nothing stored: %s, %v", got, err)
	}
	form.Set("role:age", "other")
	if got, err := publication(form); err == nil || !strings.Contains(err.Error(), "no column is one that others know") {
		t.Errorf("no quasi-identifier: %s, %v", got, err)
	}
}

// A comparison has candidates of all families, one statement each, and without a model where there is none.
func TestComparisonHasAllFamilies(t *testing.T) {
	form := url.Values{"action": {"tune"}, "database": {"h"}, "table": {"t"}, "column": {"a,b", "disease", "income"}, "role:a,b": {"qi"}, "role:disease": {"sa"}, "role:income": {"sa"}}
	statements, err := publication(form)
	if err != nil || len(statements) < 3 || len(statements) > 6 {
		t.Fatalf("%d statements, %v", len(statements), err)
	}
	all := strings.Join(statements, "\n")
	for _, want := range []string{"'methods=anatomy'", "'methods=mondrian'", "'methods=fulldomain'", "'methods=oka'", "'methods=slppa'", "'qi=`a,b`', 'sa=disease,income'"} {
		if !strings.Contains(all, want) {
			t.Errorf("%s is not in\n%s", want, all)
		}
	}
	for method, want := range map[string]bool{"anatomy": true, "mondrian": true, "slppa": true, "oka": false, "fulldomain": false} {
		if strings.Contains(all, "'"+method+".sa_mode=each'") != want {
			t.Errorf("of %s both secrets are bounded: must be %v", method, want)
		}
	}
	if strings.Contains(all, "model=counts") {
		t.Error("a model of two sensitive attributes is compared")
	}
}

// A method's fields give its parameters, without defaults and without other methods' parameters.
func TestFieldsOfParameters(t *testing.T) {
	form := url.Values{"method": {"anatomy"}, "p:anatomy:l": {" 4 "}, "p:anatomy:sa_mode": {"combined"}, "p:anatomy:jitter": {""}, "p:mondrian:k": {"7"},
		"p:size": {"50"}, "p:model": {"none"}, "parameters": {"seed=1"}}
	if got := parametersOf(form); got != "l=4\nsize=50\nseed=1" {
		t.Errorf("%q", got)
	}
	form["column"], form["role:a"], form["role:b"] = []string{"a", "b"}, []string{"sa"}, []string{"sa"}
	for method, want := range map[string]string{"anatomy": "l=4\nsize=50\nsa_mode=each\nseed=1", "cdt": "size=50\nseed=1"} {
		form.Set("method", method)
		form.Set("p:sa_mode", "each")
		if got := parametersOf(form); got != want {
			t.Errorf("two secrets of %s: %q, want %q", method, got, want)
		}
	}
	all, others := offers("mondrian", map[string]string{"k": "7", "seed": "1"})
	if len(all) != 16 || all[2].Name != "mondrian" || all[2].Needed[0].Text != "7" || len(others) != 1 || others["seed"] != "1" {
		t.Errorf("%d methods, %+v, %v", len(all), all[2], others)
	}
	for _, o := range all {
		for _, f := range append(o.Needed, o.Further...) {
			if strings.ContainsAny(f.Doc, "`[]") || f.Doc == "" || o.Title == "" {
				t.Errorf("%s %s is %q", o.Name, f.Label, f.Doc)
			}
		}
	}
}

func TestTargetOf(t *testing.T) {
	for _, c := range [][4]string{{"", "People 2024.csv", "uploads", "people_2024"}, {"", `C:\x\..csv`, "uploads", "table"}, {"h.v", "a.csv", "h", "v"},
		{"", "../../etc/passwd", "uploads", "passwd"}, {"`h`.v", "a.csv", "", ""}, {"h", "a.csv", "", ""}, {"h.v;drop", "a.csv", "", ""}} {
		database, table, err := targetOf(c[0], c[1])
		if database != c[2] || table != c[3] || (err == nil) != (c[2] != "") {
			t.Errorf("%q of %q is %s.%s, %v", c[0], c[1], database, table, err)
		}
	}
}

// The form states the cost of several sensitive attributes before anything runs.
func TestSeveralSecretsAreSaid(t *testing.T) {
	for secrets, told := range map[int]bool{1: false, 2: true} {
		page := httptest.NewRecorder()
		show(page, http.StatusOK, "publish.html", publishView{Columns: []suggestion{{Name: "income", Role: "sa"}}, Secrets: secrets})
		if text := "2 columns are secret"; strings.Contains(page.Body.String(), text) != told || page.Code != http.StatusOK {
			t.Errorf("%d secrets, status %d: the page says %q: %t, want %t", secrets, page.Code, text, !told, told)
		}
	}
}
