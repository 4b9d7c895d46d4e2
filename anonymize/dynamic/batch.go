package dynamic

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/clustering"
	"github.com/anonsql/anonsql/anonymize/drasl"
	"github.com/anonsql/anonsql/anonymize/units"
)

// A Batch is what the method made of waiting units: a release of these units, some of whose
// groups may be left out. All attempts at one update number their records alike.
type Batch struct {
	release *anonymize.Release
	records []uint32
	gidOf   []uint32 // by index in records
	leftOut []bool   // by gid; nil for none
}

// batch forms new groups of waiting units, as the method does for a table: of units with equally many records. If there
// are too few, or the method finds no groups, or refuses units with several values, they keep waiting. Groups of earlier attempts come first.
func (s *state) batch(ctx context.Context) error {
	for _, b := range s.Kept {
		s.join(b)
	}
	if s.Closed {
		return ctx.Err()
	}
	for _, records := range s.waitingStrata() {
		records, err := s.choose(records)
		if err != nil {
			return err
		}
		b, err := s.run(ctx, records)
		switch {
		case anonymize.HasNoGroups(err), s.unitColumns > 0 && errors.As(err, new(*anonymize.ParameterError)): // a promise of units with one value
			s.outcome.Why = err
		case err != nil:
			return err
		case b != nil:
			s.join(b)
		}
	}
	return ctx.Err()
}

// run applies the method to waiting records; it returns nil if they have fewer units than a group needs, or nothing to hide.
func (s *state) run(ctx context.Context, records []uint32) (*Batch, error) {
	in := s.input(records)
	if s.unitColumns > 0 {
		in.Units = s.numberUnits(records)
	}
	if len(records) == 0 || unitsIn(in) < s.k || in.IsHarmless() {
		return nil, nil
	}
	b := &Batch{records: records}
	in.Assigned = func(gidOf []uint32) { b.gidOf = gidOf }
	result, err := units.Run(ctx, s.Method, in, s.Arguments, anonymize.Ratio{})
	if err != nil {
		return nil, err
	}
	b.release = result.Release
	return b, nil
}

// unitsIn returns the number of units in an input.
func unitsIn(in *anonymize.Input) int {
	if in.Units == nil {
		return in.Rows
	}
	return int(slices.Max(in.Units)) + 1
}

// input returns the method's input for some records. Its release must have the relations of the previous version.
func (s *state) input(records []uint32) *anonymize.Input {
	columns := s.columns(records)[s.unitColumns:]
	last := len(columns) - 1
	in := &anonymize.Input{QuasiIdentifiers: columns[:last], Sensitive: columns[last:], Rows: len(records), Domains: s.Domains, Asked: s.Asked,
		NotSensitive: s.NotSensitive, Random: s.Random, Progress: s.Progress}
	if s.Before != nil {
		in.Layout = s.Before.Layout()
	}
	return in
}

// join numbers the groups of a batch after the existing ones.
func (s *state) join(b *Batch) {
	number := make([]uint32, b.release.Groups())
	for g := range number {
		number[g] = anonymize.Waiting
		if b.leftOut == nil || !b.leftOut[g] {
			number[g] = uint32(s.groups)
			s.groups++
			s.origins = append(s.origins, bucketization.Origin{Part: 1 + len(s.outcome.batches), Group: g})
		}
	}
	for i, record := range b.records {
		s.records[record].group = number[b.gidOf[i]]
	}
	s.outcome.batches = append(s.outcome.batches, b)
}

// ExcludeUnits returns the new groups without those that contain one of the held units, for another attempt at the same update.
func (o *Outcome) ExcludeUnits(held []int64) (kept []*Batch) {
	isHeld := make(map[int64]bool, len(held))
	for _, unit := range held {
		isHeld[unit] = true
	}
	for _, b := range o.batches {
		of := *b
		of.leftOut = make([]bool, b.release.Groups())
		copy(of.leftOut, b.leftOut)
		for i, record := range b.records {
			if isHeld[o.unitOf[record]] {
				of.leftOut[b.gidOf[i]] = true
			}
		}
		kept = append(kept, &of)
	}
	return kept
}

// choose returns the waiting records that the method can take: all, except for drasl with links=none.
func (s *state) choose(records []uint32) ([]uint32, error) {
	if s.Method.Name != "drasl" || s.unitColumns > 0 {
		return records, nil
	}
	given, err := s.Method.Resolve(s.Arguments)
	if err != nil || !drasl.IsLinkFree(given) {
		return records, err
	}
	return s.separable(records)
}

// separable returns as many records as possible that groups without synonyms can hold. G groups
// can hold min(c, G) records of a class of c, and every group needs K records: the result uses
// the greatest G with sum of min(c, G) >= K G. The sum over G decreases with G. It draws at
// random which records of a class keep waiting.
func (s *state) separable(records []uint32) ([]uint32, error) {
	if len(records) == 0 {
		return nil, nil
	}
	in := s.input(records)
	catalogue, err := clustering.NewCatalogue(in)
	if err != nil {
		return nil, err
	}
	class := anonymize.Gather(catalogue.Class, in.Sensitive[0].Codes)
	count := make([]int, catalogue.Classes)
	for _, c := range class {
		count[c]++
	}
	groups := sort.Search(len(records)/s.k, func(i int) bool { return capacity(count, i+1) < s.k*(i+1) })
	order := anonymize.Indices(len(records))
	bucketization.Shuffle(order, rand.New(s.Random))
	clear(count)
	var kept []uint32
	for _, i := range order {
		if count[class[i]]++; count[class[i]] <= groups {
			kept = append(kept, records[i])
		}
	}
	slices.Sort(kept)
	return kept, nil
}

// capacity returns the number of records that this number of groups can hold.
func capacity(count []int, groups int) int {
	sum := 0
	for _, c := range count {
		sum += min(c, groups)
	}
	return sum
}

// errNobody reports that a release would have no record.
func (s *state) errNobody() error {
	return &anonymize.DataError{Reason: fmt.Sprintf(
		"nobody whom the release could publish is left: %d records wait, and a group needs %d", len(s.recordsWhere(waiting)), s.k)}
}
