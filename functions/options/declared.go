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
	QI           = list("qi", "quasi-identifiers, sensitive attributes, explicit identifiers, and columns that are none of these")
	SA           = list("sa", same)
	EI           = list("ei", same)
	NotSensitive = list("not_sensitive", "values of the sensitive attribute that are no secret, such as `negative,NULL`: `l`, `beta`, warnings and "+
		"attacks cover only the other values ([risk.md](risk.md#values-that-are-no-secret))")
	OtherRole = list("other", same)
	Unit      = list("unit", "columns that identify the person, or the household, to whom a row belongs; promises then protect this unit ([units.md](units.md)); `"+EachRow+"`: every row "+
		"is a different person")
	Weight = list("weight", "the column of a survey that says how many persons of the population a row represents: it is published in classes "+
		"([roles.md](roles.md#survey-weights)); empty: no weight")
	Numeric = list("numeric", "columns whose scale differs from the one that their type implies")
	Ordinal = list("ordinal", same)
	Nominal = list("nominal", same)

	EpsilonLimit = option("epsilon_limit", "for each sensitive attribute, the greatest sum of the epsilons of all releases of the table "+
		"(`anonsql.epsilon`); default: "+attributes.DefaultEpsilonLimit.Text(), func(text string) (anonymize.Ratio, string) {
		limit, err := anonymize.ParseRatio(text)
		if err != nil {
			return limit, "must be a number such as 3 or 0.5"
		}
		return limit, ""
	})
)

// Options of several procedures.
var (
	Seed = option("seed", "makes the release repeatable; for tests only, because anybody who knows the seed can undo the grouping", func(text string) (string, string) {
		if text == "" {
			return "", "must not be empty; leave it out for a random one"
		}
		return text, ""
	})
	Publish   = named("publish", "name of the release; default: the table's")
	Replace   = yesNo("replace", "`true`: a new version replaces the release of this name, and no other release")
	DryRun    = yesNo("dry_run", dryRunText)
	Calibrate = choice("calibrate", "`calibrate`: whether widths of intervals are measured; `attacks`: whether attackers are tried; default: `true` "+
		"from 1,000 records on; with `unit`, widths from 1,000 units on")
	Fit       = choice("fit", fitText, fitLater)
	Estimator = word("estimator", []string{catalog.Imputed, catalog.Independent},
		"what answers by default if there are completed tables: `imputed`, the completed tables; `independent`, the fragments").Default(catalog.Imputed)
	Misfit    = yesNo("misfit", misfitText).Default("true")
	Queries   = wholeNumber("queries", 1, maxQueries, "number of queries in each band").Default("1000")
	QuerySeed = wholeNumber("seed", 0, 1<<62, "selects the queries: the same seed gives the same queries").Default("1")
)

// fitLater is the value of fit that publishes the release first and draws completed tables later.
const fitLater = "async"

// maxQueries bounds one workload; each query costs a pass over the table.
const maxQueries = 1_000_000

const (
	dryRunText = "`true`: nothing is stored. A warning says why the statement would be refused without `dry_run`: there is another release of the " +
		"table, the table is a copy of a published one, or `store=` cannot make its tables"
	fitText = "whether the server draws completed tables ([answers.md](answers.md)): `true`, `false`, or `async`: the release is there at once, and " +
		"fragments answer until the tables are drawn (`anonsql.jobs` shows the progress); default: `true` from 1,000 records on, if every cell is a " +
		"single value"
	misfitText = "`false`: the server does not measure how wrong the completed tables are, which takes longer than drawing them; intervals then allow " +
		"for a usual misfit, 0.1"
)

// Options of anonymize alone.
var (
	Private = yesNo("private", "`true`: only accounts that may read the table may read the release. A table may have any number of private "+
		"releases")
	AllowComposition = yesNo("allow_composition", "`true`: publish although the table has, or had, another public release, at your own risk. Say it again when you replace this release: the other one still has readers")
	Attacks          = choice("attacks", same)
	MaxAttack        = option("max_attack", "a probability, such as `0.4`: nothing is published if `learned` or `definetti` is greater (error 30002). "+
		"These are the mean probabilities that attackers who only read the release give to a record's own value. The attacks then run on tables of any "+
		"size. Releases with generalized or weighted cells are refused, because `learned` cannot be measured for them",
		func(text string) (anonymize.Ratio, string) {
			limit, err := anonymize.ParseRatio(text)
			if err != nil || limit.Num == 0 || limit.Num > limit.Den {
				return limit, "must be a probability above 0 and at most 1, such as 0.4"
			}
			return limit, ""
		})
	LeftOut = anonymize.Share("left_out", "greatest share of the records that may be left out if units have several records. A group has only units "+
		"with equally many records, and for some numbers of records there may be too few units ([units.md](units.md))").Default("0")
	MaxRecords = wholeNumber("max_records", 1, 1<<30, "greatest number of records that are published for a unit, so that units with long histories "+
		"find groups. The server draws them at random, leaves out the unit's other records, and warns how many. `model_epsilon` needs it: its noise "+
		"hides this many records of a unit ([units.md](units.md#how-a-release-is-made))")
	Shift = wholeNumber("shift", 1, 3650, "published dates are moved by a secret number of days, one for each person (`unit`; otherwise for each row). "+
		"The server draws it evenly, from this many days back to this many ahead (1 to 3650), and stores it nowhere. Times between the dates of a person stay as "+
		"they are ([what it protects](units.md#dates-that-are-moved))")
	Model = word("model", []string{ModelCounts, NoModel}, "`counts`: the release also shows how each quasi-identifier goes with the sensitive "+
		"attribute. The relation `<release>_model` has counts of at least `model_least` units, rounded to multiples of 5, and pools the smaller ones. "+
		"Answers get better, and groups may be larger (`size=`). [attacks.md](attacks.md#a-release-with-a-model) says what the model tells an attacker").Default(NoModel)
	ModelEpsilon = option("model_epsilon", "a number, such as `1`: every count of the model gets noise instead of rounding. The model by itself then "+
		"has label differential privacy with this epsilon (at most 1000), for a unit's sensitive values. The relations beside the model do not have it", func(text string) (anonymize.Ratio, string) {
		epsilon, err := anonymize.ParseRatio(text)
		if err != nil || epsilon.Num == 0 || epsilon.Cmp(anonymize.NewRatio(1000, 1)) > 0 {
			return epsilon, "must be a number above 0 and at most 1000, such as 1"
		}
		return epsilon, ""
	})
	ModelDelta = option("model_delta", "with `model_epsilon`, a number such as `1e-6`: Gaussian noise instead of Laplace noise. It is smaller, and the "+
		"epsilon holds except with this probability. Must be less than 1 / number of records, and at most 0.01", func(text string) (anonymize.Ratio, string) {
		delta, err := anonymize.ParseRatio(text)
		if err != nil || delta.Num == 0 || delta.Cmp(anonymize.NewRatio(1, 100)) > 0 {
			return delta, "must be a number above 0 and at most 0.01, such as 0.000001"
		}
		return delta, ""
	})
	ModelLeast = wholeNumber("model_least", 2, 1<<30, "least number of units in a cell that a model without noise shows, from 2 on").Default(strconv.Itoa(contingency.Usual.Least))
	Population = written("population", "`population`: a table (`database.table`) of everybody, whose columns have the names of the quasi-identifiers; "+
		"`k_map`, and `delta_presence` as `min,max`: bounds that the release must meet beside this population (error 30002). "+
		"[risk.md](risk.md#beside-a-population)")
	KMap = option("k_map", same, func(text string) (anonymize.Ratio, string) {
		k, err := anonymize.ParseRatio(text)
		if err != nil || k.Den != 1 || k.Num < 1 {
			return k, "must be a whole number of at least 1"
		}
		return k, ""
	})
	DeltaPresence  = option("delta_presence", same, readPresence)
	PopulationSize = option("population_size", "number of persons in the population of which the table is a sample: the server estimates how many "+
		"persons of the table are unique in it ([risk.md](risk.md#unique-persons-of-a-population))", func(text string) (uint64, string) {
		n, err := strconv.ParseUint(text, 10, 40)
		if err != nil || n == 0 {
			return 0, "must be a number of persons, at most 10^12"
		}
		return n, ""
	})
	Updates = word("updates", []string{Sealed, Paper, NoUpdates},
		"`updates`: `sealed`, the release follows its table (most methods); `paper`, as in the papers of `drasl` and `dpp`; or `none`; default `none`, for `drasl` `sealed`. `auto_refresh`: "+
			"refresh the release after this many changes ([live.md](live.md))")
	AutoRefresh = wholeNumber("auto_refresh", 0, 1<<40, same)
	Store       = written("store", "`upstream:database`: the relations are also stored as tables on the owner's server ([proxy.md](proxy.md)). "+
		"`engine`: the engine that keeps the table publishes it, by `anatomy`, `slppa`, `slicing` or `mondrian`; this also works for tables that are "+
		"too large to be read ([trino.md](trino.md#publish-in-the-engine))")
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
	Refit  = yesNo("refit", "`true`: draws the completed tables again. They are the same as before unless another version of the program drew those")
	Bands  = bands("qi", "bands: how many quasi-identifiers a query names, such as `1,2-3,4-6`; default `1-3`, and `3` for sums and averages")
	Of     = named("of", same)
	Summed = written("aggregate", "`sum` or `avg` of an attribute instead of `count`: `'aggregate=avg(age)'`, or `'aggregate=avg', 'of=age'`")
	Task   = written("task", "`classify`: the same as [`classify`](#classify), with its options and rows")

	Target     = named("target", "the attribute that models predict, with at most 256 values")
	Predictors = list("predictors", "attributes from which models predict; default all other attributes of the release")
	Folds      = wholeNumber("folds", 2, 100, "number of folds of the cross-validation, 2 to 100").Default("5")

	Title   = written("title", "title of the page; default: the release's name")
	Part    = word("part", []string{"all", "decision"}, "`all`, or `decision`: only the first page, as a fragment of HTML").Default("all")
	Compare = list("compare", "1 to 19 other releases of the same table, also private ones, for accounts that may read the table. One risk-utility "+
		"plot shows all of them, if `CALL evaluate` has measured them on the same workload")

	Format    = word("format", datapackage.Formats(), "`csv` or `parquet`").Default(string(datapackage.CSV))
	Dir       = written("dir", "folder below the server's `--export-dir`, by default the release's name; a server without that flag refuses the statement (error 1290)")
	Overwrite = yesNo("overwrite", "`true`: replaces a package in that folder")
	Completed = wholeNumber("completed", 0, 1<<16, "how many completed tables are written, from the first on").Default("0")
)

// Options of tune and advise.
var (
	Methods = list("methods", "methods to try; default all but `modeled`, which needs `risk=learned` and `target=imputed_error`")
	Risk    = word("risk", tuning.Risks, "the risk that is compared: `breach`, the greatest probability of a value; `definetti`, the mean probability "+
		"that a learning attacker reaches; or `learned`, that of an attacker who completes the release (leaves out choices with generalized or "+
		"weighted cells)").Default(tuning.Risks[0])
	Loss = word("target", tuning.Losses, "the loss that is compared: `relative_error`, `median_relative_error` or `p95_relative_error` of answers from "+
		"fragments; `glp`; or `imputed_error`, the mean relative error of imputed answers, or of answers from fragments if a release cannot have "+
		"completed tables. It takes seconds for each trial").Default(tuning.Losses[0])
	Trials   = Queries.Doc("number of random queries in each trial").Default("500")
	QICount  = band("qi_count", "how many quasi-identifiers a query names").Default("1-3")
	Sample   = wholeNumber("sample", 1, 1<<31, "number of records in the sample").Default("50000")
	Failures = yesNo("all", "`true`: warnings say why a setting cannot be published")
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
