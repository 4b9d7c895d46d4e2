package anonymize

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func readText(text string) (Value, error) { return TextValue(text), nil }

func readInteger(text string) (Value, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	return IntegerValue(n), err
}

func diseases(t *testing.T) *Taxonomy {
	t.Helper()
	tree, err := TaxonomyOfEdges([]Edge{
		{"Flu", "Respiratory"}, {"Gastritis", "Digestive"}, {"Ulcer", "Digestive"}, {"Bronchitis", "Respiratory"},
		{"Respiratory", "Any"}, {"Digestive", "Any"}, {"Lung cancer", "Any"}, {"Lung cancer", "Lung cancer"},
	}, readText)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestTaxonomy(t *testing.T) {
	tree := diseases(t)
	if tree.Label(0) != "Any" || tree.Parent(0) != -1 || tree.Height() != 2 || len(tree.Leaves()) != 5 || tree.Nodes() != 9 {
		t.Errorf("root %s, height %d, %d leaves, %d nodes", tree.Label(0), tree.Height(), len(tree.Leaves()), tree.Nodes())
	}
	leaf := func(text string) int { return tree.Leaf(TextValue(text)) }
	for _, c := range []struct{ a, b, over string }{
		{"Flu", "Flu", "Flu"}, {"Flu", "Bronchitis", "Respiratory"}, {"Flu", "Ulcer", "Any"}, {"Lung cancer", "Lung cancer", "Lung cancer"},
	} {
		if got := tree.Label(tree.Covering(leaf(c.a), leaf(c.b))); got != c.over {
			t.Errorf("%s and %s are below %s, want %s", c.a, c.b, got, c.over)
		}
	}
	over := tree.Covering(leaf("Gastritis"), leaf("Ulcer"))
	first, end := tree.LeafRange(over)
	if !slices.Equal(tree.Leaves()[first:end], []Value{TextValue("Gastritis"), TextValue("Ulcer")}) || tree.Share(over) != 2./5 ||
		tree.Share(0) != 1 || tree.Share(leaf("Flu")) != 0 {
		t.Errorf("Digestive has leaves %d to %d, share %g", first, end, tree.Share(over))
	}
	if tree.Leaf(TextValue("Cold")) != -1 || tree.Depth(leaf("Flu")) != 2 {
		t.Error("a value that is not there has a leaf")
	}
	column := NewColumn("disease", "TEXT", []Value{TextValue("Flu"), NullValue, TextValue("Cold")})
	if err := tree.Check(column); !errors.As(err, new(*DataError)) || !strings.Contains(err.Error(), "Cold") {
		t.Errorf("a value without a leaf: %v", err)
	}
}

func TestTaxonomyOfPaths(t *testing.T) {
	tree, err := TaxonomyOfPaths([][]string{
		{"16", "16-17", "young", "*"}, {"18", "18-19", "young", "*"}, {"17", "16-17", "young", "*"}, {"70", "other", "old", "*"}, {"1", "other", "young", "*"},
	}, readInteger)
	if err != nil {
		t.Fatal(err)
	}
	if tree.Height() != 3 || tree.Label(tree.Covering(tree.Leaf(IntegerValue(16)), tree.Leaf(IntegerValue(17)))) != "16-17" ||
		tree.Label(tree.Covering(tree.Leaf(IntegerValue(70)), tree.Leaf(IntegerValue(1)))) != "*" {
		t.Errorf("height %d", tree.Height())
	}
}

// What is no tree is refused with the node in the way.
func TestNoTaxonomy(t *testing.T) {
	for want, build := range map[string]func() (*Taxonomy, error){
		"it is empty": func() (*Taxonomy, error) { return TaxonomyOfEdges(nil, readText) },
		"two roots, 'r' and 's'": func() (*Taxonomy, error) {
			return TaxonomyOfEdges([]Edge{{"a", "r"}, {"b", "s"}}, readText)
		},
		"'a' has two parents, 'r' and 's'": func() (*Taxonomy, error) {
			return TaxonomyOfEdges([]Edge{{"a", "r"}, {"s", "r"}, {"a", "s"}}, readText)
		},
		"no root: every node has a parent: 'a' is below 'b' is below 'a'": func() (*Taxonomy, error) {
			return TaxonomyOfEdges([]Edge{{"a", "b"}, {"b", "a"}}, readText)
		},
		"2 nodes are not below the root 'r': 'b' is below 'c' is below 'b'": func() (*Taxonomy, error) {
			return TaxonomyOfEdges([]Edge{{"a", "r"}, {"b", "c"}, {"c", "b"}}, readText)
		},
		"leaf 'x' is no value of the attribute": func() (*Taxonomy, error) {
			return TaxonomyOfEdges([]Edge{{"x", "r"}}, readInteger)
		},
		"line 2 has 3 levels, the first has 2": func() (*Taxonomy, error) {
			return TaxonomyOfPaths([][]string{{"a", "*"}, {"b", "c", "*"}}, readText)
		},
		"two roots, '*' and 'all'": func() (*Taxonomy, error) {
			return TaxonomyOfPaths([][]string{{"a", "*"}, {"b", "all"}}, readText)
		},
		"the value 'a' has two lines": func() (*Taxonomy, error) {
			return TaxonomyOfPaths([][]string{{"a", "*"}, {"a", "*"}}, readText)
		},
		"the value a has two leaves": func() (*Taxonomy, error) {
			return TaxonomyOfPaths([][]string{{"a", "b", "*"}, {"a", "c", "*"}}, readText)
		},
	} {
		_, err := build()
		if !errors.As(err, new(*DataError)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}
