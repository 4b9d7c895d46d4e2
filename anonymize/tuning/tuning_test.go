package tuning_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/impute"
	"github.com/anonsql/anonsql/anonymize/methods"
	"github.com/anonsql/anonsql/anonymize/tuning"
	"github.com/anonsql/anonsql/anonymize/utility"
	"github.com/anonsql/anonsql/testsize"
)

// people are generated, with their table.
func people(rows int) (*anonymize.Microdata, *anonymize.Input) {
	in := anontest.People(rows, 1)
	table, err := anonymize.NewMicrodata(append(slices.Clone(in.QuasiIdentifiers), in.Sensitive...)...)
	if err != nil {
		panic(err)
	}
	return table, in
}

func seeded(trial int) rand.Source { return rand.NewPCG(7, uint64(trial)) }

func named(t *testing.T, names ...string) (list []anonymize.Method) {
	t.Helper()
	for _, name := range names {
		m, err := methods.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	return list
}

func promise(guarantee, bound string) anonymize.Promise {
	return anonymize.Promise{Guarantee: guarantee, Bound: anonymize.MustRatio(bound)}
}

// Whatever SQL offers is tried in more than one way, and every way is one that
// the method knows.
func TestEveryMethodHasAGrid(t *testing.T) {
	for _, m := range methods.All() {
		grid, err := tuning.Grid(m, []anonymize.Promise{promise("l", "4"), promise("k", "6")}, nil)
		if err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
		if len(grid) < 2 {
			t.Errorf("%s is tried in %d ways", m.Name, len(grid))
		}
		for _, a := range grid {
			if l, ok := a["l"]; ok && l < "4" && len(l) == 1 {
				t.Errorf("%s is tried with l=%s where l=4 is asked for", m.Name, l)
			}
		}
	}
}

// Under l = 3, whose share no decimal writes, every method is tried with arguments
// that it reads, and slppa and asn are choices.
func TestSharesThatNoDecimalWrites(t *testing.T) {
	table, in := people(400)
	in.QuasiIdentifiers = in.QuasiIdentifiers[:3]
	trials, err := tuning.Run(context.Background(), table, in, tuning.Options{Methods: methods.All(), Required: []anonymize.Promise{promise("l", "3")}, Random: seeded, Queries: 20})
	if err != nil {
		t.Fatal(err)
	}
	choices := map[string]int{}
	for _, trial := range trials {
		if trial.Failure == "" {
			choices[trial.Method.Name]++
		}
		if strings.Contains(trial.Failure, "must be a number") {
			t.Errorf("%s %v: %s", trial.Method.Name, trial.Arguments, trial.Failure)
		}
	}
	if t.Log(choices); choices["slppa"] == 0 || choices["asn"] == 0 {
		t.Errorf("no trial of slppa or of asn is a choice: %v", choices)
	}
}

func TestGivenValues(t *testing.T) {
	anatomy := named(t, "anatomy")[0]
	grid, err := tuning.Grid(anatomy, nil, map[string][]string{"l": {"2", "9"}, "homogeneous": {"true"}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range grid {
		got = append(got, a["l"]+" "+a["homogeneous"])
	}
	slices.Sort(got)
	if want := []string{"2 true", "9 true"}; !slices.Equal(got, want) {
		t.Errorf("tried %v, want %v", got, want)
	}
	var parameter *anonymize.ParameterError
	if _, err := tuning.Grid(anatomy, nil, map[string][]string{"k": {"2"}}); !errors.As(err, &parameter) {
		t.Errorf("an unknown parameter: %v", err)
	}
	if _, err := tuning.Grid(anatomy, nil, map[string][]string{"homogeneous": {"maybe"}}); !errors.As(err, &parameter) {
		t.Errorf("a bad value: %v", err)
	}
}

// A value that promises less than what is asked for gives way to this, also where the parameter was not to be tried.
func TestGivenValuesPromiseWhatIsAsked(t *testing.T) {
	for _, c := range []struct {
		method, guarantee, bound string
		given                    []string
		want                     []string
	}{
		{"anatomy", "l", "4", []string{"2", "3", "5"}, []string{"4", "5"}},
		{"anatomy", "l", "7/2", []string{"2", "4"}, []string{"4"}},
		{"anatomy", "size", "20", []string{"none", "50"}, []string{"20", "50"}},
		{"slppa", "beta", "1/4", []string{"1/3", "1/5"}, []string{"0.25", "1/5"}},
		{"slppa", "gamma", "0.01", nil, []string{"0.01"}},
	} {
		values := map[string][]string{}
		if c.given != nil {
			values[c.guarantee] = c.given
		}
		grid, err := tuning.Grid(named(t, c.method)[0], []anonymize.Promise{promise(c.guarantee, c.bound)}, values)
		if err != nil {
			t.Fatal(err)
		}
		var tried []string
		for _, a := range grid {
			tried = append(tried, a[c.guarantee])
		}
		slices.Sort(tried)
		if tried = slices.Compact(tried); !slices.Equal(tried, c.want) {
			t.Errorf("%s under %s=%s tries %q, want %q", c.method, c.guarantee, c.bound, tried, c.want)
		}
	}
}

// One run, its seeds twice: who is a choice, who is on the frontier, and why the
// others are neither.
func TestRun(t *testing.T) {
	table, in := people(1500)
	options := tuning.Options{
		Methods:  named(t, "slppa", "anatomy", "arp", "mondrian", "cross_bucket", "oka"),
		Required: []anonymize.Promise{promise("l", "3"), promise("breach", "0.4")},
		Queries:  60,
		Seed:     3,
		Random:   seeded,
	}
	var told, begun atomic.Int64
	options.Progress = func(done, _ int) {
		if told.Add(1); done == 0 {
			begun.Add(1)
		}
	}
	trials, err := tuning.Run(context.Background(), table, in, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("progress is told of every trial", func(t *testing.T) {
		if n := int(told.Load()); n != 1+len(trials) || begun.Load() != 1 {
			t.Errorf("progress was told %d times of %d trials, and %d times that none is finished", n, len(trials), begun.Load())
		}
	})
	t.Run("a choice keeps what was asked for", func(t *testing.T) { checkChoices(t, trials) })
	t.Run("the frontier is what brute force finds", func(t *testing.T) { checkFrontier(t, trials) })
	t.Run("who knows no l is no choice", func(t *testing.T) {
		for _, x := range trials {
			if x.Method.Name == "oka" && x.Failure == "" {
				t.Errorf("oka %v, which knows no l, is l-diverse on these people", x.Arguments)
			}
		}
	})
	t.Run("the same seeds give the same trials", func(t *testing.T) {
		again, err := tuning.Run(context.Background(), table, in, options)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := described(trials), described(again); a != b {
			t.Errorf("the same seeds gave\n%s\nand\n%s", a, b)
		}
	})
}

// checkChoices wants both guarantees of every choice, and no figures of what failed.
func checkChoices(t *testing.T, trials []tuning.Trial) {
	choices := 0
	for _, x := range trials {
		if x.Failure != "" {
			if x.Frontier || x.Risk != 0 || x.Loss != 0 {
				t.Errorf("%s %v failed (%s) and has figures", x.Method.Name, x.Arguments, x.Failure)
			}
			continue
		}
		choices++
		if len(x.Guarantees) != 2 {
			t.Errorf("%s: guarantees %v", x.Method.Name, x.Guarantees)
		}
		for _, g := range x.Guarantees {
			if !g.Holds {
				t.Errorf("%s %v is a choice and breaks %s", x.Method.Name, x.Arguments, g.Name)
			}
		}
	}
	if choices < 5 {
		t.Errorf("%d choices", choices)
	}
}

// checkFrontier wants on the frontier, and first, whatever no other choice beats.
func checkFrontier(t *testing.T, trials []tuning.Trial) {
	frontier := 0
	for i, x := range trials {
		if x.Failure != "" {
			continue
		}
		dominated := slices.ContainsFunc(trials, func(y tuning.Trial) bool {
			return y.Failure == "" && y.Risk <= x.Risk && y.Loss <= x.Loss && (y.Risk < x.Risk || y.Loss < x.Loss)
		})
		if x.Frontier == dominated {
			t.Errorf("%s %v: frontier %v, dominated %v", x.Method.Name, x.Arguments, x.Frontier, dominated)
		}
		if x.Frontier {
			frontier++
			if i >= frontier {
				t.Errorf("the frontier is not first: %d", i)
			}
		}
	}
	if frontier == 0 {
		t.Error("nothing is on the frontier")
	}
}

func described(trials []tuning.Trial) string {
	var b strings.Builder
	for _, x := range trials {
		fmt.Fprintln(&b, x.Method.Name, x.Arguments, x.Failure, x.Risk, x.Loss, x.Groups, x.Frontier)
	}
	return b.String()
}

// Every risk and every loss is measured for releases of all kinds, or refused.
func TestMeasures(t *testing.T) {
	persons := testsize.Of(200, 600)
	table, in := people(persons)
	for _, risk := range tuning.Risks {
		for _, loss := range tuning.Losses {
			trials, err := tuning.Run(context.Background(), table, in, tuning.Options{
				Methods: named(t, "anatomy", "mondrian", "cross_bucket"), Risk: tuning.Risk(risk), Loss: tuning.Loss(loss),
				Values: map[string]map[string][]string{"anatomy": {"l": {"3"}, "homogeneous": {"false"}},
					"mondrian": {"k": {"5"}, "l": {"2"}}, "cross_bucket": {"k": {"5"}, "l": {"3"}}},
				Queries: 30, Random: seeded})
			if err != nil {
				t.Fatal(risk, loss, err)
			}
			for _, x := range trials {
				measured := x.Failure == "" && x.Risk > 0 && x.Risk <= 1 && x.Loss >= 0
				if !measured && !strings.Contains(x.Failure, "cannot be measured") {
					t.Errorf("%s, %s, %s: risk %v, loss %v, %q", risk, loss, x.Method.Name, x.Risk, x.Loss, x.Failure)
				}
			}
		}
	}
}

func TestRunStops(t *testing.T) {
	table, in := people(1500)
	ctx, cancel := context.WithCancel(context.Background())
	trials, err := tuning.Run(ctx, table, in, tuning.Options{Methods: methods.All(), Queries: 50, Random: seeded,
		Progress: func(int, int) { cancel() }})
	if !errors.Is(err, context.Canceled) || trials != nil {
		t.Errorf("%d trials, error %v", len(trials), err)
	}
}

// The loss imputed_error is that of the completed tables of the very release, and of a
// release that cannot have any that of its fragments.
func TestImputedError(t *testing.T) {
	ctx := context.Background()
	table, in := people(600)
	run := func(loss tuning.Loss, methods ...string) []tuning.Trial {
		trials, err := tuning.Run(ctx, table, in, tuning.Options{Methods: named(t, methods...), Loss: loss, Queries: 80, Seed: 3, Random: seeded,
			Values: map[string]map[string][]string{"anatomy": {"l": {"3"}, "homogeneous": {"false"}}, "mondrian": {"k": {"5"}, "l": {"2"}}}})
		if err != nil || len(trials) != 1 || trials[0].Failure != "" {
			t.Fatalf("%v, %v", trials, err)
		}
		return trials
	}
	input := *in
	input.Random = seeded(0)
	release, err := named(t, "anatomy")[0].Run(ctx, &input, anonymize.Arguments{"l": "3", "homogeneous": "false"})
	if err != nil {
		t.Fatal(err)
	}
	completion, err := impute.Complete(ctx, release, impute.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tables, err := estimate.Prepare(release).WithTables(t.Context(), completion)
	if err != nil {
		t.Fatal(err)
	}
	want, err := utility.EvaluateCompleted(ctx, tables, table, utility.Workload{Queries: 80, Low: 1, High: 3, Seed: 3}, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := run(tuning.ImputedError, "anatomy")[0].Loss; got != want.Estimate.Mean {
		t.Errorf("the imputed error is %v, of the same release %v", got, want.Estimate.Mean)
	}
	if got := run(tuning.RelativeError, "anatomy")[0].Loss; got == want.Estimate.Mean {
		t.Errorf("both estimators have the error %v", got)
	}
	if got, want := run(tuning.ImputedError, "mondrian")[0].Loss, run(tuning.RelativeError, "mondrian")[0].Loss; got != want {
		t.Errorf("without completed tables the error is %v, want %v", got, want)
	}
}

// A choice promises what is asked for, since the statement that publishes it must refuse a table that breaks it.
func TestChoicesPromiseWhatIsAsked(t *testing.T) {
	table, in := people(400)
	for _, c := range []struct{ method, parameter, value, asked, bound, failure string }{
		{"oka", "k", "100", "l", "2", "oka with these parameters does not promise l = 2: "},
		{"oka", "k", "100", "k", "100", ""},
		{"oka", "k", "100", "distinct", "2", ""},
		{"slppa", "beta", "1/3", "l", "3", ""},
		{"slppa", "beta", "1/2", "alpha", "0.99", ""},
		{"slppa", "beta", "1/2", "presence", "1", "slppa with these parameters does not promise presence = 1: "},
		{"anatomy", "l", "3", "beta", "1/3", ""},
		{"anatomy", "l", "3", "breach", "0.4", ""},
		{"anatomy", "l", "3", "delta", "1", "anatomy with these parameters does not promise delta = 1: "},
		{"mondrian", "l", "3", "breach", "1/3", ""},
	} {
		values := map[string]map[string][]string{"oka": {}, "mondrian": {"k": {"100"}}, "anatomy": {"homogeneous": {"false"}},
			"slppa": {"homogeneous": {"false"}, "tables": {"2"}}}
		values[c.method][c.parameter] = []string{c.value}
		trials, err := tuning.Run(context.Background(), table, in, tuning.Options{Methods: named(t, c.method), Random: seeded, Queries: 5,
			Required: []anonymize.Promise{promise(c.asked, c.bound)}, Values: values})
		if err != nil || len(trials) != 1 {
			t.Fatalf("%s, %s = %s: %d trials, %v", c.method, c.asked, c.bound, len(trials), err)
		}
		if got := trials[0].Failure; !strings.HasPrefix(got, c.failure) || c.failure == "" && got != "" {
			t.Errorf("%s %s=%s, %s = %s: %q, want %q", c.method, c.parameter, c.value, c.asked, c.bound, got, c.failure)
		}
	}
}

func TestSample(t *testing.T) {
	table, _ := people(500)
	if whole, _ := tuning.Sample(table, 500, nil, seeded(0)); whole != table {
		t.Error("all records are not the table")
	}
	times := make(map[anonymize.Value]int)
	for seed := range 200 {
		s, _ := tuning.Sample(table, 50, nil, seeded(seed))
		if s.Rows != 50 || len(s.Columns) != len(table.Columns) {
			t.Fatalf("%d rows, %d columns", s.Rows, len(s.Columns))
		}
		last := s.Columns[len(s.Columns)-1]
		if last.Distinct() != len(last.Dictionary) {
			t.Errorf("the dictionary has %d values, %d are used", len(last.Dictionary), last.Distinct())
		}
		for row := range s.Rows {
			times[last.Value(row)]++
		}
	}
	// 10,000 drawn records: a value's share is the table's within 4 standard
	// errors and a half.
	last := table.Columns[len(table.Columns)-1]
	for code, n := range last.Histogram() {
		want := 20 * float64(n)
		if got := float64(times[last.Dictionary[code]]); (got-want)*(got-want) > 20*want {
			t.Errorf("%v was drawn %v times, expected %v", last.Dictionary[code], got, want)
		}
	}
}

// Whole units are drawn, and methods are tried on them: each trial keeps its promise by units.
func TestTrialsOfUnits(t *testing.T) {
	whole := anontest.VisitTable(anontest.VisitShape{Units: 400, Records: 3, Values: 20, Chronic: 1, Moving: true}, 1)
	table, units := tuning.Sample(&anonymize.Microdata{Rows: whole.Rows, Columns: slices.Concat(whole.QuasiIdentifiers, whole.Sensitive)}, 300, whole.Units, seeded(1))
	records := func(of []uint32) map[uint32]int {
		n := make(map[uint32]int)
		for _, u := range of {
			n[u]++
		}
		return n
	}
	all := records(whole.Units)
	for u, n := range records(units) {
		if n != all[u] {
			t.Errorf("%d of %d records of unit %d are drawn", n, all[u], u)
		}
	}
	if table.Rows != len(units) || table.Rows < 300 || table.Rows > 302 {
		t.Errorf("%d records of units are drawn, %d rows, want some 300", len(units), table.Rows)
	}
	in, err := anonymize.NewInput(table, anonymize.Roles{QuasiIdentifiers: []string{"birth", "sex", "ward"}, Sensitive: []string{"diagnosis"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	in.Units = units
	trials, err := tuning.Run(context.Background(), table, in, tuning.Options{Methods: named(t, "anatomy", "mondrian", "fulldomain"), Queries: 20,
		Values: map[string]map[string][]string{"anatomy": {"l": {"3"}, "homogeneous": {"false"}}, "mondrian": {"k": {"3"}, "l": {"2"}}},
		Risk:   tuning.DeFinetti, LeftOut: anonymize.MustRatio("0.1"), Random: seeded})
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range trials {
		refused := strings.Contains(trial.Failure, "fulldomain generalizes a column to one level for all units with equally many records, and ward varies in a unit")
		if refused != (trial.Method.Name == "fulldomain") || trial.Failure != "" && !refused {
			t.Errorf("%s %v: %s", trial.Method.Name, trial.Arguments, trial.Failure)
		}
		if trial.Method.Name == "anatomy" && (trial.Groups < 10 || trial.Groups > len(records(units))/3) {
			t.Errorf("%d groups of %d units, l = 3", trial.Groups, len(records(units)))
		}
	}
}

// A size and a model go beside any method's arguments: the size is kept, and the model brings answers of large groups nearer.
func TestBeside(t *testing.T) {
	table, in := people(3000)
	trials, err := tuning.Run(context.Background(), table, in, tuning.Options{Methods: named(t, "anatomy"), Random: seeded, Queries: 100, Seed: 1,
		Risk: tuning.Learned, Loss: tuning.ImputedError, Values: map[string]map[string][]string{"anatomy": {
			"l": {"3"}, "homogeneous": {"false"}, "size": {"none", "50"}, "model": {"none", "counts"}}}})
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]tuning.Trial)
	for _, x := range trials {
		if x.Failure != "" {
			t.Fatalf("%v: %s", x.Arguments, x.Failure)
		}
		found[x.Arguments["size"]+" "+x.Arguments["model"]] = x
	}
	large, alone, small := found["50 counts"], found["50 none"], found["none none"]
	if len(found) != 4 || large.Groups > 60 || small.Groups < 500 || large.Loss >= alone.Loss || large.Risk >= small.Risk {
		t.Errorf("groups, loss and risk: %v", found)
	}
	if len(large.Guarantees) != 1 || large.Guarantees[0].Name != "size" || large.Guarantees[0].Achieved < 50 {
		t.Errorf("the size is not verified: %v", large.Guarantees)
	}
	for name, value := range map[string]string{"size": "1", "model": "much"} {
		if _, err := tuning.Grid(named(t, "anatomy")[0], nil, map[string][]string{name: {value}}); !errors.As(err, new(*anonymize.ParameterError)) {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
}

// What publishes no groups is compared by its model, and tells less than groups of five beside the same model.
func TestModeledIsTried(t *testing.T) {
	table, in := people(2000)
	trials, err := tuning.Run(context.Background(), table, in, tuning.Options{Methods: named(t, "anatomy", "modeled"), Random: seeded, Queries: 50, Seed: 1,
		Risk: tuning.Learned, Loss: tuning.ImputedError, Values: map[string]map[string][]string{
			"anatomy": {"l": {"3"}, "homogeneous": {"false"}, "model": {"counts"}}, "modeled": {"block": {"1000"}}}})
	if err != nil || len(trials) != 2 {
		t.Fatalf("%d trials, %v", len(trials), err)
	}
	alone, groups := &trials[0], &trials[1]
	if alone.Method.Name != "modeled" {
		alone, groups = groups, alone
	}
	if alone.Failure != "" || groups.Failure != "" || alone.Risk >= groups.Risk || alone.Arguments["model"] != "counts" {
		t.Errorf("modeled %+v, anatomy %+v", alone, groups)
	}
}

// Values that are no secret bind no promise and are no risk, and a required l is about the others; classes of k are attacked, too.
func TestNotSensitive(t *testing.T) {
	table, in := people(400)
	disease := in.Sensitive[0]
	for record := range disease.Codes {
		if record%10 > 0 {
			disease.Codes[record] = 0
		}
	}
	in.NotSensitive = []string{disease.Dictionary[0].String()}
	trials, err := tuning.Run(context.Background(), table, in, tuning.Options{Methods: named(t, "anatomy", "mondrian"), Random: seeded, Queries: 20, Seed: 1,
		Required: []anonymize.Promise{{Guarantee: "l", Bound: anonymize.NewRatio(3, 1)}},
		Values:   map[string]map[string][]string{"anatomy": {"l": {"3"}, "homogeneous": {"false"}}, "mondrian": {"k": {"5"}, "l": {"3"}}}})
	if err != nil || len(trials) != 2 {
		t.Fatalf("%d trials, %v", len(trials), err)
	}
	for _, trial := range trials {
		if trial.Failure != "" || trial.Risk > 1./3 || trial.Risk == 0 {
			t.Errorf("%s: risk %v, %s", trial.Method.Name, trial.Risk, trial.Failure)
		}
	}
	in.NotSensitive = nil
	trials, err = tuning.Run(context.Background(), table, in, tuning.Options{Methods: named(t, "mondrian"), Random: seeded, Queries: 20, Seed: 1, Risk: tuning.DeFinetti,
		Values: map[string]map[string][]string{"mondrian": {"k": {"5"}, "l": {"1"}, "enhanced_beta_likeness": {"none", "1"}}}})
	if err != nil || len(trials) != 2 {
		t.Fatalf("%d trials, %v", len(trials), err)
	}
	for _, trial := range trials {
		if trial.Failure != "" || trial.Risk < .8 || trial.Risk > 1 || (trial.Arguments["enhanced_beta_likeness"] == "1") != (len(trial.Guarantees) == 1) {
			t.Errorf("all values are secrets, %v: risk %v, %v, %s", trial.Arguments, trial.Risk, trial.Guarantees, trial.Failure)
		}
	}
}
