package misfit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/interval"
)

// A Misfit says how wrong the completed tables of a release are, by pair of attributes
// of different fragments. It is made from what is published, so it is public.
type Misfit struct {
	// Records is how many records of the release were looked at.
	Records int `json:"records"`
	// Cells is how many cells of pairs were compared, in all measures.
	Cells int `json:"cells"`
	// Pairs are sorted by A, then by B; A is less than B.
	Pairs []Pair `json:"pairs"`
	// Triples are the attributes that do together what no two of them do, and tables do
	// not; sorted. Older releases have none.
	Triples []Triple `json:"triples,omitempty"`
	// Averages are the ratios of AVG above 0, and Unseen what tables cannot know of its numbers;
	// sorted. Older releases have none.
	Averages []Average `json:"averages,omitempty"`
	Unseen   []Unseen  `json:"unseen,omitempty"`
}

// An Average is AVG of a number by an attribute of another fragment.
type Average struct {
	Of string `json:"of"`
	By string `json:"by"`
	// Ratio is that of Pair for the records of every value of the number, so that the mean is off
	// by half of it times the mean absolute distance of the records from it, by the root of
	// two: those above the mean are off by themselves, and those below. One of Ratios.
	Ratio float64 `json:"r"`
	// Drawn is how much nearer to the mean of all records than it is a mean is in tables, by its distance there, at
	// least 0. Ratio explains the rest.
	Drawn float64 `json:"drawn,omitempty"`
	// Distance is how far means are from that of all records, in Ratio's units, the root of a mean square: of a question
	// over several attributes every one has its part.
	Distance float64 `json:"distance,omitempty"`
}

// An Unseen is an attribute of which the model has categories, each of several values.
type Unseen struct {
	Attribute string `json:"a"`
	// Categories is how many there are, at least 1.
	Categories int `json:"categories"`
	// Share is the variance of a number inside categories, by that between them: the mean of a group
	// is nearer to that of all records by about as much. 0 of texts.
	Share float64 `json:"share,omitempty"`
}

// remainingLuck is how much is left of the luck of single values: nothing is where the model has no categories of
// several values. Values next to each other fill whole categories but at both ends; there a part p of one
// of C has the luck of p(1 - p) of it, 1/4 at most. A weighted sum hardly tells the values of a category apart.
func (u *Unseen) remainingLuck(s interval.Selection) float64 {
	switch {
	case s.Weighted:
		return u.Share / (1 + u.Share)
	case s.Share == 0:
		return 1
	}
	return min(1, 2*float64(s.Runs)/(4*float64(u.Categories)*s.Share))
}

// A Pair is two attributes that different fragments have.
type Pair struct {
	A string `json:"a"`
	B string `json:"b"`
	// Ratio is r: half of it is the standard deviation, relative to an estimate, of what
	// the tables' differences do not show. One of Ratios.
	Ratio float64 `json:"r"`
	// Luck is the variance by record that single values have besides, where the model takes several
	// of an attribute's for one category. One of Lucks.
	Luck float64 `json:"luck,omitempty"`
	// Invented is the association that completed tables have, by the method's choice
	// of groups, where the attributes are unrelated: how far their cells are from
	// Eq. 11's, relative to those (phi, the root of a mean square), at least 0.
	Invented float64 `json:"invented"`
	// Associated is the same of the release's own completed tables.
	Associated float64 `json:"associated"`
	// Cells is how many cells of this pair were compared, 0 where none was large enough.
	Cells int `json:"cells"`
}

// A Triple is three attributes that are not all in one fragment, A less than B less than C.
type Triple struct {
	A string `json:"a"`
	B string `json:"b"`
	C string `json:"c"`
	// Ratio is that of Pair, of what the pairs do not have. One of Ratios, above 0.
	Ratio float64 `json:"r"`
}

// Ratios are what a ratio can be, ascending: from 0.1 on, none is more than half above the
// one before.
func Ratios() []float64 {
	return []float64{0, 0.025, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1}
}

// Ratio is r for a question over some attributes, 0 for one that one fragment answers.
// Of two attributes it is that of their pair. More are linked by as many pairs as there are
// attributes without the first, and each of these is wrong by itself: the squares of the
// largest ratios add up. Pairs give no more than the largest ratio, with which an interval
// begins at 0. The largest ratio of a triple comes on top.
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
	largest := 0.0
	for _, t := range m.Triples {
		if slices.Contains(columns, t.A) && slices.Contains(columns, t.B) && slices.Contains(columns, t.C) {
			largest = max(largest, t.Ratio)
		}
	}
	return math.Sqrt(square + float64(largest*largest))
}

// Luck is the largest of the pairs of some attributes, as far as the values that are taken leave it.
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

// Average is r for AVG of numbers over a question's attributes, of's own among them, and the share
// of what its tables cannot know. What moves records between the other attributes' cells
// moves no mean by itself, so that the pairs of the number count, one with every other attribute. How far a
// mean is drawn is that of each of these, by the square of its distance.
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
	triple := 0.0
	for _, t := range m.Triples {
		among := slices.Contains(columns, t.A) && slices.Contains(columns, t.B) && slices.Contains(columns, t.C)
		if among && (slices.Contains(of, t.A) || slices.Contains(of, t.B) || slices.Contains(of, t.C)) {
			triple = max(triple, t.Ratio)
		}
	}
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

// Independent reports whether Eq. 11 answers a question over some attributes better
// than completed tables do: whether what the choice of groups invents is more than what
// Eq. 11 leaves out. Both are square sums over the pairs of the question. An association
// that completed tables show is what they invent and what there is, so that
// the latter is the rest. What is invented must be at least a tenth: less is nobody's
// error.
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

// pairsAmong visits the pairs whose attributes are both among the columns.
func (m *Misfit) pairsAmong(columns []string) func(yield func(*Pair) bool) {
	return func(yield func(*Pair) bool) {
		for i := range m.Pairs {
			p := &m.Pairs[i]
			if slices.Contains(columns, p.A) && slices.Contains(columns, p.B) && !yield(p) {
				return
			}
		}
	}
}

// Check verifies that m is a measure of r: it has every pair of attributes of different
// fragments and no other. Whoever reads it from somewhere asks this first, since a pair
// that is missing would count as one without misfit.
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
		// Where three attributes are not all in one fragment, each has a pair.
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

// pairsOf lists the pairs of attributes of different fragments, sorted.
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
	if c := strings.Compare(a.A, b.A); c != 0 {
		return c
	}
	return strings.Compare(a.B, b.B)
}

func compareTriples(a, b Triple) int {
	return cmp.Or(strings.Compare(a.A, b.A), strings.Compare(a.B, b.B), strings.Compare(a.C, b.C))
}
