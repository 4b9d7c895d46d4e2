package fulldomain

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/generalization"
)

// readArguments are the condition and the measure of arguments.
func readArguments(in *anonymize.Input, arguments anonymize.Arguments) (condition, string, error) {
	settings, err := Method().Resolve(arguments)
	if err != nil {
		return condition{}, "", err
	}
	c, err := readCondition(in, settings)
	return c, paramOptimize.Read(settings), err
}

// The cost is that of the best of all nodes, each of them judged by itself and
// over records, and no node is finer than one that was called impossible and
// still feasible.
func TestOptimum(t *testing.T) {
	suppressed, several, generalized := 0, 0, 0
	for seed := range uint64(2500) {
		random := rand.New(rand.NewPCG(seed, 11))
		in := anontest.RandomTable(2+random.IntN(40), seed)
		withTaxonomies(t, random, in)
		arguments := anonymize.Arguments{"k": fmt.Sprint(1 + random.IntN(5)), "l": fmt.Sprint(1 + random.IntN(3)),
			"t":        []string{"1", "1", "0.5", "0.3"}[random.IntN(4)],
			"suppress": []string{"0", "0.1", "0.3", "0.5", "1"}[random.IntN(5)],
			"optimize": []string{loss, discernibility, classSize, precision}[random.IntN(4)]}
		c, measure, err := readArguments(in, arguments)
		if err != nil {
			continue // an l that the table does not have
		}
		attributes, err := generalization.NewAttributes(in)
		if err != nil {
			t.Fatal(err)
		}
		s, best := optimum(t, in, attributes, c, measure)
		want, feasible := exhaustive(in, attributes, c, measure)
		if math.Abs(best.value-want) > 1e-9*math.Max(1, want) {
			t.Fatalf("seed %d, %v: cost %g, the best node has %g", seed, arguments, best.value, want)
		}
		for node, state := range s.state {
			if state == open || state == impossible && feasible[numbers(s, node)] {
				t.Fatalf("seed %d, %v: node %s is in state %d", seed, arguments, numbers(s, node), state)
			}
		}
		_, _, hidden := s.classes(best.node)
		suppressed += min(hidden, 1)
		generalized += min(best.node, 1)
		if s.base.nodes > 20 {
			several++
		}
	}
	if suppressed < 100 || several < 100 || generalized < 100 {
		t.Errorf("%d tables with suppressed records, %d with large lattices, %d generalized: too few", suppressed, several, generalized)
	}
}

func optimum(t *testing.T, in *anonymize.Input, attributes []*generalization.Attribute, c condition, measure string) (*search, key) {
	t.Helper()
	l, err := newLattice(attributes)
	if err != nil {
		t.Fatal(err)
	}
	b, err := newBase(context.Background(), l, in.Sensitive[0], c.diverse())
	if err != nil {
		t.Fatal(err)
	}
	s := newSearch(context.Background(), b, c, newObjective(l, measure, in.Rows), nil)
	best, err := s.run()
	if err != nil {
		t.Fatal(err)
	}
	return s, best
}

// numbers names a node by the numbers of its levels.
func numbers(s *search, node int) string {
	var list []int
	for i := range s.base.levels {
		list = append(list, s.base.levelAt(node, i).Number)
	}
	return fmt.Sprint(list)
}

// withTaxonomies gives some nominal columns a random tree, of leaves at unequal
// depths.
func withTaxonomies(t *testing.T, random *rand.Rand, in *anonymize.Input) {
	t.Helper()
	in.Domains = map[string]*anonymize.Domain{}
	for _, c := range in.QuasiIdentifiers {
		if random.IntN(3) == 0 {
			continue
		}
		nodes := 1 + random.IntN(4)
		edges := []anonymize.Edge{{Node: "node 0"}}
		for i := 1; i < nodes; i++ {
			edges = append(edges, anonymize.Edge{Node: fmt.Sprintf("node %d", i), Parent: fmt.Sprintf("node %d", random.IntN(i))})
		}
		leaves := slices.Clone(c.Dictionary)
		for i := range nodes { // so that no inner node becomes a leaf
			leaves = append(leaves, anonymize.TextValue(fmt.Sprintf("leaf %d", i)))
			edges = append(edges, anonymize.Edge{Node: fmt.Sprintf("leaf %d", i), Parent: fmt.Sprintf("node %d", i)})
		}
		for _, v := range c.Dictionary {
			if !v.IsNull() {
				edges = append(edges, anonymize.Edge{Node: v.String(), Parent: fmt.Sprintf("node %d", random.IntN(nodes))})
			}
		}
		tree, err := anonymize.TaxonomyOfEdges(edges, func(text string) (anonymize.Value, error) { return anontest.Value(text), nil })
		if err != nil {
			t.Fatal(err)
		}
		in.Domains[c.Name] = &anonymize.Domain{Scale: anonymize.Semantic, Taxonomy: tree}
	}
}

// A naiveLevel has, by record, the name of its cell and what it costs.
type naiveLevel struct {
	cell          []string
	loss, highest []float64
}

// naiveLevels climbs the taxonomy record by record; without one it believes
// package generalization, which has tests of its own.
func naiveLevels(in *anonymize.Input, a *generalization.Attribute) []naiveLevel {
	tree := in.Domain(a.Column).Taxonomy
	var all []naiveLevel
	if tree == nil {
		levels, height := a.Levels()
		for _, l := range levels {
			var n naiveLevel
			for _, place := range a.Place {
				n.add(fmt.Sprint(l.Of[place]), l.Loss[l.Of[place]], float64(l.Number)/float64(max(1, height)))
			}
			all = append(all, n)
		}
		return all
	}
	for j := 0; j <= tree.Height(); j++ {
		var n naiveLevel
		for record := range in.Rows {
			v := a.Column.Value(record)
			high := float64(j) / float64(tree.Height())
			if v.IsNull() && j < tree.Height() {
				n.add("NULL", 0, high)
				continue
			}
			node := 0
			if !v.IsNull() {
				for node = tree.Leaf(v); tree.Depth(node) > tree.Height()-j; node = tree.Parent(node) {
				}
			}
			n.add(fmt.Sprint(node), tree.Share(node), high)
		}
		all = append(all, n)
	}
	return all
}

func (n *naiveLevel) add(cell string, loss, highest float64) {
	n.cell, n.loss, n.highest = append(n.cell, cell), append(n.loss, loss), append(n.highest, highest)
}

// exhaustive returns the least cost of all choices of levels, and which of them
// can be met.
func exhaustive(in *anonymize.Input, attributes []*generalization.Attribute, c condition, measure string) (least float64, feasible map[string]bool) {
	levels := make([][]naiveLevel, len(attributes))
	for i, a := range attributes {
		levels[i] = naiveLevels(in, a)
	}
	least, feasible = math.Inf(1), map[string]bool{}
	choice := make([]int, len(attributes))
	for {
		if cost, ok := naiveCost(in, attributes, levels, choice, c, measure); ok {
			least = min(least, cost)
			feasible[fmt.Sprint(numbersOf(in, attributes, choice))] = true
		}
		i := 0
		for ; i < len(choice); i++ {
			if choice[i]++; choice[i] < len(levels[i]) {
				break
			}
			choice[i] = 0
		}
		if i == len(choice) {
			return least, feasible
		}
	}
}

func numbersOf(in *anonymize.Input, attributes []*generalization.Attribute, choice []int) []int {
	list := slices.Clone(choice)
	for i, a := range attributes {
		if in.Domain(a.Column).Taxonomy == nil {
			levels, _ := a.Levels()
			list[i] = levels[choice[i]].Number
		}
	}
	return list
}

func naiveCost(in *anonymize.Input, attributes []*generalization.Attribute, levels [][]naiveLevel, choice []int, c condition, measure string) (float64, bool) {
	byCell := map[string][]int{}
	for record := range in.Rows {
		name := ""
		for i := range choice {
			name += levels[i][choice[i]].cell[record] + "|"
		}
		byCell[name] = append(byCell[name], record)
	}
	var kept [][]int
	var hidden []int
	for _, class := range byCell {
		if naiveAllows(in, c, class) {
			kept = append(kept, class)
		} else {
			hidden = append(hidden, class...)
		}
	}
	kept, hidden, ok := naivePool(in, attributes, c, kept, hidden)
	if !ok {
		return 0, false
	}
	squares, sum := len(hidden)*in.Rows, 0.0
	for _, class := range kept {
		squares += len(class) * len(class)
		for _, record := range class {
			for i := range choice {
				if measure == precision {
					sum += levels[i][choice[i]].highest[record]
				} else {
					sum += levels[i][choice[i]].loss[record]
				}
			}
		}
	}
	for _, a := range attributes {
		if measure == precision {
			sum += float64(len(hidden))
		} else {
			sum += float64(len(hidden)) * a.RootLoss()
		}
	}
	switch measure {
	case discernibility:
		return float64(squares), true
	case classSize:
		return float64(in.Rows) / float64(len(kept)+min(len(hidden), 1)), true
	}
	return sum, true
}

// naivePool lets classes join the suppressed records, in the order that
// judge.suppress documents.
func naivePool(in *anonymize.Input, attributes []*generalization.Attribute, c condition, kept [][]int, hidden []int) ([][]int, []int, bool) {
	tuple := func(record int) (places []uint32) {
		for _, a := range attributes {
			places = append(places, a.Place[record])
		}
		return places
	}
	for _, class := range kept {
		slices.SortFunc(class, func(x, y int) int { return slices.Compare(tuple(x), tuple(y)) })
	}
	slices.SortFunc(kept, func(x, y []int) int {
		if len(x) != len(y) {
			return len(x) - len(y)
		}
		return slices.Compare(tuple(x[0]), tuple(y[0]))
	})
	for joined := 0; len(hidden) > 0 && len(hidden) <= c.limit && !naiveAllows(in, c, hidden); joined++ {
		choice, share := -1, 2.0
		for i, class := range kept {
			union := slices.Concat(hidden, class)
			if len(union) > c.limit {
				continue
			}
			if naiveAllows(in, c, union) {
				choice = i
				break
			}
			most, count := 0, map[uint32]int{}
			for _, record := range union {
				v := in.Sensitive[0].Codes[record]
				count[v]++
				most = max(most, count[v])
			}
			if !c.diverse() {
				most = len(union)
			}
			if s := float64(most) / float64(len(union)); s < share {
				choice, share = i, s
			}
		}
		if choice < 0 || joined == maxJoining {
			return nil, nil, false
		}
		hidden = slices.Concat(hidden, kept[choice])
		kept = slices.Delete(slices.Clone(kept), choice, choice+1)
	}
	return kept, hidden, len(hidden) <= c.limit
}

// naiveAllows asks k, l and t of a set of records; distances in floating point,
// with room for rounding that whole numbers of this size do not need.
func naiveAllows(in *anonymize.Input, c condition, class []int) bool {
	values := len(in.Sensitive[0].Dictionary)
	here, total := make([]float64, values), make([]float64, values)
	for _, v := range in.Sensitive[0].Codes {
		total[v]++
	}
	for _, record := range class {
		here[in.Sensitive[0].Codes[record]]++
	}
	m, n := float64(len(class)), float64(in.Rows)
	if len(class) < c.k || c.l > 1 && slices.Max(here)*float64(c.l) > m {
		return false
	}
	equal, ordered, cumulated, occurring := 0.0, 0.0, 0.0, 0.0
	for v := range here {
		if total[v] == 0 {
			continue
		}
		occurring++
		difference := here[v]/m - total[v]/n
		cumulated += difference
		equal += math.Abs(difference) / 2
		ordered += math.Abs(cumulated)
	}
	distance := equal
	if c.ordered {
		distance = ordered / math.Max(occurring-1, 1)
	}
	return !c.close() || distance <= c.t.Float()+1e-12
}

// The least number of records to remove, against all subsets.
func TestLeast(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for range 3000 {
		c := condition{k: 1 + random.IntN(6), l: 2 + random.IntN(3)}
		records := make([]uint32, 1+random.IntN(5))
		m := 0
		for i := range records {
			records[i] = 1 + random.Uint32N(5)
			m += int(records[i])
		}
		best := 0
		var try func(v int, kept []uint32, size int)
		try = func(v int, kept []uint32, size int) {
			if v == len(records) {
				if size >= c.k && c.isDiverse(kept, size) {
					best = max(best, size)
				}
				return
			}
			for n := range records[v] + 1 {
				try(v+1, append(kept, n), size+int(n))
			}
		}
		try(0, nil, 0)
		if got := c.minRemoved(records, m); got != m-best {
			t.Fatalf("%v, k %d, l %d: %d, want %d", records, c.k, c.l, got, m-best)
		}
	}
}

// Keys of more than 64 bits: tuples are those of a map.
func TestManyAttributes(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	in := &anonymize.Input{Rows: 3000}
	for i := range 14 {
		values := make([]anonymize.Value, in.Rows)
		for row := range values {
			values[row] = anonymize.TextValue(fmt.Sprint(random.IntN(3) * random.IntN(400)))
		}
		in.QuasiIdentifiers = append(in.QuasiIdentifiers, anonymize.NewColumn(fmt.Sprint("q", i), "TEXT", values))
		in.Sensitive = []*anonymize.Column{anonymize.NewColumn("s", "TEXT", values)}
	}
	attributes, err := generalization.NewAttributes(in)
	if err != nil {
		t.Fatal(err)
	}
	l, err := newLattice(attributes)
	if err != nil {
		t.Fatal(err)
	}
	b, err := newBase(context.Background(), l, in.Sensitive[0], true)
	if err != nil {
		t.Fatal(err)
	}
	c := &counter{base: b, dense: make([]uint32, len(b.total))}
	for _, node := range []int{0, 1, 5, l.nodes - 2, l.nodes - 1, l.nodes - 1 - 0b1010101} {
		distinct := map[string]int{}
		for record := range in.Rows {
			name := ""
			for i, a := range attributes {
				name += fmt.Sprint(l.levelAt(node, i).Of[a.Place[record]], " ")
			}
			distinct[name]++
		}
		got, records := c.roll(&b.tuples, node), uint32(0)
		for _, n := range got.records {
			records += n
		}
		if len(got.count) != len(distinct) || int(records) != in.Rows {
			t.Errorf("node %d: %d tuples, want %d; %d records", node, len(got.count), len(distinct), records)
		}
	}
}
