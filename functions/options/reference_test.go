package options

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

var rewrite = flag.Bool("rewrite", false, "write the tables of docs/reference.md")

// The tables of options in docs/reference.md are the declared ones.
func TestReference(t *testing.T) {
	const file = "../../docs/reference.md"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for _, p := range All() {
		heading := "\n### `" + p.Name + "`\n"
		before, rest, ok := strings.Cut(text, heading)
		section, after, last := strings.Cut(rest, "\n### ")
		start := strings.Index(section, tableHead)
		if !ok || !last || start < 0 {
			t.Errorf("%s: %s has no section with a table of options", file, p.Name)
			continue
		}
		table := section[start:]
		if end := strings.Index(table, "\n\n"); end >= 0 {
			table = table[:end+1]
		}
		if table != p.Reference() {
			if !*rewrite {
				t.Errorf("%s: %s has\n%sdeclared is\n%s(-rewrite writes it)", file, p.Name, table, p.Reference())
			}
			text = before + heading + strings.Replace(section, table, p.Reference(), 1) + "\n### " + after
		}
	}
	if *rewrite {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Every declared default is a valid value of its option, and no procedure has two options of one name.
func TestDefaultsAreTaken(t *testing.T) {
	for _, p := range All() {
		names := make(map[string]bool)
		for _, o := range p.Options {
			if names[o.Name] {
				t.Errorf("%s has %s twice", p.Name, o.Name)
			}
			names[o.Name] = true
		}
		if _, err := p.Resolve(Given{}); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
}

func TestResolve(t *testing.T) {
	for _, c := range []struct {
		procedure Procedure
		given     Given
		err       string
	}{
		{Classify, Given{"folds": "5", "target": "x"}, ""},
		{Classify, Given{"folds": "101"}, "folds is '101', must be a whole number from 2 to 100"},
		{Classify, Given{"fold": "1", "folds": "101"}, `option is 'fold=1', which is unknown; did you mean "folds"?; there are folds, predictors, seed, target, task`},
		{Classify, Given{"ei": "id"}, `option is 'ei=id', which is of CALL set_attributes, and not of this statement; there are folds, predictors, seed, target, task`},
		{Evaluate, Given{"qi": "1-3,4-2"}, "qi is '4-2', must be a number of quasi-identifiers such as 2, or a range such as 1-3"},
		{ImportRelease, Given{"fit": "async"}, "fit is async, must be true or false here; CALL fit_release makes completed tables later"},
		{ImportRelease, Given{"fit": "ASYNC"}, "fit is ASYNC, must be true or false here; CALL fit_release makes completed tables later"},
		{Anonymize, Given{"fit": "ASYNC"}, ""},
		{Anonymize, Given{"fit": "later"}, "fit is 'later', must be true, false or async"},
		{Anonymize, Given{"seed": ""}, "seed is '', must not be empty; leave it out for a random one"},
	} {
		if _, err := c.procedure.Resolve(c.given); err == nil && c.err != "" || err != nil && err.Error() != c.err {
			t.Errorf("%s of %v: %v", c.procedure.Name, c.given, err)
		}
	}
}

// What is given, the default, and what is neither read as three things.
func TestSettings(t *testing.T) {
	given, err := Evaluate.Read([]string{"Queries=7", `{"qi": ["1", "2-3"]}`})
	if err != nil {
		t.Fatal(err)
	}
	if bands := Bands.Read(given); len(bands) != 2 || bands[1] != (Band{2, 3}) {
		t.Errorf("bands are %v", bands)
	}
	if _, said := QuerySeed.Given(given); said || QuerySeed.Read(given) != 1 || Queries.Read(given) != 7 || Estimator.Read(given) != "" {
		t.Errorf("settings are %+v", given)
	}
	if Misfit.Read(anonymize.Settings{}) {
		t.Error("an option that its procedure has not reads as the zero value")
	}
}
