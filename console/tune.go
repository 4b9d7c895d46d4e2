package console

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/quoting"
	"github.com/anonsql/anonsql/report"
)

// A candidate is a method with parameters that a comparison tries.
type candidate struct {
	method string
	values []string // parameter=value
}

// candidates are one or two methods of each family: groups in two tables, with and without a model; several tables; classes of
// equal records by cuts, by levels and by clusters. They name every parameter, so that CALL tune tries no variants.
var candidates = []candidate{
	{"anatomy", []string{"l=5", "homogeneous=false", "size=50", withModel}},
	{"mondrian", []string{"k=10", "l=3"}},
	{"anatomy", []string{"l=3", "homogeneous=true"}},
	{"oka", []string{"k=20"}},
	{"fulldomain", []string{"k=20", "l=3", "suppress=0.01"}},
	{"slppa", []string{"beta=1/4", "tables=2", "homogeneous=true"}},
}

// withModel is a parameter for tables with one sensitive attribute.
const withModel = "model=counts"

// options returns the options of CALL tune: one trial, the risk by an attack that applies to
// all methods, the error of the default answers. secrets is the number of sensitive attributes.
func (c candidate) options(secrets int) (texts []string) {
	options := []string{"methods=" + c.method}
	for _, value := range c.values {
		if value == withModel && secrets != 1 {
			continue
		}
		options = append(options, c.method+"."+value)
	}
	if secrets > 1 && hasMode(c.method) {
		options = append(options, c.method+".sa_mode=each")
	}
	for _, o := range append(options, "risk=definetti", "target=imputed_error", "sample=4000", "queries=200", "seed=1", "all=true") {
		texts = append(texts, quoting.Text(o))
	}
	return texts
}

// A tuned is the current result of a comparison on a risk-utility plot, whose points fill the form.
type tuned struct {
	Plot     *report.Plot // nil if nothing can be published
	Stopped  bool         // before all were tried
	Trials   []trial
	Failures []trial
	// Suggested is the best trial for the aim, nil for none; Aim is its wording.
	Suggested *trial
	Aim       string
}

// A trial is a method with parameters, one per line. Number is its point's.
type trial struct {
	Number             int
	Method, Parameters string
	Risk, Error        string
	Link, Failure      string
	Best               bool // not dominated by another
	risk, err          float64
}

func (t trial) name() string { return t.Method + " " + strings.ReplaceAll(t.Parameters, "\n", " ") }

// newTuned reads the answers of a comparison so far; nil for other works.
func newTuned(w *work) *tuned {
	answers := w.soFar()
	if w.fields.Get("action") != "tune" || len(answers) == 0 {
		return nil
	}
	t := &tuned{Stopped: w.isStopped() && len(answers) < len(w.statements)}
	var choices []report.Choice
	for at, a := range answers {
		t.fail(a.Notes)
		if a.Result == nil {
			if a.Problem.isStop() {
				t.Stopped = true
			} else if a.Problem != nil {
				c := candidates[at]
				t.Failures = append(t.Failures, trial{Method: c.method, Parameters: strings.Join(c.values, " "), Failure: a.Problem.Text})
			}
			continue
		}
		risks, losses := a.Result.column("risk"), a.Result.column("loss")
		for i, statement := range a.Result.column("statement") {
			tried := trialOf(statement.Value)
			risk, loss := numberOr(risks[i]), numberOr(losses[i])
			tried.Risk, tried.Error, tried.Link = percent(risk), percent(loss), fillLink(w.fields, tried.Method, tried.Parameters)
			t.Trials = append(t.Trials, tried)
			choices = append(choices, report.Choice{Name: tried.name(), Risk: risk, Error: loss, Link: tried.Link})
		}
	}
	t.draw(choices)
	t.suggest(w.fields.Get("aim"))
	return t
}

// fail reads from the notes what cannot be published.
func (t *tuned) fail(notes *table) {
	if notes == nil {
		return
	}
	for _, note := range notes.column("Message") {
		text, failed := strings.CutPrefix(note.Value, "no choice: ")
		if !failed {
			continue
		}
		statement, reason, _ := strings.Cut(text, "'): ")
		tried := trialOf(statement + "'")
		tried.Failure = reason
		t.Failures = append(t.Failures, tried)
	}
}

// literalsOf matches the arguments of a CALL.
var literalsOf = regexp.MustCompile(`'((?:[^'\\]|''|\\.)*)'`)

// unescapes inverts [quoting.Text].
var unescapes = strings.NewReplacer(`\\`, `\`, `''`, `'`)

// trialOf parses the method and parameters of a publishing statement; the form has its columns.
func trialOf(statement string) (t trial) {
	var parameters []string
	for i, literal := range literalsOf.FindAllStringSubmatch(statement, -1) {
		switch text := unescapes.Replace(literal[1]); {
		case i == 1:
			t.Method = text
		case i > 1 && !slices.ContainsFunc(statedRoles, func(role string) bool { return strings.HasPrefix(text, role+"=") }):
			parameters = append(parameters, text)
		}
	}
	t.Parameters = strings.Join(parameters, "\n")
	return t
}

// draw numbers the trials: the best ones from the safest on, then the others.
func (t *tuned) draw(choices []report.Choice) {
	if len(choices) == 0 {
		return
	}
	for i, at := range report.NewPlot("", "", choices).Points {
		t.Trials[i].Best, t.Trials[i].risk, t.Trials[i].err = at.Best, choices[i].Risk, choices[i].Error
	}
	slices.SortStableFunc(t.Trials, func(a, b trial) int {
		if a.Best != b.Best {
			return map[bool]int{true: -1, false: 1}[a.Best]
		}
		return cmp.Compare(a.risk, b.risk)
	})
	choices = choices[:0]
	for i := range t.Trials {
		tried := &t.Trials[i]
		tried.Number = i + 1
		choices = append(choices, report.Choice{Number: i + 1, Name: tried.name(), Risk: tried.risk, Error: tried.err, Link: tried.Link})
	}
	t.Plot = report.NewPlot("tuned", "Error of answers, by what an attacker finds", choices)
}

// suggest selects the trial for an aim: the least risk, the least error, or the least sum of both as shares of their maximum.
func (t *tuned) suggest(aim string) {
	greatestRisk, greatestError := 1e-9, 1e-9
	for _, tried := range t.Trials {
		greatestRisk, greatestError = max(greatestRisk, tried.risk), max(greatestError, tried.err)
	}
	weight := map[string]float64{"safe": 1, "useful": 0}
	of, ok := weight[aim]
	if !ok {
		of, aim = 0.5, "balanced"
	}
	for _, a := range aims {
		if a.Name == aim {
			t.Aim = a.Words
		}
	}
	least := 2.0
	for i, tried := range t.Trials {
		if sum := of*tried.risk/greatestRisk + (1-of)*tried.err/greatestError; sum < least {
			least, t.Suggested = sum, &t.Trials[i]
		}
	}
}

// A proposal is a statement of CALL advise for an aim, as a link that fills the form.
type proposal struct {
	Aim, Error, Attack string
	trial
}

// newProposals reads the answer of CALL advise; nil for other works.
func newProposals(w *work) (all []proposal) {
	if w.fields.Get("action") != "advise" || w.answer.Result == nil {
		return nil
	}
	answered := w.answer.Result
	wrong, attacks := answered.column("error"), answered.column("attack")
	for i, c := range answered.column("statement") {
		p := proposal{Aim: answered.column("aim")[i].Text, Error: percentOf(wrong[i]), Attack: percentOf(attacks[i]), trial: trialOf(c.Value)}
		p.Link = fillLink(w.fields, p.Method, p.Parameters)
		all = append(all, p)
	}
	return all
}

// fillLink returns a link to the form with a form's content, and with another method and
// parameters if they are given; "" if a table has too many columns for a link.
func fillLink(fields url.Values, method, parameters string) string {
	query := url.Values{"filled": {"true"}}
	for _, name := range []string{"database", "table", "method", "parameters", "publish", "private", "aim"} {
		if text := fields.Get(name); text != "" {
			query.Set(name, text)
		}
	}
	if method != "" {
		query.Set("method", method)
		query.Set("parameters", parameters)
	}
	for _, column := range fields["column"] {
		if role := fields.Get("role:" + column); role != "" {
			query.Add(role, column)
		}
	}
	return linkTo("/publish", query)
}
