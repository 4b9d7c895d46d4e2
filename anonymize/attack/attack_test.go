package attack_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/attack"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// synthetic has a sensitive attribute of ten values and three quasi-identifiers:
// equal to it, or drawn without looking.
func synthetic(rows int, determined bool, random *rand.Rand) attack.Truth {
	column := func(name string) *anonymize.Column {
		c := &anonymize.Column{Name: name, Codes: make([]uint32, rows)}
		for v := range 10 {
			c.Dictionary = append(c.Dictionary, anonymize.IntegerValue(int64(v)))
		}
		for i := range c.Codes {
			c.Codes[i] = min(random.Uint32N(10), random.Uint32N(12))
		}
		return c
	}
	truth := attack.Truth{Sensitive: column("s")}
	for _, name := range []string{"a", "b", "c"} {
		c := column(name)
		if determined {
			c.Codes = truth.Sensitive.Codes
		}
		truth.QuasiIdentifiers = append(truth.QuasiIdentifiers, c)
	}
	return truth
}

// With nothing to learn, the posterior does not know the actual value: its mean
// is the baseline, with a standard error below 0.5/sqrt(n).
func TestIndependent(t *testing.T) {
	const rows = 20000
	random := rand.New(rand.NewPCG(3, 3))
	truth := synthetic(rows, false, random)
	truth.GroupOf = anatomy(truth.Sensitive, 4, random)
	const fourErrors = 4 * .5 / 141
	position := make([]uint32, rows)
	for i, p := range random.Perm(rows) {
		position[i] = uint32(p)
	}
	for name, got := range map[string]attack.Result{
		"deFinetti": definetti(t, truth, attack.Options{}), "rank": rank(t, truth, position)} {
		near(t, name+": baseline", got.Baseline, .25, .001)
		near(t, name+": mean", got.Mean, got.Baseline, fourErrors)
		near(t, name+": top-1", got.Top1, got.BaselineTop1, fourErrors)
	}
}

// Deviation 22: 4-diverse groups whose values the quasi-identifiers reveal completely.
func TestDeviation22_OneInLIsNoPosterior(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	truth := synthetic(5000, true, random)
	truth.GroupOf = anatomy(truth.Sensitive, 4, random)
	guarantees, err := privacy.Verify(release(truth.Sensitive, truth.GroupOf))
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range guarantees {
		if g.Name == "l" && g.Achieved != 4 {
			t.Errorf("%+v", g)
		}
	}
	got := definetti(t, truth, attack.Options{})
	if got.Mean < .999 || got.Top1 < .999 || got.Above90 < .999 || got.Above90Right < .999 {
		t.Errorf("%+v", got)
	}
}

func TestRankTells(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	truth := synthetic(5000, false, random)
	truth.GroupOf = anatomy(truth.Sensitive, 4, random)
	// Every group has its values in ascending order.
	keys := make([]int, len(truth.GroupOf))
	for i, g := range truth.GroupOf {
		keys[i] = int(g)*10 + int(truth.Sensitive.Codes[i])
	}
	sorted := rank(t, truth, ranks(keys))
	// Among four of ten values the rank is worth much but not all.
	if sorted.Top1 < .8 || sorted.Above90Right < .99 {
		t.Errorf("%+v", sorted)
	}
}

// In random groups of about fifty records, as in anatomy with size=50, an attacker with half of the values and everybody's place is sure of no
// value, although every fourth record is placed by its value. The remaining gain comes from the statistic, not from the groups.
func TestRankOfLargeGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	truth := synthetic(5000, false, random)
	truth.GroupOf = anatomy(truth.Sensitive, 5, random)
	keys := make([]int, 5000)
	for i := range keys {
		truth.GroupOf[i] /= 10
		if keys[i] = int(truth.QuasiIdentifiers[0].Codes[i]); random.IntN(4) == 0 {
			keys[i] = int(truth.Sensitive.Codes[i])
		}
	}
	if large := rank(t, truth, ranks(keys)); large.Above90 > 0 || large.Mean < large.Baseline+.01 {
		t.Errorf("%+v", large)
	}
}

// One group teaches nothing: similar records are no hint about values. With a value twice among three records the
// baseline is (4 + 1)/9.
func TestOneGroup(t *testing.T) {
	one := func(text string) attack.Result {
		table := anontest.Parse(t, text)
		return definetti(t, attack.Truth{QuasiIdentifiers: table.Columns[:1], Sensitive: table.Column("s"),
			GroupOf: make([]uint32, table.Rows)}, attack.Options{})
	}
	got := one("a s\nx u\nx u\ny w\ny w")
	near(t, "mean", got.Mean, .5, 1e-12)
	near(t, "top-1", got.Top1, .5, 1e-12)
	got = one("a s\nx u\nx u\nx w")
	near(t, "baseline", got.Baseline, 5./9, 1e-12)
	near(t, "baseline top-1", got.BaselineTop1, 2./3, 1e-12)
	near(t, "mean of equals", got.Mean, 5./9, 1e-6)
	near(t, "top-1 of equals", got.Top1, 2./3, 1e-12)
}

func TestCoresDoNotMatter(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	truth := synthetic(3000, false, random)
	truth.GroupOf = anatomy(truth.Sensitive, 3, random)
	position := make([]uint32, 3000)
	for i, p := range random.Perm(3000) {
		position[i] = uint32(p)
	}
	run := func() [2]attack.Result {
		return [2]attack.Result{definetti(t, truth, attack.Options{}), rank(t, truth, position)}
	}
	before := run()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if after := run(); after != before {
		t.Errorf("with one core %+v, before %+v", after, before)
	}
}

// Records with unique quasi-identifiers are counted separately; if all are unique, their figures equal the total.
func TestUniqueRecords(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	truth := synthetic(1200, false, random)
	truth.GroupOf = anatomy(truth.Sensitive, 3, random)
	like := make(map[string]int)
	tuple := func(record int) (text string) {
		for _, c := range truth.QuasiIdentifiers {
			text += c.Value(record).String() + "|"
		}
		return text
	}
	for record := range 1200 {
		like[tuple(record)]++
	}
	want := 0
	for record := range 1200 {
		if like[tuple(record)] == 1 {
			want++
		}
	}
	got := definetti(t, truth, attack.Options{})
	if got.Alone.Records != want || want == got.Records {
		t.Errorf("%d records are unique, want %d of %d", got.Alone.Records, want, got.Records)
	}
	numbers := make([]anonymize.Value, 1200)
	for record := range numbers {
		numbers[record] = anonymize.IntegerValue(int64(record))
	}
	truth.QuasiIdentifiers = append(truth.QuasiIdentifiers, anonymize.NewColumn("number", "int", numbers))
	got = definetti(t, truth, attack.Options{})
	if all := (attack.Alone{Records: got.Records, Baseline: got.Baseline, Mean: got.Mean, Top1: got.Top1,
		Own50: got.Own50, Own90: got.Own90, Above90: got.Above90, Above90Right: got.Above90Right}); got.Alone != all {
		t.Errorf("everybody is unique: %+v, all %+v", got.Alone, all)
	}
}

// A sample has whole groups, and at least the requested number of records.
func TestSample(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 8))
	truth := synthetic(4000, true, random)
	truth.GroupOf = anatomy(truth.Sensitive, 4, random)
	got := definetti(t, truth, attack.Options{Sample: 1000, Random: rand.NewPCG(1, 1)})
	if got.Records < 1000 || got.Records > 1007 || got.Mean < .99 {
		t.Errorf("%+v", got)
	}
	if again := definetti(t, truth, attack.Options{Sample: 1000, Random: rand.NewPCG(1, 1)}); again != got {
		t.Errorf("%+v, then %+v", got, again)
	}
	if all := definetti(t, truth, attack.Options{Sample: 4000}); all.Records != 4000 {
		t.Errorf("%+v", all)
	}
}

// A mixed fragment links the sex: each sex has one value, and nothing is left to
// guess.
func TestMixedFragment(t *testing.T) {
	table := anontest.Parse(t, `
sex age s
F   1   u
F   2   u
M   1   v
M   2   w`)
	truth := attack.Truth{QuasiIdentifiers: table.Columns[:2], Sensitive: table.Column("s"), GroupOf: []uint32{0, 0, 0, 0}}
	r := anontest.Release(t, anontest.Printed{Name: "mixed", Role: anonymize.Mixed, Text: `
GID  sex  s  Count
1    F    u  2
1    M    v  1
1    M    w  1`})
	got, err := attack.DeFinetti(context.Background(), r, truth, attack.Options{})
	if err != nil || got.Baseline != .75 || got.BaselineTop1 != .75 {
		t.Errorf("%+v, %v", got, err)
	}
	truth.QuasiIdentifiers = table.Columns[1:2]
	if _, err := attack.DeFinetti(context.Background(), r, truth, attack.Options{}); err == nil ||
		err.Error() != "deFinetti attack: the truth lacks columns that fragment mixed links to s" {
		t.Error(err)
	}
}

// Every record is a group with two candidates: the actual value, and a drawn one. The quasi-identifiers reveal which,
// all or nothing.
func TestCells(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	for determined, want := range map[bool]float64{true: 1, false: .5} {
		truth := synthetic(4000, determined, random)
		truth.GroupOf = make([]uint32, 4000)
		for i, record := range random.Perm(4000) {
			truth.GroupOf[record] = uint32(i)
		}
		r := release(truth.Sensitive, truth.GroupOf)
		c := r.Fragments[0].Columns[0]
		for i, actual := range c.Codes {
			other := (actual + 1 + random.Uint32N(9)) % 10
			cell := anonymize.Cell{Members: []uint32{min(actual, other), max(actual, other)}}
			c.Codes[i], c.Cells = uint32(i), append(c.Cells, cell)
		}
		got, err := attack.DeFinetti(context.Background(), r, truth, attack.Options{})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "baseline", got.Baseline, .5, 1e-9)
		near(t, "mean", got.Mean, want, .05)
		c.Cells[0].Members = []uint32{c.Cells[0].Members[0]}
		c.Cells[1].Members = []uint32{c.Cells[1].Members[1]}
		c.Cells[2].Members = []uint32{c.Cells[2].Members[0]}
		c.Cells[3].Members = []uint32{c.Cells[3].Members[1]}
		if _, err := attack.DeFinetti(context.Background(), r, truth, attack.Options{}); err == nil || !strings.Contains(err.Error(), "has other values of s in the truth") {
			t.Error(err)
		}
	}
}

// two returns two groups of two records, and the truth about them.
func two(t *testing.T) (*anonymize.Release, attack.Truth, attack.Options) {
	t.Helper()
	table := anontest.Parse(t, `
a  s
x  u
y  v
x  u
y  v`)
	groupOf := []uint32{0, 0, 1, 1}
	return release(table.Column("s"), groupOf), attack.Truth{QuasiIdentifiers: table.Columns[:1], Sensitive: table.Column("s"), GroupOf: groupOf}, attack.Options{}
}

// Errors of both attacks for a release and a truth that do not match.
func TestErrors(t *testing.T) {
	groups := func(groupOf ...uint32) func(*anonymize.Release, *attack.Truth, *attack.Options) {
		return func(_ *anonymize.Release, truth *attack.Truth, _ *attack.Options) { truth.GroupOf = groupOf }
	}
	for name, c := range map[string]struct {
		change func(r *anonymize.Release, truth *attack.Truth, o *attack.Options)
		want   string
	}{
		"a group too few":       {groups(0, 0, 1), "the release has 4 records, the truth has the groups of 3"},
		"a group of other size": {groups(0, 0, 0, 1), "group 0 has 3 records in the truth, 2 in the release"},
		"an unknown group":      {groups(0, 0, 1, 2), "the truth has group 2, the release 2 groups"},
		"other groups":          {groups(0, 1, 0, 1), "group 0 has other values of s in the truth than in the release"},
		"other values": {func(r *anonymize.Release, _ *attack.Truth, _ *attack.Options) {
			r.Fragments[0].Columns[0].Dictionary = []anonymize.Value{anonymize.TextValue("u"), anonymize.TextValue("w")}
		}, "group 0 has other values of s in the truth than in the release"},
		"no sensitive attribute": {func(r *anonymize.Release, _ *attack.Truth, _ *attack.Options) {
			r.Fragments[0].Role = anonymize.QuasiIdentifying
		}, "the release has no sensitive attribute s"},
		"cells of two values": {func(r *anonymize.Release, _ *attack.Truth, _ *attack.Options) {
			r.Fragments[0].Columns[0].Cells = []anonymize.Cell{{Label: "*", Members: []uint32{0, 1}}}
		}, "group 0 has 2 records with sensitive cells of more than one value, and nobody knows which is whose"},
		"an empty column": {func(_ *anonymize.Release, truth *attack.Truth, _ *attack.Options) {
			truth.QuasiIdentifiers = []*anonymize.Column{anonymize.NewColumn("a", "", nil)}
		}, "the release has 4 records, column a has 0"},
		"a sample without a source": {func(_ *anonymize.Release, _ *attack.Truth, o *attack.Options) { o.Sample = 2 },
			"a sample needs a random source"},
	} {
		t.Run(name, func(t *testing.T) {
			r, truth, o := two(t)
			c.change(r, &truth, &o)
			if _, err := attack.DeFinetti(context.Background(), r, truth, o); err == nil || err.Error() != "deFinetti attack: "+c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if _, err := attack.Rank(context.Background(), r, truth, make([]uint32, 4), o); err == nil || !strings.HasSuffix(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
	r, truth, o := two(t)
	if _, err := attack.Rank(context.Background(), r, truth, nil, o); err == nil || err.Error() != "rank attack: the release has 4 records, 0 have positions" {
		t.Error(err)
	}
}

func TestCancelled(t *testing.T) {
	r, truth, o := two(t)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := attack.DeFinetti(cancelled, r, truth, o); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := attack.Rank(cancelled, r, truth, make([]uint32, 4), o); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// No quasi-identifiers: random worlds.
func TestWithoutQuasiIdentifiers(t *testing.T) {
	r, truth, o := two(t)
	truth.QuasiIdentifiers = nil
	if got, err := attack.DeFinetti(context.Background(), r, truth, o); err != nil || got.Mean != .5 || got.Top1 != .5 {
		t.Errorf("%+v, %v", got, err)
	}
}
