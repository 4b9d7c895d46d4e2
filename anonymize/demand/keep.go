package demand

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/locality"
)

// Keep merges groups until every one meets the input's requirements on sensitive attributes,
// for methods whose releases permit merging. A violating group absorbs another from a random
// selection: one with which it meets all requirements at the cost of the fewest records that
// met them before, else the one that repairs most per record. If bounds are tight, the last
// group may need all others. Then the groups in their order, or in a random one, are halved
// while both halves meet the requirements, whichever leaves more groups.
//
// It terminates because requirements are preserved by unions (principle 2) and hold for the
// whole table, which is tested first. Errors are those of [ForAttribute]. The facts describe
// the merging, if any.
//
// O(records x examined neighbours) for few values; a group of many distinct values examines
// fewer neighbours and grows by a fraction before it is tested again. t_ordered and
// t_hierarchical examine every value of the table for every group.
func Keep(ctx context.Context, in *anonymize.Input, groups *bucketization.Partition, random *rand.Rand) (*bucketization.Partition, []anonymize.Fact, error) {
	return keep(ctx, in, groups, random, func() (*bucketization.Partition, error) { return groups.Renumbered(random), nil })
}

// KeepNear is Keep for groups of similar records: they absorb groups with near
// quasi-identifiers. It takes O(n m log n) more for n records with m quasi-identifiers.
func KeepNear(
	ctx context.Context,
	in *anonymize.Input,
	groups *bucketization.Partition,
	random *rand.Rand,
) (*bucketization.Partition, []anonymize.Fact, error) {
	return keep(ctx, in, groups, random, func() (*bucketization.Partition, error) { return arranged(ctx, in, groups, random) })
}

// Broken reports for every group whether it violates the requirements; nil without any.
func Broken(ctx context.Context, in *anonymize.Input, groups *bucketization.Partition) ([]bool, error) {
	k, err := newKeeper(ctx, in)
	if err != nil || k == nil {
		return nil, err
	}
	_, err = k.judge(ctx, groups)
	return k.breaks, err
}

// arranged sorts the groups by the average position of their records.
func arranged(ctx context.Context, in *anonymize.Input, groups *bucketization.Partition, random *rand.Rand) (*bucketization.Partition, error) {
	position, err := locality.Arrange(ctx, in.QuasiIdentifiers, 0, random)
	if err != nil {
		return nil, err
	}
	order, place := make([]uint32, groups.Groups()), make([]uint32, groups.Groups())
	for g := range order {
		sum := uint64(0)
		for _, record := range groups.Records(g) {
			sum += uint64(position[record])
		}
		order[g], place[g] = uint32(g), uint32(sum/uint64(len(groups.Records(g))))
	}
	return groups.InOrder(bucketization.CountingSort(order, place, in.Rows)), nil
}

func keep(ctx context.Context, in *anonymize.Input, groups *bucketization.Partition, random *rand.Rand,
	arrange func() (*bucketization.Partition, error)) (*bucketization.Partition, []anonymize.Fact, error) {
	k, err := newKeeper(ctx, in)
	if err != nil || k == nil {
		return groups, nil, err
	}
	broken, err := k.judge(ctx, groups)
	if err != nil || broken == 0 {
		return groups, nil, err
	}
	ordered, err := arrange()
	if err != nil {
		return nil, nil, err
	}
	if _, err := k.judge(ctx, ordered); err != nil {
		return nil, nil, err
	}
	united, err := k.unite(ctx, in, ordered)
	if err != nil {
		return nil, nil, err
	}
	if united, err = k.orHalves(ctx, united, ordered, random); err != nil {
		return nil, nil, err
	}
	return united, k.facts(groups.Groups(), broken, united.Groups()), nil
}

// orHalves returns the merged groups or halves of all, whichever are more. Halves in a random
// order resemble the table; they are for inputs that would otherwise have hardly any groups.
func (k *keeper) orHalves(ctx context.Context, united, ordered *bucketization.Partition, random *rand.Rand) (*bucketization.Partition, error) {
	for _, order := range []func() *bucketization.Partition{func() *bucketization.Partition { return ordered },
		func() *bucketization.Partition { return ordered.Renumbered(random) }} {
		halved, err := k.halve(ctx, order())
		if err != nil {
			return nil, err
		}
		if halved.Groups() > united.Groups() {
			united = halved
		}
		if united.Groups() >= hardlyAny {
			break
		}
	}
	return united, nil
}

func (k *keeper) facts(before, broken, after int) []anonymize.Fact {
	facts := []anonymize.Fact{{Name: "united groups", Value: fmt.Sprintf("%d of %d groups broke %s: united with neighbours, %d are left",
		broken, before, strings.Join(k.names, ", "), after)}}
	if after == 1 {
		facts = append(
			facts,
			anonymize.Fact{Name: "warning", Value: "all records are one group: nothing finer was found that keeps " + strings.Join(k.names, ", ")},
		)
	}
	return facts
}

// columnsOf returns the columns with requirements, and these. A tuple of attributes is one
// column. If a method received several attributes as one, they are the original table's.
func columnsOf(ctx context.Context, in *anonymize.Input) (columns []*anonymize.Column, demands []*Demand, err error) {
	if in.Apart != nil {
		in = in.Apart
	}
	for _, c := range in.Sensitive {
		d, err := ForAttribute(in, c)
		if err != nil {
			return nil, nil, err
		}
		if d != nil {
			columns, demands = append(columns, c), append(demands, d)
		}
	}
	for _, p := range in.Asked {
		name, attributes, _ := anonymize.SplitAbout(p.Guarantee)
		if len(attributes) < 2 || tests[name].admits == nil {
			continue
		}
		c, d, err := ofTuple(ctx, in, p, name, attributes)
		if err != nil {
			return nil, nil, err
		}
		if d != nil {
			columns, demands = append(columns, c), append(demands, d)
		}
	}
	return columns, demands, nil
}

// ofTuple returns the requirements on several attributes as one value.
func ofTuple(ctx context.Context, in *anonymize.Input, p anonymize.Promise, name string, attributes []string) (*anonymize.Column, *Demand, error) {
	var parts []*anonymize.Column
	for _, attribute := range attributes {
		for _, c := range in.Sensitive {
			if c.Name == attribute {
				parts = append(parts, c)
			}
		}
	}
	if len(parts) < 2 {
		return nil, nil, nil // which the verification refuses
	}
	tuples, err := bucketization.NewProjection(ctx, parts)
	if err != nil {
		return nil, nil, err
	}
	c := &anonymize.Column{Name: "(" + strings.Join(attributes, ", ") + ")", Codes: tuples.ID,
		Dictionary: make([]anonymize.Value, len(tuples.Frequency))}
	of := *in
	p.Guarantee = name
	of.Asked = []anonymize.Promise{p}
	d, err := ForAttribute(&of, c)
	return c, d, err
}
