package functions

import (
	"fmt"
	"maps"
	"math"
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

// adviseTrials are the trials of advise: small and large groups, with and without a model. Completed tables take seconds per trial.
var adviseTrials = []string{"methods=anatomy,slppa,arp", "risk=learned", "target=imputed_error", "anatomy.l=2|3|5", "anatomy.homogeneous=false",
	"anatomy.size=none|50", "anatomy.model=none|counts", "slppa.beta=1/3|1/5", "slppa.tables=2", "slppa.homogeneous=false", "arp.l=2|5"}

// allAlike are its trials if more than half of the records have the same value, which is a secret, too: then only l = 1 is
// feasible. Classes of k records cannot be completed, so the attacker reads groups only.
func allAlike(top float64) []string {
	share := math.Ceil(100*(top+1)/2) / 100 // between the value's share and 1
	return []string{"methods=slppa,mondrian", "risk=definetti", "target=imputed_error", fmt.Sprintf("slppa.beta=%.2f", share), "slppa.delta=0.05",
		"slppa.tables=2", "slppa.homogeneous=false", "mondrian.k=5|20", "mondrian.l=1", "mondrian.enhanced_beta_likeness=none|1"}
}

// CALL advise('db.t') proposes a statement for each of three aims, protection, balance and precision, with the error of answers and the success of a learning
// attacker, measured on a sample. Roles are the owner's, otherwise those that ANON_DETECT suggests: then the first statement sets them. If most records have
// the same sensitive value, there are proposals for the case that it is no secret, and for the case that it is. Nothing is stored.
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
			given[p.Name] = p.Default // tune has other defaults
		}
	}
	raw, _, err := e.tableFor(ctx, "advise", table)
	if err != nil {
		return nil, err
	}
	a := &advice{environment: e, table: raw, given: given}
	if err := a.suggestRoles(ctx); err != nil {
		return nil, err
	}
	first, err := a.trials(adviseTrials)
	if err != nil {
		return nil, err
	}
	return rowsOf(func(ctx *sql.Context) ([]sql.Row, error) { return a.propose(ctx, first) }), nil
}

// An advice is a CALL advise.
type advice struct {
	environment *Environment
	table       source.Table
	given       options.Given
	// roles is the statement that sets suggested roles; notes give the reasons.
	roles string
	notes []string
}

// trials are the trials; notSensitive are values that are no secret.
func (a *advice) trials(tried []string, notSensitive ...string) (*tuningRun, error) {
	given := maps.Clone(a.given)
	for _, trial := range tried {
		name, value, _ := strings.Cut(trial, "=")
		given[name] = value
	}
	if len(notSensitive) > 0 {
		given[options.NotSensitive.Name()] = texts.JoinNames(notSensitive)
	}
	t := &tuningRun{environment: a.environment, unitReading: unitReading{table: a.table}}
	return t, t.readOptions(given)
}

// propose runs all trials, and returns the rows.
func (a *advice) propose(ctx *sql.Context, usual *tuningRun) ([]sql.Row, error) {
	for _, note := range a.notes {
		ctx.Warn(mysql.ERUnknownError, "%s", note)
	}
	value, share, err := a.dominating(ctx, usual)
	if err != nil {
		return nil, err
	}
	var rows []sql.Row
	if a.roles != "" {
		rows = append(rows, sql.Row{"roles", nil, nil, a.roles})
	}
	if share == 0 {
		proposed, failure, err := a.proposals(ctx, usual, "")
		if err == nil && len(proposed) == 0 {
			err = &anonymize.DataError{Reason: "nothing that was tried can be published: " + failure}
		}
		return append(rows, proposed...), err
	}
	type view struct {
		tried, notSensitive []string
		qualifier           string
	}
	views, wayOut, of := []view{{allAlike(share), nil, ", if all values are secrets"}}, "", "persons"
	if len(usual.unit.columns) == 0 { // not_sensitive does not support units
		of = "records"
		views = append([]view{{adviseTrials, []string{value}, fmt.Sprintf(", if '%s' is no secret", value)}}, views...)
		wayOut = ". If that value is no secret, not_sensitive= says so, and the others are protected as usual"
	}
	ctx.Warn(mysql.ERUnknownError, "%.0f percent of the %s have %s = '%s', so that no l of 2 or more can be met%s. Where all values are secrets, groups can only look like the whole table",
		100*share, of, usual.roles.Sensitive[0], value, wayOut)
	var failures []string
	for _, v := range views {
		t, err := a.trials(v.tried, v.notSensitive...)
		if err != nil {
			return nil, err
		}
		proposed, failure, err := a.proposals(ctx, t, v.qualifier)
		if err != nil {
			return nil, err
		}
		rows, failures = append(rows, proposed...), append(failures, failure)
	}
	if len(rows) == 0 || len(rows) == 1 && a.roles != "" {
		return nil, &anonymize.DataError{Reason: "nothing that was tried can be published: " + strings.Join(failures, "; ")}
	}
	return rows, nil
}

// dominating is the value of more than half of the records or units, with its share: 0 if there is none, or if the owner has set not_sensitive.
func (a *advice) dominating(ctx *sql.Context, t *tuningRun) (value string, share float64, err error) {
	if len(t.roles.Sensitive) != 1 || len(t.roles.NotSensitive) > 0 {
		return "", 0, nil
	}
	table, err := a.table.Microdata(ctx, distinct(slices.Concat(t.roles.Sensitive, t.unit.columns)), reading(stages(ctx)))
	if err != nil || table.Rows == 0 {
		return "", 0, err
	}
	table, _ = unpadded(table, t.roles.Sensitive)
	columns, err := table.Select(slices.Concat(t.roles.Sensitive, t.unit.columns)...)
	if err != nil {
		return "", 0, err
	}
	units, err := t.numberUnits(columns[1:])
	if err != nil {
		return "", 0, err
	}
	most, having, all := 0, columns[0].Histogram(), table.Rows
	if units != nil {
		clear(having)
		all = 1 + int(slices.Max(units))
		counted := make(map[[2]uint32]bool)
		for row, code := range columns[0].Codes {
			if pair := [2]uint32{units[row], code}; !counted[pair] {
				counted[pair] = true
				having[code]++
			}
		}
	}
	for code, n := range having {
		if n > max(most, all/2) {
			most, value, share = n, columns[0].Dictionary[code].String(), float64(n)/float64(all)
		}
	}
	return value, share, nil
}

// suggestRoles sets the options qi and sa to the suggestions of ANON_DETECT if neither the table nor the options have them, and notes them. The statement
// that sets the roles repeats those of the table, which it would otherwise delete.
func (a *advice) suggestRoles(ctx *sql.Context) error {
	stored, err := a.environment.roles(a.table)
	if err != nil {
		return err
	}
	given := a.given
	asked := func(option string) bool { _, said := given[option]; return said }
	stored.QuasiIdentifiers = texts.DeleteNames(stored.QuasiIdentifiers, texts.SplitNames(given["sa"]))
	if (asked("qi") || len(stored.QuasiIdentifiers) > 0) && (asked("sa") || len(stored.Sensitive) > 0) {
		return nil
	}
	if stored.unit.said && len(stored.unit.columns) == 0 {
		stored.unit.columns = []string{options.EachRow}
	}
	for option, columns := range map[string][]string{"qi": stored.QuasiIdentifiers, "sa": stored.Sensitive, "unit": stored.unit.columns, "weight": {stored.weight}} {
		if strings.Join(columns, "") != "" && !asked(option) {
			given[option] = texts.JoinNames(columns)
		}
	}
	table, err := a.table.Microdata(ctx, nil, reading(stages(ctx)))
	if err != nil {
		return err
	}
	if table.Rows == 0 {
		return texts.Emptied(anonymize.ErrEmpty, a.table.Database(), a.table.Name())
	}
	named := func() []string {
		return texts.SplitNames(strings.Join([]string{given["qi"], given["sa"], given["unit"], given["weight"]}, ","))
	}
	by, notes := suggestedBy(table, source.DeclaredKeys(ctx, a.table), named(), stored.identifiers)
	if !asked("sa") {
		if len(by[detection.Sensitive]) == 0 {
			return &anonymize.DataError{
				Reason: strings.Join(append(notes, "no column that can be published looks sensitive: say which one is, as in 'sa=disease'"), "; "),
			}
		}
		given["sa"] = texts.JoinNames(by[detection.Sensitive][:1])
		note := "the sensitive attribute is suggested, not yours: " + given["sa"]
		if others := by[detection.Sensitive][1:]; len(others) > 0 {
			note += "; " + strings.Join(others, ", ") + " may be, too, and would not be published"
		}
		notes = append(notes, note)
	}
	if !asked("qi") {
		given["qi"] = texts.JoinNames(by[detection.QuasiIdentifier])
		notes = append(notes, "quasi-identifiers are suggested, not yours: SELECT * FROM ANON_DETECT says why")
	}
	if unit := by[detection.Unit]; len(unit) > 0 && !asked("unit") {
		given["unit"] = texts.JoinNames(unit)
		notes = append(notes, "the unit is suggested, not yours: "+given["unit"]+" names persons with several rows")
	}
	if weight := by[detection.Weight]; len(weight) > 0 && !asked("weight") {
		given["weight"] = texts.JoinNames(weight)
		notes = append(notes, "the weight is suggested, not yours: "+given["weight"]+" says how many persons a row stands for")
	}
	roles := []string{a.table.Database() + "." + a.table.Name(), "qi=" + given["qi"], "sa=" + given["sa"]}
	if direct := append(texts.DeleteNames(stored.identifiers, named()), by[detection.ExplicitIdentifier]...); len(direct) > 0 {
		roles = append(roles, "ei="+texts.JoinNames(direct))
	}
	for _, option := range []string{"unit", "weight"} {
		if asked(option) {
			roles = append(roles, option+"="+given[option])
		}
	}
	a.notes = notes
	a.roles = fmt.Sprintf("CALL set_attributes(%s)", quoting.Texts(roles...))
	return nil
}

// suggestedBy are the suggested columns by role, except those that the owner has named; identifiers may be units. The sensitive attribute with the fewest
// values comes first: answers about it are the most precise. An attribute with a value that most records share is suggested only if there is no other.
func suggestedBy(table *anonymize.Microdata, keys, named, identifiers []string) (by map[detection.Role][]string, notes []string) {
	by = make(map[detection.Role][]string)
	var sensitive, dominated []detection.Suggestion
	for _, s := range detection.Suggest(table, keys...) {
		switch {
		case len(texts.DeleteNames([]string{s.Column}, named)) == 0, s.Role != detection.Unit && slices.Contains(identifiers, s.Column):
		case s.Role != detection.Sensitive:
			by[s.Role] = append(by[s.Role], s.Column)
		case 2*s.Top > table.Rows:
			dominated = append(dominated, s)
		default:
			sensitive = append(sensitive, s)
		}
	}
	if len(sensitive) == 0 {
		sensitive, dominated = dominated, nil
	}
	for _, s := range dominated {
		notes = append(notes, s.Column+" may be sensitive, but more than half of the records have one value, so that no groups of two different values each can be formed: it is left out")
	}
	slices.SortStableFunc(sensitive, func(a, b detection.Suggestion) int { return a.Distinct - b.Distinct })
	for _, s := range sensitive {
		by[detection.Sensitive] = append(by[detection.Sensitive], s.Column)
	}
	return by, notes
}

// proposals are one row per aim; their statements omit roles that the first row sets. If all trials failed, there is none, and an error says why.
func (a *advice) proposals(ctx *sql.Context, t *tuningRun, qualifier string) (rows []sql.Row, failure string, err error) {
	if _, err := t.perform(ctx); err != nil {
		return nil, "", err
	}
	var choices []tuning.Trial
	for _, trial := range t.trials {
		if trial.Failure == "" {
			choices = append(choices, trial)
		} else if failure == "" {
			failure = trial.Failure
		}
	}
	if len(choices) == 0 {
		return nil, failure, nil
	}
	if a.roles != "" {
		t.stated = slices.DeleteFunc(t.stated, func(option string) bool {
			name, _, _ := strings.Cut(option, "=")
			return slices.Contains([]string{options.QI.Name(), options.SA.Name(), options.Unit.Name(), options.Weight.Name()}, name)
		})
	}
	for _, aim := range tuning.Aims {
		trial := aim.Of(choices)
		rows = append(rows, sql.Row{aim.Name + qualifier, texts.Thousandths(trial.Loss), texts.Thousandths(trial.Risk), t.statement(trial)})
	}
	ctx.Warn(
		mysql.ERUnknownError,
		"error: mean relative error of COUNT over a sample, larger than the whole table's will be; attack: how likely an attacker who reads the whole release finds the actual sensitive value, on average",
	)
	return rows, "", nil
}
