package estimates

import (
	"context"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize/estimate"
)

// ByGroup implements [estimate.Elsewhere].
func (s *Store) ByGroup(ctx context.Context, of estimate.Classes) (list []estimate.GroupCount, err error) {
	counted, err := s.countAll([]estimate.Classes{of}, nil)
	if err != nil {
		return nil, err
	}
	const groups = "a question over ranges of more than a million combinations of groups and of keys, arguments and conditions' outcomes outside of the ranges: it has"
	classes := make([]uint32, 1)
	err = s.ask(ctx, counted[0].byGroup(), groups, func(row []any) error {
		c := estimate.GroupCount{}
		gid, ok := row[0].(int64)
		group, found := slices.BinarySearch(s.Numbers, gid)
		if !ok || !found {
			return fmt.Errorf("the relations are not those of the release: group %v is new", row[0])
		}
		c.Group = uint32(group)
		rest, err := classesOf(row[1:], classes, counted)
		if err != nil {
			return err
		}
		c.Class = classes[0]
		err = number(rest[0], &c.Records)
		list = append(list, c)
		return err
	})
	return list, err
}
