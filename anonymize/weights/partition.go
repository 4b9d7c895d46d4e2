package weights

import (
	"math"
	"slices"
)

// maxAtoms is the greatest number of atoms, that is groups of neighbouring weights that stay together.
const maxAtoms = 400

// gathered merges neighbours until they have a 400th of the records.
func gathered(points []point, records int) (atoms [][]point) {
	if len(points) <= maxAtoms {
		for i := range points {
			atoms = append(atoms, points[i:i+1])
		}
		return atoms
	}
	first, has := 0, 0
	for i, p := range points {
		if has += p.records; has*maxAtoms >= records || i == len(points)-1 {
			atoms = append(atoms, points[first:i+1])
			first, has = i+1, 0
		}
	}
	return atoms
}

// A partition has the best divisions of the first atoms into its number of classes, for every number of atoms.
type partition struct {
	atoms [][]point
	least int
	// Of the first atoms: records, and the sums of weights and of their squares, after subtracting the mean of all.
	records, sum, squares []float64
	classes               int
	loss                  []float64 // by number of atoms; infinite for none
	from                  [][]int   // by number of classes and of atoms: where the last class begins
}

// newPartition returns a partition into one class.
func newPartition(atoms [][]point, least int) *partition {
	p := &partition{atoms: atoms, least: least, records: make([]float64, 1), sum: make([]float64, 1), squares: make([]float64, 1)}
	all := slices.Concat(atoms...)
	total, records := 0.0, 0.0
	for _, point := range all {
		total, records = total+float64(point.records)*point.weight, records+float64(point.records)
	}
	n, s, q := 0.0, 0.0, 0.0
	for _, atom := range atoms {
		for _, point := range atom {
			m, d := float64(point.records), point.weight-total/records
			n, s, q = n+m, s+m*d, q+m*d*d
		}
		p.records, p.sum, p.squares = append(p.records, n), append(p.sum, s), append(p.squares, q)
	}
	p.classes, p.loss, p.from = 1, make([]float64, len(atoms)+1), [][]int{make([]int, len(atoms)+1)}
	for end := range p.loss {
		p.loss[end] = p.cost(0, end)
	}
	p.loss[len(atoms)] = p.squares[len(atoms)] - p.sum[len(atoms)]*p.sum[len(atoms)]/records // even for too few records
	return p
}

// cost returns the sum of squares inside a class of the atoms first to end-1, infinite if it has too few records.
func (p *partition) cost(first, end int) float64 {
	records := p.records[end] - p.records[first]
	if records < float64(p.least) || records == 0 {
		return math.Inf(1)
	}
	sum := p.sum[end] - p.sum[first]
	return max(0, p.squares[end]-p.squares[first]-sum*sum/records)
}

// squaresInside returns the sum of squares inside classes.
func (p *partition) squaresInside() float64 { return p.loss[len(p.atoms)] }

// divide adds a class; it returns false if there are too few records.
func (p *partition) divide() bool {
	loss, from := make([]float64, len(p.loss)), make([]int, len(p.loss))
	for end := range loss {
		loss[end] = math.Inf(1)
		for first := range end {
			if l := p.loss[first] + p.cost(first, end); l < loss[end] {
				loss[end], from[end] = l, first
			}
		}
	}
	if math.IsInf(loss[len(p.atoms)], 1) {
		return false
	}
	p.classes, p.loss, p.from = p.classes+1, loss, append(p.from, from)
	return true
}

// best returns the atoms of every class.
func (p *partition) best() [][][]point {
	classes, end := make([][][]point, p.classes), len(p.atoms)
	for c := p.classes - 1; c >= 0; c-- {
		first := p.from[c][end]
		classes[c], end = p.atoms[first:end], first
	}
	return classes
}
