package functions

import (
	"fmt"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/detection"
	"github.com/anonsql/anonsql/anonymize/risk"
	"github.com/anonsql/anonsql/anonymize/weights"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/functions/options"
	"github.com/anonsql/anonsql/functions/texts"
)

var riskSchema = sql.Schema{
	{Name: "measure", Type: types.LongText},
	{Name: "column", Type: types.LongText, Nullable: true},
	{Name: "value", Type: types.Float64, Nullable: true},
	{Name: "detail", Type: types.LongText},
}

// bindRisk makes ANON_RISK(tbl, ...): how far a raw table reveals identities and secrets, before any publication. Options override the stored roles;
// without either, the suggested roles apply.
func (e *Environment) bindRisk(ctx *sql.Context, arguments []sql.Expression) (*relation, error) {
	name, err := tableArgument(ctx, "anon_risk", arguments)
	if err != nil {
		return nil, err
	}
	if _, err := e.table(ctx, name); err != nil {
		return nil, err
	}
	return &relation{schema: copied(riskSchema), reads: name, rows: func(ctx *sql.Context, arguments []sql.Expression) (sql.RowIter, error) {
		r, settings, err := e.riskRun(ctx, name, arguments[1:])
		if err != nil {
			return nil, err
		}
		rows, err := r.measure(ctx, settings)
		return sql.RowsToRowIter(rows...), err
	}}, nil
}

// A riskRun measures a table.
type riskRun struct {
	*run
	measured *risk.Table
	of       string // what is counted
	rows     []sql.Row
}

func (e *Environment) riskRun(ctx *sql.Context, name tableName, arguments []sql.Expression) (*riskRun, anonymize.Settings, error) {
	given, err := namedArguments(ctx, "anon_risk", arguments, nil)
	if err != nil {
		return nil, anonymize.Settings{}, err
	}
	settings, err := options.RiskOfTable.Resolve(given)
	if err != nil {
		return nil, settings, err
	}
	raw, err := e.table(ctx, name)
	if err != nil {
		return nil, settings, err
	}
	r, err := e.newRun(raw, anonymize.Method{Name: "anon_risk"}, settings, nil)
	if err != nil {
		return nil, settings, err
	}
	r.progress = stages(ctx)
	found := &riskRun{run: r}
	r.roles.QuasiIdentifiers = slices.DeleteFunc(slices.Clone(r.roles.QuasiIdentifiers), func(name string) bool { return name == r.weight })
	r.beside, r.weight = r.weight, "" // not coarsened
	if len(r.roles.QuasiIdentifiers) == 0 {
		err = found.suggestRoles(ctx)
	}
	return found, settings, err
}

// suggestRoles uses the roles of ANON_DETECT, and says so in the first row.
func (r *riskRun) suggestRoles(ctx *sql.Context) error {
	table, err := r.table.Microdata(ctx, nil, reading(r.report))
	if err != nil {
		return err
	}
	by, _ := suggestedBy(table, source.DeclaredKeys(ctx, r.table), slices.Concat(r.roles.Sensitive, r.unit.columns, []string{r.beside}), r.identifiers)
	r.roles.QuasiIdentifiers = by[detection.QuasiIdentifier]
	if len(r.roles.Sensitive) == 0 {
		r.roles.Sensitive = by[detection.Sensitive]
	}
	text := fmt.Sprintf("suggested, not yours: qi=%s sa=%s", texts.JoinNames(r.roles.QuasiIdentifiers), texts.JoinNames(r.roles.Sensitive))
	if named := by[detection.Unit]; len(named) > 0 && !r.unit.said {
		r.unit = unit{columns: named, said: true}
		text += " unit=" + texts.JoinNames(named)
	}
	if weight := by[detection.Weight]; len(weight) > 0 && !r.weightSaid {
		r.beside = weight[0]
		text += " weight=" + texts.JoinNames(weight)
	}
	r.add("roles", nil, nil, "%s", text)
	return nil
}

func (r *riskRun) add(measure string, column, value any, detail string, arguments ...any) {
	r.rows = append(r.rows, sql.Row{measure, column, value, fmt.Sprintf(detail, arguments...)})
}

func (r *riskRun) share(n int) float64 {
	return texts.Millionths(float64(n) / float64(r.measured.Units()))
}

// measure reads the table and makes all rows.
func (r *riskRun) measure(ctx *sql.Context, settings anonymize.Settings) ([]sql.Row, error) {
	if err := r.readTable(ctx); err != nil {
		return nil, err
	}
	r.report("look at the classes", 0, 1)
	r.measured, r.of = risk.OfTable(r.input), "records"
	if r.input.Units != nil {
		r.of = "units"
		mean, most := r.measured.Occurrences()
		r.add("rows_a_unit", texts.JoinNames(r.unit.columns), texts.Thousandths(mean), "%d units, at most %d rows each", r.measured.Units(), most)
	}
	if err := r.identities(ctx); err != nil {
		return nil, err
	}
	if err := r.weigh(); err != nil {
		return nil, err
	}
	if err := r.population(settings); err != nil {
		return nil, err
	}
	for i := range r.input.Sensitive {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r.secrets(i)
	}
	return r.rows, ctx.Err()
}

// identities are how far quasi-identifiers reveal identities: all of them, each alone, and all but one. Each takes a pass over the
// table; the statement can be ended between passes.
func (r *riskRun) identities(ctx *sql.Context) error {
	fewest, found, unique := r.measured.Prosecutor().Worst, r.measured.FoundByAll(), r.measured.Unique()
	r.add("k", nil, float64(r.measured.Records[fewest]), "fewest %s have %s", r.of, r.measured.Describe(fewest))
	r.add("unique", nil, r.share(unique), "%d of %d %s are the only ones with their quasi-identifiers", unique, r.measured.Units(), r.of)
	r.add("prosecutor", nil, texts.Thousandths(found.Highest), "greatest probability to find a person who is known to be in the table; %.4g on average, above %g for %.4g %%",
		found.Mean, risk.Threshold, 100*found.AtRisk)
	for i, c := range r.input.QuasiIdentifiers {
		if err := ctx.Err(); err != nil {
			return err
		}
		alone := r.measured.UniqueBy(i)
		r.add("unique_by", c.Name, r.share(alone), "%d %s are unique by this column alone", alone, r.of)
	}
	for i, c := range r.input.QuasiIdentifiers {
		if err := ctx.Err(); err != nil {
			return err
		}
		var others []int
		for j := range r.input.QuasiIdentifiers {
			if j != i {
				others = append(others, j)
			}
		}
		without := r.measured.UniqueBy(others...)
		r.add("unique_without", c.Name, r.share(without), "%d %s are still unique without this column, %d fewer", without, r.of, unique-without)
	}
	return nil
}

// weigh estimates the sizes of the classes in the population by the weights of a survey.
func (r *riskRun) weigh() error {
	if r.beside == "" {
		return nil
	}
	column := r.microdata.Column(r.beside)
	if err := weights.Check(column); err != nil {
		return err
	}
	w := r.measured.Weigh(column)
	r.add("k_map_estimated", r.beside, texts.Thousandths(w.Persons[w.Fewest]), "fewest persons of the population, by the sum of their weights, have %s", r.measured.Describe(w.Fewest))
	r.add(risk.JournalistEstimated, r.beside, texts.Millionths(w.Journalist.Highest),
		"greatest probability to find a person who may not be in the table, by the weights; %.4g on average, above %g for %.4g %%",
		w.Journalist.Mean, risk.Threshold, 100*w.Journalist.AtRisk)
	r.add("unique_in_population_estimated", r.beside, texts.Millionths(w.Uniques/float64(r.measured.Units())),
		"%.4g of %d %s are expected to be the only ones of the population with their quasi-identifiers", w.Uniques, r.measured.Units(), r.of)
	return nil
}

// population estimates how many records are unique in the population that the table samples.
func (r *riskRun) population(settings anonymize.Settings) error {
	if _, said := options.PopulationSize.Given(settings); !said {
		return nil
	}
	if err := r.measured.OnePerUnit(r.measured.Units()); err != nil {
		r.add(uniqueShareEstimated, nil, nil, "left out: %v", err)
		return nil
	}
	estimated, err := estimatedUniques(r.measured.Classes, options.PopulationSize.Read(settings))
	if err != nil {
		return &anonymize.ParameterError{Parameter: options.PopulationSize.Name(), Value: settings.Text[options.PopulationSize.Name()], Rule: "but " + err.Error()}
	}
	r.add(estimated.Name, nil, texts.Millionths(estimated.Achieved), "%s", estimated.Detail)
	return nil
}

// secrets are how far quasi-identifiers reveal a sensitive attribute.
func (r *riskRun) secrets(sensitive int) {
	c, d := r.input.Sensitive[sensitive], r.measured.Discloses(sensitive)
	r.add("l", c.Name, float64(d.Diversity), "most have %s where %s", c.Dictionary[d.Value], r.measured.Describe(d.Worst))
	r.add("one_value", c.Name, r.share(d.Known), "%d of %d %s have their %s told by their quasi-identifiers: all that share these have one value", d.Known, r.measured.Units(), r.of, c.Name)
	r.add("t_equal", c.Name, texts.Thousandths(d.Closeness), "greatest distance of a class's values to the table's, of records")
}
