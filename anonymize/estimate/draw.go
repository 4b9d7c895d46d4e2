package estimate

import (
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
)

// Draw draws one table from the model that r defines. Inside every group, independent uniform
// permutations match the fragments' tuples; every cell that is not a point is drawn from its
// distribution. Draw leaves out as many random rows as there are counterfeits. Rows are ordered
// by gid, and within a group by the matching. The same source gives the same table. Cost:
// O(rows * columns).
func Draw(r *anonymize.Release, source rand.Source) *anonymize.Microdata {
	random := rand.New(source)
	table := &anonymize.Microdata{Rows: r.Rows - r.Forged}
	forged := drawForged(r, random)
	for _, f := range r.Fragments {
		tuples := withoutRows(drawTuples(r, f, random), forged)
		for _, c := range f.Columns {
			table.Columns = append(table.Columns, drawColumn(c, tuples, random))
		}
	}
	return table
}

// drawForged chooses the counterfeits' rows, ascending (Knuth, The Art of Computer Programming
// 2, Algorithm 3.4.2 S). It draws nothing if there are none.
func drawForged(r *anonymize.Release, random *rand.Rand) []int {
	var forged []int
	for row := 0; len(forged) < r.Forged; row++ {
		if random.IntN(r.Rows-row) < r.Forged-len(forged) {
			forged = append(forged, row)
		}
	}
	return forged
}

// withoutRows removes the tuples of the given rows, which ascend.
func withoutRows(tuples []uint32, rows []int) []uint32 {
	kept := tuples[:0]
	for row, t := range tuples {
		if len(rows) > 0 && rows[0] == row {
			rows = rows[1:]
			continue
		}
		kept = append(kept, t)
	}
	return kept
}

// drawTuples returns the tuple of f for each row.
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
