package console

import (
	"net/url"
	"testing"
)

// Parameters of a trial fill the form as they were, with blanks, semicolons, quotes and backslashes, and are stated so again.
func TestTrialsFillTheForm(t *testing.T) {
	const statement = `CALL anonymize('d.t', 'anatomy', 'l=5', 'not_sensitive=O''Neil a, \\ b', 'shift=a; b', 'qi=age')`
	tried := trialOf(statement)
	form := url.Values{"database": {"d"}, "table": {"t"}, "column": {"age"}, "role:age": {"qi"}, "parameters": {"k=2"}}
	link, err := url.Parse(fillLink(form, tried.Method, tried.Parameters))
	if err != nil {
		t.Fatal(err)
	}
	var view publishView
	view.fill(link.Query())
	form.Set("method", view.Method)
	form.Set("parameters", "l=5\n"+view.Parameters) // l has a field of its own
	form.Set("action", "statement")
	if got, err := publication(form); err != nil || got[0] != statement {
		t.Errorf("%s, %v, want %s", got, err, statement)
	}
}
