package releases

import (
	"context"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/source"
)

// maxLinked is the greatest number of records to read with their groups. Attackers need no more than sampledRecords.
const maxLinked = 100_000

// limitLinked refuses samples of too many records.
func limitLinked(records int) error {
	if records <= maxLinked {
		return nil
	}
	return &anonymize.DataError{Reason: fmt.Sprintf("groups are so large that a sample of them has %d records, more than %d", records, maxLinked)}
}

// Linked implements source.Attempt.
func (a *attempt) Linked(ctx context.Context, w *source.Written) (_ *source.Linked, err error) {
	every := sampledEvery(w)
	if err := limitLinked(w.Rows / int(every)); err != nil {
		return nil, err
	}
	l := &source.Linked{Whole: every == 1}
	if l.Release, err = a.store.Read(ctx, w.Place, w.Fragments, every); err != nil {
		return nil, err
	}
	if err := limitLinked(l.Release.Rows); err != nil { // the groups drawn are larger than others
		return nil, err
	}
	for _, r := range a.made.Fragments {
		if r.IsRanges() && !l.Shared {
			if l.Shared, err = a.made.SharesRanges(ctx, r); err != nil {
				return nil, err
			}
		}
	}
	return l, a.readLinked(ctx, l, w, every)
}

// readLinked reads the records of the groups. In place of a number of records, a row has 1 if its quasi-identifiers are no other record's, else 2.
func (a *attempt) readLinked(ctx context.Context, l *source.Linked, w *source.Written, every int64) error {
	text, names := a.made.Linked(every)
	t := newReading(len(names))
	if err := a.store.asker.Query(ctx, text, t.add); err != nil {
		return err
	}
	l.Records = &anonymize.Microdata{Rows: len(t.gids)}
	for i, name := range names {
		column, err := keptColumn(ctx, columnNamed(w.Fragments, name), t.codes[i], t.values[i])
		if err != nil {
			return err
		}
		l.Records.Columns = append(l.Records.Columns, column)
	}
	gids := slices.Compact(slices.Sorted(slices.Values(t.gids)))
	if len(gids) != l.Release.Groups() {
		return fmt.Errorf("the relations have %d groups of a sample, the assignment %d", l.Release.Groups(), len(gids))
	}
	for record, gid := range t.gids {
		at, _ := slices.BinarySearch(gids, gid)
		l.GroupOf, l.Alone = append(l.GroupOf, uint32(at)), append(l.Alone, t.counts[record] == 1)
	}
	return nil
}

// columnNamed returns a column of one of the fragments.
func columnNamed(fragments []source.Fragment, name string) (c source.FragmentColumn) {
	for _, f := range fragments {
		for _, c := range f.Columns {
			if c.Name == name {
				return c
			}
		}
	}
	return source.FragmentColumn{Name: name}
}
