package options

import (
	"strconv"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/contingency"
	"github.com/anonsql/anonsql/anonymize/privacy"
	"github.com/anonsql/anonsql/anonymize/tuning"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/attributes"
	"github.com/anonsql/anonsql/datapackage"
)

// same is the doc of an option that shares the doc of the option before it.
const same = ""

// EachRow is the value of unit that makes every row a unit.
const EachRow = "rows"

// Roles and scales of set_attributes. A semantic attribute is one with a taxonomy: set_taxonomy.
var (
	QI           = list("qi", "columns that are quasi-identifiers, sensitive attributes, explicit identifiers, none of these")
	SA           = list("sa", same)
	EI           = list("ei", same)
	NotSensitive = list("not_sensitive", "values of the sensitive attribute that are no secret, such as `negative,NULL`: `l`, `beta`, warnings and attacks are about the "+
		"others ([risk.md](risk.md#values-that-are-no-secret))")
	OtherRole = list("other", same)
	Unit      = list("unit", "columns that name the person, or the household, of a row, which the promises protect ([units.md](units.md)); `"+EachRow+"`: every row "+
		"is a person of its own")
	Weight = list("weight", "the column that says how many persons of the population a row of a survey stands for: it is published in classes "+
		"([roles.md](roles.md#survey-weights)); empty for none")
	Numeric = list("numeric", "columns whose scale is not what their type says")
	Ordinal = list("ordinal", same)
	Nominal = list("nominal", same)

	EpsilonLimit = option("epsilon_limit", "how much the epsilons of all releases of the table may add up to, for each sensitive attribute (`anonsql.epsilon`); "+
		"default: "+attributes.DefaultEpsilonLimit.Text(), func(text string) (anonymize.Ratio, string) {
		limit, err := anonymize.ParseRatio(text)
		if err != nil {
			return limit, "must be a number such as 3 or 0.5"
		}
		return limit, ""
	})
)

// Options of several procedures.
var (
	Seed = option("seed", "makes the release repeatable; for tests only, as who knows it can undo the grouping", func(text string) (string, string) {
		if text == "" {
			return "", "must not be empty; leave it out for a random one"
		}
		return text, ""
	})
	Publish   = named("publish", "name of the release; default: the table's")
	Replace   = yesNo("replace", "`true`: a new version in the place of the release of this name, and of no other")
	DryRun    = yesNo("dry_run", dryRunText)
	Calibrate = choice("calibrate", "whether intervals are measured and attackers tried; default: from 1,000 records on; intervals of a table with `unit` from 1,000 units on")
	Fit       = choice("fit", fitText, fitLater)
	Estimator = word("estimator", []string{catalog.Imputed, catalog.Independent},
		"who answers by default where there are completed tables: `imputed` or `independent`").Default(catalog.Imputed)
	Misfit    = yesNo("misfit", misfitText).Default("true")
	Queries   = wholeNumber("queries", 1, maxQueries, "of each band").Default("1000")
	QuerySeed = wholeNumber("seed", 0, 1<<62, "which queries: the same ones for the same number").Default("1")
)

// fitLater is the value of fit that publishes the release first and draws completed tables later.
const fitLater = "async"

// maxQueries bounds one workload; each query costs a pass over the table.
const maxQueries = 1_000_000

const (
	dryRunText = "`true`: nothing is stored. A warning says what would refuse the statement without it: another release of the table, a copy of " +
		"a published one, tables that `store=` cannot make"
	fitText = "completed tables ([answers.md](answers.md)): `true`, `false`, or `async`: the release is there at once, and answers from its " +
		"fragments until the server has drawn them (`anonsql.jobs` shows the progress); default: from 1,000 records on, of releases with cells that are points"
	misfitText = "`false`: how wrong the completed tables are is not measured, which takes longer than drawing them; intervals then allow for " +
		"a usual misfit, 0.1"
)

// Options of anonymize alone.
var (
	Private          = yesNo("private", "`true`: only accounts that may read the table read it; any number")
	AllowComposition = yesNo("allow_composition", "`true`: beside, or after, another public release of the table, at your risk")
	Attacks          = choice("attacks", same)
	MaxAttack        = option("max_attack", "a probability, such as `0.4`: nothing is published if `learned` or `definetti`, "+
		"what an attacker who only reads the release believes of a record's own value on average, is greater (error 30002). Has the attacks run on "+
		"tables of any size; an error for releases that `learned` cannot be measured of, with generalized or weighted cells",
		func(text string) (anonymize.Ratio, string) {
			limit, err := anonymize.ParseRatio(text)
			if err != nil || limit.Num == 0 || limit.Num > limit.Den {
				return limit, "must be a probability above 0 and at most 1, such as 0.4"
			}
			return limit, ""
		})
	LeftOut = anonymize.Share("left_out", "greatest share of the records that may be left out where units have several: only units of equally many records are in one "+
		"group, and of some numbers there may be too few units ([units.md](units.md))").Default("0")
	MaxRecords = wholeNumber("max_records", 1, 1<<30, "greatest number of records of a unit that are published. Of units with more, others are drawn at random and left "+
		"out, and a warning says how many: long histories find groups then. `model_epsilon` needs it: its noise hides so many records of a unit ([units.md](units.md#how-a-release-is-made))")
	Shift = wholeNumber("shift", 1, 3650, "published dates are moved by a secret number of days, one for each person (`unit`, else each row), drawn evenly from so many days "+
		"back to so many ahead, and kept nowhere. Times between dates of a person stay as they are ([what it protects](units.md#dates-that-are-moved))")
	Model = word("model", []string{ModelCounts, NoModel}, "`counts`: the release also tells how each quasi-identifier goes with the sensitive attribute, as relation "+
		"`<release>_model`: counts of at least `model_least` units, rounded to multiples of 5, the others together. Answers get better, and groups may be larger "+
		"(`size=`). [attacks.md](attacks.md#a-release-with-a-model) says what it tells an attacker").Default(NoModel)
	ModelEpsilon = option("model_epsilon", "a number, such as `1`: every count of the model gets noise instead, so that the model by itself keeps label differential "+
		"privacy of that epsilon, of a unit's sensitive values. The relations beside it do not", func(text string) (anonymize.Ratio, string) {
		epsilon, err := anonymize.ParseRatio(text)
		if err != nil || epsilon.Num == 0 || epsilon.Cmp(anonymize.NewRatio(1000, 1)) > 0 {
			return epsilon, "must be a number above 0 and at most 1000, such as 1"
		}
		return epsilon, ""
	})
	ModelDelta = option("model_delta", "beside `model_epsilon`, a number such as `1e-6`: Gaussian noise in place of Laplace noise, which is smaller, and keeps "+
		"the epsilon but for a probability of so much. Less than one in the number of records", func(text string) (anonymize.Ratio, string) {
		delta, err := anonymize.ParseRatio(text)
		if err != nil || delta.Num == 0 || delta.Cmp(anonymize.NewRatio(1, 100)) > 0 {
			return delta, "must be a number above 0 and at most 0.01, such as 0.000001"
		}
		return delta, ""
	})
	ModelLeast = wholeNumber("model_least", 2, 1<<30, "least number of units in a cell that a model without noise tells").Default(strconv.Itoa(contingency.Usual.Least))
	Population = written("population", "`database.table` of everybody, by columns of the quasi-identifiers' names; and what the release must be "+
		"beside it: k-map, and `min,max` of delta-presence (error 30002). [risk.md](risk.md#beside-a-population)")
	KMap = option("k_map", same, func(text string) (anonymize.Ratio, string) {
		k, err := anonymize.ParseRatio(text)
		if err != nil || k.Den != 1 || k.Num < 1 {
			return k, "must be a whole number of at least 1"
		}
		return k, ""
	})
	DeltaPresence  = option("delta_presence", same, readPresence)
	PopulationSize = option("population_size", "number of persons of whom the table is a sample: how many are unique is estimated "+
		"([risk.md](risk.md#unique-persons-of-a-population))", func(text string) (uint64, string) {
		n, err := strconv.ParseUint(text, 10, 40)
		if err != nil || n == 0 {
			return 0, "must be a number of persons, at most 10^12"
		}
		return n, ""
	})
	Updates = word("updates", []string{Sealed, Paper, NoUpdates},
		"`sealed`: the release follows its table, by most methods; `none`; `paper`, for `drasl` and `dpp`; refresh after so many changes ([live.md](live.md))")
	AutoRefresh = wholeNumber("auto_refresh", 0, 1<<40, same)
	Store       = written("store", "`upstream:database`: the relations are tables on the owner's server too ([proxy.md](proxy.md)). `engine`: the table is "+
		"published in the engine that keeps it, by `anatomy`, `slppa`, `slicing` or `mondrian`, and so are larger ones than are read "+
		"([trino.md](trino.md#publish-in-the-engine))")
)

// Values of Model: what a release publishes besides its groups.
const (
	ModelCounts = "counts"
	NoModel     = "none"
)

// Values of Updates: how a release follows its table.
const (
	Sealed    = "sealed"
	Paper     = "paper"
	NoUpdates = "none"
)

// Bounds are the bounds of delta-presence, in [0, 1].
type Bounds struct{ Least, Most anonymize.Ratio }

// readPresence reads two bounds, such as 0.05,0.5.
func readPresence(text string) (Bounds, string) {
	first, second, two := strings.Cut(text, ",")
	least, wrong := anonymize.ParseRatio(first)
	most, wrongToo := anonymize.ParseRatio(second)
	if !two || wrong != nil || wrongToo != nil || least.Cmp(most) > 0 || most.Num > most.Den {
		return Bounds{}, "must be delta_min,delta_max such as 0.05,0.5: two probabilities, the smaller one first"
	}
	return Bounds{least, most}, ""
}

// Options of procedures that look at a release.
var (
	Refit  = yesNo("refit", "`true`: draws them again, which makes the same ones unless another version of the program drew them")
	Bands  = bands("qi", "bands of numbers of quasi-identifiers, such as `1,2-3,4-6`; default `1-3`, and `3` of sums and averages")
	Of     = named("of", same)
	Summed = written("aggregate", "`sum` or `avg` of an attribute instead of `count`: `'aggregate=avg(age)'`, or `'aggregate=avg', 'of=age'`")
	Task   = written("task", "`classify`: is [`classify`](#classify), with its options and rows")

	Target     = named("target", "the attribute that is predicted, of at most 256 values")
	Predictors = list("predictors", "what from; default all other attributes of the release")
	Folds      = wholeNumber("folds", 2, 100, "2 to 100").Default("5")

	Title   = written("title", "of the page; default: the release's name")
	Part    = word("part", []string{"all", "decision"}, "`all`, or `decision`: the first page alone, as a fragment of a page").Default("all")
	Compare = list("compare", "1 to 19 other releases of the same table, private ones too, for who may read the table: they stand on one "+
		"risk-utility plot, by a workload on which all were measured by `CALL evaluate`")

	Format    = word("format", datapackage.Formats(), "`csv` or `parquet`").Default(string(datapackage.CSV))
	Dir       = written("dir", "folder below the directory that the server was given by `--export-dir`; without one it is error 1290")
	Overwrite = yesNo("overwrite", "`true`: in the place of a package that is there")
	Completed = wholeNumber("completed", 0, 1<<16, "number of completed tables that are written, the first ones").Default("0")
)

// Options of tune and advise.
var (
	Methods = list("methods", "those that are tried; default all")
	Risk    = word("risk", tuning.Risks, "`breach` (greatest probability of a value), `definetti` (a learning attacker's mean) or `learned` (the mean of "+
		"one who completes the release; no choice has generalized or weighted cells)").Default(tuning.Risks[0])
	Loss = word("target", tuning.Losses, "`relative_error`, `median_relative_error`, `p95_relative_error` of answers from fragments; `glp`; "+
		"`imputed_error`: mean relative error of imputed answers, and of answers from fragments where a release cannot have completed tables. "+
		"It takes seconds a trial").Default(tuning.Losses[0])
	Trials   = Queries.Doc("random queries of each trial").Default("500")
	QICount  = band("qi_count", "the numbers of their quasi-identifiers").Default("1-3")
	Sample   = wholeNumber("sample", 1, 1<<31, "number of records").Default("50000")
	Failures = yesNo("all", "`true`: notes say why settings cannot be published")
)

// Guarantees are the guarantees that tune takes as options. t_hierarchical is missing, since it needs more than a bound.
var Guarantees = []string{"k", "size", "l", "distinct", "entropy", "recursive", "alpha", "beta", "gamma", "delta", "presence", "breach", "t_equal", "t_ordered",
	"beta_likeness", "enhanced_beta_likeness", "delta_disclosure"}

// promises returns options named after guarantees, which share a doc.
func promises(doc string, names ...string) (declared []anonymize.Declared) {
	for _, name := range names {
		declared = append(declared, written(name, doc))
		doc = same
	}
	return declared
}

// promiseNames returns the guarantees that anonymize takes as options with every method.
func promiseNames() (names []string) {
	for _, o := range privacy.Options() {
		names = append(names, o.Name)
	}
	return names
}
