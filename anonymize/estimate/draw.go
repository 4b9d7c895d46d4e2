package estimate

import (
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
)

// Draw returns one table drawn from the model that r defines: inside every
// group the fragments' tuples are matched by independent uniform permutations,
// and every cell that is not a point is drawn from its distribution. Rows are
// ordered by gid; the order inside a group is that of the matching. The same
// source gives the same table. Cost: O(rows * columns).
func Draw(r *anonymize.Release, source rand.Source) *anonymize.Microdata {
	random := rand.New(source)
	table := &anonymize.Microdata{Rows: r.Rows}
	for _, f := range r.Fragments {
		tuples := drawTuples(r, f, random)
		for _, c := range f.Columns {
			table.Columns = append(table.Columns, drawColumn(c, tuples, random))
		}
	}
	return table
}

// drawTuples returns the tuple of f that each row gets.
func drawTuples(r *anonymize.Release, f *anonymize.Fragment, random *rand.Rand) []uint32 {
	tuples := make([]uint32, 0, r.Rows)
	for g := range r.Groups() {
		first := len(tuples)
		for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
			for range f.Count[t] {
				tuples = append(tuples, t)
			}
		}
		group := tuples[first:]
		random.Shuffle(len(group), func(i, j int) { group[i], group[j] = group[j], group[i] })
	}
	return tuples
}

func drawColumn(c *anonymize.FragmentColumn, tuples []uint32, random *rand.Rand) *anonymize.Column {
	column := &anonymize.Column{Name: c.Name, Type: c.Type, Dictionary: c.Dictionary, Codes: make([]uint32, len(tuples))}
	for row, t := range tuples {
		if c.IsPoint() {
			column.Codes[row] = c.Codes[t]
		} else {
			column.Codes[row] = drawMember(&c.Cells[c.Codes[t]], random)
		}
	}
	return column
}

func drawMember(cell *anonymize.Cell, random *rand.Rand) uint32 {
	if cell.Weights == nil {
		return cell.Members[random.IntN(len(cell.Members))]
	}
	u := random.Float64()
	for i, w := range cell.Weights {
		if u -= w; u < 0 {
			return cell.Members[i]
		}
	}
	return cell.Members[len(cell.Members)-1]
}
