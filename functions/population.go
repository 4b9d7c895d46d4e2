package functions

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/risk"
	"github.com/anonsql/anonsql/anonymize/weights"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/functions/options"
	"github.com/anonsql/anonsql/functions/texts"
)

// Figures of a release with respect to the population of its table.
const (
	kMap                              = "k_map"
	presenceLeast, presenceMost       = "delta_presence_min", "delta_presence_max"
	prosecutor, journalist, marketer  = "prosecutor", "journalist", "marketer"
	uniqueShare, uniqueShareEstimated = "population_uniques", "population_uniques_estimated"
)

// A comparison has the options for comparing a release with a population: a table of everybody, or its size.
type comparison struct {
	table   source.Table // nil for none
	persons uint64       // 0 where the table says it
	// required are bounds by names of figures.
	required map[string]anonymize.Ratio
}

// readPopulation reads the population and the required bounds.
func (p *publication) readPopulation(ctx *sql.Context, given anonymize.Settings) (err error) {
	name, hasTable := options.Population.Given(given)
	size, hasSize := options.PopulationSize.Given(given)
	k, hasK := options.KMap.Given(given)
	shares, hasShares := options.DeltaPresence.Given(given)
	refused := func(option interface{ Name() string }, value, rule string) error {
		return &anonymize.ParameterError{Parameter: option.Name(), Value: "'" + value + "'", Rule: rule}
	}
	const needsTable = "which is about a table of everybody: say population=database.table"
	switch {
	case hasK && !hasTable:
		return refused(options.KMap, k, needsTable)
	case hasShares && !hasTable:
		return refused(options.DeltaPresence, shares, needsTable)
	case hasTable && hasSize:
		return refused(options.PopulationSize, size, "but population="+name+" has its own number of persons: leave one of the two out")
	case (hasTable || hasSize) && p.follows():
		return refused(options.Population, name+size, "but a release that follows its table is not compared with a population again when it changes: say updates=none")
	case (hasTable || hasSize) && p.hidesLabels && p.maxRecords > 1:
		return refused(options.Population, name+size, "but "+options.ModelEpsilon.Name()+" hides which records are of one person, and a population is counted in persons: "+
			"say "+options.MaxRecords.Name()+"=1, or leave it out")
	}
	c := comparison{persons: options.PopulationSize.Read(given), required: make(map[string]anonymize.Ratio)}
	if hasK {
		c.required[kMap] = options.KMap.Read(given)
	}
	if hasShares {
		bounds := options.DeltaPresence.Read(given)
		c.required[presenceLeast], c.required[presenceMost] = bounds.Least, bounds.Most
	}
	if hasTable {
		table, err := parseTableName(ctx, name)
		if err != nil {
			return err
		}
		if c.table, err = p.environment.table(ctx, table); err != nil {
			return err
		}
	}
	p.compared = c
	return nil
}

// inPopulation counts the classes of the release in the population, and refuses a release that breaks a bound. Who may read the table sees the figures.
func (p *publication) inPopulation(ctx *sql.Context) error {
	c := &p.compared
	if c.table == nil && c.persons == 0 {
		return nil
	}
	classes, err := risk.ClassesOf(p.release)
	if err != nil {
		return &anonymize.DataError{Reason: fmt.Sprintf("the release of %s cannot be compared with a population: %v. Leave %s out, or take a method that publishes "+
			"all quasi-identifiers together, such as anatomy, mondrian or fulldomain", p.method.Name, err, options.Population.Name())}
	}
	var figures []anonymize.Guarantee
	if c.table != nil {
		if figures, err = p.countPopulation(ctx, classes); err != nil {
			return err
		}
	}
	p.Record.Guarantees = append(p.Record.Guarantees, figures...)
	if err := classes.OnePerUnit(p.release.PerUnit().Rows); err != nil {
		ctx.Warn(mysql.ERUnknownError, "%s is left out: %v", uniqueShareEstimated, err)
		return nil
	}
	estimated, err := estimatedUniques(classes, c.persons)
	if err != nil {
		return &anonymize.ParameterError{Parameter: options.PopulationSize.Name(), Value: fmt.Sprint(c.persons), Rule: "but " + err.Error()}
	}
	p.Record.Guarantees = append(p.Record.Guarantees, estimated)
	return nil
}

// countPopulation reads the population and computes the figures that need it.
func (p *publication) countPopulation(ctx *sql.Context, classes *risk.Classes) ([]anonymize.Guarantee, error) {
	c := &p.compared
	name := c.table.Database() + "." + c.table.Name()
	columns, err := populationColumns(c.table, classes)
	if err != nil {
		return nil, err
	}
	stored, err := p.environment.roles(c.table)
	if err != nil {
		return nil, err
	}
	persons := unitReading{table: c.table, unit: stored.unit, identifiers: stored.identifiers}
	if shared, err := unitNamed(c.table, p.unit.columns); err == nil {
		persons.unit = shared
	} else if c.table.ID() == p.table.ID() {
		persons.unit = p.unit
	}
	whole, err := c.table.Microdata(ctx, persons.columnsToRead(columns), func(done, total int) { p.report("read the population", done, total) })
	if err != nil {
		return nil, err
	}
	if found, repeated := persons.findRepeated(whole); repeated {
		return nil, &anonymize.DataError{Reason: fmt.Sprintf("column %s of population %s has %s: a person may have several rows. "+
			"CALL set_attributes('%[2]s', 'unit=%[4]s'), or 'unit=%[5]s' if every row is a person of its own",
			found.Column, name, found, texts.JoinNames([]string{found.Column}), options.EachRow)}
	}
	for _, said := range texts.Warnings(persons.repeated) {
		ctx.Warn(mysql.ERUnknownError, "population %s: %s", name, said)
	}
	persons.unit.said = true // findRepeated has looked
	population, units, err := persons.separateUnits(whole, columns)
	if err != nil {
		return nil, fmt.Errorf("population %s: %w", name, err)
	}
	p.report("compare with the population", 0, 1)
	matches, err := classes.Match(ctx, population, units)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, &anonymize.DataError{Reason: fmt.Sprintf("%s is no population of table %s.%s: %v", name, p.table.Database(), p.table.Name(), err)}
	}
	p.report("compare with the population", 1, 1)
	c.persons = matches.Population
	of := fmt.Sprintf("population %s as it was on %s, %d persons", name, p.environment.Releases.Now().UTC().Format(time.DateTime), c.persons)
	figures, err := c.presence(classes, matches, of)
	if err != nil {
		return nil, err
	}
	for _, g := range figures {
		if !g.Holds {
			return nil, p.notCovered(g, name)
		}
	}
	return append(figures, reidentification(classes, matches, of)...), nil
}

// populationColumns are the population's columns named like the quasi-identifiers.
func populationColumns(table source.Table, classes *risk.Classes) ([]string, error) {
	var columns []string
	for _, q := range classes.Fragment.Columns {
		at := slices.IndexFunc(table.Schema(), func(c *sql.Column) bool { return strings.EqualFold(c.Name, q.Name) })
		if at < 0 {
			return nil, &anonymize.ParameterError{Parameter: options.Population.Name(), Value: "'" + table.Database() + "." + table.Name() + "'",
				Rule: fmt.Sprintf("which has no column %s: it must have every quasi-identifier, under its name and as its type", q.Name)}
		}
		columns = append(columns, table.Schema()[at].Name)
	}
	return columns, nil
}

// presence are k-map and delta-presence, with their required bounds.
func (c *comparison) presence(classes *risk.Classes, m *risk.Matches, of string) ([]anonymize.Guarantee, error) {
	k, class := classes.KMap(m)
	figures := []anonymize.Guarantee{c.bounded(kMap, anonymize.NewRatio(k, 1), 1, of+"; fewest have "+classes.Describe(class))}
	if m.Several >= 0 {
		if _, asked := c.required[presenceMost]; asked {
			return nil, &anonymize.DataError{Reason: fmt.Sprintf("%s cannot be said of this release: some persons of the population are in two classes, one of them %s. "+
				"Take a method whose classes do not overlap, such as fulldomain or mondrian with mode=strict", options.DeltaPresence.Name(), classes.Describe(m.Several))}
		}
		return figures, nil
	}
	p := classes.Presence(m)
	least := fmt.Sprintf("%d persons have quasi-identifiers of no class", m.Uncovered)
	if p.LeastClass >= 0 {
		least = fmt.Sprintf("%d of %d with %s", classes.Records[p.LeastClass], m.Records[p.LeastClass], classes.Describe(p.LeastClass))
	}
	most := fmt.Sprintf("%d of %d with %s", classes.Records[p.GreatestClass], m.Records[p.GreatestClass], classes.Describe(p.GreatestClass))
	return append(figures, c.bounded(presenceLeast, p.Least, 1, of+"; "+least), c.bounded(presenceMost, p.Greatest, -1, of+"; "+most)), nil
}

// bounded is a figure that holds if side times it is at least side times its bound.
func (c *comparison) bounded(name string, x anonymize.Ratio, side int, detail string) anonymize.Guarantee {
	g := anonymize.Guarantee{Name: name, Achieved: x.Float(), WorstGroup: -1, Holds: true, Detail: detail}
	if bound, asked := c.required[name]; asked {
		g.Required, g.Holds = &bound, side*x.Cmp(bound) >= 0
	}
	return g
}

func (p *publication) notCovered(g anonymize.Guarantee, population string) error {
	_, where, _ := strings.Cut(g.Detail, "; ")
	return &anonymize.InfeasibleError{Parameter: g.Name, Given: *g.Required,
		Obstacle: fmt.Sprintf("beside %s the release of %s has %.6g: %s. Nothing is published. Coarser or fewer quasi-identifiers help, and larger classes "+
			"where the method has k", population, p.method.Name, g.Achieved, where)}
}

// reidentification are the risks from an attacker with the population's register.
func reidentification(classes *risk.Classes, m *risk.Matches, of string) []anonymize.Guarantee {
	return []anonymize.Guarantee{
		reidentified(journalist, classes, classes.Journalist(m), of),
		fact(marketer, classes.Marketer(m), of+"; expected share of right matches if all records are matched"),
		fact(uniqueShare, float64(m.Unique)/float64(m.Population), fmt.Sprintf("%s; %d of them have quasi-identifiers, as the population has them, that nobody else has", of, m.Unique)),
	}
}

func reidentified(name string, classes *risk.Classes, r risk.Reidentification, of string) anonymize.Guarantee {
	if of != "" {
		of += "; "
	}
	return fact(name, r.Highest, fmt.Sprintf("%shighest, of %s; %.4g on average, above %g for %.4g %% of the records",
		of, classes.Describe(r.Worst), r.Mean, risk.Threshold, 100*r.AtRisk))
}

// fact is a figure that was not promised.
func fact(name string, achieved float64, detail string) anonymize.Guarantee {
	return anonymize.Guarantee{Name: name, Achieved: achieved, WorstGroup: -1, Holds: true, Detail: detail}
}

// estimatedUniques is the estimated share of persons in the population with unique quasi-identifiers, by models that take the release for a sample of so many.
func estimatedUniques(classes *risk.Classes, persons uint64) (g anonymize.Guarantee, err error) {
	sizes := classes.Sizes()
	chosen, err := risk.Dankar(sizes, persons)
	if err != nil {
		return g, err
	}
	g = anonymize.Guarantee{Name: uniqueShareEstimated, Achieved: chosen.Uniques / float64(persons), WorstGroup: -1, Holds: true}
	g.Detail = fmt.Sprintf("of %d persons, if the release is a simple random sample of them, by %s (the rule of Dankar et al.)", persons, chosen.Model)
	for _, model := range []struct {
		name     string
		estimate func([]risk.SizeCount, uint64) (float64, error)
	}{{risk.PitmanModel, risk.Pitman}, {risk.ZayatzModel, risk.Zayatz}, {risk.SNBModel, risk.SlideNegativeBinomial}} {
		if x, err := model.estimate(sizes, persons); err != nil {
			g.Detail += fmt.Sprintf("; %s: %v", model.name, err)
		} else {
			g.Detail += fmt.Sprintf("; %s %.4g", model.name, x/float64(persons))
		}
	}
	return g, nil
}

// risksOf are the risks that follow from the release alone: from an attacker who knows that a person is in it; with weights, which give the size
// of the population, also from one who does not. There are none if no record is shown whole.
func risksOf(release *anonymize.Release, weight *weights.Classes) []anonymize.Guarantee {
	classes, err := risk.ClassesOf(release)
	if err != nil {
		return nil
	}
	found := classes.Prosecutor()
	risks := []anonymize.Guarantee{reidentified(prosecutor, classes, found, "")}
	if weight == nil {
		return risks
	}
	if weighed, ok := classes.Weigh(weight.Column); ok {
		risks = append(risks, reidentified(risk.JournalistEstimated, classes, weighed.Journalist, fmt.Sprintf("by the weights, %s; fewest persons of the population: %.4g",
			weight.Column, weighed.Persons[weighed.Fewest])))
	}
	return risks
}
