package bucketization

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// Each are several sensitive attributes that are protected separately: their records by value,
// or by class of values that count as one.
type Each []*Buckets

// NewEach counts the values of every sensitive attribute of in, those of a class together (see [BucketsOf]).
func NewEach(in *anonymize.Input) (e Each) {
	for _, c := range in.Sensitive {
		e = append(e, BucketsOf(in, c))
	}
	return e
}

// MostConcentrated returns the attribute with the most frequent value of all, the first of
// several. Shares in a union of groups are means of those in the groups, for every attribute
// separately. So one group of all records meets bounds on shares if any grouping does, and this
// attribute decides.
func (e Each) MostConcentrated() *Buckets {
	return slices.MaxFunc(e, func(a, b *Buckets) int {
		_, x := a.MostFrequent()
		_, y := b.MostFrequent()
		return int(x) - int(y)
	})
}

// Rows returns the number of records.
func (e Each) Rows() int { return e[0].Rows() }

// tuples numbers the tuples of the records' values.
func (e Each) tuples(ctx context.Context) (*Projection, error) {
	columns := make([]*anonymize.Column, len(e))
	for i, b := range e {
		columns[i] = &anonymize.Column{Dictionary: make([]anonymize.Value, len(b.Count)), Codes: b.Value}
	}
	return NewProjection(ctx, columns)
}

// keys numbers the values of all attributes consecutively. It returns the first number of each
// attribute, and the total.
func (e Each) keys() (base []uint32, total int) {
	for _, b := range e {
		base = append(base, uint32(total))
		total += len(b.Count)
	}
	return base, total
}

// EachBounds are what every group must meet in every attribute.
type EachBounds struct {
	Share anonymize.Ratio // greatest share of a value
	Delta anonymize.Ratio // greatest difference of its share from the table's; 1 is no bound
}

// DiverseBounds are those of l-diversity: c <= floor(m/l) if and only if c/m <= 1/l.
func DiverseBounds(l int) EachBounds {
	return EachBounds{Share: anonymize.NewRatio(1, uint64(l)), Delta: anonymize.NewRatio(1, 1)}
}

// EachFigures count what the grouping did.
type EachFigures struct {
	Dealt  int // groups of records that differ in every attribute
	Placed int // records that joined such a group afterwards
	Merges int
}

// Deal forms groups of size records, or a few more, that differ in every attribute, the most
// frequent values first. The rest joins groups where it keeps the bounds, or is merged with
// others (see [Each.Merge]). The whole table must meet the bounds.
//
// O(records x attributes), with up to looksAtTuples tuples tried per record and a search among
// looksAtGroups groups for each remaining one.
func (e Each) Deal(ctx context.Context, size int, bounds EachBounds, random *rand.Rand) (*Partition, EachFigures, error) {
	d, err := newEachDealer(ctx, e, size, random)
	if err != nil {
		return nil, EachFigures{}, err
	}
	dealt, err := d.deal(ctx)
	if err != nil {
		return nil, EachFigures{}, err
	}
	return e.finish(ctx, dealt, bounds, random)
}

// Sweep is Deal along an order of the records: the records of a group are near each other in it
// where the values allow that, and so are consecutive groups.
func (e Each) Sweep(ctx context.Context, order []uint32, size int, bounds EachBounds, random *rand.Rand) (*Partition, EachFigures, error) {
	dealt, err := newEachSweep(e, order, size).run(ctx)
	if err != nil {
		return nil, EachFigures{}, err
	}
	return e.finish(ctx, dealt, bounds, random)
}

// An eachDealt is groups in progress, with size records each; some records are left.
type eachDealt struct {
	size    int
	members []uint32 // group g has members[g*size:][:size]
	left    []eachLeft
}

// An eachLeft is a record without a group, and the number of groups when it was left: its
// position among them.
type eachLeft struct{ record, home uint32 }

func (d *eachDealt) groups() int { return len(d.members) / d.size }

// finish places the remaining records and merges groups.
func (e Each) finish(ctx context.Context, dealt *eachDealt, bounds EachBounds, random *rand.Rand) (*Partition, EachFigures, error) {
	p := newPlacement(e, dealt, bounds)
	figures := EachFigures{Dealt: dealt.groups()}
	var err error
	if figures.Placed, err = p.run(ctx, random); err != nil {
		return nil, figures, err
	}
	groups, merges, err := e.Merge(ctx, p.partition(), bounds)
	figures.Merges = merges
	return groups, figures, err
}

// InOrder lists the records by their positions.
func InOrder(position []uint32) []uint32 {
	records := make([]uint32, len(position))
	for record, place := range position {
		records[place] = uint32(record)
	}
	return records
}

// Facts describe what happened to the records.
func (f EachFigures) Facts() []anonymize.Fact {
	return []anonymize.Fact{
		{Name: "groups dealt", Value: fmt.Sprintf("%d of records that differ in every sensitive attribute", f.Dealt)},
		{Name: "records placed", Value: fmt.Sprintf("%d joined such a group", f.Placed)},
		{Name: "merges", Value: fmt.Sprintf("%d, until every sensitive attribute kept its bound in every group", f.Merges)},
	}
}
