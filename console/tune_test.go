package console

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
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
	form.Set("parameters", "l=5\n"+view.Parameters) // l has its own field
	form.Set("action", "statement")
	if got, err := publication(form); err != nil || got[0] != statement {
		t.Errorf("%s, %v, want %s", got, err, statement)
	}
}

// A link too long for a request is omitted, with a note.
func TestLongLinksAreLeftOut(t *testing.T) {
	form := url.Values{"database": {"d"}, "table": {"t"}, "action": {"advise"}}
	for i := range 600 {
		form.Add("column", fmt.Sprint("a_column_", i))
		form.Set(fmt.Sprint("role:a_column_", i), "qi")
	}
	if fillLink(form, "", "") != "" {
		t.Error("a form of 600 columns has a link")
	}
	request := httptest.NewRequest(http.MethodPost, "/publish", nil)
	request.PostForm = form
	if had := writtenIn(request); had.Form != "" || !strings.Contains(had.Statement, "a_column_599") {
		t.Errorf("of a form that was not taken there is %.60s, and no statement", had.Form)
	}
	began := &work{fields: form, statements: []string{strings.Repeat("x", 8000)}, answer: &answer{Duration: "1s"}}
	question := askView{Statement: began.statements[0], Answer: &answer{Result: &table{Columns: []string{"n"}, Numeric: []bool{true}}}}
	for page, view := range map[string]any{"work.html": workView{Work: began, Statements: began.statements, Stage: stage{Ended: true}, Answer: began.answer}, "ask.html": question} {
		shown := httptest.NewRecorder()
		show(shown, http.StatusOK, page, view)
		if text := shown.Body.String(); !strings.Contains(text, "for a link") || strings.Contains(text, `href="/ask?statement`) || strings.Contains(text, `href=""`) {
			t.Errorf("%s: %s", page, text)
		}
	}
}
