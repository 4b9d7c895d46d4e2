package mondrian

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/generalization"
	"github.com/anonsql/anonsql/testsize"
)

// silent listens to no progress.
func silent(string, int, int) {}

// recoded runs local recoding of a table, with a seed.
func recoded(t *testing.T, in *anonymize.Input, c Condition, seed uint64) ([]*generalization.Attribute, *bucketization.Partition) {
	t.Helper()
	attributes, err := generalization.NewSetAttributes(in)
	if err != nil {
		t.Fatal(err)
	}
	p, err := PartitionLocal(context.Background(), attributes, in.Sensitive, c, rand.New(rand.NewPCG(seed, 1)), silent)
	if err != nil {
		t.Fatal(err)
	}
	return attributes, p
}

// randomCondition is one that the whole table meets.
func randomCondition(random *rand.Rand, in *anonymize.Input) Condition {
	c := Condition{K: 1 + random.IntN(min(6, in.Rows)), L: 1, T: anonymize.MustRatio([]string{"1", "1", "0.3", "0.5"}[random.IntN(4)])}
	for l := 2; l <= 4 && bucketization.NewBuckets(in.Sensitive[0], nil).CheckDiversity(l) == nil; l++ {
		if random.IntN(2) == 0 {
			c.L = l
		}
	}
	return c
}

// wrong says what is wrong with classes: every record is in one, and each meets the
// condition for every sensitive attribute, counted from the records.
func wrong(in *anonymize.Input, p *bucketization.Partition, c Condition) string {
	all := slices.Sorted(slices.Values(p.Member))
	if !slices.Equal(all, upTo(0, in.Rows)) {
		return "the classes have not every record once"
	}
	for g := range p.Groups() {
		for _, column := range in.Sensitive {
			count, total := make([]uint32, len(column.Dictionary)), make([]uint32, len(column.Dictionary))
			for record, v := range column.Codes {
				total[v]++
				if slices.Contains(p.Records(g), uint32(record)) {
					count[v]++
				}
			}
			if !c.allows(count, everyValue(count), total, len(p.Records(g)), in.Rows, column.IsNumeric()) {
				return fmt.Sprintf("class %v breaks %+v of %s: %v", p.Records(g), c, column.Name, count)
			}
		}
	}
	return ""
}

// naiveLoss is the loss by the definition: of every record and attribute what its class
// spans, and 1 for NULL and numbers.
func naiveLoss(attributes []*generalization.Attribute, classes [][]uint32) (sum float64) {
	for _, class := range classes {
		for _, a := range attributes {
			values, low, high := map[uint32]bool{}, math.Inf(1), math.Inf(-1)
			for _, record := range class {
				place := a.Place[record]
				values[place] = true
				low, high = min(low, a.Position(place)), max(high, a.Position(place))
			}
			switch {
			case a.Scale != anonymize.Nominal:
				if sum += float64(len(class)) * (high - low); a.HasNull() && values[0] && len(values) > 1 {
					sum += float64(len(class))
				}
			case len(values) > 1:
				sum += float64(len(class)*len(values)) / float64(a.Places)
			}
		}
	}
	return sum
}

// Classes of random tables meet the condition and lose no more than medians.
func TestLocalClasses(t *testing.T) {
	less := 0
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 5))
		in := anontest.WithSensitive(anontest.RandomTable(1+random.IntN(80), seed), 1+random.IntN(4)/3, seed)
		c := randomCondition(random, in)
		if bucketization.NewEach(in).MostConcentrated().CheckDiversity(c.L) != nil {
			c.L = 1
		}
		attributes, p := recoded(t, in, c, seed)
		if text := wrong(in, p, c); text != "" {
			t.Fatalf("seed %d: %s", seed, text)
		}
		medians, err := PartitionEach(context.Background(), attributes, in.Sensitive, c, false, random, nil)
		if err != nil {
			t.Fatal(err)
		}
		ours, theirs := naiveLoss(attributes, anontest.Classes(p)), naiveLoss(attributes, anontest.Classes(medians))
		if ours > theirs+1e-3 {
			t.Fatalf("seed %d: loss %g, of medians %g", seed, ours, theirs)
		}
		if ours < theirs-1e-3 {
			less++
		}
	}
	if less < 200 {
		t.Errorf("local recoding lost less in %d of 400 tables", less)
	}
}

// Of tiny tables the loss is near the least of all partitions, and never below it.
func TestLocalNearTheOptimum(t *testing.T) {
	sum, least := 0.0, 0.0
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 6))
		in := anontest.RandomTable(5+random.IntN(4), seed)
		c := randomCondition(random, in)
		c.K, c.T = 2+random.IntN(2), anonymize.NewRatio(1, 1)
		attributes, p := recoded(t, in, c, seed)
		optimum := math.Inf(1)
		for groups := range anontest.Partitions(in.Rows) {
			classes := make([][]uint32, len(groups))
			for g, group := range groups {
				for _, record := range group {
					classes[g] = append(classes[g], uint32(record))
				}
			}
			if loss := naiveLoss(attributes, classes); loss < optimum && anontest.MeetsKL(in, anonymize.Arguments{"k": fmt.Sprint(c.K), "l": fmt.Sprint(c.L)}, groups) {
				optimum = loss
			}
		}
		loss := naiveLoss(attributes, anontest.Classes(p))
		if loss < optimum-1e-3 {
			t.Fatalf("seed %d: loss %g is below the optimum, %g", seed, loss, optimum)
		}
		sum, least = sum+loss, least+optimum
	}
	t.Logf("loss %.2f, least %.2f", sum, least)
	if sum > 1.05*least {
		t.Errorf("the loss is %.3f, the least %.3f", sum, least)
	}
}

// With taxonomies the classes are those without, and cells are no wider: members are
// those values of the class, or of the range that it spans.
func TestTaxonomiesChangeNoClass(t *testing.T) {
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 7))
		in := anontest.RandomTable(20+random.IntN(60), seed)
		c := randomCondition(random, in)
		plain, without := recoded(t, in, c, seed)
		in.Domains = make(map[string]*anonymize.Domain)
		for _, column := range in.QuasiIdentifiers {
			if d := randomTaxonomy(t, random, column); d != nil {
				in.Domains[column.Name] = d
			}
		}
		attributes, with := recoded(t, in, c, seed)
		if !slices.Equal(with.Member, without.Member) || !slices.Equal(with.Start, without.Start) {
			t.Fatalf("seed %d: the taxonomies change the classes", seed)
		}
		for i, a := range attributes {
			wide, err := plain[i].Generalize(context.Background(), without)
			if err != nil {
				t.Fatal(err)
			}
			narrow, err := a.Generalize(context.Background(), with)
			if err != nil {
				t.Fatal(err)
			}
			for g := range with.Groups() {
				if x, y := narrow.Penalty[narrow.Of[g]], wide.Penalty[wide.Of[g]]; x > y {
					t.Fatalf("seed %d: %s: penalty %g, without a taxonomy %g", seed, a, x, y)
				}
				members(t, a, narrow.Dictionary, narrow.Cells[narrow.Of[g]], with.Records(g))
			}
		}
	}
}

// randomTaxonomy groups the values of a column, neighbours where they are numbers, below
// a root that has a value more at either end; nil for a column without values.
func randomTaxonomy(t *testing.T, random *rand.Rand, c *anonymize.Column) *anonymize.Domain {
	t.Helper()
	var values []string
	for _, v := range c.Dictionary {
		if !v.IsNull() {
			values = append(values, v.String())
		}
	}
	if len(values) == 0 {
		return nil
	}
	if c.IsNumeric() {
		values = append([]string{"-1000"}, append(values, "1000")...)
	} else {
		values = append(values, "another")
		random.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
	}
	var paths [][]string
	group := 0
	for _, v := range values {
		group += random.IntN(2)
		paths = append(paths, []string{v, fmt.Sprint("group ", group), fmt.Sprint("half ", group/2), "*"})
	}
	return anontest.Semantic(t, paths)
}

// members checks a cell against the records of its class.
func members(t *testing.T, a *generalization.Attribute, dictionary []anonymize.Value, cell anonymize.Cell, class []uint32) {
	t.Helper()
	var of []anonymize.Value
	for _, record := range class {
		of = append(of, a.Column.Value(int(record)))
	}
	low, high := slices.MinFunc(of, anonymize.Compare), slices.MaxFunc(of, anonymize.Compare)
	for code, v := range dictionary {
		want := slices.Contains(of, v)
		if a.Scale == anonymize.Numeric && !slices.Contains(of, anonymize.NullValue) {
			want = anonymize.Compare(low, v) <= 0 && anonymize.Compare(v, high) <= 0
		} else if a.Scale == anonymize.Numeric {
			continue // NULL beside a range: generalization's tests have it
		}
		if got := slices.Contains(cell.Members, uint32(code)); got != want {
			t.Fatalf("%s: the cell %s has the member %s: %v; the class has %v", a, cell.Label, v, got, of)
		}
	}
}

// The result does not depend on the cores, and the context ends the work.
func TestLocalOnCores(t *testing.T) {
	rows := testsize.Of(4_000, 20_000)
	in := anontest.People(rows, 1)
	c := Condition{K: 5, L: 3, T: anonymize.NewRatio(1, 1)}
	_, first := recoded(t, in, c, 1)
	before := runtime.GOMAXPROCS(0)
	for _, cores := range []int{1, 3} {
		runtime.GOMAXPROCS(cores)
		if _, p := recoded(t, in, c, 1); !slices.Equal(p.Member, first.Member) || !slices.Equal(p.Start, first.Start) {
			t.Errorf("on %d cores the classes are others", cores)
		}
	}
	runtime.GOMAXPROCS(before)
	attributes, err := generalization.NewSetAttributes(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"partition", "classes", "exchanges"} {
		ctx, cancel := context.WithCancel(context.Background())
		_, err := PartitionLocal(ctx, attributes, in.Sensitive, c, rand.New(rand.NewPCG(1, 1)), func(phase string, _, _ int) {
			if phase == at {
				cancel()
			}
		})
		if err != context.Canceled {
			t.Errorf("cancelled in %s: %v", at, err)
		}
	}
}
