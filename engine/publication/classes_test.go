package publication

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// scattered are cells of three attributes or so, of one to three records each. Some of 8 sensitive values are frequent, more so where the first bin is low; the last ones are light.
func scattered(random *rand.Rand, cells, attributes int) *Cells {
	c := &Cells{Bins: make([][]uint8, attributes), Start: []int{0}, Total: make([]int64, 6)}
	for range attributes {
		c.Numbers = append(c.Numbers, 1+random.IntN(maxBins))
	}
	for range cells {
		for a, bins := range c.Numbers {
			c.Bins[a] = append(c.Bins[a], uint8(random.IntN(1+random.IntN(bins))))
		}
		records := make(map[uint32]int64)
		for range 1 + random.IntN(3) {
			records[uint32(random.IntN(1+random.IntN(8)+int(c.Bins[0][len(c.Start)-1])/16))%8]++
		}
		for v := range uint32(8) {
			n := records[v]
			if n == 0 {
				continue
			}
			if v < 6 {
				c.Total[v] += n
			} else {
				v = light
			}
			c.Sensitive, c.Records = append(c.Sensitive, v), append(c.Records, n)
		}
		c.Start = append(c.Start, len(c.Sensitive))
	}
	return c
}

// oneIn is the rule that no value has more than one in l records of a class.
func oneIn(l int64) Rule { return Rule{Share: anonymize.NewRatio(1, uint64(l)), Delta: ratioOne} }

// checkClasses wants every cell in a class, and of every class that it has least records, and no value more often than once in l.
func checkClasses(t *testing.T, c *Cells, d *Division, l, least int64) {
	t.Helper()
	records, have := make([]int64, d.Blocks), make([]map[uint32]int64, d.Blocks)
	if len(d.BlockOf) != len(c.Start)-1 {
		t.Fatalf("%d of %d cells are in classes", len(d.BlockOf), len(c.Start)-1)
	}
	for cell, b := range d.BlockOf {
		for at := c.Start[cell]; at < c.Start[cell+1]; at++ {
			if have[b] == nil {
				have[b] = make(map[uint32]int64)
			}
			records[b] += c.Records[at]
			if c.Sensitive[at] != light {
				have[b][c.Sensitive[at]] += c.Records[at]
			}
		}
	}
	if slices.Max(records) != d.Largest {
		t.Errorf("the largest class has %d records, is said to have %d", slices.Max(records), d.Largest)
	}
	for b, n := range records {
		if n < least {
			t.Errorf("class %d of %d has %d records, must have %d", b, d.Blocks, n, least)
		}
		for v, most := range have[b] {
			if most*l > n {
				t.Errorf("class %d has value %d %d times in %d records, more than one in %d", b, v, most, n, l)
			}
		}
	}
}

func classesOf(t testing.TB, c *Cells, l, least int64) *Division {
	t.Helper()
	d, err := Classes(t.Context(), c, oneIn(l), least)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// mostDiverse is the greatest l that all cells together have.
func mostDiverse(c *Cells) int64 {
	var all int64
	for _, n := range c.Records {
		all += n
	}
	return all / max(1, slices.Max(c.Total))
}

// Classes of random cells are classes, whatever is asked for; they lose less than halves at medians do, though hardly any cells are near to each other, and there are more of them.
func TestDeviation148_ClassesGrow(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	var halves, grown float64
	var blocks, classes int
	for range 60 {
		c := scattered(random, 20+random.IntN(1500), 1+random.IntN(4)) // of a record or more each
		l, least := 1+random.Int64N(min(4, mostDiverse(c))), 1+random.Int64N(20)
		d := classesOf(t, c, l, least)
		checkClasses(t, c, d, l, least)
		medians, err := Divide(t.Context(), c, oneIn(l), least)
		if err != nil {
			t.Fatal(err)
		}
		g := newClustering(t.Context(), c, oneIn(l), least)
		if g.loss(d) > g.loss(medians) {
			t.Errorf("%d cells, k = %d, l = %d: the loss is %.1f, of halves at medians %.1f", len(d.BlockOf), least, l, g.loss(d), g.loss(medians))
		}
		halves, grown, blocks, classes = halves+g.loss(medians), grown+g.loss(d), blocks+medians.Blocks, classes+d.Blocks
	}
	t.Logf("%d classes lose %.0f, %d halves %.0f", classes, grown, blocks, halves)
	if grown > .9*halves || classes < blocks*5/4 {
		t.Errorf("%d classes lose %.0f, %d halves at medians %.0f", classes, grown, blocks, halves)
	}
}

// Where values are as frequent as they may be, classes still are small.
func TestTightClasses(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for l := int64(2); l <= 4; l++ {
		const cells = 1200
		c := &Cells{Bins: make([][]uint8, 2), Numbers: []int{64, 64}, Start: []int{0}, Total: make([]int64, l)}
		for i := range int64(cells) {
			c.Bins[0], c.Bins[1] = append(c.Bins[0], uint8(random.IntN(64))), append(c.Bins[1], uint8(random.IntN(64)))
			c.Sensitive, c.Records, c.Start = append(c.Sensitive, uint32(i%l)), append(c.Records, 1), append(c.Start, int(i)+1)
			c.Total[i%l]++
		}
		d := classesOf(t, c, l, 5)
		checkClasses(t, c, d, l, 5)
		if d.Blocks < 100 {
			t.Errorf("l = %d: %d classes of %d cells that make %d", l, d.Blocks, cells, cells/6)
		}
	}
}

// row returns cells of one attribute, one bin each, with this many records of one sensitive value each.
func row(values []uint32, records ...int64) *Cells {
	c := &Cells{Bins: make([][]uint8, 1), Numbers: []int{len(values)}, Start: []int{0}, Total: make([]int64, 1+slices.Max(values))}
	for i, v := range values {
		c.Bins[0] = append(c.Bins[0], uint8(i))
		c.Sensitive, c.Records, c.Start = append(c.Sensitive, v), append(c.Records, records[i]), append(c.Start, i+1)
		c.Total[v] += records[i]
	}
	return c
}

// Cells in a row: which are together follows from k and l alone.
func TestClassesOfARow(t *testing.T) {
	for _, c := range []struct {
		name     string
		values   []uint32
		records  []int64
		l, least int64
		want     []uint32
	}{
		{"each by itself", []uint32{0, 1, 2}, []int64{5, 6, 7}, 1, 5, []uint32{0, 1, 2}},
		{"neighbours", []uint32{0, 1, 2, 3}, []int64{1, 1, 1, 1}, 2, 2, []uint32{0, 0, 1, 1}},
		{"the last one joins the nearest", []uint32{0, 1, 2}, []int64{4, 4, 1}, 1, 4, []uint32{0, 1, 1}},
		{"two of one value join others", []uint32{0, 0, 1, 1}, []int64{1, 1, 1, 1}, 2, 2, []uint32{0, 1, 1, 0}},
		{"a frequent value needs all others", []uint32{0, 1, 2, 3}, []int64{10, 3, 3, 4}, 2, 2, []uint32{0, 0, 0, 0}},
		{"all are fewer than two classes", []uint32{0, 1, 2}, []int64{1, 1, 1}, 1, 2, []uint32{0, 0, 0}},
	} {
		d := classesOf(t, row(c.values, c.records...), c.l, c.least)
		for i, one := range d.BlockOf {
			for j, other := range d.BlockOf {
				if (one == other) != (c.want[i] == c.want[j]) {
					t.Fatalf("%s: classes %v, must be %v", c.name, d.BlockOf, c.want)
				}
			}
		}
	}
}

// A large part that no cut divides, since one value has the half of all records, and all of them in the lower bins, is left to halves, which make one class of it.
func TestUndividedPart(t *testing.T) {
	const cells = maxCompared + 2
	c := &Cells{Bins: make([][]uint8, 2), Numbers: []int{64, 64}, Start: []int{0}, Total: make([]int64, 3)}
	for i := range cells {
		v, bin := uint32(2*i/cells), uint8(i*64/cells)
		if i%3 == 0 && v > 0 {
			v = 2
		}
		c.Bins[0], c.Bins[1] = append(c.Bins[0], bin), append(c.Bins[1], bin)
		c.Sensitive, c.Records, c.Start = append(c.Sensitive, v), append(c.Records, 1), append(c.Start, i+1)
		c.Total[v]++
	}
	d := classesOf(t, c, 2, 10)
	if checkClasses(t, c, d, 2, 10); d.Blocks != 1 {
		t.Errorf("%d classes, must be one", d.Blocks)
	}
}

// The same cells have the same classes, on however many cores; a context that ends, ends the work.
func TestClassesOnCores(t *testing.T) {
	c := scattered(rand.New(rand.NewPCG(5, 6)), 3000, 3)
	var found []*Division
	for _, cores := range []int{1, 4} {
		before := runtime.GOMAXPROCS(cores)
		found = append(found, classesOf(t, c, 2, 7))
		runtime.GOMAXPROCS(before)
	}
	if !reflect.DeepEqual(found[0], found[1]) {
		t.Errorf("%d classes on one core, others on several: %d", found[0].Blocks, found[1].Blocks)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if d, err := Classes(ctx, c, oneIn(2), 7); !errors.Is(err, context.Canceled) {
		t.Errorf("the context has ended: %v, %v", d, err)
	}
	g := newClustering(ctx, c, oneIn(2), 7)
	if d, err := g.classes(g.parts()); !errors.Is(err, context.Canceled) {
		t.Errorf("the context has ended behind the halves: %v, %v", d, err)
	}
}

// BenchmarkClasses measures the largest numbers of cells, with values far from and near their greatest feasible frequency.
func BenchmarkClasses(b *testing.B) {
	c := scattered(rand.New(rand.NewPCG(3, 4)), maxCells, 6)
	for name, l := range map[string]int64{"loose": 2, "tight": mostDiverse(c)} {
		b.Run(name, func(b *testing.B) {
			var d *Division
			for b.Loop() {
				d = classesOf(b, c, l, 20)
			}
			b.ReportMetric(float64(d.Blocks), "classes")
		})
	}
}

// Records of groups that have one sensitive value are counted, and none where there are no such groups.
func TestOneValue(t *testing.T) {
	a := &Attempt{Fragments: []Relation{{}, {Columns: []Column{{"disease", "varchar"}}}}}
	groups := []greatest{{records: 5, most: []int64{5, 2}, groups: 10}, {records: 6, most: []int64{1, 6}, groups: 3}, {records: 7, most: []int64{1, 7}, groups: 1}}
	if g, ok := a.oneValue(groups); !ok || g.Name != "one_value" || g.Achieved != 25./75 || !g.Holds || g.Required != nil ||
		!strings.HasPrefix(g.Detail, "disease: 25 of 75 records are in groups with one value") {
		t.Errorf("%+v, %v", g, ok)
	}
	if g, ok := a.oneValue(groups[:1]); ok {
		t.Errorf("%+v", g)
	}
}
