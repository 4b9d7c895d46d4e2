package weights

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

func column(weights ...float64) *anonymize.Column {
	values := make([]anonymize.Value, len(weights))
	for i, w := range weights {
		values[i] = anonymize.RealValue(w)
	}
	return anonymize.NewColumn("w", "double", values)
}

func lognormal(random *rand.Rand, records int, spread float64) []float64 {
	weights := make([]float64, records)
	for i := range weights {
		weights[i] = 100 * math.Exp(spread*random.NormFloat64())
	}
	return weights
}

// Sums over all records, and over every class, are what they were; every class has its persons; classes are intervals.
func TestSumsStayRight(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, records := range []int{1, 7, 20, 300, 5000} {
		c := column(lognormal(random, records, 0.6)...)
		found, err := Divide(c, MinPersons)
		if err != nil {
			t.Fatal(err)
		}
		coarse, before, after := found.Coarsen(c), 0.0, 0.0
		inside, in := make([]float64, len(found.Mean)), make([]int, len(found.Mean))
		for row := range c.Codes {
			w, _ := c.Value(row).Number()
			mean, _ := coarse.Value(row).Number()
			before, after = before+w, after+mean
			inside[coarse.Codes[row]] += w
			in[coarse.Codes[row]]++
		}
		if math.Abs(before-after) > 1e-12*before {
			t.Errorf("%d records: %v became %v", records, before, after)
		}
		for class, n := range in {
			if n < min(records, MinPersons) || n < found.Least || n > found.Greatest || math.Abs(inside[class]/float64(n)-found.Mean[class]) > 1e-12*inside[class] {
				t.Errorf("%d records: class %d has %d records of mean %v, said %+v", records, class, n, inside[class]/float64(n), found)
			}
		}
		if records == 5000 && (found.Error > 1.4*MaxError || len(found.Mean) < 5) {
			t.Errorf("%d classes, error %v", len(found.Mean), found.Error)
		}
	}
}

// The classes of so many are the best ones: as trying all of them finds.
func TestPartitionIsOptimal(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		n, least := 4+random.IntN(6), 1+random.IntN(3)
		c := column(lognormal(random, n, 0.8)...)
		points, err := pointsOf(c)
		if err != nil {
			t.Fatal(err)
		}
		p := newPartition(gathered(points, n), least)
		for {
			if want := bruteForce(points, p.classes, least); math.Abs(p.squaresInside()-want) > 1e-9*(1+want) {
				t.Fatalf("%v in %d classes of %d: %v, want %v", points, p.classes, least, p.squaresInside(), want)
			}
			sizes, sum := p.best(), 0
			for _, class := range sizes {
				if len(class) < least {
					t.Fatalf("a class of %d, least %d", len(class), least)
				}
				sum += len(class)
			}
			if sum != n {
				t.Fatalf("%d of %d records", sum, n)
			}
			if !p.divide() {
				if !math.IsInf(bruteForce(points, p.classes+1, least), 1) {
					t.Fatalf("%d classes of %d exist", p.classes+1, least)
				}
				break
			}
		}
	}
}

// bruteForce is the least sum of squares inside so many classes of neighbours.
func bruteForce(points []point, classes, least int) float64 {
	if classes == 1 {
		if len(points) < least {
			return math.Inf(1)
		}
		sum, inside := 0.0, 0.0
		for _, p := range points {
			sum += p.weight
		}
		for _, p := range points {
			inside += (p.weight - sum/float64(len(points))) * (p.weight - sum/float64(len(points)))
		}
		return inside
	}
	best := math.Inf(1)
	for first := 1; first < len(points); first++ {
		best = min(best, bruteForce(points[:first], classes-1, least)+bruteForce(points[first:], 1, least))
	}
	return best
}

// Of units of up to three records a class has ten units; how far sums of weights are off is of single values, and one of eight.
func TestCoarsen(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	weights, units, kinds := lognormal(random, 900, 0.4), make([]uint32, 900), make([]anonymize.Value, 900)
	for row := range units {
		units[row] = uint32(row / 3)
		kinds[row] = anonymize.IntegerValue(int64(units[row] % 5))
		weights[row] = weights[row-row%3] // a household's
	}
	c, kind := column(weights...), anonymize.NewColumn("kind", "int", kinds)
	table, err := anonymize.NewMicrodata(kind, c)
	if err != nil {
		t.Fatal(err)
	}
	coarse, classes, err := Coarsen(table, "w", units, MinPersons, nil)
	if err != nil {
		t.Fatal(err)
	}
	in := make(map[[2]uint32]bool)
	persons := make([]int, len(classes.Mean))
	for row, class := range coarse.Column("w").Codes {
		if key := [2]uint32{class, units[row]}; !in[key] {
			in[key] = true
			persons[class]++
		}
	}
	if least := slices.Min(persons); least < MinPersons || coarse.Column("kind") != kind || table.Column("w") != c {
		t.Errorf("a class has %d persons", least)
	}
	// Records of kind 1 are off by 3 percent of their weights together, those of kind 0 by nothing.
	shifted := &Classes{Column: "w", Mean: []float64{100}, Error: 0.03}
	ws, kinds01 := make([]float64, 2000), make([]anonymize.Value, 2000)
	for row := range ws {
		ws[row], kinds01[row] = 100+float64(row%2)*100/0.97-float64(row%2)*100, anonymize.IntegerValue(int64(row%2))
	}
	shifted.Measure(column(ws...), anonymize.NewColumn("kind", "int", kinds01))
	if shifted.Shared != 0.04 || shifted.Deviation != 0.035 { // sqrt((.03^2 + 0) / 2) = .021
		t.Errorf("shared %v, of one record %v", shifted.Shared, shifted.Deviation)
	}
	shifted.Measure(column(ws...), anonymize.NewColumn("row", "int", serials(2000)))
	if shifted.Shared != 0 {
		t.Errorf("of no value with twenty records %v is shared", shifted.Shared)
	}
	if classes.Deviation < classes.Error || !slices.Contains(Deviations, classes.Deviation) || !slices.Contains(SharedDeviations, classes.Shared) {
		t.Errorf("%+v", classes)
	}
	if same, none, err := Coarsen(table, "other", nil, MinPersons, nil); same != table || none != nil || err != nil {
		t.Error("a table without weights is another one")
	}
}

// A label that the lighter records of each class have moves what sums of weights are off by, but not where the label is hidden.
func TestCoarsenHidesLabels(t *testing.T) {
	c := column(lognormal(rand.New(rand.NewPCG(5, 7)), 2000, 0.9)...)
	classes, err := Divide(c, 100)
	if err != nil {
		t.Fatal(err)
	}
	coarse, below := classes.Coarsen(c), make([]anonymize.Value, 2000)
	for row := range below {
		weight, _ := c.Value(row).Number()
		mean, _ := coarse.Value(row).Number()
		below[row] = anonymize.IntegerValue(int64(map[bool]int{true: 1}[weight < mean]))
	}
	table, err := anonymize.NewMicrodata(c, anonymize.NewColumn("label", "int", below))
	if err != nil {
		t.Fatal(err)
	}
	shared := func(hidden ...string) float64 {
		_, of, err := Coarsen(table, "w", nil, 100, hidden)
		if err != nil {
			t.Fatal(err)
		}
		return of.Shared
	}
	if open, hidden := shared(), shared("label"); !(open > 0) || hidden != 0 {
		t.Errorf("shared %v by the label, %v without it", open, hidden)
	}
}

// Of the second class six records of five persons are left.
func TestCheckLeft(t *testing.T) {
	classes := make([]float64, 26)
	units := make([]uint32, 26)
	for row := range classes {
		classes[row], units[row] = 1, uint32(row)
		if row >= 20 {
			classes[row], units[row] = 2, uint32(max(row, 21))
		}
	}
	for persons, refused := range map[int]bool{5: false, 6: true} {
		if err := (&Classes{Column: "w", persons: persons}).CheckLeft(column(classes...), units); (err != nil) != refused {
			t.Errorf("at least %d persons: %v", persons, err)
		}
	}
	if err := (&Classes{Column: "w", persons: 6}).CheckLeft(column(classes...), nil); err != nil {
		t.Error(err)
	}
}

func serials(rows int) []anonymize.Value {
	values := make([]anonymize.Value, rows)
	for i := range values {
		values[i] = anonymize.IntegerValue(int64(i))
	}
	return values
}

// A few weights of many records each are published as they are.
func TestFewWeightsStay(t *testing.T) {
	var weights []float64
	for i := range 600 {
		weights = append(weights, []float64{12.5, 80.25, 300.125}[i%3])
	}
	found, err := Divide(column(weights...), MinPersons)
	if err != nil || len(found.Mean) != 3 || found.Mean[0] != 12.5 || found.Mean[2] != 300.125 || found.Error > 1e-7 {
		t.Errorf("%+v, %v", found, err)
	}
	if fact := found.Fact(false).Value; !strings.Contains(fact, "3 classes of 200 to 200 records") {
		t.Error(fact)
	}
}

func TestRefusesWhatIsNoWeight(t *testing.T) {
	for want, c := range map[string]*anonymize.Column{
		"not positive in 2 of 3":      column(1, 0, -2),
		"NULL or no number in 1 of 2": anonymize.NewColumn("w", "double", []anonymize.Value{anonymize.NullValue, anonymize.RealValue(3)}),
	} {
		_, err := Divide(c, MinPersons)
		if data, ok := errors.AsType[*anonymize.DataError](err); !ok || !strings.Contains(data.Reason, want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
