package anonymize

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// FuzzTaxonomy: what is accepted as a taxonomy, out of edges, out of the lines of
// a hierarchy, or made of a column's values by a rule, is a tree over values, all
// of which have a place, and is the same again when it is made of its labels and
// parents, which is how it is stored. Rules put the values together that the rule
// says, and no others.
func FuzzTaxonomy(f *testing.F) {
	for _, s := range []struct {
		kind         uint8
		rule, source string
	}{
		{0, "", "16\tyoung\n17\tyoung\nyoung\t*\n30\told\nold\t*"}, {0, "", "a\tb\nb\ta"}, {0, "", "a\ta\nb\ta"}, {0, "", "a\t\nb\t"}, {0, "", "Lung\tLung\nLung\t*\nx\tLung\n*\t"},
		{1, "", "16\t16-17\t*\n17\t16-17\t*"}, {1, "", "a\t*\na\t*"}, {1, "", "a\t*\nb"}, {1, "", "a\t\t*\nb\t\t*"},
		{2, "5,10,20 1", "17,90,-3"}, {2, "1e9 -0.5", "0,1000000000"}, {2, "0.1,0.5 0", "0.3,-0.1,1.0"}, {2, "3 1e300", "1,2,3"},
		{3, "4,16", "1,1,1,1,5,6,7,9"}, {3, "2", "9223372036854775807,-9223372036854775808"},
		{4, "1,3", "11100,12200,é"}, {4, "1", "a"}, {5, "month,year", "20000,0,1"}, {5, "day,decade,quarter", "-719163,2932896"},
	} {
		f.Add(s.kind, s.rule, s.source)
	}
	f.Fuzz(func(t *testing.T, kind uint8, rule, source string) {
		if len(source) > 4096 || len(rule) > 256 {
			return
		}
		switch kind % 6 {
		case 0:
			fuzzEdges(t, source)
		case 1:
			tree, err := TaxonomyOfPaths(tabbed(source), readLabel)
			checkTree(t, tree, err)
		default:
			fuzzRule(t, kind%6, rule, source)
		}
	})
}

func readLabel(text string) (Value, error) {
	if strings.HasPrefix(text, "no") {
		return Value{}, fmt.Errorf("%s is refused", text)
	}
	return TextValue(text), nil
}

func tabbed(source string) (rows [][]string) {
	for _, line := range strings.Split(source, "\n") {
		rows = append(rows, strings.Split(line, "\t"))
	}
	return rows
}

func fuzzEdges(t *testing.T, source string) {
	var edges []Edge
	named := make(map[string]bool)
	for _, row := range tabbed(source) {
		e := Edge{Node: row[0]}
		if len(row) > 1 {
			e.Parent = row[1]
		}
		edges, named[e.Node] = append(edges, e), true
	}
	tree, err := TaxonomyOfEdges(edges, readLabel)
	checkTree(t, tree, err)
	if err != nil {
		return
	}
	for _, e := range edges {
		if e.Parent != "" && e.Parent != e.Node && !slices.ContainsFunc(tree.nodes, func(n taxonomyNode) bool {
			return n.label == e.Node && n.parent >= 0 && tree.Label(n.parent) == e.Parent
		}) {
			t.Errorf("%q: '%s' is not below '%s'", source, e.Node, e.Parent)
		}
	}
}

// checkTree verifies what Taxonomy promises.
func checkTree(t *testing.T, tree *Taxonomy, err error) {
	t.Helper()
	if err != nil {
		if tree != nil {
			t.Errorf("there is a tree and an error: %v", err)
		}
		return
	}
	var labels []string
	var parents []int
	for node := range tree.Nodes() {
		parent := tree.Parent(node)
		labels, parents = append(labels, tree.Label(node)), append(parents, parent)
		first, end := tree.LeafRange(node)
		if parent >= node || (parent < 0) != (node == 0) || first >= end || end > len(tree.Leaves()) {
			t.Fatalf("node %d has the parent %d and the leaves %d to %d", node, parent, first, end)
		}
		if parent < 0 {
			continue
		}
		if above, aboveEnd := tree.LeafRange(parent); first < above || end > aboveEnd || tree.Depth(node) != tree.Depth(parent)+1 {
			t.Fatalf("node %d is not inside its parent", node)
		}
	}
	for i, v := range tree.Leaves() {
		node := tree.Leaf(v)
		if first, end := tree.LeafRange(node); first != i || end != i+1 || tree.Covering(node, 0) != 0 || tree.Covering(node, node) != node || tree.Share(node) != 0 {
			t.Fatalf("the value %s, leaf %d, is node %d with the leaves %d to %d", v, i, node, first, end)
		}
	}
	if first, end := tree.LeafRange(0); first != 0 || end != len(tree.Leaves()) {
		t.Fatalf("the root has the leaves %d to %d of %d", first, end, len(tree.Leaves()))
	}
	values := make(map[string]Value)
	for _, v := range tree.Leaves() {
		values[tree.Label(tree.Leaf(v))] = v
	}
	again, err := NewTaxonomy(labels, parents, func(text string) (Value, error) { return values[text], nil })
	repeated := len(values) < len(tree.Leaves()) // labels do not tell these apart
	if !repeated && (err != nil || !slices.Equal(again.nodes, tree.nodes) || !slices.Equal(again.leaves, tree.leaves)) {
		t.Errorf("made again: %v, %v\nwas %v", again, err, tree)
	}
}

// fuzzedLeaves are the leaves that a rule makes of the column.
func fuzzedLeaves(kind uint8, c *Column, paths [][]string) (leaves []Value, err error) {
	switch {
	case kind == 4:
		return occurring(c)
	case kind != 2 || !c.Spans():
		return leavesOf(c)
	}
	for _, path := range paths { // points of the intervals, which the column need not have
		v := fuzzedColumn(kind, path[0]).Dictionary[1]
		if v.Kind == Integer && c.Dictionary[1].Kind == Decimal {
			v = DecimalValue(path[0])
		}
		leaves = append(leaves, v)
	}
	return leaves, nil
}

// fuzzRule makes a taxonomy by a rule and compares who is together on each level
// with togetherness by the rule's definition.
func fuzzRule(t *testing.T, kind uint8, rule, source string) {
	c := fuzzedColumn(kind, source)
	list, origin, _ := strings.Cut(rule, " ")
	var paths [][]string
	var err error
	var same func(level int, a, b Value) bool
	parts := strings.Split(list, ",")
	switch kind {
	case 2:
		paths, err = IntervalPaths(c, parts, origin, Value.String)
		same = func(level int, a, b Value) bool {
			return interval64(a, parts[level], origin) == interval64(b, parts[level], origin)
		}
	case 3:
		paths, err = EqualFrequencyPaths(c, wholes(parts), Value.String)
	case 4:
		paths, err = PrefixPaths(c, wholes(parts), Value.String)
		keep := slices.Sorted(slices.Values(wholes(parts)))
		slices.Reverse(keep)
		same = func(level int, a, b Value) bool {
			return beginning(a.Text, keep[level]) == beginning(b.Text, keep[level])
		}
	case 5:
		paths, err = DatePaths(c, parts, Value.String)
	}
	if err != nil {
		return
	}
	values := make(map[string]Value)
	leaves, leavesErr := fuzzedLeaves(kind, c, paths)
	for _, v := range leaves {
		values[v.String()] = v
	}
	if leavesErr != nil || len(values) != len(leaves) || len(leaves) > 1<<12 {
		return // values that are spelled alike, or too many to look at
	}
	tree, err := TaxonomyOfPaths(paths, func(text string) (Value, error) { return values[text], nil })
	if err != nil {
		t.Fatalf("rule %d %q of %q makes no tree: %v", kind, rule, source, err)
	}
	checkTree(t, tree, nil)
	if kind == 2 && c.Spans() {
		tree = tree.Spanning()
	}
	if err := tree.Check(c); err != nil {
		t.Errorf("rule %d %q of %q: %v", kind, rule, source, err)
	}
	for i := 1; i < len(paths) && same != nil; i++ {
		for level := 1; level < len(paths[i])-1; level++ {
			if got, want := paths[i][level] == paths[i-1][level], same(level-1, leaves[i-1], leaves[i]); got != want {
				t.Fatalf("rule %d %q: %s and %s on level %d: together %v (%s, %s), should be %v", kind, rule, leaves[i-1], leaves[i], level, got, paths[i-1][level], paths[i][level], want)
			}
		}
	}
}

func wholes(parts []string) (numbers []int) {
	for _, p := range parts {
		n, _ := strconv.Atoi(p)
		numbers = append(numbers, n)
	}
	return numbers
}

func beginning(text string, n int) string {
	runes := []rune(text)
	return string(runes[:min(n, len(runes))])
}

// interval64 is the number of the interval of a value: floor((x-origin)/width).
func interval64(v Value, width, origin string) string {
	x, _ := new(big.Rat).SetString(v.String())
	w, _ := new(big.Rat).SetString(width)
	o, _ := new(big.Rat).SetString(origin)
	q := x.Sub(x, o).Quo(x, w)
	return new(big.Int).Div(q.Num(), q.Denom()).String()
}

// fuzzedColumn reads a comma separated list as values of one kind: numbers, texts
// or, of days since 1970, dates.
func fuzzedColumn(kind uint8, source string) *Column {
	values := []Value{{}}
	list := strings.Split(source, ",")
	whole := !slices.ContainsFunc(list, func(text string) bool { _, err := strconv.ParseInt(text, 10, 64); return err != nil })
	for _, text := range list[:min(len(list), 64)] {
		n, err := strconv.ParseInt(text, 10, 64)
		switch {
		case kind == 4 && text != "":
			values = append(values, TextValue(text))
		case kind == 5 && err == nil:
			values = append(values, InstantValue(time.Unix(n%3_000_000*86400, 0).UnixMicro()))
		case (kind == 2 || kind == 3) && whole:
			values = append(values, IntegerValue(n))
		case kind == 2 || kind == 3:
			if x, ok := decimalRat(text); ok && len(text) < 40 && !strings.ContainsAny(text, "eE") {
				values = append(values, DecimalValue(decimalText(x)))
			}
		}
	}
	return NewColumn("x", "", values)
}
