package bucketization

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// Candidates are cells of the sensitive attribute, one per record.
type Candidates struct {
	Cells []anonymize.Cell
	Of    []uint32 // by record: index into Cells
}

// SetCell returns the cell of several equally likely values, ascending: "{a,b}".
func SetCell(dictionary []anonymize.Value, codes []uint32) anonymize.Cell {
	names := make([]string, len(codes))
	for i, code := range codes {
		names[i] = dictionary[code].String()
	}
	return anonymize.Cell{Label: "{" + strings.Join(names, ",") + "}", Members: slices.Clone(codes)}
}

// PublishRecords makes the release in which every record is its own group, with its exact
// quasi-identifiers (fragment qi1) and a cell of sensitive values (fragment sa). So a record
// stays together with its candidates, unlike in a group of several. Gids are a random
// renumbering of the records. Promises and facts are the caller's. O(rows).
func PublishRecords(ctx context.Context, method string, in *anonymize.Input, c *Candidates, random *rand.Rand) (*anonymize.Release, error) {
	p, err := NewProjection(ctx, in.QuasiIdentifiers)
	if err != nil {
		return nil, err
	}
	alone := &Partition{Start: make([]uint32, in.Rows+1), Member: make([]uint32, in.Rows)}
	for record := range alone.Member {
		alone.Start[record+1], alone.Member[record] = uint32(record+1), uint32(record)
	}
	alone = alone.Renumbered(random)
	qi, err := NewFragment(ctx, QuasiIdentifierTable(0, p), alone)
	if err != nil {
		return nil, err
	}
	sensitive := in.Sensitive[0]
	sa := &anonymize.Fragment{Name: "sa", Role: anonymize.Sensitive, GroupStart: alone.Start, Count: qi.Count,
		Columns: []*anonymize.FragmentColumn{{Name: sensitive.Name, Type: sensitive.Type, Dictionary: sensitive.Dictionary,
			Cells: c.Cells, Codes: anonymize.Gather(c.Of, alone.Member)}}}
	if in.Assigned != nil {
		in.Assigned(alone.GroupOf())
	}
	return &anonymize.Release{Method: method, Rows: in.Rows, GroupSizes: slices.Clone(qi.Count),
		Fragments: []*anonymize.Fragment{qi, sa}}, nil
}
