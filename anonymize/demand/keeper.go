package demand

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

const (
	// looksAround is the number of groups that are examined on either side of one that needs others.
	looksAround = 32
	// largePartner is the size above which a group is absorbed only if there is no smaller one
	// near, because examining it takes long.
	largePartner = 256
	// fewValues is the greatest number of a group's distinct values for which it examines all
	// neighbours.
	fewValues = 256
	// growth is the fraction by which a group of many values grows before it is tested again.
	growth = 32
	// hardlyAny is the number of groups below which alternatives are tried.
	hardlyAny = 16
	// stretch is the number of groups between two checks of the context.
	stretch = 1 << 10
)

// A keeper merges groups.
type keeper struct {
	asked  []askedColumn
	names  []string // of all promises
	chains *bucketization.Chains
	breaks []bool  // by group: it violates the requirements
	size   int     // records of the current group
	broken float64 // those of them in violating groups
}

// An askedColumn has the counts of the current group.
type askedColumn struct {
	*Demand
	codes  []uint32 // by record
	count  []uint32 // by value
	values []uint32 // with a count
}

// newKeeper returns nil without requirements.
func newKeeper(ctx context.Context, in *anonymize.Input) (*keeper, error) {
	columns, demands, err := columnsOf(ctx, in)
	if err != nil || len(demands) == 0 {
		return nil, err
	}
	k := &keeper{}
	for i, d := range demands {
		k.asked = append(k.asked, askedColumn{Demand: d, codes: columns[i].Codes, count: make([]uint32, len(d.total))})
		for _, a := range d.asked {
			k.names = append(k.names, a.promise.Guarantee+" = "+a.promise.Bound.Text())
		}
	}
	return k, nil
}

// judge sets breaks and returns the number of violating groups.
func (k *keeper) judge(ctx context.Context, groups *bucketization.Partition) (broken int, err error) {
	k.breaks = make([]bool, groups.Groups())
	for g := range k.breaks {
		if g%stretch == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		k.add(groups.Records(g))
		if k.breaks[g] = !k.keeps(); k.breaks[g] {
			broken++
		}
		k.clear()
	}
	return broken, ctx.Err()
}

func (k *keeper) unite(ctx context.Context, in *anonymize.Input, groups *bucketization.Partition) (*bucketization.Partition, error) {
	k.chains = bucketization.NewChains(groups)
	for g := range k.breaks {
		if g%stretch == 0 {
			if in.Report("unite groups", g, len(k.breaks)); ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
		if k.breaks[g] && !k.chains.Absorbed(g) {
			if err := k.mend(ctx, int32(g)); err != nil {
				return nil, err
			}
		}
	}
	return k.chains.United(), ctx.Err()
}

// halve recursively divides the groups, in order, in the middle while both parts meet the
// requirements. O(records log groups).
func (k *keeper) halve(ctx context.Context, groups *bucketization.Partition) (*bucketization.Partition, error) {
	halved := &bucketization.Partition{Start: []uint32{0}, Member: groups.Member}
	open := [][2]int{{0, groups.Groups()}}
	for len(open) > 0 && ctx.Err() == nil {
		first, end := open[len(open)-1][0], open[len(open)-1][1]
		open = open[:len(open)-1]
		middle := (first + end) / 2
		if middle > first && k.isGroup(groups, first, middle) && k.isGroup(groups, middle, end) {
			open = append(open, [2]int{middle, end}, [2]int{first, middle})
			continue
		}
		halved.Start = append(halved.Start, groups.Start[end])
	}
	return halved, ctx.Err()
}

// isGroup tests the union of consecutive groups.
func (k *keeper) isGroup(groups *bucketization.Partition, first, end int) bool {
	defer k.clear()
	k.add(groups.Member[groups.Start[first]:groups.Start[end]])
	return k.keeps()
}

// mend lets a group absorb others until it meets all requirements or there are no others.
func (k *keeper) mend(ctx context.Context, g int32) error {
	defer k.clear()
	k.take(g)
	for at := 1; !k.keeps(); at++ {
		if at%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for until := k.size + 1 + k.distinct()/fewValues*k.size/growth; k.size < until; {
			partner := k.partner(g)
			if partner < 0 {
				return nil // all records, which meet them
			}
			k.take(partner)
			k.chains.Absorb(g, partner)
		}
	}
	k.breaks[g] = false
	return nil
}

// distinct returns the greatest number of the current group's values in a column.
func (k *keeper) distinct() (most int) {
	for i := range k.asked {
		most = max(most, len(k.asked[i].values))
	}
	return most
}

// partner returns the group to absorb next, -1 for none.
func (k *keeper) partner(g int32) int32 {
	small, large := choice{group: -1}, int32(-1)
	many := k.distinct() > fewValues // then one partner changes little, and the nearest one suffices
	if k.broken = 0; !many {
		k.broken = k.lacks() * float64(k.size)
	}
	k.chains.VisitNeighbours(g, looksAround, func(h int32) {
		switch {
		case k.chains.Size(h) > largePartner && large < 0:
			large = h
		case k.chains.Size(h) > largePartner || many && small.group >= 0:
		case many:
			small.group = h
		default:
			if c := k.look(h); small.group < 0 || c.isBetter(small) {
				small = c
			}
		}
	})
	if small.group < 0 {
		return large
	}
	return small.group
}

// A choice evaluates a group as a partner.
type choice struct {
	group int32
	keeps bool    // the union meets all requirements
	costs int     // records that met them before
	mends float64 // reduction of the violation per record
}

func (c choice) isBetter(than choice) bool {
	switch {
	case c.keeps != than.keeps:
		return c.keeps
	case c.keeps:
		return c.costs < than.costs
	}
	return c.mends > than.mends
}

// look evaluates absorbing another group, without doing it.
func (k *keeper) look(h int32) choice {
	size := k.size
	k.take(h)
	lacks := k.lacks()
	c := choice{group: h, keeps: lacks < margin && k.keeps()}
	if !c.keeps {
		c.mends = (k.broken - lacks*float64(k.size)) / float64(k.size-size)
	} else if !k.breaks[h] {
		c.costs = k.size - size
	}
	k.giveBack(h)
	return c
}

// take adds the records of a group and of all that it has absorbed.
func (k *keeper) take(g int32) {
	for records := range k.chains.Parts(g) {
		k.add(records)
	}
}

func (k *keeper) add(records []uint32) {
	k.size += len(records)
	for i := range k.asked {
		of := &k.asked[i]
		for _, record := range records {
			v := of.codes[record]
			if of.count[v]++; of.count[v] == 1 {
				of.values = append(of.values, v)
			}
		}
	}
}

// giveBack undoes the last take.
func (k *keeper) giveBack(g int32) {
	for records := range k.chains.Parts(g) {
		k.size -= len(records)
		for i := range k.asked {
			of := &k.asked[i]
			for _, record := range records {
				of.count[of.codes[record]]--
			}
		}
	}
	for i := range k.asked {
		of := &k.asked[i]
		for n := len(of.values); n > 0 && of.count[of.values[n-1]] == 0; n-- {
			of.values = of.values[:n-1]
		}
	}
}

// clear forgets the current group.
func (k *keeper) clear() {
	for i := range k.asked {
		of := &k.asked[i]
		for _, v := range of.values {
			of.count[v] = 0
		}
		of.values = of.values[:0]
	}
	k.size = 0
}

// keeps tests the current group.
func (k *keeper) keeps() bool {
	for i := range k.asked {
		if of := &k.asked[i]; !of.admits(of.class(k.size)) {
			return false
		}
	}
	return true
}

// lacks returns the current group's total violation.
func (k *keeper) lacks() (sum float64) {
	for i := range k.asked {
		of := &k.asked[i]
		c := of.class(k.size)
		for j := range of.asked {
			a := &of.asked[j]
			sum += a.lacks(of.Demand, &a.promise, c)
		}
	}
	return sum
}

func (c *askedColumn) class(m int) class { return class{c.count, c.values, uint64(m)} }
