package dynamic

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// finish publishes the previous groups that still have records, unchanged, together with the new ones, and renumbers all.
func (s *state) finish(ctx context.Context) (*Outcome, error) {
	published := s.recordsWhere((*record).published)
	if !slices.ContainsFunc(published, func(i uint32) bool { return s.records[i].kind == anonymize.Person }) {
		return nil, s.errNobody()
	}
	old := s.stillPublished(published)
	origins := slices.Concat(old, s.origins)
	rand.New(s.Random).Shuffle(len(origins), func(i, j int) { origins[i], origins[j] = origins[j], origins[i] })
	parts := []*anonymize.Release{s.Before}
	for _, b := range s.outcome.batches {
		parts = append(parts, b.release)
	}
	r, err := bucketization.Unite(parts, origins)
	if err == nil {
		err = oneMeaning(parts)
	}
	if err != nil {
		return nil, err
	}
	s.retype(r)
	if r.Promises = s.Promises; len(s.origins) > 0 {
		if s.outcome.New, err = bucketization.Unite(parts, s.origins); err != nil {
			return nil, err
		}
		s.outcome.New.Promises = s.Promises
	}
	gidOf := make(map[bucketization.Origin]uint32, len(origins))
	from := make([]int, len(origins))
	for gid, o := range origins {
		gidOf[o] = uint32(gid)
		if from[gid] = o.Group; o.Part > 0 {
			from[gid] = -1
		}
	}
	for _, p := range published {
		s.records[p].group = gidOf[s.originOf(s.records[p].group)]
	}
	return s.complete(ctx, r, from, published)
}

// retype gives the columns of a release the table's current types, which may have become wider.
func (s *state) retype(r *anonymize.Release) {
	for _, c := range s.pool {
		if fragment, column, ok := r.Locate(c.Name); ok {
			r.Fragments[fragment].Columns[column].Type = c.Type
		}
	}
}

// originOf returns where a group comes from.
func (s *state) originOf(group uint32) bucketization.Origin {
	if int(group) < s.before {
		return bucketization.Origin{Group: int(group)}
	}
	return s.origins[int(group)-s.before]
}

// stillPublished returns the previous groups with a published record.
func (s *state) stillPublished(published []uint32) (groups []bucketization.Origin) {
	used := make([]bool, s.groups)
	for _, p := range published {
		used[s.records[p].group] = true
	}
	for g := range s.before {
		if used[g] {
			groups = append(groups, bucketization.Origin{Group: g})
		}
	}
	return groups
}

// complete counts the counterfeits of the next version and makes its private side.
func (s *state) complete(ctx context.Context, r *anonymize.Release, from []int, published []uint32) (*Outcome, error) {
	o := &s.outcome
	o.Release, o.From, o.unitOf = r, from, nil
	for _, p := range published {
		if kind := s.records[p].kind; kind != anonymize.Person {
			r.Forged++
			o.Forged[kind]++
		}
	}
	for i := range s.records {
		if s.unitOf != nil {
			o.unitOf = append(o.unitOf, s.unitOf[s.records[i].row])
		}
	}
	o.Live = s.live()
	o.Waiting = len(o.Live.Key) - r.Rows
	r.Facts = append(r.Facts, o.facts()...)
	return o, ctx.Err()
}

// oneMeaning requires that an old label does not stand for less in new groups: after a change
// of the taxonomy it must not lose an old member that the new groups know.
func oneMeaning(parts []*anonymize.Release) error {
	for i, f := range parts[0].Fragments {
		for j, old := range f.Columns {
			for _, part := range parts[1:] {
				if label, ok := narrowed(old, part.Fragments[i].Columns[j]); ok {
					return &anonymize.DataError{Reason: fmt.Sprintf("%s of %s stands for other values now than in the last version. If a taxonomy or scale of it "+
						"is another than when it was published, give it back (CALL set_taxonomy(..., 'drop=true') where there was none), or publish anew", label, old.Name)}
				}
			}
		}
	}
	return nil
}

// narrowed returns a label of old cells whose new cell lacks a member that the new column knows.
func narrowed(old, now *anonymize.FragmentColumn) (label string, ok bool) {
	if old.IsPoint() || now.IsPoint() {
		return "", false
	}
	cellOf := make(map[string]*anonymize.Cell, len(now.Cells))
	for c := range now.Cells {
		cellOf[now.Cells[c].Label] = &now.Cells[c]
	}
	to := bucketization.TranslateValues(old.Dictionary, now.Dictionary)
	for c := range old.Cells {
		cell := cellOf[old.Cells[c].Label]
		if cell == nil {
			continue
		}
		for _, m := range old.Cells[c].Members {
			known := int(to[m]) < len(now.Dictionary) && now.Dictionary[to[m]] == old.Dictionary[m]
			if _, has := slices.BinarySearch(cell.Members, to[m]); known && !has {
				return cell.Label, true
			}
		}
	}
	return "", false
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
