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

// Keep unites groups until every one keeps what is asked of the input's sensitive
// attributes: for methods whose release stays one of theirs when groups are united. A
// group that does not keep it absorbs another, of some in a random order: one with which
// it keeps all, at the price of the fewest records that would not have needed it, else the
// one that mends most by record.
// Where bounds are tight, what is left in the end may need all others: then the groups in
// their order, or in a random one, are halved while both halves keep it, whichever leaves
// most.
//
// Why that ends well: what is asked keeps in unions (principle 2), and the whole table,
// which is asked first, keeps it; at the latest the group of all records does. An error is
// that of [ForAttribute]. Facts say what became of the groups, if any broke it.
//
// O(records x neighbours looked at) where values are few; a group of many different
// values looks at fewer, and grows by a part of itself before it is asked again. t_ordered
// and t_hierarchical look at every value of the table for every group.
func Keep(ctx context.Context, in *anonymize.Input, groups *bucketization.Partition, random *rand.Rand) (*bucketization.Partition, []anonymize.Fact, error) {
	return keep(ctx, in, groups, random, func() (*bucketization.Partition, error) { return groups.Renumbered(random), nil })
}

// KeepNear is Keep for groups of records that are alike: they absorb others whose
// quasi-identifiers are near. O(n m log n) more for n records of m quasi-identifiers.
func KeepNear(
	ctx context.Context,
	in *anonymize.Input,
	groups *bucketization.Partition,
	random *rand.Rand,
) (*bucketization.Partition, []anonymize.Fact, error) {
	return keep(ctx, in, groups, random, func() (*bucketization.Partition, error) { return arranged(ctx, in, groups, random) })
}

// Broken says of every group whether it breaks what is asked; nil where nothing is.
func Broken(ctx context.Context, in *anonymize.Input, groups *bucketization.Partition) ([]bool, error) {
	k, err := newKeeper(ctx, in)
	if err != nil || k == nil {
		return nil, err
	}
	_, err = k.judge(ctx, groups)
	return k.breaks, err
}

// arranged are the groups in the order of where their records are on average.
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

// orHalves are the united groups or halves of all, whichever are more. Halves in a random
// order are like the table; they are for what has hardly any groups otherwise.
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

// columnsOf are the columns of which something may be asked, and what is asked of each. A
// tuple of attributes is a column of its own. Where a method was given several attributes as one,
// they are those of the table as it was before.
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

// ofTuple is what is asked of several attributes as one value.
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
