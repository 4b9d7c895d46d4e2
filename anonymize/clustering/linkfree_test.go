package clustering

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

// synonyms draws a table of one number with that many records of every class, of
// two values each.
func synonyms(t testing.TB, sizes []int, random *rand.Rand) *anonymize.Input {
	var classes []int
	for class, n := range sizes {
		classes = append(classes, slices.Repeat([]int{class}, n)...)
	}
	random.Shuffle(len(classes), func(i, j int) { classes[i], classes[j] = classes[j], classes[i] })
	var numbers, values []anonymize.Value
	var edges []anonymize.Edge
	for class := range sizes {
		edges = append(edges, anonymize.Edge{Node: fmt.Sprint("class ", class), Parent: "*"},
			anonymize.Edge{Node: fmt.Sprint(class, "a"), Parent: fmt.Sprint("class ", class)},
			anonymize.Edge{Node: fmt.Sprint(class, "b"), Parent: fmt.Sprint("class ", class)})
	}
	for _, class := range classes {
		numbers = append(numbers, anonymize.IntegerValue(random.Int64N(40)))
		values = append(values, anonymize.TextValue(fmt.Sprint(class, string(rune('a'+random.IntN(2))))))
	}
	taxonomy, err := anonymize.TaxonomyOfEdges(edges, func(text string) (anonymize.Value, error) { return anonymize.TextValue(text), nil })
	if err != nil {
		t.Fatal(err)
	}
	return &anonymize.Input{Rows: len(values), Random: rand.NewPCG(1, 1),
		QuasiIdentifiers: []*anonymize.Column{anonymize.NewColumn("q", "BIGINT", numbers)},
		Sensitive:        []*anonymize.Column{anonymize.NewColumn("s", "TEXT", values)},
		Domains:          map[string]*anonymize.Domain{"s": {Scale: anonymize.Semantic, Taxonomy: taxonomy}}}
}

// checkLinkFree runs GrowLinkFree and compares it with the condition K m <= n.
func checkLinkFree(t *testing.T, task *Task, improve bool) {
	t.Helper()
	n, most := task.records(), slices.Max(task.classSizes())
	groups, _, err := GrowLinkFree(context.Background(), task, improve)
	if most*task.K > n {
		if infeasible, ok := errors.AsType[*anonymize.InfeasibleError](err); !ok || infeasible.Largest != anonymize.NewRatio(uint64(n/most), 1) {
			t.Fatalf("n = %d, m = %d, K = %d: %v", n, most, task.K, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	members := slices.Clone(groups.Member)
	slices.Sort(members)
	if len(slices.Compact(members)) != n || groups.Groups() != n/task.K {
		t.Fatalf("n = %d, K = %d: %d groups of %d records", n, task.K, groups.Groups(), len(members))
	}
	for g := range groups.Groups() {
		var values []uint32
		for _, r := range groups.Records(g) {
			values = append(values, task.Value[r])
		}
		if len(values) < task.K || linksOfPairs(task.Catalogue, values) > 0 {
			t.Fatalf("n = %d, K = %d, sizes %v: group %d has the values %v", n, task.K, task.classSizes(), g, values)
		}
	}
}

// Every table of up to 11 records, by the sizes of its classes, and every K: there
// is a release if and only if the condition holds.
func TestLinkFreeIffEligible(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	var sizes []int
	tables := 0
	var all func(left, most int)
	all = func(left, most int) {
		if len(sizes) > 0 {
			tables++
			in := synonyms(t, sizes, random)
			for k := 2; k <= in.Rows; k++ {
				for seed := range uint64(3) {
					checkLinkFree(t, taskOf(t, in, k, seed == 1, seed), seed == 2)
				}
			}
		}
		for n := 1; n <= min(left, most); n++ {
			sizes = append(sizes, n)
			all(left-n, n)
			sizes = sizes[:len(sizes)-1]
		}
	}
	all(11, 11)
	t.Logf("%d tables", tables)
}

// Larger tables whose most frequent classes are at or near the greatest feasible frequency, with few classes and with
// more classes than bits.
func TestLinkFreeWhenTight(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for trial := range 120 {
		k, groups := 2+random.IntN(9), 1+random.IntN(40)
		classes := k + random.IntN(4)
		if trial%10 == 0 {
			classes = 70 + random.IntN(40)
		}
		sizes, n := make([]int, classes), k*groups+random.IntN(k)
		for left, tries := n, 0; left > 0 && tries < 100*n; tries++ {
			class := min(random.IntN(classes), random.IntN(classes))
			if sizes[class] < groups {
				sizes[class]++
				left--
			}
		}
		in := synonyms(t, sizes, random)
		checkLinkFree(t, taskOf(t, in, k, trial%2 == 0, 1), trial%3 == 0)
	}
}

// Exchanges lower the loss.
func TestLinkFreeImproved(t *testing.T) {
	task := func() *Task { return taskOf(t, people(t, 1000, 1), 5, false, 1) }
	var loss [2]float64
	for i, improve := range []bool{false, true} {
		groups, _, err := GrowLinkFree(context.Background(), task(), improve)
		m := measured(t, task(), groups, err)
		if loss[i] = m.AverageIL; m.TotalPr != 0 {
			t.Errorf("improve is %v: Total_Pr is %v", improve, m.TotalPr)
		}
	}
	if loss[1] > 0.95*loss[0] {
		t.Errorf("Average_IL is %v, improved %v", loss[0], loss[1])
	}
}

// The links of Table 2's groups are 0, 3 and 1 (Example 3), counted from what is
// published.
func TestCheckLinks(t *testing.T) {
	in := anontest.NewInput(t, anontest.Parse(t, "q s\n1 anemia\n2 enteritis\n3 bronchitis\n4 leukemia\n5 lymphoma"), "q", "s", nil)
	k := noSynonyms(t, in)
	publish := func(rows string) *anonymize.Release {
		return anontest.Release(t, anontest.Printed{Name: "sa", Role: anonymize.Sensitive, Text: rows})
	}
	r := publish("gid s count\n0 anemia 1\n0 enteritis 1\n0 bronchitis 1\n1 anemia 1\n1 leukemia 1\n1 lymphoma 1\n2 anemia 1\n2 leukemia 1\n2 enteritis 1")
	if links, worst := CheckLinks(r, "s", k); links != 4 || worst != 1 {
		t.Errorf("%d links, the most in %d, want 4 and 1", links, worst)
	}
	// Equal values are two links; flu and cold, which the catalogue does not know,
	// are no synonyms.
	r = publish("gid s count\n0 anemia 1\n0 flu 1\n0 cold 1\n1 flu 2\n1 acne 1")
	if links, worst := CheckLinks(r, "s", k); links != 2 || worst != 1 {
		t.Errorf("%d links, the most in %d, want 2 and 1", links, worst)
	}
	r = publish("gid s count\n0 anemia 1\n0 enteritis 1")
	if links, worst := CheckLinks(r, "s", k); links != 0 || worst != -1 {
		t.Errorf("%d links, the most in %d, want 0 and -1", links, worst)
	}
	if links, _ := CheckLinks(r, "t", k); links != -1 {
		t.Errorf("%d links of what is not published, want -1", links)
	}
	task := taskOf(t, in, 2, false, 1)
	task.Catalogue = k
	if err := task.promiseLinkFree(publish("gid s count\n0 anemia 1\n0 leukemia 1"), "s"); err == nil {
		t.Error("a release with a link is promised to have none")
	}
}
