package demand_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/demand"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// people are records of two sensitive attributes, numbers of a tree and of many values, in
// groups of three.
func people(random *rand.Rand, tree *anonymize.Taxonomy, rows int) (*anonymize.Input, *bucketization.Partition) {
	var age, s, many []anonymize.Value
	groups := &bucketization.Partition{Start: []uint32{0}}
	for i := range rows {
		v := random.IntN(4)
		age = append(age, anonymize.IntegerValue(int64(10*v+random.IntN(40))))
		s = append(s, anonymize.IntegerValue(int64(min(v, random.IntN(4)))))
		many = append(many, anonymize.IntegerValue(int64(random.IntN(rows))))
		groups.Member = append(groups.Member, uint32(i))
		if i%3 == 2 || i == rows-1 {
			groups.Start = append(groups.Start, uint32(i+1))
		}
	}
	return &anonymize.Input{Rows: rows, QuasiIdentifiers: []*anonymize.Column{anonymize.NewColumn("age", "int", age)},
		Sensitive: []*anonymize.Column{anonymize.NewColumn("s", "int", s), anonymize.NewColumn("many", "int", many)},
		Domains:   map[string]*anonymize.Domain{"s": {Scale: anonymize.Semantic, Taxonomy: tree}}}, groups
}

// published returns the release of groups, with the promises.
func published(t *testing.T, in *anonymize.Input, groups *bucketization.Partition, promises []anonymize.Promise, tree *anonymize.Taxonomy) *anonymize.Release {
	t.Helper()
	sensitive, err := bucketization.SensitiveTuples(context.Background(), in.Sensitive)
	if err != nil {
		t.Fatal(err)
	}
	qi := bucketization.QuasiIdentifierTable(0, bucketization.ProjectionOn(in.QuasiIdentifiers[0]))
	r, err := bucketization.Publish(context.Background(), "test", in, groups, []bucketization.Table{qi, sensitive}, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range promises {
		if name, _, _ := anonymize.SplitAbout(p.Guarantee); name == "t_hierarchical" {
			if p.Hierarchy, err = privacy.HierarchyOf(r, "s", tree); err != nil {
				t.Fatal(err)
			}
		}
		r.Promises = append(r.Promises, p)
	}
	return r
}

// isKept verifies with package privacy.
func isKept(t *testing.T, r *anonymize.Release) bool {
	t.Helper()
	guarantees, err := privacy.Verify(r)
	return err == nil && privacy.FirstBroken(guarantees) == nil
}

// asks are sets of promises about people, by name.
func asks() map[string][]anonymize.Promise {
	all := map[string][]anonymize.Promise{
		"of a tuple":      {{Guarantee: "distinct(s,many)", Bound: anonymize.MustRatio("4")}},
		"of many values":  {{Guarantee: "distinct(many)", Bound: anonymize.MustRatio("300")}},
		"tight":           {{Guarantee: "beta_likeness(s)", Bound: anonymize.MustRatio("0.25")}},
		"of two of them":  {{Guarantee: "entropy(s)", Bound: anonymize.MustRatio("2.5")}, {Guarantee: "t_ordered(many)", Bound: anonymize.MustRatio("0.2")}},
		"nothing of ours": {{Guarantee: "k", Bound: anonymize.MustRatio("1")}},
	}
	for name, texts := range bounds {
		p := anonymize.Promise{Guarantee: anonymize.GuaranteeName(name, "s"), Bound: anonymize.MustRatio(texts[1])}
		switch name {
		case "recursive":
			p.Threshold = anonymize.NewRatio(3, 1)
		case anonymize.LThreshold:
			p.Threshold, p.Relative = anonymize.NewRatio(1, 2), true
		case anonymize.LSets:
			p.Separator = ";"
		case "size":
			p.Guarantee = name // of no attribute
		}
		all[name] = []anonymize.Promise{p}
	}
	return all
}

// Keep unites groups until package privacy finds all promises kept. Every group is a union of earlier ones, and there
// is more than one.
func TestKeep(t *testing.T) {
	tree := pairs(t)
	for _, name := range slices.Sorted(maps.Keys(asks())) {
		for _, near := range []bool{false, true} {
			in, groups := people(rand.New(rand.NewPCG(3, 3)), tree, 1_000)
			in.Asked = asks()[name]
			before := isKept(t, published(t, in, groups, in.Asked, tree))
			random := rand.New(rand.NewPCG(4, 4))
			united, facts, err := demand.Keep(context.Background(), in, groups, random)
			if near {
				united, facts, err = demand.KeepNear(context.Background(), in, groups, random)
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !isKept(t, published(t, in, united, in.Asked, tree)) {
				t.Errorf("%s: near %v: the groups do not keep it", name, near)
			}
			if err := isUnion(groups, united); err != nil {
				t.Errorf("%s: near %v: %v", name, near, err)
			}
			if before != (len(facts) == 0) || before != (united == groups) || united.Groups() < 2 {
				t.Errorf("%s: near %v: kept before: %v, now %d groups: %v", name, near, before, united.Groups(), facts)
			}
			t.Logf("%s: near %v: %d groups of %d", name, near, united.Groups(), groups.Groups())
		}
	}
}

// isUnion checks that records stayed together, and that none got lost.
func isUnion(before, after *bucketization.Partition) error {
	of := after.GroupOf()
	for g := range before.Groups() {
		for _, record := range before.Records(g) {
			if of[record] != of[before.Records(g)[0]] {
				return fmt.Errorf("group %d was divided", g)
			}
		}
	}
	seen := slices.Sorted(slices.Values(after.Member))
	for i, record := range seen {
		if int(record) != i {
			return fmt.Errorf("record %d is not there", i)
		}
	}
	return nil
}

// If a method treats several attributes as one, their promises apply to the attributes.
func TestKeepOfCombined(t *testing.T) {
	tree := pairs(t)
	in, groups := people(rand.New(rand.NewPCG(5, 5)), tree, 300)
	in.Asked = []anonymize.Promise{{Guarantee: "distinct(s)", Bound: anonymize.MustRatio("3")}}
	tuples, err := bucketization.Combine(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	united, _, err := demand.Keep(context.Background(), tuples.Input, groups, rand.New(rand.NewPCG(1, 1)))
	if err != nil || united.Groups() == groups.Groups() || !isKept(t, published(t, in, united, in.Asked, tree)) {
		t.Errorf("%d groups of %d, %v", united.Groups(), groups.Groups(), err)
	}
	broken, err := demand.Broken(context.Background(), tuples.Input, united)
	if err != nil || slices.Contains(broken, true) {
		t.Errorf("%v, %v", broken, err)
	}
}

// The end of the context ends Keep. Infeasible promises are refused with the best feasible bound.
func TestKeepNot(t *testing.T) {
	in, groups := people(rand.New(rand.NewPCG(6, 6)), pairs(t), 300)
	in.Asked = []anonymize.Promise{{Guarantee: "t_equal(s)", Bound: anonymize.MustRatio("0.1")}}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := demand.KeepNear(ctx, in, groups, rand.New(rand.NewPCG(1, 1))); err != context.Canceled {
		t.Error(err)
	}
	for name, want := range map[string]string{"distinct(s)": "; the largest feasible distinct(s) is 4", "entropy(s)": "; the largest feasible entropy(s) is 3.", "recursive(s)": "; the smallest feasible recursive(s) is 0."} {
		bound := map[bool]string{true: "0.01", false: "9"}[name == "recursive(s)"]
		in.Asked = []anonymize.Promise{{Guarantee: name, Bound: anonymize.MustRatio(bound)}}
		_, _, err := demand.Keep(context.Background(), in, groups, rand.New(rand.NewPCG(1, 1)))
		if infeasible := asInfeasible(t, err); !contains(err, want) {
			t.Errorf("%s: %v", name, err)
		} else if in.Asked[0].Bound = infeasible.Largest; infeasible.Largest.Den == 0 {
			in.Asked[0].Bound = infeasible.Smallest
		}
		united, _, err := demand.Keep(context.Background(), in, groups, rand.New(rand.NewPCG(1, 1)))
		if err != nil || !isKept(t, published(t, in, united, in.Asked, nil)) {
			t.Errorf("%s %s is said to be feasible: %v", name, in.Asked[0].Bound, err)
		}
	}
}

func asInfeasible(t *testing.T, err error) *anonymize.InfeasibleError {
	t.Helper()
	infeasible := new(anonymize.InfeasibleError)
	if !errors.As(err, &infeasible) {
		t.Fatal(err)
	}
	return infeasible
}

func contains(err error, text string) bool { return strings.Contains(fmt.Sprint(err), text) }
