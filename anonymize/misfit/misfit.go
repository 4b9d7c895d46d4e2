package misfit

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/interval"
)

// A Misfit says how wrong the completed tables of a release are, by pair of attributes of
// different fragments. It is computed from what is published, so it is public.
type Misfit struct {
	// Records is the number of the release's records that were measured.
	Records int `json:"records"`
	// Cells is the number of compared cells of pairs, over all measures.
	Cells int `json:"cells"`
	// Pairs are sorted by A, then by B; A is less than B.
	Pairs []Pair `json:"pairs"`
	// Triples are sorted triples of attributes with a three-way interaction that the tables
	// lack: at most maxTriples of them. Older releases have none.
	Triples []Triple `json:"triples,omitempty"`
	// Averages have ratios of AVG above 0; Unseen is what the tables cannot know of numbers.
	// Both are sorted. Older releases have none.
	Averages []Average `json:"averages,omitempty"`
	Unseen   []Unseen  `json:"unseen,omitempty"`
}

// An Average is AVG of a number by an attribute of another fragment.
type Average struct {
	Of string `json:"of"`
	By string `json:"by"`
	// Ratio is like that of Pair, for the records of every value of the number: the mean is off by half
	// of it times the mean absolute distance of the records from the mean, divided by the root of two,
	// because the records above and below the mean are off independently. One of Ratios.
	Ratio float64 `json:"r"`
	// Drawn says how much nearer to the overall mean a mean is in the tables than in truth,
	// relative to its distance there; at least 0. Ratio covers the rest.
	Drawn float64 `json:"drawn,omitempty"`
	// Distance is the root mean square of the means' distances from the overall mean, in
	// Ratio's units. It weighs the attributes of a question over several.
	Distance float64 `json:"distance,omitempty"`
}

// An Unseen is an attribute of which the model has only categories of several values each.
type Unseen struct {
	Attribute string `json:"a"`
	// Categories is the number of categories, at least 1.
	Categories int `json:"categories"`
	// Share is the variance of a number within categories divided by that between them: the
	// mean of a group is biased towards the overall mean by about as much. 0 for texts.
	Share float64 `json:"share,omitempty"`
}

// remainingLuck returns the part of the random error of single values that a selection keeps.
// Neighbouring values fill whole categories except at both ends; there, a part p of one of C categories
// has p(1 - p) of its error, at most 1/4. A weighted sum hardly distinguishes the values of a category.
func (u *Unseen) remainingLuck(s interval.Selection) float64 {
	switch {
	case s.Weighted:
		return u.Share / (1 + u.Share)
	case s.Share == 0:
		return 1
	}
	return min(1, 2*float64(s.Runs)/(4*float64(u.Categories)*s.Share))
}

// A Pair is two attributes of different fragments.
type Pair struct {
	A string `json:"a"`
	B string `json:"b"`
	// Ratio is r: half of it is the standard deviation, relative to an estimate, of the error
	// that the tables' differences do not show. One of Ratios.
	Ratio float64 `json:"r"`
	// Luck is the additional variance per record of single values, if a category has several.
	// One of Lucks.
	Luck float64 `json:"luck,omitempty"`
	// Invented is the association that completed tables have between unrelated attributes, due
	// to the method's choice of groups: the root mean square of the cells' relative distance
	// from Eq. 11 (phi), at least 0.
	Invented float64 `json:"invented"`
	// Associated is the same association in the release's own completed tables.
	Associated float64 `json:"associated"`
	// Cells is the number of compared cells of this pair; 0 if none was large enough.
	Cells int `json:"cells"`
}

// A Triple is three attributes that are not all in one fragment; A < B < C.
type Triple struct {
	A string `json:"a"`
	B string `json:"b"`
	C string `json:"c"`
	// Ratio is like that of Pair, for what the pairs do not cover. One of Ratios, above 0.
	Ratio float64 `json:"r"`
}

// Ratios are the possible ratios, ascending. From 0.1 on, each is at most half above the one
// before.
func Ratios() []float64 {
	return []float64{0, 0.025, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1}
}

// Ratio returns r for a question over some attributes; 0 if one fragment answers it. For two
// attributes it is the ratio of their pair. More attributes are linked by as many pairs as
// there are attributes except one, whose errors are independent: the squares of the largest
// ratios add up. Pairs give at most the largest of Ratios, with which an interval begins at 0.
// The largest ratio of a triple is added.
func (m *Misfit) Ratio(columns []string) float64 {
	var ratios []float64
	var linked []string
	for p := range m.pairsAmong(columns) {
		ratios, linked = append(ratios, p.Ratio), append(linked, p.A, p.B)
	}
	if len(ratios) < 2 {
		return slices.Max(append(ratios, 0))
	}
	slices.Sort(linked)
	slices.Sort(ratios)
	square := 0.0
	for _, r := range ratios[len(ratios)-min(len(ratios), len(slices.Compact(linked))-1):] {
		square += float64(r * r)
	}
	square = min(1, square)
	triple := m.triple(columns, columns)
	return math.Sqrt(square + float64(triple*triple))
}

// triple returns the largest ratio of the triples among a question's attributes that have one of some. Triples that were not compared have
// the usual ratio.
func (m *Misfit) triple(some, columns []string) (largest float64) {
	if len(m.Triples) == maxTriples && len(slices.Collect(m.pairsAmong(columns))) > 1 {
		largest = usual
	}
	for _, t := range m.Triples {
		attributes := []string{t.A, t.B, t.C}
		outside := func(name string) bool { return !slices.Contains(columns, name) }
		if !slices.ContainsFunc(attributes, outside) && slices.ContainsFunc(attributes, func(name string) bool { return slices.Contains(some, name) }) {
			largest = max(largest, t.Ratio)
		}
	}
	return largest
}

// Luck returns the largest Luck of the pairs of some attributes, as far as the selected values keep it.
func (m *Misfit) Luck(columns []string, taken func(column string) interval.Selection) (luck float64) {
	for p := range m.pairsAmong(columns) {
		if p.Luck <= luck {
			continue
		}
		left := 0.0
		for _, u := range m.Unseen {
			if u.Attribute == p.A || u.Attribute == p.B {
				left = max(left, u.remainingLuck(taken(u.Attribute)))
			}
		}
		luck = max(luck, p.Luck*left)
	}
	return luck
}

// Average returns r for AVG of numbers over a question's attributes, which include those in of,
// and the share that its tables cannot know. Errors between the cells of other attributes do
// not change a mean by themselves, so only pairs of the number with each other attribute count.
// drawn is the mean of theirs, weighted by the square of the distance.
func (m *Misfit) Average(of, columns []string) (ratio, drawn float64) {
	square, part, all := 0.0, 0.0, 0.0
	for _, by := range columns {
		if slices.Contains(of, by) {
			continue
		}
		largest := 0.0
		for p := range m.pairsAmong(append([]string{by}, of...)) {
			if p.A == by || p.B == by {
				largest = max(largest, p.Ratio)
			}
		}
		for _, a := range m.Averages {
			if a.By == by && slices.Contains(of, a.Of) {
				largest = max(largest, a.Ratio)
				far := float64(a.Distance * a.Distance)
				part, all = part+a.Drawn*far, all+far
			}
		}
		square += float64(largest * largest)
	}
	triple := m.triple(of, columns)
	if all > 0 {
		drawn = part / all
	}
	for _, u := range m.Unseen {
		if slices.Contains(of, u.Attribute) {
			drawn = max(drawn, u.Share)
		}
	}
	return math.Sqrt(min(1, square) + float64(triple*triple)), drawn
}

// Independent reports whether Eq. 11 answers a question over some attributes better than
// completed tables: whether the choice of groups invents more association than Eq. 11 leaves
// out. Both are sums of squares over the pairs of the question. The association in completed
// tables is what they invent plus what exists, so the latter is the difference. The invented
// association must be at least a tenth; less does not matter.
func (m *Misfit) Independent(columns []string) bool {
	invented, left := 0.0, 0.0
	for p := range m.pairsAmong(columns) {
		square := float64(p.Invented * p.Invented)
		invented += square
		left += max(0, float64(p.Associated*p.Associated)-square)
	}
	return invented > max(left, minInvented*minInvented)
}

const minInvented = 0.1

// pairsAmong visits the pairs with both attributes among the columns.
func (m *Misfit) pairsAmong(columns []string) iter.Seq[*Pair] {
	return func(yield func(*Pair) bool) {
		for i := range m.Pairs {
			p := &m.Pairs[i]
			if slices.Contains(columns, p.A) && slices.Contains(columns, p.B) && !yield(p) {
				return
			}
		}
	}
}

// Check verifies that m belongs to r: it must have exactly the pairs of attributes of different
// fragments. Readers of stored measures must call it, since a missing pair would count as one
// without misfit.
func (m *Misfit) Check(r *anonymize.Release) error {
	want := pairsOf(r)
	if len(want) != len(m.Pairs) {
		return fmt.Errorf("the misfit has %d pairs of attributes, the release %d", len(m.Pairs), len(want))
	}
	for i, p := range m.Pairs {
		if p.A != want[i].A || p.B != want[i].B {
			return fmt.Errorf("the misfit has %s and %s, the release %s and %s", p.A, p.B, want[i].A, want[i].B)
		}
	}
	for _, t := range m.Triples {
		// If three attributes are not all in one fragment, each of them is in a pair.
		linked := make(map[string]bool)
		for p := range (&Misfit{Pairs: want}).pairsAmong([]string{t.A, t.B, t.C}) {
			linked[p.A], linked[p.B] = true, true
		}
		if len(linked) < 3 {
			return fmt.Errorf("the misfit has %s, %s and %s, of which the release says nothing or all", t.A, t.B, t.C)
		}
	}
	for _, a := range m.Averages {
		pair := Pair{A: min(a.Of, a.By), B: max(a.Of, a.By)}
		if _, ok := slices.BinarySearchFunc(want, pair, comparePairs); !ok {
			return fmt.Errorf("the misfit has averages of %s by %s, of which the release says nothing or all", a.Of, a.By)
		}
	}
	for _, u := range m.Unseen {
		if _, _, ok := r.Locate(u.Attribute); !ok {
			return fmt.Errorf("the misfit has categories of %s, which the release has not", u.Attribute)
		}
	}
	if m.Records > r.Rows {
		return fmt.Errorf("the misfit is one of %d records, the release has %d", m.Records, r.Rows)
	}
	return nil
}

// pairsOf returns the sorted pairs of attributes of different fragments.
func pairsOf(r *anonymize.Release) (pairs []Pair) {
	for j, f := range r.Fragments {
		for _, e := range r.Fragments[:j] {
			for _, one := range e.Columns {
				for _, other := range f.Columns {
					pairs = append(pairs, Pair{A: min(one.Name, other.Name), B: max(one.Name, other.Name)})
				}
			}
		}
	}
	slices.SortFunc(pairs, comparePairs)
	return pairs
}

func comparePairs(a, b Pair) int {
	return cmp.Or(strings.Compare(a.A, b.A), strings.Compare(a.B, b.B))
}

func compareTriples(a, b Triple) int {
	return cmp.Or(strings.Compare(a.A, b.A), strings.Compare(a.B, b.B), strings.Compare(a.C, b.C))
}
