package impute

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
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/testsize"
)

// learnedOf is a model that nobody fitted: its theta is drawn.
func learnedOf(r *anonymize.Release, scale float64, random *rand.Rand) *Learned {
	f, err := newFitter(context.Background(), r, Options{})
	if err != nil {
		panic(err) // the context does not end
	}
	m := newModel(f.sample, f.schema.weakPrior())
	m.theta = randomTheta(f.schema, scale, random)
	factors := m.newFactors()
	factors.refresh()
	return &Learned{r, m, factors, f.seed, 2}
}

// everyTuple asks for a column of every combination of tuples of the fragments that can be
// in one row of group 0: all but the last, of which the first `shared` columns are known.
func everyTuple(r *anonymize.Release, shared int) Inquiry {
	last := len(r.Fragments) - 1
	q := Inquiry{Fragment: last, Column: shared, Known: make([][]int, last+1)}
	for j, f := range r.Fragments {
		for c := range f.Columns {
			if j < last || c < shared {
				q.Known[j] = append(q.Known[j], c)
			}
		}
	}
	var extend func(row []uint32)
	extend = func(row []uint32) {
		if len(row) > last {
			q.Group, q.Tuple = append(q.Group, 0), append(q.Tuple, row...)
			return
		}
		for t := range r.Fragments[len(row)].GroupStart[1] {
			extend(append(slices.Clone(row), t))
		}
	}
	extend(nil)
	return q
}

// enumerated goes over all matchings of group 0 and adds up, for every target, the weights of
// those with a row that agrees with all that is known of it, by the row's value.
func enumerated(l *Learned, q Inquiry) []map[uint32]float64 {
	r, fragments := l.release, len(q.Known)
	slots := l.model.slotsOf(r, []uint32{0})
	t, total := slots.begin(), make([]float64, len(q.Group))
	mass := make([]map[uint32]float64, len(q.Group))
	for target := range mass {
		mass[target] = make(map[uint32]float64)
	}
	tupleOf := make([][]uint32, fragments)
	for j, f := range r.Fragments {
		for k := range f.GroupStart[1] {
			for range f.Count[k] {
				tupleOf[j] = append(tupleOf[j], k)
			}
		}
	}
	asked, row := r.Fragments[q.Fragment].Columns[q.Column].Codes, make([]uint32, fragments)
	var match func(j int)
	match = func(j int) {
		if j < fragments {
			for _, p := range anontest.Permutations(t.count()) {
				for slot, k := range p {
					t.place[j-1][slot] = uint16(k)
					copy(t.rows[slot*len(t.attributes):][t.of[j]:t.of[j+1]], slots.rows[k*len(t.attributes):][t.of[j]:t.of[j+1]])
				}
				match(j + 1)
			}
			return
		}
		weight := math.Exp(energy(t, l.model.theta))
		for slot := range t.count() {
			row[0] = tupleOf[0][slot]
			for j := 1; j < fragments; j++ {
				row[j] = tupleOf[j][t.place[j-1][slot]]
			}
			for target := range q.Group {
				if l.sameKnown(q, row, q.Tuple[target*fragments:][:fragments]) {
					mass[target][asked[row[q.Fragment]]] += weight
					total[target] += weight
				}
			}
		}
	}
	match(1)
	for target := range mass {
		for code := range mass[target] {
			mass[target][code] /= total[target]
		}
	}
	return mass
}

// sameKnown reports whether two rows of tuples have the same values in the known columns.
func (l *Learned) sameKnown(q Inquiry, row, other []uint32) bool {
	for j, f := range l.release.Fragments {
		for _, c := range q.Known[j] {
			if codes := f.Columns[c].Codes; codes[row[j]] != codes[other[j]] {
				return false
			}
		}
	}
	return true
}

// mixed adds to the last fragment of one group a column before its own.
func mixed(r *anonymize.Release, codes ...uint32) *anonymize.Release {
	f := r.Fragments[len(r.Fragments)-1]
	c := &anonymize.FragmentColumn{Name: "beside", Codes: codes}
	for v := range slices.Max(codes) + 1 {
		c.Dictionary = append(c.Dictionary, anonymize.IntegerValue(int64(v)))
	}
	f.Columns = append([]*anonymize.FragmentColumn{c}, f.Columns...)
	return r
}

// The posterior of every target is that of all matchings, enumerated: to rounding where
// there are two fragments and few records, else on the average over many seeds.
func TestPosterior(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		name   string
		r      *anonymize.Release
		shared int
		seeds  int
		most   float64 // deviation
	}{
		{"two fragments", grouped([]uint32{0, 1, 2, 3}, []uint32{0, 1, 2, 2}), 0, 1, 1e-5},
		{"two, tuples of several records", grouped([]uint32{0, 0, 1, 2}, []uint32{0, 1, 1, 1}), 0, 1, 1e-5},
		{"two, the value beside a known one", mixed(grouped([]uint32{0, 1, 2, 3}, []uint32{0, 1, 2, 3}), 0, 0, 1, 1), 1, 1, 1e-5},
		{"three fragments", grouped([]uint32{0, 1, 2, 3}, []uint32{0, 1, 1, 2}, []uint32{0, 1, 2, 3}), 0, 200, 0.02},
		{"three, the value beside a known one", mixed(grouped([]uint32{0, 1, 2, 3}, []uint32{0, 0, 1, 2}, []uint32{0, 1, 2, 3}), 0, 0, 0, 1), 1, 200, 0.02},
		{"more records than a draw takes", grouped([]uint32{0, 1, 2, 3, 4, 5, 5, 6}, []uint32{0, 1, 2, 3, 3, 3, 4, 4}), 0, 40, 0.02},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := Refuse(c.r); err != nil {
				t.Fatal(err)
			}
			l := learnedOf(c.r, 1, random)
			q := everyTuple(c.r, c.shared)
			got := make([]map[uint32]float64, len(q.Group))
			for range c.seeds {
				l.seed[1]++
				err := l.Posterior(context.Background(), q, func(target int, g Guess) {
					if got[target] == nil {
						got[target] = make(map[uint32]float64)
					}
					for i, code := range g.Values {
						got[target][code] += g.Posterior[i] / float64(c.seeds)
					}
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			want := enumerated(l, q)
			for target := range q.Group {
				for code, p := range got[target] {
					if math.Abs(p-want[target][code]) > c.most {
						t.Errorf("target %d: value %d has %.5f, want %.5f", target, code, p, want[target][code])
					}
				}
			}
		})
	}
}

// Without a model the posterior is the prior: the share of a value among the tuples
// that agree with what is known.
func TestPrior(t *testing.T) {
	r := mixed(grouped([]uint32{0, 1, 2, 3, 4}, []uint32{0, 0, 1, 2, 3}), 0, 0, 1, 1)
	l := learnedOf(r, 0, rand.New(rand.NewPCG(1, 1)))
	q := everyTuple(r, 1)
	want := map[uint32][]float64{0: {2. / 3, 1. / 3, 0, 0}, 1: {2. / 3, 1. / 3, 0, 0}, 2: {0, 0, .5, .5}, 3: {0, 0, .5, .5}}
	err := l.Posterior(context.Background(), q, func(target int, g Guess) {
		for i := range g.Values {
			p := want[q.Tuple[2*target+1]][i]
			if math.Abs(g.Prior[i]-p) > 1e-12 || math.Abs(g.Posterior[i]-p) > 1e-6 {
				t.Errorf("target %d: value %d has prior %.4f, posterior %.4f, want %.4f", target, g.Values[i], g.Prior[i], g.Posterior[i], p)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// everybody asks for the disease of all records of groups of some size, put together at
// random: every record is known by the tuples that are at its place.
func everybody(size int, fragments ...string) (*anonymize.Release, Inquiry) {
	s, random := made(40*size, 9), rand.New(rand.NewPCG(2, uint64(size)))
	order := random.Perm(s.table.Rows)
	r := &anonymize.Release{Rows: len(order)}
	q := Inquiry{Fragment: len(fragments), Known: make([][]int, len(fragments)+1), Tuple: make([]uint32, len(order)*(len(fragments)+1))}
	for g := 0; g < len(order)/size; g++ {
		r.GroupSizes = append(r.GroupSizes, uint32(size))
		for range size {
			q.Group = append(q.Group, uint32(g))
		}
	}
	for j, names := range append(slices.Clone(fragments), "disease") {
		f := &anonymize.Fragment{Name: names, GroupStart: []uint32{0}}
		for c, name := range strings.Fields(names) {
			f.Columns = append(f.Columns, &anonymize.FragmentColumn{Name: name, Dictionary: s.table.Column(name).Dictionary})
			if j < len(fragments) {
				q.Known[j] = append(q.Known[j], c)
			}
		}
		for low := 0; low < len(order); low += size {
			places := make([]int, size)
			for i := range places {
				places[i] = low + i
			}
			codes := func(place int) (all []uint32) {
				for _, c := range f.Columns {
					all = append(all, s.table.Column(c.Name).Codes[order[place]])
				}
				return all
			}
			slices.SortFunc(places, func(a, b int) int { return slices.Compare(codes(a), codes(b)) })
			for i, place := range places {
				if i > 0 && slices.Equal(codes(places[i-1]), codes(place)) {
					f.Count[len(f.Count)-1]++
				} else {
					f.Count = append(f.Count, 1)
					for c, code := range codes(place) {
						f.Columns[c].Codes = append(f.Columns[c].Codes, code)
					}
				}
				q.Tuple[place*len(q.Known)+j] = uint32(len(f.Count) - 1)
			}
			f.GroupStart = append(f.GroupStart, uint32(len(f.Count)))
		}
		r.Fragments = append(r.Fragments, f)
	}
	return r, q
}

// Just above maxSampled, potentials and matchings say nearly the same: of the way from
// the prior less than a seventh is missing, and of the probability of the actual value, if
// the model is true, less than a twenty-fifth.
func TestDeviation139_LargeGroups(t *testing.T) {
	const size, groups, targets, runs = maxSampled + 1, 12, 8, 4
	for _, fragments := range [][]string{{"age sex diet region"}, {"age sex", "diet region"}} {
		r, q := everybody(size, fragments...)
		if err := r.Check(); err != nil {
			t.Fatal(err)
		}
		l := learnedOf(r, 0.5, rand.New(rand.NewPCG(3, 3)))
		w := &guesser{Learned: l, Inquiry: &q, random: rand.New(rand.NewPCG(1, 2))}
		away, way, own, actual := 0.0, 0.0, 0.0, 0.0
		for g := range groups {
			low, high := g*size, g*size+targets
			w.enter(uint32(g))
			want := make([][]float64, targets)
			for range runs {
				w.sampled(context.Background(), low, high, func(target int, g Guess) {
					want[target-low] = resized(want[target-low], len(g.Posterior))
					for v, p := range g.Posterior {
						want[target-low][v] += p / runs
					}
				})
			}
			w.visitLargeGroup(context.Background(), low, high, func(target int, g Guess) {
				for v, p := range want[target-low] {
					away += math.Abs(g.Posterior[v] - p)
					way += math.Abs(g.Prior[v] - p)
					own += g.Posterior[v] * p
					actual += p * p
				}
			})
		}
		t.Logf("%d fragments: %.3f of the way missing; own value %.4f by matchings, %.4f by potentials", len(r.Fragments),
			away/way, actual/groups/targets, own/groups/targets)
		if away > 0.15*way || math.Abs(own-actual) > 0.04*actual {
			t.Errorf("%d fragments: potentials and matchings differ", len(r.Fragments))
		}
	}
}

// The same release and inquiry give the same guesses on any number of cores.
func TestGuessesOnAnyCores(t *testing.T) {
	sizes := []int{5, 9, maxSampled + 1}
	if !testsize.All() {
		sizes = sizes[1:2]
	}
	for _, size := range sizes {
		r, q := everybody(size, "age sex", "diet region")
		var all []string
		for _, workers := range []int{1, 3} {
			l, err := Learn(context.Background(), r, Options{Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			said := make([]string, len(q.Group))
			if err := l.Posterior(context.Background(), q, func(target int, g Guess) { said[target] = fmt.Sprint(g) }); err != nil {
				t.Fatal(err)
			}
			if slices.Contains(said, "") {
				t.Errorf("groups of %d: target %d was not visited", size, slices.Index(said, ""))
			}
			all = append(all, strings.Join(said, "\n"))
		}
		if all[0] != all[1] {
			t.Errorf("groups of %d: guesses depend on the cores", size)
		}
	}
}

// What is wrong with an inquiry is said, and the end of the context ends it.
func TestInquiryErrors(t *testing.T) {
	r := grouped([]uint32{0, 1, 2}, []uint32{0, 1, 1})
	l := learnedOf(r, 1, rand.New(rand.NewPCG(1, 1)))
	silent := func(int, Guess) {}
	for what, spoil := range map[string]func(q *Inquiry){
		"fragments":        func(q *Inquiry) { q.Known = q.Known[:1] },
		"cannot be asked":  func(q *Inquiry) { q.Column = 7 },
		"ascending":        func(q *Inquiry) { q.Group[1] = 4 },
		"another group's":  func(q *Inquiry) { q.Tuple[0] = 99 },
		"of 1 cannot":      func(q *Inquiry) { q.Known[1] = []int{0} },
		"of a release of ": func(q *Inquiry) { q.Fragment = -1 },
	} {
		q := everyTuple(r, 0)
		spoil(&q)
		if err := l.Posterior(context.Background(), q, silent); err == nil || !strings.Contains(err.Error(), strings.TrimPrefix(what, "of a release ")) {
			t.Errorf("%s: %v", what, err)
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := l.Posterior(ended, everyTuple(r, 0), silent); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := Learn(ended, r, Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	refused := new(RefusedError)
	if _, err := Learn(context.Background(), grouped([]uint32{0, 1}), Options{}); !errors.As(err, &refused) {
		t.Error(err)
	}
}
