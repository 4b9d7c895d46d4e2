package clustering

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/testsize"
)

// sizes is the grouping condition of all these methods: k records or more.
func sizes(_ *anonymize.Input, arguments anonymize.Arguments, groups [][]int) bool {
	k, err := strconv.Atoi(arguments["k"])
	return err == nil && k > 1 && !slices.ContainsFunc(groups, func(g []int) bool { return len(g) < k })
}

func TestBattery(t *testing.T) {
	for _, m := range []anonymize.Method{OKA(), IKA(), DPP()} {
		t.Run(m.Name, func(t *testing.T) {
			anontest.Battery(t, m, anontest.Options{
				Easy:  anonymize.Arguments{"k": "3"},
				Meets: sizes,
				Arguments: func(random *rand.Rand, in *anonymize.Input) anonymize.Arguments {
					return anonymize.Arguments{"k": fmt.Sprint(1 + random.IntN(7)),
						"search": []string{fast, exact}[random.IntN(2)], "nominal": []string{eachMode, jointMode}[random.IntN(2)]}
				},
			})
		})
	}
}

// mixed draws an input with an attribute of every kind, NULLs among the values,
// and a sensitive attribute of 4 classes of 3 values. fine numbers do not repeat.
func mixed(t testing.TB, n int, seed uint64, fine bool) *anonymize.Input {
	random := rand.New(rand.NewPCG(seed, 5))
	columns := map[string][]anonymize.Value{}
	add := func(name string, v anonymize.Value) {
		if random.IntN(12) == 0 && name != "s" && !fine {
			v = anonymize.NullValue
		}
		columns[name] = append(columns[name], v)
	}
	for range n {
		number := anonymize.IntegerValue(int64(random.IntN(30)))
		if fine {
			number = anonymize.RealValue(random.Float64())
		}
		add("number", number)
		add("rank", anonymize.TextValue([]string{"low", "middle", "high"}[random.IntN(3)]))
		add("name", anonymize.TextValue(string(rune('a'+random.IntN(5)))))
		add("place", anonymize.TextValue(fmt.Sprint(random.IntN(3))+fmt.Sprint(random.IntN(3))))
		add("s", anonymize.TextValue(fmt.Sprintf("%c%d", 'p'+random.IntN(4), random.IntN(3))))
	}
	in := &anonymize.Input{Rows: n, Random: rand.NewPCG(seed, 6), Domains: map[string]*anonymize.Domain{
		"rank": {Scale: anonymize.Ordinal, Order: []anonymize.Value{anonymize.TextValue("low"), anonymize.TextValue("middle"), anonymize.TextValue("high")}},
	}}
	for _, name := range []string{"number", "rank", "name", "place"} {
		in.QuasiIdentifiers = append(in.QuasiIdentifiers, anonymize.NewColumn(name, "", columns[name]))
	}
	in.Sensitive = []*anonymize.Column{anonymize.NewColumn("s", "", columns["s"])}
	in.Domains["place"] = &anonymize.Domain{Scale: anonymize.Semantic, Taxonomy: prefixes(t, 3, 3, "")}
	in.Domains["s"] = &anonymize.Domain{Scale: anonymize.Semantic, Taxonomy: prefixes(t, 4, 3, "pqrs")}
	return in
}

// prefixes is a taxonomy of two characters below their first one.
func prefixes(t testing.TB, classes, leaves int, first string) *anonymize.Taxonomy {
	labels, parents := []string{"*"}, []int{-1}
	for c := range classes {
		name := fmt.Sprint(c)
		if first != "" {
			name = first[c : c+1]
		}
		at := len(labels)
		labels, parents = append(labels, name+"*"), append(parents, 0)
		for l := range leaves {
			labels, parents = append(labels, name+fmt.Sprint(l)), append(parents, at)
		}
	}
	tree, err := anonymize.NewTaxonomy(labels, parents, func(text string) (anonymize.Value, error) { return anonymize.TextValue(text), nil })
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func taskOf(t testing.TB, in *anonymize.Input, k int, exact bool, seed uint64) *Task {
	t.Helper()
	task, err := NewTask(in, k, false, exact, rand.New(rand.NewPCG(seed, 8)))
	if err != nil {
		t.Fatal(err)
	}
	return task
}

// The distance attribute by attribute, from values.
func TestDistance(t *testing.T) {
	in := mixed(t, 200, 1, false)
	s := spaceOf(t, in, false)
	rank := map[string]float64{"low": 0, "middle": 0.5, "high": 1}
	numbers := in.QuasiIdentifiers[0].Dictionary // NULL, then ascending
	span := float64(numbers[len(numbers)-1].Int - numbers[1].Int)
	slow := func(x, y int) float64 {
		sum := 0.0
		for i, c := range in.QuasiIdentifiers {
			v, w := c.Value(x), c.Value(y)
			switch {
			case v == w:
			case v.IsNull() || w.IsNull() || i == 2 || i == 3 && v.Text[0] != w.Text[0]:
				sum++
			case i == 0:
				sum += math.Abs(float64(v.Int-w.Int)) / span
			case i == 1:
				sum += math.Abs(rank[v.Text] - rank[w.Text])
			default:
				sum += 3. / 9
			}
		}
		return sum / 4
	}
	for x := range 200 {
		for y := range 200 {
			if got, want := s.Distance(s.Coordinates(uint32(x)), s.Coordinates(uint32(y))), slow(x, y); !close(got, want) {
				t.Fatalf("d(%d, %d) is %v, want %v", x, y, got, want)
			}
		}
	}
}

// After records joined and left, a centre equals the centre of the remaining records.
func TestCentre(t *testing.T) {
	s := spaceOf(t, mixed(t, 100, 2, false), false)
	random := rand.New(rand.NewPCG(1, 1))
	c := s.NewCentre()
	var members []uint32
	for range 2000 {
		if len(members) > 1 && random.IntN(2) == 0 {
			i := random.IntN(len(members))
			c.Remove(members[i])
			members = slices.Delete(members, i, i+1)
		} else {
			r := random.Uint32N(100)
			c.Add(r)
			members = append(members, r)
		}
		if got, want := c.Centroid(), s.Centroid(members); !slices.EqualFunc(got, want, func(x, y float64) bool { return math.Abs(x-y) < 1e-9 }) {
			t.Fatalf("the centre of %v is %v, want %v", members, got, want)
		}
	}
}

// If every record has its own value, the centroid of all is the first name and the middle rank. Records may leave a centre that they joined
// all at once.
func TestCentreOfManyValues(t *testing.T) {
	const rows = 40_001
	var name []anonymize.Value
	var all []uint32
	order := rand.New(rand.NewPCG(1, 1)).Perm(rows)
	for record, i := range order {
		name, all = append(name, anonymize.TextValue(fmt.Sprintf("%06d", i))), append(all, uint32(record))
	}
	s := spaceOf(t, &anonymize.Input{Rows: rows, Domains: map[string]*anonymize.Domain{"rank": {Scale: anonymize.Ordinal}},
		QuasiIdentifiers: []*anonymize.Column{anonymize.NewColumn("name", "text", name), anonymize.NewColumn("rank", "text", name)}}, false)
	c := s.NewCentre()
	c.addAll(all)
	if got := c.Centroid(); !slices.Equal(got, []float64{0, .5}) || !slices.Equal(got, s.Centroid(all)) {
		t.Errorf("the centroid is %v", got)
	}
	c.Remove(uint32(slices.Index(order, 0)))
	if got := c.Centroid(); !slices.Equal(got, []float64{1, .5}) {
		t.Errorf("without the first of the names the centroid is %v", got)
	}
}

// The gain of a value, computed from counts, follows Definition 11, and so do links. No value is worth more than its
// kinds.
func TestBonus(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for trial := range 300 {
		classes := 1 + random.IntN(100)
		k := &Catalogue{Classes: classes}
		for range classes + random.IntN(60) {
			k.Class = append(k.Class, random.Uint32N(uint32(classes)))
		}
		w := Weights{Alpha: random.Float64(), Beta: random.Float64(), Gamma: 2 * random.Float64()}
		b := newBonus(k, w)
		for range 2 { // reset must empty it
			b.reset()
			var group []uint32
			for range 1 + random.IntN(20) {
				v := random.Uint32N(uint32(len(k.Class)))
				b.add(v)
				group = append(group, v)
			}
			b.prepare()
			if want := linksOfPairs(k, group); b.links != want || k.Links(group) != want {
				t.Fatalf("trial %d: %d and %d links, want %d", trial, b.links, k.Links(group), want)
			}
			for v := range uint32(len(k.Class)) {
				if got, want := b.gainOfValue(v), w.Metric(k, group, v, 0); math.Abs(got-want) > 1e-9 {
					t.Fatalf("trial %d: the bonus of %d is %v, want %v", trial, v, got, want)
				}
				if most := b.maxGain(k.kind(v)); most < b.gainOfValue(v)-1e-12 {
					t.Fatalf("trial %d: %d is worth %v, its kind %v", trial, v, b.gainOfValue(v), most)
				}
			}
		}
	}
}

func linksOfPairs(k *Catalogue, values []uint32) (links int) {
	for i := range values {
		for _, w := range values[i+1:] {
			links += k.Link(values[i], w)
		}
	}
	return links
}

// The index finds a record of the same worth as the scan, while records leave.
func TestTree(t *testing.T) {
	seeds := testsize.Levels[uint64](2, 4, 12)
	for seed := range seeds {
		in := mixed(t, 3000, seed, seed%2 == 0)
		task := taskOf(t, in, 2, false, seed)
		order := task.shuffled()
		tree := newSearcher(task.Space, task.Space.at, task.kinds(), order, false).(*tree)
		scan := newSearcher(task.Space, task.Space.at, task.kinds(), order, true)
		tree.narrow(task.Space.Coordinates(1))
		scan.narrow(task.Space.Coordinates(1))
		b := newBonus(task.Catalogue, Weights{Alpha: 0.6, Beta: 0.4, Gamma: float64(seed % 3)})
		for i, r := range order[:2900] {
			if i%6 == 0 {
				b.reset()
			}
			b.add(task.Value[r])
			b.prepare()
			q := &query{at: task.Space.Coordinates(order[len(order)-1-i]), beta: 0.4, bonus: b, value: task.Value}
			if i%3 == 0 {
				q = &query{at: q.at, beta: 1}
			}
			got, worth := tree.bestPoint(q)
			_, want := scan.bestPoint(q)
			if worth != want || q.gainOf(task.Space, got, task.Space.Coordinates(got)) != want || tree.leafOf[got] < 0 {
				t.Fatalf("seed %d, step %d: worth %v, want %v", seed, i, worth, want)
			}
			if far, want := tree.least[tree.farthest()], scan.(*exhaustive).least[scan.farthest()]; far != want {
				t.Fatalf("seed %d, step %d: the farthest is at %v, want %v", seed, i, far, want)
			}
			if i%50 == 0 {
				tree.narrow(q.at)
				scan.narrow(q.at)
			}
			tree.remove(r)
			scan.remove(r)
		}
	}
}

// another name for scan, for a function with a variable scan
type exhaustive = scan

// Without ties the index makes the groups of the scan, for all four.
func TestFastIsExact(t *testing.T) {
	for name, cluster := range clusterings {
		for _, k := range []int{2, 5, 11} {
			if !testsize.All() && k != 5 {
				continue
			}
			in := mixed(t, 800, uint64(k), true)
			in.QuasiIdentifiers = slices.Clone(in.QuasiIdentifiers[:1])
			for i := range 3 { // more numbers: centroids do not tie either
				more := mixed(t, 800, uint64(100+i), true).QuasiIdentifiers[0]
				more.Name = fmt.Sprint("number", i)
				in.QuasiIdentifiers = append(in.QuasiIdentifiers, more)
			}
			var groups [2]*bucketization.Partition
			for i, exact := range []bool{false, true} {
				var err error
				if groups[i], err = cluster(context.Background(), taskOf(t, in, k, exact, 1)); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(groups[0].GroupOf(), groups[1].GroupOf()) {
				t.Errorf("%s, k = %d: the groups differ", name, k)
			}
		}
	}
}

var clusterings = map[string]func(context.Context, *Task) (*bucketization.Partition, error){
	"oka": OnePass, "ika": FarthestFirst,
	"dpp": func(ctx context.Context, t *Task) (*bucketization.Partition, error) {
		return Grow(ctx, t, Weights{Alpha: 0.6, Beta: 0.4})
	},
	"drasl": func(ctx context.Context, t *Task) (*bucketization.Partition, error) {
		return Grow(ctx, t, Weights{Alpha: 0.6, Beta: 0.4, Gamma: 0.6})
	},
	"improved": func(ctx context.Context, t *Task) (*bucketization.Partition, error) {
		groups, _, err := GrowImproved(ctx, t, Weights{Alpha: 0.6, Beta: 0.4, Gamma: 0.6})
		return groups, err
	},
}

// Every record is in one group of at least K; DPP and DRASL leave fewer than K to
// put into groups that are full.
func TestGroups(t *testing.T) {
	most := testsize.Of(30, 60)
	for name, cluster := range clusterings {
		for n := 2; n < most; n++ {
			for k := 2; k <= min(n, 9); k++ {
				groups, err := cluster(context.Background(), taskOf(t, mixed(t, n, uint64(n), n%2 == 0), k, n%3 == 0, 1))
				if err != nil {
					t.Fatal(err)
				}
				members := slices.Clone(groups.Member)
				slices.Sort(members)
				if len(slices.Compact(members)) != n || groups.Groups() != n/k {
					t.Fatalf("%s, n = %d, k = %d: %d groups of %d records", name, n, k, groups.Groups(), len(members))
				}
				for g := range groups.Groups() {
					if len(groups.Records(g)) < k {
						t.Fatalf("%s, n = %d, k = %d: a group of %d", name, n, k, len(groups.Records(g)))
					}
				}
			}
		}
	}
}

// The local search's counts equal the groups' statistics; without heat its sums never rise.
func TestSwapper(t *testing.T) {
	w := Weights{Alpha: 0.6, Beta: 0.4, Gamma: 0.6}
	for seed := range uint64(20) {
		task := taskOf(t, mixed(t, 100+int(seed)*7, seed, seed%2 == 0), 2+int(seed)%9, false, seed)
		groups, err := Grow(context.Background(), task, w)
		if err != nil {
			t.Fatal(err)
		}
		i := &improvement{swapper: task.newSwapper(w, groups)}
		hot := int(seed) % 3 // no heat, heat before, heat all the time
		if hot > 0 {
			i.goalLoss, i.goalPr = i.totalLoss, i.totalPr
			if err := i.anneal(context.Background(), warmth); err != nil {
				t.Fatal(err)
			}
		}
		before := [2]float64{i.totalLoss, i.totalPr}
		i.highestLoss, i.highest = i.totalLoss, i.totalPr
		if hot < 2 {
			for _, part := range []float64{0.1, 0.5, 1} {
				if err := i.descend(context.Background(), part*w.Gamma); err != nil {
					t.Fatal(err)
				}
			}
		}
		loss, pr := 0.0, 0.0
		for g, members := range i.groups {
			values := anonymize.Gather(task.Value, members)
			if !close(i.pr[g], task.Catalogue.Probability(values)) || math.Abs(i.loss[g]-task.Space.loss(members)) > 1e-9 {
				t.Fatalf("seed %d, group %d: Pr %v and IL %v, want %v and %v", seed, g, i.pr[g], i.loss[g],
					task.Catalogue.Probability(values), task.Space.loss(members))
			}
			loss, pr = loss+i.loss[g], pr+i.pr[g]
		}
		if math.Abs(loss-i.totalLoss) > 1e-9 || math.Abs(pr-i.totalPr) > 1e-9 {
			t.Errorf("seed %d: the sums are %v and %v, want %v and %v", seed, i.totalLoss, i.totalPr, loss, pr)
		}
		if loss > before[0]+1e-9 || pr > before[1]+1e-9 {
			t.Errorf("seed %d: IL rose from %v to %v, or Pr from %v to %v", seed, before[0], loss, before[1], pr)
		}
	}
}

// The catalogue: the column's own taxonomy, else the bundled one, else none.
func TestCatalogue(t *testing.T) {
	in := anontest.NewInput(t, anontest.Parse(t, "q s\n1 anemia\n2 flu\n3 leukemia"), "q", "s", nil)
	k := noSynonyms(t, in)
	unknown := k.Unknown(in.Sensitive[0])
	if k.Source != "" || k.Link(0, 2) != 0 || len(unknown) != 1 || !strings.Contains(unknown[0].Value, "no leaf for the value flu") {
		t.Errorf("%q: %v", k.Source, unknown)
	}
	in.Domains = map[string]*anonymize.Domain{"s": {Scale: anonymize.Semantic, Taxonomy: paths(t, "anemia x *", "leukemia y *", "flu x *")}}
	if k := noSynonyms(t, in); k.Unknown(in.Sensitive[0]) != nil || k.Link(0, 1) != 1 || k.Link(0, 2) != 0 || k.Link(2, 2) != 2 {
		t.Errorf("%+v", k)
	}
}

// NULL is no synonym of anything, and of no value that is not in the tree.
func TestNullIsAlone(t *testing.T) {
	in := anontest.NewInput(t, anontest.Parse(t, "q s\n1 anemia\n2 NULL\n3 leukemia\n4 NULL"), "q", "s", nil)
	k := noSynonyms(t, in)
	if k.Source == "" || k.Link(0, 1) != 0 || k.Link(0, 0) != 2 || k.Link(1, 2) != 1 {
		t.Errorf("%+v", k)
	}
}
