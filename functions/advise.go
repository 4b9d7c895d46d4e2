package functions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/detection"
	"github.com/anonsql/anonsql/anonymize/tuning"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/functions/options"
	"github.com/anonsql/anonsql/functions/texts"
	"github.com/anonsql/anonsql/quoting"
)

var adviseSchema = sql.Schema{
	{Name: "aim", Type: types.LongText},
	{Name: "error", Type: types.Float64, Nullable: true},
	{Name: "attack", Type: types.Float64, Nullable: true},
	{Name: "statement", Type: types.LongText},
}

// adviseTrials are what advise tries: small groups and large ones, with a model and without. Completed tables take seconds a trial.
var adviseTrials = []string{"methods=anatomy,slppa,arp", "risk=learned", "target=imputed_error", "anatomy.l=2|3|5", "anatomy.homogeneous=false",
	"anatomy.size=none|50", "anatomy.model=none|counts", "slppa.beta=1/3|1/5", "slppa.tables=2", "slppa.homogeneous=false", "arp.l=2|5"}

// CALL advise('db.t') proposes a statement for each of three aims, protection, balance and precision, with the error of answers and how
// far a learning attacker gets, measured on a sample. Roles are those that the owner gave, else those that ANON_DETECT suggests: then the first statement gives
// the table these. Nothing is stored.
func (e *Environment) advise(ctx *sql.Context, table string, arguments ...string) (sql.RowIter, error) {
	given, err := options.Parse(arguments)
	if err != nil {
		return nil, err
	}
	if _, err := options.Advise.Resolve(given); err != nil {
		return nil, err
	}
	for _, p := range options.Advise.Options {
		if _, said := given[p.Name]; !said && p.Default != "" {
			given[p.Name] = p.Default // tune has others
		}
	}
	for _, trial := range adviseTrials {
		name, value, _ := strings.Cut(trial, "=")
		given[name] = value
	}
	name, err := parseTableName(ctx, table)
	if err != nil {
		return nil, err
	}
	raw, err := e.tableFor(ctx, "advise", name)
	if err != nil {
		return nil, err
	}
	t := &tuningRun{environment: e, unitReading: unitReading{table: raw}}
	suggested, err := t.suggestRoles(ctx, given)
	if err != nil {
		return nil, err
	}
	if err := t.readOptions(given); err != nil {
		return nil, err
	}
	return rowsOf(func(ctx *sql.Context) ([]sql.Row, error) {
		for _, note := range suggested {
			ctx.Warn(mysql.ERUnknownError, "%s", note)
		}
		if _, err := t.perform(ctx); err != nil {
			return nil, err
		}
		return t.proposals(ctx)
	}), nil
}

// suggestRoles gives the options qi and sa what ANON_DETECT suggests, where neither the table nor the options have roles, and notes what it suggests.
func (t *tuningRun) suggestRoles(ctx *sql.Context, given options.Given) (notes []string, err error) {
	stored, err := t.environment.roles(t.table)
	if err != nil {
		return nil, err
	}
	has := func(option string, stored []string) bool { _, said := given[option]; return said || len(stored) > 0 }
	quasi, sensitive := has("qi", stored.QuasiIdentifiers), has("sa", stored.Sensitive)
	if quasi && sensitive {
		return nil, nil
	}
	table, err := t.table.Microdata(ctx, nil, reading(stages(ctx)))
	if err != nil {
		return nil, err
	}
	if table.Rows == 0 {
		return nil, texts.Emptied(anonymize.ErrEmpty, t.table.Database(), t.table.Name())
	}
	by, notes := suggestedBy(table, source.DeclaredKeys(ctx, t.table), given)
	if !sensitive {
		if len(by[detection.Sensitive]) == 0 {
			return nil, &anonymize.DataError{
				Reason: strings.Join(append(notes, "no column that can be published looks sensitive: say which one is, as in 'sa=disease'"), "; "),
			}
		}
		given["sa"] = texts.JoinNames(by[detection.Sensitive][:1])
		notes = append(notes, "the sensitive attribute is suggested, not yours: "+given["sa"]+listOthers(by[detection.Sensitive][1:]))
	}
	if !quasi {
		given["qi"] = texts.JoinNames(by[detection.QuasiIdentifier])
		notes = append(notes, "quasi-identifiers are suggested, not yours: SELECT * FROM ANON_DETECT says why")
	}
	if unit := by[detection.Unit]; len(unit) > 0 && !has("unit", stored.unit.columns) && !stored.unit.said {
		given["unit"] = texts.JoinNames(unit)
		notes = append(notes, "the unit is suggested, not yours: "+given["unit"]+" names persons with several rows")
	}
	if weight := by[detection.Weight]; len(weight) > 0 && !has("weight", []string{stored.weight}) {
		given["weight"] = texts.JoinNames(weight)
		notes = append(notes, "the weight is suggested, not yours: "+given["weight"]+" says how many persons a row stands for")
	}
	roles := []string{t.table.Database() + "." + t.table.Name(), "qi=" + given["qi"], "sa=" + given["sa"]}
	if direct := by[detection.ExplicitIdentifier]; len(direct) > 0 {
		roles = append(roles, "ei="+texts.JoinNames(direct))
	}
	if unit, said := given["unit"]; said {
		roles = append(roles, "unit="+unit)
	}
	if weight, said := given["weight"]; said {
		roles = append(roles, "weight="+weight)
	}
	t.suggested = fmt.Sprintf("CALL set_attributes(%s)", quoting.Texts(roles...))
	return notes, nil
}

// suggestedBy are the columns by role, but for those that the options name. Of several sensitive
// attributes the one of the fewest values comes first: answers about it are the most precise.
func suggestedBy(table *anonymize.Microdata, keys []string, given options.Given) (by map[detection.Role][]string, notes []string) {
	by = make(map[detection.Role][]string)
	var sensitive []detection.Suggestion
	for _, s := range detection.Suggest(table, keys...) {
		switch {
		case slices.ContainsFunc(texts.SplitNames(given["qi"]+","+given["sa"]), func(name string) bool { return strings.EqualFold(name, s.Column) }):
		case s.Role != detection.Sensitive:
			by[s.Role] = append(by[s.Role], s.Column)
		case 2*s.Top > table.Rows:
			notes = append(
				notes,
				fmt.Sprintf(
					"%s may be sensitive, but more than half of the records have one value, so that no groups of two different values each can be formed: it is left out",
					s.Column,
				),
			)
		default:
			sensitive = append(sensitive, s)
		}
	}
	slices.SortStableFunc(sensitive, func(a, b detection.Suggestion) int { return a.Distinct - b.Distinct })
	for _, s := range sensitive {
		by[detection.Sensitive] = append(by[detection.Sensitive], s.Column)
	}
	return by, notes
}

// listOthers names further sensitive attributes.
func listOthers(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "; " + strings.Join(names, ", ") + " may be, too, and would not be published"
}

// aims are what an owner may want most.
var aims = []struct {
	name string
	of   func(trials []tuning.Trial) *tuning.Trial
}{{"protection", tuning.Safest}, {"balance", tuning.Balanced}, {"precision", tuning.MostPrecise}}

// proposals are a row an aim.
func (t *tuningRun) proposals(ctx *sql.Context) ([]sql.Row, error) {
	var choices []tuning.Trial
	var failure string
	for _, trial := range t.trials {
		if trial.Failure == "" {
			choices = append(choices, trial)
		} else if failure == "" {
			failure = trial.Failure
		}
	}
	if len(choices) == 0 {
		return nil, &anonymize.DataError{Reason: "nothing that was tried can be published: " + failure}
	}
	var rows []sql.Row
	if t.suggested != "" {
		rows = append(rows, sql.Row{"roles", nil, nil, t.suggested})
		t.stated = nil
	}
	for _, a := range aims {
		trial := a.of(choices)
		rows = append(rows, sql.Row{a.name, texts.Thousandths(trial.Loss), texts.Thousandths(trial.Risk), t.statement(trial)})
	}
	ctx.Warn(
		mysql.ERUnknownError,
		"error: mean relative error of COUNT over a sample, larger than the whole table's will be; attack: how likely an attacker who completes the release finds the actual sensitive value, on average",
	)
	return rows, nil
}
