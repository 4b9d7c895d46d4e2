package anontest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/privacy"
	"github.com/anonsql/anonsql/testsize"
)

// Options adapt the battery to a method.
type Options struct {
	// Arguments draws arguments for a table: thresholds and choices of all
	// kinds, some of which need not be feasible. Required.
	Arguments func(random *rand.Rand, in *anonymize.Input) anonymize.Arguments
	// Easy are arguments that can be met on a table of 200 records or more with
	// six sensitive values of equal frequency. Required.
	Easy anonymize.Arguments
	// Meets reports, in a slow and obvious way, whether a grouping of a tiny table meets the arguments. With it the
	// battery checks that the method finds an answer if and only if there is one. Leave it nil for a method that may miss
	// one.
	Meets func(in *anonymize.Input, arguments anonymize.Arguments, groups [][]int) bool
	// Sensitive is the number of sensitive attributes of the tables, s, s2, s3 ... It defaults to 1. On the table for
	// Easy, each has six values of about equal frequency.
	Sensitive int
	// Tables is the number of random tables. It defaults to 14, 40 or 300, by the size of the tests.
	Tables int
}

// Battery runs the tests that every method must pass, as subtests of t.
func Battery(t *testing.T, m anonymize.Method, o Options) {
	if o.Tables == 0 {
		o.Tables = testsize.Levels(14, 40, 300)
	}
	if o.Sensitive == 0 {
		o.Sensitive = 1
	}
	b := battery{m, o}
	t.Run("declaration", b.declaration)
	t.Run("arguments", b.badArguments)
	t.Run("input", b.badInput)
	t.Run("random tables", b.randomTables)
	t.Run("one source one release", b.sameSource)
	t.Run("input is not changed", b.inputUntouched)
	t.Run("gids are random", b.randomGids)
	t.Run("cancellation", b.cancellation)
	t.Run("progress", b.progress)
	t.Run("estimates", b.estimates)
	t.Run("standard errors", b.standardErrors)
	if o.Meets != nil {
		t.Run("feasible or not", b.feasibility)
	}
}

type battery struct {
	anonymize.Method
	Options
}

// easyInput is a table that can meet Options.Easy: q1 identifies its records.
func (b battery) easyInput(seed uint64) *anonymize.Input { return b.easyOf(200, seed) }

func (b battery) easyOf(rows int, seed uint64) *anonymize.Input {
	random := rand.New(rand.NewPCG(seed, 0))
	q1, q2, s := make([]anonymize.Value, rows), make([]anonymize.Value, rows), make([]anonymize.Value, rows)
	for i := range rows {
		q1[i] = anonymize.IntegerValue(int64(i))
		q2[i] = anonymize.TextValue(string(rune('a' + random.IntN(5))))
		s[i] = anonymize.TextValue(string(rune('u' + i%6)))
	}
	in := &anonymize.Input{Rows: rows, Random: rand.NewPCG(seed, 1),
		QuasiIdentifiers: []*anonymize.Column{anonymize.NewColumn("q1", "INT", q1), anonymize.NewColumn("q2", "TEXT", q2)},
		Sensitive:        []*anonymize.Column{anonymize.NewColumn("s", "TEXT", s)}}
	for n := 2; n <= b.Sensitive; n++ {
		for i := range rows {
			s[i] = anonymize.TextValue(string(rune('u' + (i+i/6*(n-1))%6)))
		}
		in.Sensitive = append(in.Sensitive, anonymize.NewColumn(sensitiveName(n), "TEXT", s))
	}
	return in
}

// table is a random table with the battery's number of sensitive attributes.
func (b battery) table(rows int, seed uint64) *anonymize.Input {
	return WithSensitive(RandomTable(rows, seed), b.Sensitive, seed)
}

func (b battery) declaration(t *testing.T) {
	if b.Name == "" || b.Name != strings.ToLower(b.Name) || b.Title == "" || b.Source == "" {
		t.Errorf("method %q: name in lower case, title and source are needed", b.Name)
	}
	seen, named := map[string]bool{}, false
	for _, p := range b.Parameters {
		if p.Name == "" || p.Name != strings.ToLower(p.Name) || seen[p.Name] || p.Doc == "" {
			t.Errorf("parameter %q: a name in lower case, used once, and a line of doc are needed", p.Name)
		}
		seen[p.Name] = true
		if len(p.Choices) > 0 && p.Default != "" && !slices.Contains(p.Choices, p.Default) {
			t.Errorf("parameter %s: the default %q is none of %v", p.Name, p.Default, p.Choices)
		}
		if p.Positional && named {
			t.Errorf("parameter %s is positional after one that is not", p.Name)
		}
		named = named || !p.Positional
	}
}

// badArguments: each mistake gives a ParameterError that names the parameter.
func (b battery) badArguments(t *testing.T) {
	refuse := func(parameter string, arguments anonymize.Arguments) {
		t.Helper()
		_, err := b.Run(context.Background(), b.easyInput(1), arguments)
		if bad, ok := errors.AsType[*anonymize.ParameterError](err); !ok || bad.Parameter != parameter {
			t.Errorf("%v: the error is %v, not a ParameterError of %s", arguments, err, parameter)
		}
	}
	with := func(name, value string) anonymize.Arguments {
		arguments := maps.Clone(b.Easy)
		arguments[name] = value
		return arguments
	}
	refuse("no_such_parameter", with("no_such_parameter", "1"))
	for _, p := range b.Parameters {
		refuse(p.Name, with(p.Name, "nonsense!"))
		if p.Default == "" {
			arguments := with(p.Name, "")
			delete(arguments, p.Name)
			refuse(p.Name, arguments)
		}
	}
}

// badInput: the method reports missing input.
func (b battery) badInput(t *testing.T) {
	in := b.easyInput(1)
	in.Random = nil
	if _, err := b.Run(t.Context(), in, b.Easy); !errors.As(err, new(*anonymize.DataError)) {
		t.Errorf("without a source of randomness the error is %v", err)
	}
	if _, err := b.Run(t.Context(), b.easyOf(0, 1), b.Easy); !errors.As(err, new(*anonymize.DataError)) {
		t.Errorf("of a table of no records the error is %v", err)
	}
}

// Refuses expects errors. The texts are a table for [Parse], whose last column is sensitive, then arguments for [Arguments], then the error.
func Refuses(t *testing.T, m anonymize.Method, refusals [][3]string) {
	t.Helper()
	for _, c := range refusals {
		table := Parse(t, c[0])
		names := make([]string, len(table.Columns))
		for i, column := range table.Columns {
			names[i] = column.Name
		}
		last := len(names) - 1
		in := NewInput(t, table, strings.Join(names[:last], " "), names[last], rand.NewPCG(1, 1))
		if _, err := m.Run(t.Context(), in, Arguments(c[1])); err == nil || err.Error() != c[2] {
			t.Errorf("%s:\n got %v\nwant %s", c[1], err, c[2])
		}
	}
}

// randomTables: the method returns a well-formed, complete release that keeps its promises, and reports the matching
// groups of records; or it returns an error that the caller can act upon.
func (b battery) randomTables(t *testing.T) {
	releases := 0
	for i := range b.Tables {
		random := rand.New(rand.NewPCG(uint64(i), 99))
		in := b.table(1+random.IntN(60), uint64(i))
		arguments := b.Options.Arguments(random, in)
		var gidOf []uint32
		in.Assigned = func(of []uint32) { gidOf = of }
		r, err := b.Run(context.Background(), in, arguments)
		if err != nil {
			if !named(err) {
				t.Fatalf("table %d, %v: %T is no error for users: %v", i, arguments, err, err)
			}
			continue
		}
		releases++
		if err := Publishable(r, in); err != nil {
			t.Fatalf("table %d, %v: %v", i, arguments, err)
		}
		if err := Linked(r, in, gidOf); err != nil {
			t.Fatalf("table %d, %v: the link that was told: %v", i, arguments, err)
		}
		if r.Method != b.Name {
			t.Fatalf("the release is of method %q", r.Method)
		}
	}
	if releases < b.Tables/10 {
		t.Errorf("only %d of %d tables gave a release: the arguments test nothing", releases, b.Tables)
	}
}

// named reports whether the type of err tells the caller what to change.
func named(err error) bool {
	return errors.As(err, new(*anonymize.ParameterError)) || errors.As(err, new(*anonymize.InfeasibleError)) || errors.As(err, new(*anonymize.DataError))
}

// MustRun runs a method and checks that its release is [Publishable].
func MustRun(t testing.TB, m anonymize.Method, in *anonymize.Input, arguments anonymize.Arguments) *anonymize.Release {
	t.Helper()
	r, err := m.Run(t.Context(), in, arguments)
	if err == nil {
		err = Publishable(r, in)
	}
	if err != nil {
		t.Fatalf("%s %v: %v", m.Name, arguments, err)
	}
	return r
}

// Fact returns the release's fact with a name, "" if there is none.
func Fact(r *anonymize.Release, name string) string {
	for _, f := range r.Facts {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

// FactNumber returns the number at the beginning of a fact.
func FactNumber(t testing.TB, r *anonymize.Release, name string) float64 {
	t.Helper()
	first, _, _ := strings.Cut(Fact(r, name), " ")
	x, err := strconv.ParseFloat(first, 64)
	if err != nil {
		t.Fatalf("fact %q: %v", name, err)
	}
	return x
}

// Guarantees verifies a release and returns its guarantees by name.
func Guarantees(t testing.TB, r *anonymize.Release) map[string]anonymize.Guarantee {
	t.Helper()
	all, err := privacy.Verify(r)
	if err != nil {
		t.Fatal(err)
	}
	named := make(map[string]anonymize.Guarantee)
	for _, g := range all {
		named[g.Name] = g
	}
	return named
}

// Publishable returns nil for a release of the whole input that is well-formed and keeps its promises.
func Publishable(r *anonymize.Release, in *anonymize.Input) error {
	guarantees, err := privacy.Verify(r)
	if err != nil {
		return err
	}
	if err := privacy.FirstBroken(guarantees); err != nil {
		return err
	}
	for _, f := range r.Facts {
		if f.Name == "" || f.Value == "" {
			return fmt.Errorf("fact %q is %q", f.Name, f.Value)
		}
	}
	if err := sensitiveLast(r, in); err != nil {
		return err
	}
	return privacy.Complete(r, slices.Concat(in.QuasiIdentifiers, in.Sensitive))
}

// sensitiveLast checks an assumption of package privacy. A release does not say which columns are sensitive, so they
// must be the columns of sensitive fragments and the last column of a mixed fragment.
func sensitiveLast(r *anonymize.Release, in *anonymize.Input) error {
	for _, f := range r.Fragments {
		for i, c := range f.Columns {
			sensitive := slices.ContainsFunc(in.Sensitive, func(s *anonymize.Column) bool { return s.Name == c.Name })
			want := f.Role == anonymize.Sensitive || f.Role == anonymize.Mixed && i == len(f.Columns)-1
			if sensitive != want {
				return fmt.Errorf("column %d of fragment %s, of role %s, is %s: the sensitive column, and it alone, is the last of a mixed fragment",
					i+1, f.Name, f.Role, c.Name)
			}
		}
	}
	return nil
}

// sameSource: only the source of randomness decides the release, not even the number of cores.
func (b battery) sameSource(t *testing.T) {
	first := b.mustRun(t, b.easyInput(5), b.Easy)
	if !reflect.DeepEqual(first, b.mustRun(t, b.easyInput(5), b.Easy)) {
		t.Error("the same source gave two releases")
	}
	cores := runtime.GOMAXPROCS(1)
	alone := b.mustRun(t, b.easyInput(5), b.Easy)
	runtime.GOMAXPROCS(cores)
	if !reflect.DeepEqual(first, alone) {
		t.Error("the release depends on the number of cores")
	}
	other := b.easyInput(5)
	other.Random = rand.NewPCG(6, 1)
	if reflect.DeepEqual(first, b.mustRun(t, other, b.Easy)) {
		t.Error("another source gave the same release: what is random here?")
	}
}

func (b battery) mustRun(t *testing.T, in *anonymize.Input, arguments anonymize.Arguments) *anonymize.Release {
	t.Helper()
	r, err := b.Run(context.Background(), in, arguments)
	if err != nil {
		t.Fatalf("%v: %v", arguments, err)
	}
	return r
}

// inputUntouched: the method does not modify the caller's columns.
func (b battery) inputUntouched(t *testing.T) {
	in, same := b.easyInput(9), b.easyInput(9)
	b.mustRun(t, in, b.Easy)
	if !reflect.DeepEqual(in.QuasiIdentifiers, same.QuasiIdentifiers) || !reflect.DeepEqual(in.Sensitive, same.Sensitive) {
		t.Error("the input was changed")
	}
}

// randomGids: a gid does not depend on a record's position in the table. The mean gid of the first and of the last
// record, on a scale from 0 to 1, has a standard error of at most 0.5/sqrt(runs) around 0.5. Six standard errors are
// a false alarm once in 5 10^8.
func (b battery) randomGids(t *testing.T) {
	runs := testsize.Levels(40, 100, 400)
	var first, last float64
	for seed := range uint64(runs) {
		in := b.easyOf(testsize.Of(60, 200), 3)
		in.Random = rand.NewPCG(seed, 17)
		var gidOf []uint32
		in.Assigned = func(of []uint32) { gidOf = of }
		r := b.mustRun(t, in, b.Easy)
		if r.Groups() < 2 {
			t.Fatal("one group has no gids to be random: Easy must be for more")
		}
		first += float64(gidOf[0]) / float64(r.Groups()-1)
		last += float64(gidOf[in.Rows-1]) / float64(r.Groups()-1)
	}
	for place, sum := range map[string]float64{"first": first, "last": last} {
		if mean := sum / float64(runs); math.Abs(mean-0.5) > 6*0.5/math.Sqrt(float64(runs)) {
			t.Errorf("the gid of the %s record is %.3f of all gids in the mean of %d runs, not about 0.5", place, mean, runs)
		}
	}
}

// cancellation: a context that has ended, or ends during any report of progress, ends the method with the context's
// error.
func (b battery) cancellation(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err := b.Run(ended, b.easyInput(1), b.Easy); !errors.Is(err, context.Canceled) || r != nil {
		t.Errorf("with a context that has ended the error is %v", err)
	}
	var phases []string
	in := b.easyInput(1)
	in.Progress = func(phase string, _, _ int) { phases = append(phases, phase) }
	b.mustRun(t, in, b.Easy)
	for i, phase := range phases {
		ctx, cancel := context.WithCancel(context.Background())
		reports := 0
		in := b.easyInput(1)
		in.Progress = func(string, int, int) {
			if reports == i {
				cancel()
			}
			reports++
		}
		if _, err := b.Run(ctx, in, b.Easy); !errors.Is(err, context.Canceled) {
			t.Errorf("with a context that ends in phase %q the error is %v", phase, err)
		}
		cancel()
	}
}

// progress: done is at most total, total is above 0, and done never decreases within a phase.
func (b battery) progress(t *testing.T) {
	in := b.easyInput(1)
	reports, last, at := 0, "", 0
	in.Progress = func(phase string, done, total int) {
		reports++
		if phase == "" || total <= 0 || done < 0 || done > total {
			t.Errorf("phase %q: %d of %d", phase, done, total)
		}
		if phase == last && done < at {
			t.Errorf("phase %q went from %d back to %d", phase, at, done)
		}
		last, at = phase, done
	}
	b.mustRun(t, in, b.Easy)
	if reports == 0 {
		t.Error("no progress was reported")
	}
}
