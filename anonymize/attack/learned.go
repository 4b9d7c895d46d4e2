package attack

import (
	"context"
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/impute"
)

// A RefusedError says why an attack does not know a release: Learned one of a kind that cannot be
// completed, the others one whose counts have noise.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return e.Reason }

// maxWork bounds the matchings that Learned draws for all its targets: some seconds.
const maxWork = 4_000_000

// Learned lets the model that completes the release (package impute) guess: how every
// attribute goes with every other one, in pairs, learned from all groups at once,
// and inside the target's group all matchings that give it its quasi-identifiers. The
// attacker knows all quasi-identifiers of the target, though the release may have
// them in several fragments, and its group; of the others in the group he
// knows what is published, the release's model included. Where counts of groups have noise, a
// value may not be among those of its group: its probability is 0. No sensitive value of anybody is used, and of Options only
// Sample and Random; fewer records are attacked where groups are so large that
// their matchings cost too much.
//
// Errors: a RefusedError of releases that cannot be completed, and a truth that is not that
// of the release.
//
// Cost: that of [impute.Learn], and some 20 microseconds a record in groups of 5.
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
	var t tally
	for _, u := range found {
		t.add(u)
	}
	return t.result(), nil
}

// An asked inquiry has the answers.
type asked struct {
	impute.Inquiry
	// records are the targets, actual the published codes of their sensitive values.
	records, actual []uint32
}

// question asks for the sensitive value of every record of a sample of the groups.
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

// affordable lessens the sample until its matchings are at most maxWork.
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

// place finds for every target and fragment the tuple of its group that has the target's
// quasi-identifiers. groups are those of the targets, ascending.
func (q *asked) place(r *anonymize.Release, truth Truth, groups []int) error {
	q.Tuple = make([]uint32, len(q.records)*len(r.Fragments))
	for j, f := range r.Fragments {
		var tuples []uint32 // of the groups
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

// placeIn places the targets in fragment j, given numbers of targets and of tuples that are
// equal where their known values are.
func (q *asked) placeIn(j int, f *anonymize.Fragment, groups []int, number []uint32, distinct int) error {
	at := make([]uint32, distinct) // number to the last tuple that has it, from 1
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
