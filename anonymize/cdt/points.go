package cdt

import "github.com/anonsql/anonsql/anonymize/generalization"

// points are records by their distinct tuples: equal ones are measured once.
type points struct {
	record []uint32 // by tuple: its first record
	weight []int64  // by tuple: its number of records
	of     []uint32 // by position in the list of records: the tuple
}

// compress numbers the tuples of records in order of occurrence. id has the tuple of every
// record of the table, below distinct.
func compress(records, id []uint32, distinct int) *points {
	p := &points{of: make([]uint32, len(records))}
	number := make([]uint32, distinct) // plus one
	for i, r := range records {
		if number[id[r]] == 0 {
			p.record, p.weight = append(p.record, r), append(p.weight, 0)
			number[id[r]] = uint32(len(p.record))
		}
		p.of[i] = number[id[r]] - 1
		p.weight[p.of[i]]++
	}
	return p
}

// entropy returns the entropy of an attribute over the records.
func (p *points) entropy(a *generalization.Attribute) float64 {
	count := make([]int64, a.Places)
	for t, r := range p.record {
		count[a.Place[r]] += p.weight[t]
	}
	return entropy(count)
}

// A sample is records to cluster: weighted positions, each with a tuple. Under a similarity,
// equal tuples are far from each other, and a medoid is no nearer to its copies. So a tuple of
// several records then has two positions: the record that may be a medoid, and its copies.
type sample struct {
	tuple  []uint32 // by position
	weight []int64
	// medoids is the number of positions that may be medoids; they come first.
	medoids int
}

// newSample lists the tuples with weight, in order.
func newSample(weight []int64, similarity bool) *sample {
	s := &sample{}
	add := func(tuple int, w int64) {
		s.tuple, s.weight = append(s.tuple, uint32(tuple)), append(s.weight, w)
	}
	for tuple, w := range weight {
		switch {
		case w > 0 && similarity:
			add(tuple, 1)
		case w > 0:
			add(tuple, w)
		}
	}
	s.medoids = len(s.tuple)
	if !similarity {
		return s
	}
	for tuple, w := range weight {
		if w > 1 {
			add(tuple, w-1)
		}
	}
	return s
}
