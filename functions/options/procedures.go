package options

import (
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// The procedures with options.
var (
	SetAttributes = declare("set_attributes", QI, SA, EI, OtherRole, Unit, Weight, Numeric, Ordinal, Nominal, EpsilonLimit)

	Anonymize = declare("anonymize", append(append([]anonymize.Declared{
		ownQI, SA, Unit, Weight, Publish, Replace, Private, AllowComposition, DryRun, Calibrate, Attacks, MaxAttack},
		promises("promises that any method takes. The server recomputes them from the release, and publishes nothing that breaks one (error 30002). "+
			"Write `recursive=c,l`, and `distinct(disease)=3` for one of several sensitive attributes. [risk.md](risk.md) defines them", promiseNames()...)...),
		NotSensitive, LeftOut, MaxRecords, Shift, Model, ModelEpsilon, ModelDelta, ModelLeast,
		Population, KMap, DeltaPresence, PopulationSize, Fit, Estimator, Misfit, Seed, Updates, AutoRefresh, Store)...)

	// Method declares the table functions of methods.
	Method = declare("", ownQI, SA, Unit, Weight, LeftOut, Seed)

	// RiskOfTable declares the table function ANON_RISK.
	RiskOfTable = declare("", ownQI.Doc("columns of the quasi-identifiers, instead of the stored roles"), SA.Doc(same), Unit.Doc(same), Weight.Doc(same), PopulationSize)

	FitRelease = declare("fit_release",
		Estimator.Doc("what answers by default: `imputed` or `independent`; existing completed tables stay"), Misfit.Doc("`false`: as in `anonymize`"), Refit)

	RefreshRelease = declare("refresh_release", DryRun.Doc("`true`: nothing is stored"), Seed, Calibrate.Doc("whether widths of intervals are measured "+
		"again; default: if much has changed since the last measurement, and at least 1,000 records (with `unit`, units) are left"))

	Evaluate = declare("evaluate", Queries, Bands, Summed, Of,
		Estimator.Default("").Doc("`imputed` or `independent`: measure only this estimator; default all that the release has"), Task, QuerySeed)

	Classify = declare("classify", Target, Predictors, Folds, QuerySeed.Doc("selects the folds: the same seed gives the same folds"), Task.Doc("`classify`, as `evaluate` has it"))

	Tune = declare("tune", slices.Concat([]anonymize.Declared{Methods}, rolesOfRun,
		promises("guarantees that every choice must meet", Guarantees...), []anonymize.Declared{Risk, Loss, Trials, QICount, Sample, tuneSeed, Failures})...)

	Advise = declare("advise", slices.Concat(rolesOfRun,
		promises("guarantees that every proposal must meet", Guarantees...),
		[]anonymize.Declared{Sample.Default("4000"), Trials.Doc("number of random queries in each trial").Default("200"), tuneSeed, Failures})...)

	Report = declare("report", Title, Compare, Part)

	ExportRelease = declare("export_release", Format, Dir, Overwrite, Completed)

	ImportRelease = declare("import_release", Publish.Doc("name of the release; default: the name in the package"), Replace.Doc("`true`: replaces an imported release of this name"),
		Fit.Except(fitLater, "must be true or false here; CALL fit_release makes completed tables later").Doc("as in `anonymize`, without `fit=async`; "+
			"default: as on the server that made the release"),
		Estimator.Doc(same), Misfit.Doc(same))

	SetTaxonomy = declare("set_taxonomy", sourceOptions()...)
)

// All returns the procedures.
func All() []Procedure {
	return []Procedure{SetAttributes, SetTaxonomy, Anonymize, FitRelease, RefreshRelease, Evaluate, Classify, Tune, Advise, Report, ExportRelease,
		ImportRelease}
}

const asInAnonymize = "as in `anonymize`"

var (
	ownQI    = QI.Doc("attributes for this release instead of the stored roles")
	tuneSeed = Seed.Doc("makes the result repeatable")
	// rolesOfRun are the roles of a trial publication.
	rolesOfRun = []anonymize.Declared{ownQI.Doc(asInAnonymize), SA, NotSensitive.Doc(same), Unit.Doc(same), Weight.Doc(same), LeftOut.Doc(same)}
)

func declare(name string, declared ...anonymize.Declared) Procedure {
	return Procedure{name, anonymize.Declare(declared...)}
}

// A Source is an option that says where set_taxonomy gets its tree. A call gives one,
// with the options that belong to it.
type Source struct {
	anonymize.Declared
	with []anonymize.Declared
}

// Name returns the name of the option.
func (s Source) Name() string { return s.Parameter().Name }

// Takes reports whether an option belongs to the source.
func (s Source) Takes(option string) bool {
	return option == s.Name() || slices.ContainsFunc(s.with, func(d anonymize.Declared) bool { return d.Parameter().Name == option })
}

// Options of set_taxonomy that are read by what they are.
var (
	AutoTaxonomy = yesNo("auto", "`true`: a tree that suits the values. Dates: months, quarters, years; numbers: `intervals=auto`; codes of equal "+
		"length, made of digits and capitals (2 to 12, and a digit in one of them): prefixes of every length; other texts: the 64, 16 and 4 most frequent")
	DropTaxonomy = yesNo("drop", "`true` removes the tree")
	Levels       = list("levels", "with `table`: the columns of its paths, from leaf to root")
)

// Sources are all sources.
var Sources = []Source{
	{written("table", "a table of edges (columns `value` and `parent`) or of paths"), []anonymize.Declared{
		written("value", "with `table`: the columns of its edges, if they have other names"), written("parent", same), Levels}},
	{written("hierarchy", "the text of a hierarchy file as ARX writes it; the command `anonsql taxonomy` sends such files"), nil},
	{AutoTaxonomy, nil},
	{written("intervals", "widths of nested intervals, such as `5,10,20`, or `auto`: round widths (5, 10, 50, ...), of which the narrowest gives at "+
		"most 32 intervals. If a column has too many numbers for a list, releases have only these intervals ([mysql.md](mysql.md#generalized-columns))"), []anonymize.Declared{
		written("origin", "with `intervals`: the number at which the first interval begins")}},
	{written("equal_width", "numbers of intervals of equal width, such as `4,16`; each must be a multiple of the one before"), nil},
	{written("equal_frequency", "numbers of groups with about equally many records (quantiles), such as `4,16`"), nil},
	{written("frequent", "numbers of values, such as `4,16`: the most frequent values stay, the others form one group. The tree is published: it shows "+
		"which values are frequent, as `equal_frequency` shows where the quantiles are"), nil},
	{written("prefix", "lengths of nested prefixes, such as `1,2,3`"), nil},
	{written("date", "names of nested periods, such as `month,quarter,year`"), nil},
	{written("order", "no tree: a line of the values in this order"), nil},
	{DropTaxonomy, nil},
}

func sourceOptions() (declared []anonymize.Declared) {
	for _, s := range Sources {
		declared = append(append(declared, s.Declared), s.with...)
	}
	return declared
}
