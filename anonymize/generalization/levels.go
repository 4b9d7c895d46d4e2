package generalization

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
)

// A Level is one way to publish a column in full-domain generalization: every value has one
// cell, cells are disjoint, and every cell lies inside one cell of the next level.
type Level struct {
	// Number counts from 0, the values themselves, to the height of the hierarchy, one cell for
	// everything.
	Number int
	Name   string    // "as it is", "intervals of 10", "level 2", "*"
	Of     []uint32  // by place: its cell
	Loss   []float64 // by cell: its normalized certainty penalty

	root bool // one cell of everything, the last level of the hierarchy
	// The cell of a value that is not NULL; nil at level 0.
	key   func(v anonymize.Value) int64
	label func(key int64) string
	loss  func(key int64) float64
}

// Levels lists the attribute's levels that distinguish different sets of places, beginning with
// level 0, and the height of its hierarchy. The last level distinguishes nothing.
//
// With a taxonomy of height h, level j has the nodes of depth h-j, and the leaves
// that are less deep as they are. So cells never overlap; they would if a leaf of
// depth 1 became the root at level 1, beside deeper ones that do not. In a
// taxonomy from ARX's files, where all leaves are equally deep, level j is the
// file's column j. Numbers without a taxonomy have intervals of round widths, see
// newIntervals; anything else is as it is or "*". NULL is a cell of its own
// except in the last level. O(places x height).
func (a *Attribute) Levels() (levels []Level, height int) {
	all := a.hierarchy()
	for j, level := range all {
		level.Number, level.root = j, j == len(all)-1
		level.divide(a)
		if last := len(levels) - 1; last < 0 || len(level.Loss) < len(levels[last].Loss) {
			levels = append(levels, level)
		}
	}
	return levels, len(all) - 1
}

// hierarchy lists all levels, without their cells.
func (a *Attribute) hierarchy() []Level {
	levels := []Level{{Name: "as it is"}}
	if a.Spans() {
		levels[0].Name = "narrowest intervals"
	}
	if a.taxonomy != nil {
		height := a.taxonomy.Height()
		for j := 1; j < height; j++ {
			levels = append(levels, a.taxonomyLevel(height-j, fmt.Sprintf("level %d", j)))
		}
	} else {
		s := a.newIntervals()
		for j := range s.levels {
			levels = append(levels, s.level(j+1))
		}
	}
	return append(levels, Level{Name: a.rootLabel(),
		key:   func(anonymize.Value) int64 { return 0 },
		label: func(int64) string { return a.rootLabel() },
		loss:  func(int64) float64 { return a.RootLoss() }})
}

func (a *Attribute) rootLabel() string {
	if a.taxonomy != nil {
		return a.taxonomy.Label(0)
	}
	return "*"
}

// RootLoss returns the penalty of the cell of all values: 1, but 0 if there is only one value.
func (a *Attribute) RootLoss() float64 {
	if a.Places > 1 || a.taxonomy != nil && len(a.taxonomy.Leaves()) > 1 {
		return 1
	}
	return 0
}

// taxonomyLevel returns the level of the nodes of one depth.
func (a *Attribute) taxonomyLevel(depth int, name string) Level {
	return Level{Name: name,
		key: func(v anonymize.Value) int64 {
			node := a.taxonomy.Leaf(v)
			for a.taxonomy.Depth(node) > depth {
				node = a.taxonomy.Parent(node)
			}
			return int64(node)
		},
		label: func(key int64) string { return a.taxonomy.Label(int(key)) },
		loss:  func(key int64) float64 { return a.taxonomy.Share(int(key)) }}
}

// divide numbers the cells in the order of their places.
func (l *Level) divide(a *Attribute) {
	l.Of = make([]uint32, a.Places)
	numbers := make(map[int64]uint32)
	for place := range l.Of {
		if l.Number == 0 || a.null && place == 0 && !l.root {
			l.Of[place] = uint32(len(l.Loss))
			l.Loss = append(l.Loss, 0)
			continue
		}
		key := l.key(a.value(place))
		cell, known := numbers[key]
		if !known {
			cell = uint32(len(l.Loss))
			numbers[key] = cell
			l.Loss = append(l.Loss, l.loss(key))
		}
		l.Of[place] = cell
	}
}

// Everything in place of a class's place requests the cell of all values.
const Everything = ^uint32(0)

// GeneralizeTo makes the cells of one level, not the tight ones of Generalize. place has a
// place of every class, whose records share its cell, or Everything for suppressed records. It
// omits cells without a class, which would reveal what was suppressed. O(classes + dictionary).
func (a *Attribute) GeneralizeTo(level *Level, place []uint32) *Generalized {
	b := newCellBuilder(a)
	members := b.membersAt(level)
	number := make(map[uint32]uint32)
	of := make([]uint32, len(place))
	for class, p := range place {
		cell := Everything
		if p != Everything && !level.root {
			cell = level.Of[p]
		}
		known := false
		if of[class], known = number[cell]; known {
			continue
		}
		of[class] = uint32(len(b.cells))
		number[cell] = of[class]
		b.add(level, p, members)
	}
	return b.finish(of)
}

// membersAt lists the members of a level's cells by key; level 0 has none.
func (b *cellBuilder) membersAt(level *Level) map[int64][]uint32 {
	if level.key == nil {
		return nil
	}
	members := make(map[int64][]uint32)
	for code, v := range b.dictionary {
		if v.IsNull() {
			continue
		}
		key := level.key(v)
		members[key] = append(members[key], uint32(code))
	}
	return members
}

// add adds the cell of a place, or of everything.
func (b *cellBuilder) add(level *Level, place uint32, members map[int64][]uint32) {
	switch {
	case place == Everything || level.root:
		b.cells = append(b.cells, anonymize.Cell{Label: b.rootLabel(), Members: b.all})
		b.penalty = append(b.penalty, b.RootLoss())
	case level.Number == 0 || b.null && place == 0:
		b.cells = append(b.cells, b.cell([]uint32{place}))
		b.penalty = append(b.penalty, 0)
	default:
		key := level.key(b.value(int(place)))
		b.cells = append(b.cells, anonymize.Cell{Label: level.label(key), Members: members[key]})
		b.penalty = append(b.penalty, level.loss(key))
	}
}
