package mondrian

// A block is a set of records that are compared with each other, as items 0, 1, ... with
// contiguous data.
type block struct {
	*search
	record []uint32
	lines  int       // number of axes that are lines
	at     []float32 // by item, then line: its position
	sets   []setAxis
	number []uint32   // by item, then set: its value, numbered within the block
	value  [][]uint32 // by sensitive attribute, then item, numbered within the block
	values []int      // by sensitive attribute: number of distinct ones
}

// A setAxis is an axis of a block that is a set.
type setAxis struct {
	unit   float32
	values int // that occur in the block
}

func newBlock(s *search, records []uint32, numbers *denseNumbers) *block {
	b := &block{search: s, record: records}
	var sets []int
	for i, x := range s.axes {
		if x.position != nil {
			b.lines++
		} else {
			sets = append(sets, i)
		}
	}
	b.at, b.number = make([]float32, b.lines*len(records)), make([]uint32, len(sets)*len(records))
	line := 0
	for _, x := range s.axes {
		if x.position == nil {
			continue
		}
		for item, r := range records {
			b.at[item*b.lines+line] = x.position[x.place[r]]
		}
		line++
	}
	for j, i := range sets {
		x := &s.axes[i]
		values := numbers.axis[i].number(x.place, records, b.number[j:], len(sets))
		b.sets = append(b.sets, setAxis{unit: x.unit, values: values})
	}
	for i := range s.sensitive {
		value := make([]uint32, len(records))
		b.values = append(b.values, numbers.sensitive[i].number(s.sensitive[i].value, records, value, 1))
		b.value = append(b.value, value)
	}
	return b
}

func (b *block) rows() int { return len(b.record) }

// denseNumbers is scratch memory for numbering the values of one block at a time.
type denseNumbers struct {
	axis, sensitive []denseNumber
}

// A denseNumber maps values to numbers from 1; 0 is none. All entries are 0 between blocks.
type denseNumber []uint32

func newDenseNumbers(axes []axis, sensitive []sensitiveAttribute) *denseNumbers {
	n := &denseNumbers{}
	for _, x := range axes {
		n.axis = append(n.axis, make(denseNumber, x.values))
	}
	for _, s := range sensitive {
		n.sensitive = append(n.sensitive, make(denseNumber, len(s.total)))
	}
	return n
}

// number writes the numbers of the records' values, from 0 in order of appearance, to every
// stride-th place, and returns the number of distinct ones.
func (d denseNumber) number(value, records, to []uint32, stride int) (values int) {
	for i, r := range records {
		v := value[r]
		if d[v] == 0 {
			values++
			d[v] = uint32(values)
		}
		to[i*stride] = d[v] - 1
	}
	for _, r := range records {
		d[value[r]] = 0
	}
	return values
}
