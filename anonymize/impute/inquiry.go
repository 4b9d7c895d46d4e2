package impute

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// An Inquiry asks for the value of some records, the targets, in one column, as an attacker who
// knows their groups and some of their other values.
type Inquiry struct {
	// Fragment and Column are those asked for.
	Fragment, Column int
	// Known has, by fragment, the columns with known values, the same for all targets. It must
	// not include the column asked for.
	Known [][]int
	// Group has the group of every target, ascending.
	Group []uint32
	// Tuple has a tuple per target and fragment: the one of target i in fragment j, at
	// i*fragments+j, is a tuple of its group with the target's values in the known columns. Its
	// other columns are ignored.
	Tuple []uint32
}

// A Guess is the inference about one target. Its slices are reused.
type Guess struct {
	// Values are the codes of the column asked for in the group, ascending.
	Values []uint32
	// Prior has the values' probabilities if all matchings are equally likely, Posterior those
	// by the model. Each sums to 1.
	Prior, Posterior []float64
}

// check returns an error if the inquiry does not fit the release.
func (q *Inquiry) check(r *anonymize.Release) error {
	fragments := len(r.Fragments)
	if q.Fragment < 0 || q.Fragment >= fragments || len(q.Known) != fragments || len(q.Tuple) != len(q.Group)*fragments {
		return fmt.Errorf("the inquiry is not about a release of %d fragments", fragments)
	}
	if columns := len(r.Fragments[q.Fragment].Columns); q.Column < 0 || q.Column >= columns || slices.Contains(q.Known[q.Fragment], q.Column) {
		return fmt.Errorf("column %d of %d cannot be asked for", q.Column, columns)
	}
	for i, g := range q.Group {
		if int(g) >= r.Groups() || i > 0 && g < q.Group[i-1] {
			return fmt.Errorf("target %d is in group %d: groups must be ascending and of the release", i, g)
		}
		for j, f := range r.Fragments {
			if t := q.Tuple[i*fragments+j]; t < f.GroupStart[g] || t >= f.GroupStart[g+1] {
				return fmt.Errorf("target %d of group %d has tuple %d of fragment %s, which is another group's", i, g, t, f.Name)
			}
		}
	}
	return nil
}

// maxSampled is the size of the largest group whose matchings are drawn for every target.
const maxSampled = 16

// Posterior visits every target once, in any order, from several goroutines.
//
// In a group of at most 16 records, the probabilities are those of all matchings, weighted by
// the model, that give the target's row its known values: exact for two fragments and at most 7
// records, otherwise means over draws. In a larger group, they are those of one additional
// record with the same values (potentials.go).
//
// Errors: an inquiry that does not fit the release, the context's. Cost per target: Work
// matchings, or O(tuples * attributes) in a larger group.
func (l *Learned) Posterior(ctx context.Context, q Inquiry, visit func(target int, g Guess)) error {
	if err := q.check(l.release); err != nil {
		return err
	}
	pieces := q.pieces()
	return parallel.RunOn(ctx, l.workers, len(pieces)-1, func(i int) error {
		w := &guesser{Learned: l, Inquiry: &q, random: rand.New(rand.NewPCG(l.seed[0], ^(l.seed[1] ^ uint64(i))))}
		for low := pieces[i]; low < pieces[i+1] && ctx.Err() == nil; {
			high := low + 1
			for high < pieces[i+1] && q.Group[high] == q.Group[low] {
				high++
			}
			w.enter(q.Group[low])
			if l.release.GroupSizes[q.Group[low]] <= maxSampled {
				w.sampled(ctx, low, high, visit)
			} else {
				w.visitLargeGroup(ctx, low, high, visit)
			}
			low = high
		}
		return nil
	})
}

// pieceTargets is the approximate number of targets of a piece of work.
const pieceTargets = 256

// pieces divides the targets at ends of groups: the first target of every piece, and the end.
func (q *Inquiry) pieces() []int {
	pieces := []int{0}
	for i := 1; i < len(q.Group); i++ {
		if q.Group[i] != q.Group[i-1] && i-pieces[len(pieces)-1] >= pieceTargets {
			pieces = append(pieces, i)
		}
	}
	return append(pieces, len(q.Group))
}

// A guesser computes posteriors, on one core.
type guesser struct {
	*Learned
	*Inquiry
	random *rand.Rand
	group  uint32
	// values has the group's values of the column asked for; valueOf has the index of every tuple's.
	values  []uint32
	valueOf []int
	// prior and posterior are by value, for one target; tuples is by tuple.
	prior, posterior, tuples []float64

	rows
	potentials
}

// enter prepares the values of another group.
func (w *guesser) enter(group uint32) {
	w.group = group
	f := w.release.Fragments[w.Fragment]
	codes := f.Columns[w.Column].Codes[f.GroupStart[group]:f.GroupStart[group+1]]
	w.values = append(w.values[:0], codes...)
	slices.Sort(w.values)
	w.values = slices.Compact(w.values)
	w.valueOf = w.valueOf[:0]
	for _, code := range codes {
		at, _ := slices.BinarySearch(w.values, code)
		w.valueOf = append(w.valueOf, at)
	}
	w.tuples = resized(w.tuples, len(codes))
	w.prior, w.posterior = resized(w.prior, len(w.values)), resized(w.posterior, len(w.values))
}

func resized[T any](s []T, n int) []T {
	return slices.Grow(s[:0], n)[:n]
}

// visitGuess visits a target, given the probabilities of the tuples asked for.
func (w *guesser) visitGuess(target int, visit func(target int, g Guess)) {
	clear(w.prior)
	clear(w.posterior)
	f, total := w.release.Fragments[w.Fragment], 0.0
	for k, p := range w.tuples {
		w.posterior[w.valueOf[k]] += p
		if w.agrees(w.Fragment, target, k) {
			n := float64(f.Count[int(f.GroupStart[w.group])+k])
			w.prior[w.valueOf[k]] += n
			total += n
		}
	}
	for v := range w.prior {
		w.prior[v] /= total
	}
	visit(target, Guess{w.values, w.prior, w.posterior})
}

// agrees reports whether tuple k of the group, from 0, has the target's known values in
// fragment j.
func (w *guesser) agrees(j, target, k int) bool {
	f := w.release.Fragments[j]
	own, other := w.Tuple[target*len(w.Known)+j], f.GroupStart[w.group]+uint32(k)
	for _, c := range w.Known[j] {
		if codes := f.Columns[c].Codes; codes[own] != codes[other] {
			return false
		}
	}
	return true
}
