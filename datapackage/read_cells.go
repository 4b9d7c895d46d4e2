package datapackage

import (
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// namesKind returns the kind of an attribute's names of cells: text, or base64 if the schema
// says so.
func (in *reader) namesKind(described *column) (kind, error) {
	r, err := in.resource(described.Cells, "attribute "+described.Name+": the list of its cells")
	if err != nil {
		return "", err
	}
	if len(r.Schema.Fields) > 0 && r.Schema.Fields[0].Format == "binary" {
		return binaryKind, nil
	}
	return textKind, nil
}

// generalized reads the meaning of an attribute's cells; shown has their names, by tuple.
func (in *reader) generalized(ctx context.Context, described *column, c *anonymize.FragmentColumn, shown *readColumn) error {
	values, err := in.resource(described.Values, "the list of its values")
	if err != nil {
		return err
	}
	cells, err := in.resource(described.Cells, "the list of its cells")
	if err != nil {
		return err
	}
	if c.Dictionary, err = in.domain(ctx, values, described.Kind); err != nil {
		return err
	}
	lines := &readTable{rows: -1, columns: []*readColumn{{name: "cell", kind: shown.kind}, {name: "label", kind: shown.kind},
		{name: "low", kind: described.Kind}, {name: "high", kind: described.Kind}, {name: "weight", kind: realKind}}}
	if err := in.table(ctx, cells, lines); err != nil {
		return err
	}
	b := &cellBuilder{reader: in, dictionary: c.Dictionary, lines: lines}
	if err := b.build(); err != nil {
		return wrapPlace(cells.Path, err)
	}
	c.Cells = b.cells
	c.Codes = shown.codes
	// The codes of names follow the fragment, those of cells the list of cells.
	rank := make([]uint32, len(shown.texts))
	for code, name := range shown.texts {
		at, ok := lines.columns[0].index[name]
		if !ok || code == shown.missing {
			return errBadPackage("%s does not say what the cell %.80q stands for", cells.Path, name)
		}
		rank[code] = at
	}
	for i, code := range c.Codes {
		c.Codes[i] = rank[code]
	}
	return nil
}

// domain reads the values of an attribute, which must ascend.
func (in *reader) domain(ctx context.Context, r *resource, k kind) ([]anonymize.Value, error) {
	t := &readTable{rows: -1, columns: []*readColumn{{name: "position", kind: integerKind, number: true}, {name: "value", kind: k}}}
	if err := in.table(ctx, r, t); err != nil {
		return nil, err
	}
	read, err := t.columns[1].values()
	if err != nil {
		return nil, wrapPlace(r.Path, err)
	}
	dictionary := make([]anonymize.Value, len(t.columns[1].codes))
	for i, code := range t.columns[1].codes {
		dictionary[i] = read[code]
		in.meet(dictionary[max(i-1, 0)], dictionary[i])
		if t.columns[0].codes[i] != uint32(i)+1 || i > 0 && in.order(dictionary[i-1], dictionary[i]) >= 0 {
			return nil, errBadPackage("%s: line %d is out of order: values ascend, each once", r.Path, i+2)
		}
	}
	return dictionary, nil
}

// A cellBuilder makes cells from the lines of their file.
type cellBuilder struct {
	*reader
	dictionary []anonymize.Value
	lines      *readTable
	cells      []anonymize.Cell
	all        []uint32
}

func (b *cellBuilder) build() error {
	b.all = anonymize.Indices(len(b.dictionary))
	place, err := b.places()
	if err != nil {
		return err
	}
	weights, err := b.lines.columns[4].values()
	if err != nil {
		return err
	}
	names, labels := b.lines.columns[0], b.lines.columns[1]
	if names.missing >= 0 || labels.missing >= 0 {
		return errBadPackage("a cell has no name, or no label")
	}
	shown, err := labels.values()
	if err != nil {
		return err
	}
	if _, err := names.values(); err != nil {
		return err
	}
	b.cells = make([]anonymize.Cell, len(names.texts))
	for i := 0; i < len(names.codes); {
		end := i + 1
		for end < len(names.codes) && names.codes[end] == names.codes[i] {
			end++
		}
		// Codes number names in order of their first lines. A cell whose lines are not
		// contiguous meets one that already exists.
		cell := &b.cells[names.codes[i]]
		if cell.Members != nil {
			return errBadPackage("the lines of cell %.80q are not together", names.texts[names.codes[i]])
		}
		cell.Label = shown[labels.codes[i]].Text
		if err := b.add(cell, i, end, place, weights); err != nil {
			return wrapPlace("cell "+cell.Label, err)
		}
		i = end
	}
	return nil
}

// places returns the positions in the domain of the texts of low and high.
func (b *cellBuilder) places() (place [2][]int, err error) {
	for side := range place {
		ends, err := b.lines.columns[2+side].values()
		if err != nil {
			return place, err
		}
		for _, v := range ends {
			at, ok := slices.BinarySearchFunc(b.dictionary, v, b.order)
			if !ok {
				return place, errBadPackage("%.80q is none of the attribute's values", v.String())
			}
			place[side] = append(place[side], at)
		}
	}
	return place, nil
}

// add makes a cell of the lines first to end-1.
func (b *cellBuilder) add(cell *anonymize.Cell, first, end int, place [2][]int, weights []anonymize.Value) error {
	label, weight := b.lines.columns[1].codes, b.lines.columns[4].codes
	weighted := !weights[weight[first]].IsNull()
	for i := first; i < end; i++ {
		low, high := place[0][b.lines.columns[2].codes[i]], place[1][b.lines.columns[3].codes[i]]
		w := weights[weight[i]]
		switch {
		case low > high:
			return errBadPackage("its values end before they begin")
		case label[i] != label[first] || w.IsNull() == weighted:
			return errBadPackage("its lines do not agree")
		case len(cell.Members) > 0 && int(cell.Members[len(cell.Members)-1]) >= low:
			return errBadPackage("its values do not ascend")
		}
		if b.members += high - low + 1; b.members > allMembers {
			return errBadPackage("the cells stand for more than %d values together", allMembers)
		}
		if end == first+1 && !weighted {
			cell.Members = b.all[low : high+1 : high+1]
			return nil
		}
		if b.listed += high - low + 1; b.listed > listedMembers {
			return errBadPackage("the cells that are no intervals stand for more than %d values together", listedMembers)
		}
		cell.Members = append(cell.Members, b.all[low:high+1]...)
		for range high - low + 1 {
			if weighted {
				cell.Weights = append(cell.Weights, w.Float)
			}
		}
	}
	return nil
}
