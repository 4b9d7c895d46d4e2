package misfit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/contingency"
	"github.com/anonsql/anonsql/anonymize/membership"
	"github.com/anonsql/anonsql/anonymize/units"
)

// everything allows a re-publication to leave out whatever it must; the comparison uses what remains.
var everything = anonymize.NewRatio(1, 1)

// publish is the first half of a re-publication: it publishes a table as the release was published. unit has the unit of each record if there are units.
func (m *measurer) publish(ctx context.Context, table *anonymize.Microdata, unit []uint32) (publication, error) {
	random := m.source()
	in, err := anonymize.NewInput(table, m.recipe.Roles, rand.NewPCG(random.Uint64(), random.Uint64()))
	if err != nil {
		return publication{}, err
	}
	in.Units, in.Asked = unit, m.recipe.Asked
	result, err := units.Run(ctx, m.recipe.Method, in, m.recipe.Parameters, everything)
	if err != nil {
		return publication{}, fmt.Errorf("a completed table cannot be published as the release was: %w", err)
	}
	if in = result.Published(in); result.Records != nil {
		table = &anonymize.Microdata{Rows: in.Rows, Columns: slices.Concat(in.QuasiIdentifiers, in.Sensitive)}
	}
	r := result.Release
	if m.release.Model != nil {
		share := float64(m.release.Rows) / float64(m.release.Model.Rows())
		if r.Model, err = contingency.Recount(m.release.Model, r, table, share, random); err != nil {
			return publication{}, err
		}
	}
	return publication{table, r}, nil
}

// publishCompleted publishes completed table d.
func (m *measurer) publishCompleted(ctx context.Context, d int) (publication, error) {
	order := m.order()
	unit, err := m.unitsOf(ctx, d)
	if err != nil {
		return publication{}, err
	}
	return m.publish(ctx, m.table(m.completed(d, order)), gathered(unit, order))
}

// order returns a random order of the records.
func (m *measurer) order() []int { return m.source().Perm(m.release.Rows) }

// completed returns, by fragment, the records of completed table d in an order.
func (m *measurer) completed(d int, order []int) (at [][]uint32) {
	for j := range m.release.Fragments {
		at = append(at, gathered(records(m.release, m.completion, d, j), order))
	}
	return at
}

func gathered(of []uint32, order []int) []uint32 {
	if of == nil {
		return nil
	}
	return anonymize.Gather(of, order)
}

// unitsOf returns the unit of every record of completed table d; nil if records are units.
func (m *measurer) unitsOf(ctx context.Context, d int) ([]uint32, error) {
	if m.release.Units == nil {
		return nil, nil
	}
	places, err := membership.Draw(ctx, m.whole, d) // as the tables' units were joined
	if err != nil {
		return nil, err
	}
	if m.groups != nil {
		places = placesOf([][]uint16{places}, m.groups, firstRecords(m.whole))[0]
	}
	unit, first, before := make([]uint32, m.release.Rows), 0, uint32(0)
	for g, size := range m.release.GroupSizes {
		for record := first; record < first+int(size); record++ {
			unit[record] = before + uint32(places[record])
		}
		first, before = first+int(size), before+m.release.Units[g]
	}
	return unit, nil
}

// publishUnrelated publishes a table whose fragments are independent. Within each fragment, a unit keeps what one unit has.
func (m *measurer) publishUnrelated(ctx context.Context) (publication, error) {
	unit, err := m.unitsOf(ctx, 0)
	if err != nil {
		return publication{}, err
	}
	random := m.source()
	var at [][]uint32
	for j := range m.release.Fragments {
		if unit == nil {
			at = append(at, numbers(random.Perm(m.release.Rows)))
			continue
		}
		at = append(at, gathered(records(m.release, m.completion, 0, j), m.exchanged(unit, random)))
	}
	if unit == nil {
		return m.publish(ctx, m.table(at), nil)
	}
	mixed := m.order()
	for j := range at {
		at[j] = gathered(at[j], mixed)
	}
	return m.publish(ctx, m.table(at), gathered(unit, mixed))
}

func numbers(of []int) []uint32 {
	numbers := make([]uint32, len(of))
	for i, n := range of {
		numbers[i] = uint32(n)
	}
	return numbers
}

// exchanged gives every unit the records of a random other unit with as many. It returns, by record, its replacement.
func (m *measurer) exchanged(unit []uint32, random *rand.Rand) []int {
	records := make([][]int, 0, len(unit))
	for record, u := range unit {
		for int(u) >= len(records) {
			records = append(records, nil)
		}
		records[u] = append(records[u], record)
	}
	bySize := make([][]int, 1+len(slices.MaxFunc(records, func(a, b []int) int { return len(a) - len(b) }))) // by size: units
	for u, of := range records {
		bySize[len(of)] = append(bySize[len(of)], u)
	}
	other := make([]int, len(unit))
	for _, of := range bySize {
		for i, from := range random.Perm(len(of)) {
			for k, record := range records[of[i]] {
				other[record] = records[of[from]][k]
			}
		}
	}
	return other
}
