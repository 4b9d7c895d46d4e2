package console

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/report"
)

// tuneOptions are what CALL advise tries: methods whose answers may come from completed tables, and attacks by who completes the release.
var tuneOptions = map[string]any{
	"all":               "true",
	"methods":           "anatomy,slppa,arp",
	"risk":              "learned",
	"target":            "imputed_error",
	"sample":            "4000",
	"queries":           "200",
	"anatomy.l":         "2|3|5",
	"anatomy.size":      "none|50",
	"anatomy.model":     "none|counts",
	"slppa.beta":        "1/3|1/5",
	"slppa.tables":      "2",
	"slppa.homogeneous": "false",
	"arp.l":             "2|5",
}

// A tuned is the answer of CALL tune: what was tried, on a risk-utility plot, each a link that fills the form.
type tuned struct {
	Plot     *report.Plot // nil for nothing that can be published
	Trials   []trial
	Failures []trial
	Notes    *table // what the notes say beside the failures; nil for nothing
}

// A trial is a method with parameters. Number is that of its point, 0 for one that another beats.
type trial struct {
	Number             int
	Method, Parameters string
	Risk, Error        string
	Link, Failure      string
}

// newTuned reads what a work of tuning answered; nil for other works, and while it runs.
func newTuned(w *work) *tuned {
	if w.running() || w.fields.Get("action") != "tune" || w.answer.Result == nil {
		return nil
	}
	t := &tuned{}
	var choices []report.Choice
	risks, losses := w.answer.Result.column("risk"), w.answer.Result.column("loss")
	for i, statement := range w.answer.Result.column("statement") {
		tried := trialOf(statement.Value)
		risk, loss := numberOr(risks[i]), numberOr(losses[i])
		tried.Risk, tried.Error, tried.Link = percent(risk), percent(loss), fillLink(w.fields, tried.Method, tried.Parameters)
		t.Trials = append(t.Trials, tried)
		choices = append(choices, report.Choice{Name: tried.Method + " " + tried.Parameters, Risk: risk, Error: loss, Link: tried.Link})
	}
	t.fail(w.answer.Notes)
	t.draw(choices)
	return t
}

// fail reads of the notes what cannot be published, and keeps the others.
func (t *tuned) fail(notes *table) {
	if notes == nil {
		return
	}
	others := *notes
	others.Rows = nil
	for i, note := range notes.column("Message") {
		text, failed := strings.CutPrefix(note.Value, "no choice: ")
		if !failed {
			others.Rows = append(others.Rows, notes.Rows[i])
			continue
		}
		statement, reason, _ := strings.Cut(text, "'): ")
		tried := trialOf(statement + "'")
		tried.Failure = reason
		t.Failures = append(t.Failures, tried)
	}
	t.Notes = &others
}

// literalsOf finds the arguments of a CALL.
var literalsOf = regexp.MustCompile(`'((?:[^'\\]|''|\\.)*)'`)

// trialOf reads the method and the parameters of a statement that publishes a table; the columns are those of the form.
func trialOf(statement string) (t trial) {
	var parameters []string
	for i, literal := range literalsOf.FindAllStringSubmatch(statement, -1) {
		switch text := literal[1]; {
		case i == 1:
			t.Method = text
		case i > 1 && !strings.HasPrefix(text, "qi=") && !strings.HasPrefix(text, "sa="):
			parameters = append(parameters, text)
		}
	}
	t.Parameters = strings.Join(parameters, " ")
	return t
}

// draw numbers the best from the safest on, and puts them first.
func (t *tuned) draw(choices []report.Choice) {
	if len(choices) == 0 {
		return
	}
	var best []int
	for i, at := range report.NewPlot("", "", choices).Points {
		if at.Best {
			best = append(best, i)
		}
	}
	slices.SortStableFunc(best, func(a, b int) int {
		if choices[a].Risk < choices[b].Risk {
			return -1
		}
		return 1
	})
	for number, i := range best {
		choices[i].Number, t.Trials[i].Number = number+1, number+1
	}
	slices.SortStableFunc(choices, func(a, b report.Choice) int { return min(a.Number, 1) - min(b.Number, 1) }) // numbers stand over points without
	t.Plot = report.NewPlot("tuned", "Error of answers, by what an attacker finds", choices)
	slices.SortStableFunc(t.Trials, func(a, b trial) int { return rank(a) - rank(b) })
}

// rank is the place of a trial in the list: numbered ones first.
func rank(t trial) int {
	if t.Number == 0 {
		return 1 << 20
	}
	return t.Number
}

// fillLink leads to the form with what a form had, with another method and its parameters where they are named.
func fillLink(fields url.Values, method, parameters string) string {
	query := url.Values{"filled": {"true"}}
	for _, name := range []string{"database", "table", "method", "parameters", "publish", "private"} {
		if text := fields.Get(name); text != "" {
			query.Set(name, text)
		}
	}
	if method != "" {
		query.Set("method", method)
		query.Set("parameters", strings.ReplaceAll(parameters, " ", "\n"))
	}
	for _, column := range fields["column"] {
		if role := fields.Get("role:" + column); role != "" {
			query.Add(role, column)
		}
	}
	return "/publish?" + query.Encode()
}
