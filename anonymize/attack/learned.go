package attack

import (
	"context"
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/impute"
)

// A RefusedError says why an attack does not apply to a release: for Learned, because it cannot
// be completed; for the others, because its counts have noise.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return e.Reason }

// maxWork is the greatest number of matchings that Learned draws for all targets: some seconds.
const maxWork = 4_000_000

// Learned guesses with the model that completes the release (package impute): the pairwise
// dependence of attributes, learned from all groups together, and within the target's group all
// matchings that give the target its quasi-identifiers. The attacker knows the target's group
// and all its quasi-identifiers, even if the release has them in several fragments; of the rest
// of the group he knows what is published, including the release's model. If group counts have
// noise, a value may be missing from its group: its probability is 0. The attack uses nobody's
// sensitive value, and only Sample and Random of Options. It attacks fewer records if groups
// are so large that their matchings cost too much.
//
// Errors: a RefusedError for releases that cannot be completed, and a truth that does not fit
// the release.
//
// Cost: that of [impute.Learn], and about 20 microseconds per record in groups of 5.
func Learned(ctx context.Context, r *anonymize.Release, truth Truth, o Options) (Result, error) {
	if err := impute.Refuse(r); err != nil {
		return Result{}, &RefusedError{"attack by completed tables: " + err.Error()}
	}
	q, err := question(r, truth, o)
	if err != nil {
		return Result{}, fmt.Errorf("attack by completed tables: %w", err)
	}
	model, err := impute.Learn(ctx, r, impute.Options{})
	if err != nil {
		return Result{}, err
	}
	found, unique, judged := make([]tally, len(q.actual)), truth.unique(), truth.judged()
	err = model.Posterior(ctx, q.Inquiry, func(target int, g impute.Guess) {
		if record := q.records[target]; judged[record] {
			found[target].scoreRecord(g.Values, g.Prior, g.Posterior, q.actual[target], unique[record])
		}
	})
	if err != nil {
		return Result{}, err
	}
	return sumOf(found).result(), nil
}

// An asked is an inquiry with the answers.
type asked struct {
	impute.Inquiry
	// records are the targets; actual has the published codes of their sensitive values.
	records, actual []uint32
}

// question makes the inquiry for the sensitive value of every record in a sample of the groups.
func question(r *anonymize.Release, truth Truth, o Options) (*asked, error) {
	p, _, err := locate(r, truth)
	if err != nil {
		return nil, err
	}
	start, members, err := byGroup(r, truth)
	if err != nil {
		return nil, err
	}
	if !r.Model.Hides(truth.Sensitive.Name) {
		if err := p.agrees(truth.Sensitive.Codes, start, members); err != nil {
			return nil, err
		}
	}
	groups, err := sample(r, affordable(r, o))
	if err != nil {
		return nil, err
	}
	q := &asked{Inquiry: impute.Inquiry{Known: make([][]int, len(r.Fragments))}}
	q.Fragment, q.Column, _ = r.Locate(truth.Sensitive.Name)
	published := make([]uint32, p.width+1)
	for code, raw := range p.raw {
		published[raw] = uint32(code)
	}
	for _, g := range groups {
		for _, record := range members[start[g]:start[g+1]] {
			q.Group, q.records = append(q.Group, uint32(g)), append(q.records, record)
			q.actual = append(q.actual, published[truth.Sensitive.Codes[record]])
		}
	}
	return q, q.place(r, truth, groups)
}

// affordable reduces the sample until its matchings are at most maxWork.
func affordable(r *anonymize.Release, o Options) Options {
	work := 0
	for _, size := range r.GroupSizes {
		work += int(size) * impute.Work(int(size), len(r.Fragments))
	}
	if o.Random != nil && work > maxWork {
		most := max(1, int(float64(maxWork)/float64(work)*float64(r.Rows)))
		if o.Sample <= 0 || o.Sample > most {
			o.Sample = most
		}
	}
	return o
}

// place finds, for every target and fragment, the tuple of its group with the target's
// quasi-identifiers. groups are those of the targets, ascending.
func (q *asked) place(r *anonymize.Release, truth Truth, groups []int) error {
	q.Tuple = make([]uint32, len(q.records)*len(r.Fragments))
	for j, f := range r.Fragments {
		var tuples []uint32 // of all the groups
		for _, g := range groups {
			for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
				tuples = append(tuples, t)
			}
		}
		var known [][]uint32 // raw codes of the targets, then of the tuples
		for c, column := range f.Columns {
			for _, raw := range truth.QuasiIdentifiers {
				if raw.Name == column.Name {
					q.Known[j] = append(q.Known[j], c)
					known = append(known, q.codes(raw, column, tuples))
				}
			}
		}
		number, distinct := anonymize.NumberRows(known, len(q.records)+len(tuples))
		if err := q.placeIn(j, f, groups, number, distinct); err != nil {
			return err
		}
	}
	return nil
}

func (q *asked) codes(raw *anonymize.Column, published *anonymize.FragmentColumn, tuples []uint32) []uint32 {
	p := translation(published, raw)
	codes := make([]uint32, 0, len(q.records)+len(tuples))
	for _, record := range q.records {
		codes = append(codes, raw.Codes[record])
	}
	for _, t := range tuples {
		codes = append(codes, p[published.Codes[t]])
	}
	return codes
}

// placeIn places the targets in fragment j. number has equal numbers for targets and tuples
// with equal known values.
func (q *asked) placeIn(j int, f *anonymize.Fragment, groups []int, number []uint32, distinct int) error {
	at := make([]uint32, distinct) // by number: 1 + the last tuple with it
	target, tuple := 0, len(q.records)
	for _, g := range groups {
		first, end := f.GroupStart[g], f.GroupStart[g+1]
		for t := first; t < end; t++ {
			at[number[tuple]] = t + 1
			tuple++
		}
		for ; target < len(q.records) && q.Group[target] == uint32(g); target++ {
			t := at[number[target]]
			if t <= first {
				return fmt.Errorf("group %d has other values in fragment %s than in the truth", g, f.Name)
			}
			q.Tuple[target*len(q.Known)+j] = t - 1
		}
	}
	return nil
}
