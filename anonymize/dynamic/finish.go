package dynamic

import (
	"context"
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/clustering"
)

// finish publishes the groups as they are, and numbers them anew.
func (s *state) finish(ctx context.Context) (*Outcome, error) {
	published := s.recordsWhere((*record).published)
	if len(published) == 0 {
		return nil, &anonymize.DataError{Reason: fmt.Sprintf(
			"nobody whom the release could publish is left: %d records wait, and a group needs %d", len(s.recordsWhere(waiting)), s.k)}
	}
	in := s.input(published)
	var gidOf []uint32
	in.Assigned = func(of []uint32) { gidOf = of }
	publish := s.publishRecords
	if s.unitColumns > 0 {
		publish = s.publishUnits
	}
	r, err := publish(ctx, in, published)
	if err != nil {
		return nil, err
	}
	o := &s.outcome
	o.Release, o.From = r, make([]int, r.Groups())
	for i, p := range published {
		record := &s.records[p]
		if o.From[gidOf[i]] = int(record.group); record.group >= uint32(s.before) {
			o.From[gidOf[i]] = -1
		}
		record.group = gidOf[i]
		if record.kind != anonymize.Person {
			r.Forged++
			o.Forged[record.kind]++
		}
	}
	o.Live = s.live()
	o.Waiting = len(o.Live.Key) - r.Rows
	r.Facts = append(r.Facts, o.facts()...)
	return o, ctx.Err()
}

// publishRecords publishes the groups of in.
func (s *state) publishRecords(ctx context.Context, in *anonymize.Input, published []uint32) (*anonymize.Release, error) {
	task, err := s.task(in)
	if err != nil {
		return nil, err
	}
	return clustering.Publish(ctx, s.Method, in, task, s.partition(published))
}

// partition is that of published records, numbered from 0, into the groups that
// have any.
func (s *state) partition(published []uint32) *bucketization.Partition {
	number := make([]uint32, s.groups)
	for _, p := range published {
		number[s.records[p].group] = 1
	}
	groups := 0
	for g, used := range number {
		if used == 1 {
			number[g] = uint32(groups)
			groups++
		}
	}
	records, of := make([]uint32, len(published)), make([]uint32, len(published))
	for i, p := range published {
		records[i], of[i] = uint32(i), number[s.records[p].group]
	}
	return bucketization.NewPartition(records, of, groups)
}

// live makes the next private side.
func (s *state) live() *anonymize.Live {
	records := s.recordsWhere(func(r *record) bool { return r.group != removed })
	l := &anonymize.Live{Columns: s.columns(records), UnitColumns: s.unitColumns, Key: make([]int64, len(records)),
		Group: make([]uint32, len(records)), Kind: make([]anonymize.RecordKind, len(records))}
	for i, r := range records {
		from := &s.records[r]
		l.Key[i], l.Group[i], l.Kind[i] = from.key, from.group, from.kind
	}
	return l
}
