package estimate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/testsize"
)

// The oracle of variances, extremes and distinct values of one key: every table
// that agrees with the release.
type enumeratedKind struct {
	n, s, squares float64 // expected number, sum, sum of squares of x
	least, most   float64
	distinct      float64
}

// met is a set of "key|value" with its probability, of one group.
type met struct {
	p   float64
	set []string
}

// enumerateKinds visits every table of every group, and for COUNT(DISTINCT)
// every combination of the groups' tables.
func enumerateKinds(r *anonymize.Release, q *plainQuestion) map[string]*enumeratedKind {
	answer := map[string]*enumeratedKind{}
	var groups []map[string]met
	for g, size := range r.GroupSizes {
		sets := map[string]met{}
		records := recordsOf(r, g)
		matchings := allMatchings(len(r.Fragments), int(size))
		for _, matching := range matchings {
			rows := make([][]uint32, size)
			for record := range rows {
				for f := range r.Fragments {
					rows[record] = append(rows[record], records[f][matching[f][record]])
				}
			}
			visitTables(r, rows, 0, nil, 1/float64(len(matchings)), func(drawn []plainRow, p float64) {
				set := q.meet(drawn, p, answer)
				text := strings.Join(set, ";")
				sets[text] = met{sets[text].p + p, set}
			})
		}
		groups = append(groups, sets)
	}
	countJointly(groups, 1, map[string]bool{}, answer)
	return answer
}

// meet adds the records of one group's table to the answer and lists what is
// met in it.
func (q *plainQuestion) meet(rows []plainRow, p float64, answer map[string]*enumeratedKind) []string {
	var set []string
	for _, row := range rows {
		single := map[string]expected{}
		q.tally(row, 1, single)
		for key, e := range single {
			k := answer[key]
			if k == nil {
				k = &enumeratedKind{least: math.Inf(1), most: math.Inf(-1)}
				answer[key] = k
			}
			if e[1] == 0 {
				continue
			}
			k.n += p
			k.s += p * e[2]
			k.squares += p * e[2] * e[2]
			k.least, k.most = min(k.least, e[2]), max(k.most, e[2])
			if text := fmt.Sprintf("%s|%g", key, e[2]); !slices.Contains(set, text) {
				set = append(set, text)
			}
		}
	}
	slices.Sort(set)
	return set
}

// countJointly adds the number of different values of every key in every
// combination of the groups' tables.
func countJointly(groups []map[string]met, p float64, seen map[string]bool, answer map[string]*enumeratedKind) {
	if len(groups) == 0 {
		for text := range seen {
			answer[text[:strings.LastIndexByte(text, '|')]].distinct += p
		}
		return
	}
	for _, m := range groups[0] {
		grown := map[string]bool{}
		for text := range seen {
			grown[text] = true
		}
		for _, text := range m.set {
			grown[text] = true
		}
		countJointly(groups[1:], p*m.p, grown, answer)
	}
}

var allKinds = []Kind{VariancePopulation, VarianceSample, DeviationPopulation, DeviationSample, Least, Greatest, Distinct}

// Variances, extremes and numbers of values equal the enumerated ones, per key
// and with NULLs; what mixes fragments is refused for COUNT(DISTINCT) only.
func TestKindsEqualEnumeration(t *testing.T) {
	random := rand.New(rand.NewPCG(31, 32))
	counted, refused := 0, 0
	for trial := range trials(1500) {
		cells := trial%4 == 0
		r := randomRelease(random, cells)
		if cells && tooMany(r) {
			continue
		}
		q, plain := randomQuestion(random, r)
		if trial%2 == 0 {
			q, plain = conjunction(random, r)
		}
		argument := q.Aggregates[1].Argument
		q.Aggregates = nil
		for _, kind := range allKinds {
			q.Aggregates = append(q.Aggregates, Aggregate{Kind: kind, Argument: argument})
		}
		answer, err := askByGroups(context.Background(), r, q)
		if errors.Is(err, ErrNotAConjunction) && trial%2 == 1 {
			refused++
			q.Aggregates = q.Aggregates[:len(allKinds)-1]
			answer, err = askByGroups(context.Background(), r, q)
		}
		if err != nil {
			t.Fatalf("trial %d: %v", trial, err)
		}
		if trial%2 == 0 { // the same by the kernels
			answer = mustAskPrepared(t, Prepare(r), q)
		}
		want := enumerateKinds(r, plain)
		if len(want) == 0 && len(q.Keys) == 0 {
			want["[]"] = &enumeratedKind{}
		}
		if len(answer.Rows) != len(want) {
			t.Fatalf("trial %d: %d keys, enumeration has %d", trial, len(answer.Rows), len(want))
		}
		for _, row := range answer.Rows {
			for a, got := range row.Figures {
				checkKind(t, trial, row.Keys, q.Aggregates[a].Kind, got, want[fmt.Sprint(row.Keys)])
				counted++
			}
		}
	}
	t.Logf("%d figures, %d numbers of values refused", counted, refused)
	if refused == 0 && testsize.All() || refused > 200 {
		t.Errorf("%d general questions were refused, must be some and at most 200", refused)
	}
}

func checkKind(t *testing.T, trial int, keys []anonymize.Value, kind Kind, got anonymize.Value, e *enumeratedKind) {
	t.Helper()
	want, null := 0.0, e.n == 0
	variance := max(0, e.squares/e.n-e.s/e.n*(e.s/e.n))
	sample := variance * e.n / (e.n - 1)
	switch kind {
	case VariancePopulation:
		want = variance
	case DeviationPopulation:
		want = math.Sqrt(variance)
	case VarianceSample:
		want, null = sample, e.n <= 1+1e-9
	case DeviationSample:
		want, null = math.Sqrt(sample), e.n <= 1+1e-9
	case Least:
		want = e.least
	case Greatest:
		want = e.most
	case Distinct:
		want, null = e.distinct, false
	}
	number, _ := got.Number()
	if null != got.IsNull() || !null && math.Abs(number-want) > 1e-6*max(1, want) {
		t.Fatalf("trial %d key %v kind %d: %v, enumerated %v (NULL: %v)", trial, keys, kind, got, want, null)
	}
}

// A small variance of large numbers keeps its digits.
func TestVarianceOfLargeNumbers(t *testing.T) {
	table := &anonymize.Microdata{Rows: 3, Columns: []*anonymize.Column{{Name: "x", Type: "bigint", Codes: []uint32{0, 1, 2},
		Dictionary: []anonymize.Value{anonymize.IntegerValue(1e15), anonymize.IntegerValue(1e15 + 1), anonymize.IntegerValue(1e15 + 2)}}}}
	q := &Question{Leaves: []Leaf{ValueOf(0, 0)}, Aggregates: []Aggregate{{Kind: VarianceSample, Argument: &Expression{Leaves: []int{0}}}}}
	if got := mustAsk(t, OfTable(table), q).Rows[0].Figures[0].Float; got != 1 {
		t.Errorf("the variance of three consecutive numbers is %v, not 1", got)
	}
}

// A question with more keys than it allows is refused.
func TestMaxKeys(t *testing.T) {
	r := printedTable3()
	q := &Question{Leaves: []Leaf{ValueOf(0, 0)}, Keys: []Expression{{Leaves: []int{0}}}, Aggregates: []Aggregate{{Kind: Count}}, MaxKeys: 6}
	if rows := mustAsk(t, r, q).Rows; len(rows) != 6 {
		t.Errorf("%d ages, not 6", len(rows))
	}
	q.MaxKeys = 5
	if _, err := askByGroups(context.Background(), r, q); !errors.Is(err, ErrTooManyKeys) {
		t.Errorf("6 keys where 5 are allowed: %v", err)
	}
}

// Least and Greatest follow the order that the question gives.
func TestExtremesInAnOrder(t *testing.T) {
	backwards := func(a, b anonymize.Value) (int, error) { return anonymize.Compare(b, a), nil }
	x := &Expression{Leaves: []int{0}}
	q := &Question{Leaves: []Leaf{ValueOf(1, 1)}, Aggregates: []Aggregate{{Kind: Least, Argument: x}, {Kind: Least, Argument: x, Compare: backwards}, {Kind: Greatest, Argument: x}}}
	figures := mustAsk(t, printedTable3(), q).Rows[0].Figures
	if figures[0].Text != "Doctor" || figures[1].Text != "Teacher" || figures[2].Text != "Teacher" {
		t.Errorf("extremes are %v", figures)
	}
}
