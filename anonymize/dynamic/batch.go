package dynamic

import (
	"context"
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

// A Batch is what the method made of units that waited: a release of them alone, of which some groups may be left out. Attempts at one
// update number their records alike.
type Batch struct {
	release *anonymize.Release
	records []uint32
	gidOf   []uint32 // by place in records
	leftOut []bool   // by gid; nil for none
}

// batch makes new groups of those who wait, as the method makes groups of a table: of units with equally many records each. Where there
// are too few, or the method finds no groups of them, they wait on. Groups of earlier attempts come first.
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
		case anonymize.HasNoGroups(err):
			s.outcome.Why = err
		case err != nil:
			return err
		case b != nil:
			s.join(b)
		}
	}
	return ctx.Err()
}

// run applies the method to records that wait; nil where they are fewer units than a group needs, or have no secret to hide.
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

// unitsIn is how many units an input has.
func unitsIn(in *anonymize.Input) int {
	if in.Units == nil {
		return in.Rows
	}
	return int(slices.Max(in.Units)) + 1
}

// input is what the method is given of some records: the relations of its release are those of the version before.
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

// join gives the groups of a batch numbers behind those that there are.
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

// ExcludeUnits returns the new groups but for those with one of some units, for another attempt at the same update.
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

// choose returns the records that the method can take of those that wait: all, but with links=none of drasl.
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

// separable returns most of the records that groups without synonyms can hold. G
// groups can hold min(c, G) records of a class of c, and need K of each other's in
// every group: the greatest G with sum of min(c, G) >= K G. The sum over G falls
// with G. Which records of a class wait on is drawn.
func (s *state) separable(records []uint32) ([]uint32, error) {
	if len(records) == 0 {
		return nil, nil
	}
	in := s.input(records)
	catalogue, err := clustering.NewCatalogue(in)
	if err != nil {
		return nil, err
	}
	class := bucketization.Gather(catalogue.Class, in.Sensitive[0].Codes)
	count := make([]int, catalogue.Classes)
	for _, c := range class {
		count[c]++
	}
	groups := sort.Search(len(records)/s.k, func(i int) bool { return capacity(count, i+1) < s.k*(i+1) })
	order := make([]uint32, len(records))
	for i := range order {
		order[i] = uint32(i)
	}
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

// capacity is the number of records that so many groups can hold.
func capacity(count []int, groups int) int {
	sum := 0
	for _, c := range count {
		sum += min(c, groups)
	}
	return sum
}

// errNobody is that a release would have no record.
func (s *state) errNobody() error {
	return &anonymize.DataError{Reason: fmt.Sprintf(
		"nobody whom the release could publish is left: %d records wait, and a group needs %d", len(s.recordsWhere(waiting)), s.k)}
}
