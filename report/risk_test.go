package report

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

// small makes a release of one fragment of quasi-identifiers and one sensitive
// fragment from records (class, value) by group.
func small(groups [][][2]uint32, values int) *anonymize.Release {
	dictionary := func(n int) (all []anonymize.Value) {
		for i := range n {
			all = append(all, anonymize.IntegerValue(int64(i)))
		}
		return all
	}
	qi := &anonymize.Fragment{Name: "qi1", Role: anonymize.QuasiIdentifying, GroupStart: []uint32{0},
		Columns: []*anonymize.FragmentColumn{{Name: "q", Dictionary: dictionary(9)}}}
	sa := &anonymize.Fragment{Name: "sa", Role: anonymize.Sensitive, GroupStart: []uint32{0},
		Columns: []*anonymize.FragmentColumn{{Name: "s", Dictionary: dictionary(values)}}}
	r := &anonymize.Release{Method: "test", Fragments: []*anonymize.Fragment{qi, sa}}
	for _, records := range groups {
		r.GroupSizes = append(r.GroupSizes, uint32(len(records)))
		r.Rows += len(records)
		for i, f := range r.Fragments {
			counts := make(map[uint32]uint32)
			for _, record := range records {
				counts[record[i]]++
			}
			for code := range uint32(9) {
				if counts[code] > 0 {
					f.Columns[0].Codes, f.Count = append(f.Columns[0].Codes, code), append(f.Count, counts[code])
				}
			}
			f.GroupStart = append(f.GroupStart, uint32(f.Tuples()))
		}
	}
	return r
}

// The oracle looks at every matching of the sensitive entries of every group with
// its records, all equally likely, for who knows the records' classes only.
func enumerated(groups [][][2]uint32, values int) (risk map[string]float64, mean float64) {
	size, chance := make(map[uint32]float64), make(map[[2]uint32]float64) // of a class; of class and value
	rows := 0.0
	for _, records := range groups {
		matchings := anontest.Permutations(len(records))
		for _, record := range records {
			size[record[0]]++
			rows++
		}
		for _, m := range matchings {
			for i, record := range records {
				chance[[2]uint32{record[0], records[m[i]][1]}] += 1 / float64(len(matchings))
			}
		}
	}
	risk = make(map[string]float64)
	for key, records := range chance { // so many records of the class have the value
		p := records / size[key[0]]
		risk[fmt.Sprintf("%.6f", p)] += records / rows
		mean += p * records / rows
	}
	return risk, mean
}

func TestRiskIsThatOfAllMatchings(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		groups := make([][][2]uint32, 1+random.IntN(4))
		for g := range groups {
			for range 1 + random.IntN(5) {
				groups[g] = append(groups[g], [2]uint32{random.Uint32N(3), random.Uint32N(4)})
			}
		}
		r := small(groups, 4)
		if err := r.Check(); err != nil {
			t.Fatal(err)
		}
		risks, err := RiskOf(context.Background(), r, []string{"s"})
		if err != nil {
			t.Fatal(err)
		}
		want, mean := enumerated(groups, 4)
		got, total := make(map[string]float64), 0.0
		for _, p := range risks[0].Points {
			got[fmt.Sprintf("%.6f", p.Probability)] += p.Share
			total += p.Share
		}
		if len(got) != len(want) || math.Abs(total-1) > 1e-9 || math.Abs(risks[0].Mean-mean) > 1e-8 {
			t.Fatalf("round %d: %v, mean %v; all matchings: %v, mean %v", round, got, risks[0].Mean, want, mean)
		}
		for p, share := range want {
			if math.Abs(got[p]-share) > 1e-9 {
				t.Fatalf("round %d: probability %s has %v, all matchings %v", round, p, got[p], share)
			}
		}
		if share := risks[0].AtLeast(risks[0].Greatest); share <= 0 || risks[0].AtLeast(0) < 1-1e-9 {
			t.Fatalf("round %d: %v at the greatest, %v at 0", round, share, risks[0].AtLeast(0))
		}
	}
}

// A fragment that links the sensitive value to others: the records of a group with
// the same cells count. A person of the only class among two groups of 2 and 4 has
// the own entry with 2/6 * 1/2 or 4/6 * 1/4.
func TestRiskBesideAndOfEntries(t *testing.T) {
	spanning := small([][][2]uint32{{{0, 0}, {0, 1}}, {{0, 0}, {0, 1}, {0, 2}, {0, 3}}}, 4)
	risks, err := RiskOf(context.Background(), spanning, []string{"s"})
	if err != nil {
		t.Fatal(err)
	}
	if identity := risks[1]; len(identity.Points) != 1 || math.Abs(identity.Greatest-1./6) > 1e-9 {
		t.Errorf("own entry: %+v", identity)
	}
	mixed := &anonymize.Release{Method: "slicing", Rows: 4, GroupSizes: []uint32{4}, Fragments: []*anonymize.Fragment{{
		Name: "m", Role: anonymize.Mixed, GroupStart: []uint32{0, 3}, Count: []uint32{2, 1, 1},
		Columns: []*anonymize.FragmentColumn{
			{Name: "sex", Dictionary: []anonymize.Value{anonymize.TextValue("F"), anonymize.TextValue("M")}, Codes: []uint32{0, 1, 1}},
			{Name: "s", Dictionary: []anonymize.Value{anonymize.TextValue("flu"), anonymize.TextValue("gout")}, Codes: []uint32{0, 0, 1}}}}}}
	if risks, err = RiskOf(context.Background(), mixed, []string{"s"}); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(risks[0].Points); got != "[{0.5 0.5} {1 0.5}]" {
		t.Errorf("beside: %s, want both women certain, both men 1/2", got)
	}
	weighted := small([][][2]uint32{{{0, 0}, {1, 1}}}, 2)
	column := weighted.Fragments[1].Columns[0]
	column.Cells = []anonymize.Cell{{Members: []uint32{0, 1}, Weights: []float64{0.8, 0.2}}, {Members: []uint32{0, 1}}}
	if risks, err = RiskOf(context.Background(), weighted, []string{"s"}); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(risks[0].Points); got != "[{0.2 0.1} {0.5 0.5} {0.8 0.4}]" {
		t.Errorf("weighted cells: %s", got)
	}
}

// Three patients have two visits each, and everybody has value 0: who knows that somebody is among them knows it, of 3 of 6 records or of 3 of 3 patients.
func TestRiskOfUnits(t *testing.T) {
	r := small([][][2]uint32{{{0, 0}, {0, 1}, {0, 0}, {0, 2}, {0, 0}, {0, 3}}}, 4)
	if risks, err := RiskOf(t.Context(), r, []string{"s"}); err != nil || risks[0].AtLeast(1) != 0 {
		t.Errorf("by records: %+v, %v", risks, err)
	}
	r.Units = []uint32{3}
	r.Fragments[0].Units, r.Fragments[1].Units = []uint32{3}, []uint32{3, 1, 1, 1}
	risks, err := RiskOf(t.Context(), r, []string{"s"})
	if err != nil {
		t.Fatal(err)
	}
	if got := risks[0].count(risks[0].AtLeast(1)); got != "3 of 6 combinations of a person and a value" {
		t.Errorf("sure are %s", got)
	}
	if got := risks[1].Points; len(got) != 1 || math.Abs(got[0].Probability-1./3) > 1e-9 {
		t.Errorf("own entry: %v", got)
	}
	if found := concerns(r, risks, nil, nil, nil); !slices.ContainsFunc(found, func(c Concern) bool {
		return c.Severe && strings.Contains(c.Text, "reads their s off the relations, since one value is left for each of them")
	}) {
		t.Errorf("no red line: %v", found)
	}
}

func TestRiskStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := RiskOf(ctx, small([][][2]uint32{{{0, 0}}}, 1), []string{"s"}); err != context.Canceled {
		t.Errorf("got %v", err)
	}
}
