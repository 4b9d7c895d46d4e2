package fulldomain

import (
	"cmp"
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
)

// The measures. All are costs.
const (
	loss           = "loss"           // mean penalty (NCP) of cells
	precision      = "precision"      // mean height of cells in their hierarchies; Sweeney 2002: Prec = 1 - this
	discernibility = "discernibility" // sum of squares of classes, n for a suppressed record; Bayardo and Agrawal 2005
	classSize      = "class_size"     // mean size of the classes; LeFevre et al. 2006: C_AVG = this / k
)

// A key is the cost of a node. Keys are compared by measure, then by loss without suppression,
// then by number; less is better.
type key struct {
	value, loss float64
	node        int
}

func (x key) isBetter(y key) bool {
	return cmp.Or(cmp.Compare(x.value, y.value), cmp.Compare(x.loss, y.loss), cmp.Compare(x.node, y.node)) < 0
}

// An objective is a measure on a lattice's nodes.
type objective struct {
	*lattice
	measure   string
	rows      int
	lossAt    [][]float64   // by attribute and level: sum over all records
	penalty   [][][]float64 // of the measure: by attribute, level and cell; nil for counts of classes
	root      []float64     // by attribute: the penalty of a suppressed record
	penaltyAt [][]float64   // by attribute and level: sum over all records
}

func newObjective(l *lattice, measure string, rows int) *objective {
	o := &objective{lattice: l, measure: measure, rows: rows}
	byLoss := func(attribute, level int) []float64 { return l.levels[attribute][level].Loss }
	o.lossAt = o.sums(byLoss)
	penalty := byLoss
	if measure == precision {
		penalty = o.heights
	}
	if measure != loss && measure != precision {
		return o
	}
	o.penaltyAt = o.sums(penalty)
	for i, a := range l.attributes {
		o.penalty = append(o.penalty, nil)
		for level := range l.levels[i] {
			o.penalty[i] = append(o.penalty[i], penalty(i, level))
		}
		root := a.RootLoss()
		if measure == precision {
			root = 1
		}
		o.root = append(o.root, root)
	}
	return o
}

// heights returns the penalties of a level's cells by their height.
func (o *objective) heights(attribute, level int) []float64 {
	l := &o.levels[attribute][level]
	penalty := make([]float64, len(l.Loss))
	for cell := range penalty {
		penalty[cell] = float64(l.Number) / float64(max(o.height[attribute], 1))
	}
	return penalty
}

// sums adds up the penalties of all records, never below the sum of the level below, even after
// rounding.
func (o *objective) sums(penalty func(attribute, level int) []float64) [][]float64 {
	sums := make([][]float64, len(o.levels))
	for i, a := range o.attributes {
		records := make([]int, a.Places)
		for _, place := range a.Place {
			records[place]++
		}
		for level := range o.levels[i] {
			cells, sum := penalty(i, level), 0.0
			for place, n := range records {
				sum += float64(n) * cells[o.levels[i][level].Of[place]]
			}
			if level > 0 {
				sum = max(sum, sums[i][level-1])
			}
			sums[i] = append(sums[i], sum)
		}
	}
	return sums
}

func (o *objective) total(sums [][]float64, node int) (total float64) {
	for i := range sums {
		total += sums[i][o.level(node, i)]
	}
	return total
}

// lowerBound returns a lower bound of the costs of a node and all coarser ones, without
// counting.
func (o *objective) lowerBound(node int) key {
	return key{value: o.total(o.penaltyAt, node), loss: o.total(o.lossAt, node), node: node}
}

// leastAbove is a tighter bound that uses the node's classes: merging classes raises the sum of
// squares, and suppression raises it more; no coarser node has more classes, including the
// suppressed one.
func (o *objective) leastAbove(t *tuples) key {
	k := o.lowerBound(t.node)
	switch o.measure {
	case discernibility:
		squares := 0
		for _, m := range t.count {
			squares += int(m) * int(m)
		}
		k.value = float64(squares)
	case classSize:
		k.value = float64(o.rows) / float64(len(t.count))
	}
	return k
}

// cost returns the cost of a node with a pool of suppressed records. The pool's addition to the
// bound is nonnegative even after rounding.
func (j *judge) cost(t *tuples, p *pool) key {
	o := j.objective
	k := o.leastAbove(t)
	switch o.measure {
	case discernibility:
		squares := p.size * j.rows
		for _, m := range t.count {
			squares += int(m) * int(m)
		}
		for _, g := range p.classes {
			squares -= int(t.count[g]) * int(t.count[g])
		}
		k.value = float64(squares)
	case classSize:
		classes := len(t.count) - len(p.classes) + min(len(p.classes), 1)
		k.value = float64(j.rows) / float64(classes)
	default:
		k.value += j.hide(t, p)
	}
	return k
}

// hide returns the addition of suppression to the sum of penalties. It first counts suppressed
// records by cell, so that the sum does not depend on the order of classes.
func (j *judge) hide(t *tuples, p *pool) (added float64) {
	if p.size == 0 {
		return 0
	}
	for i, place := range j.place {
		level := j.level(t.node, i)
		of, penalty := j.levels[i][level].Of, j.objective.penalty[i][level]
		if len(j.hidden) < len(penalty) {
			j.hidden = make([]int, len(penalty))
		}
		hidden := j.hidden[:len(penalty)]
		clear(hidden)
		for _, g := range p.classes {
			hidden[of[place[t.first[g]]]] += int(t.count[g])
		}
		for cell, n := range hidden {
			added += float64(n) * max(0, j.objective.root[i]-penalty[cell])
		}
	}
	return added
}

// fact describes the cost of the best node.
func (o *objective) fact(k key) anonymize.Fact {
	mean := k.value / float64(o.rows*len(o.levels))
	text := ""
	switch o.measure {
	case loss:
		text = fmt.Sprintf("least normalized loss, %.4f", mean)
	case precision:
		text = fmt.Sprintf("greatest precision, %.4f", 1-mean)
	case discernibility:
		text = fmt.Sprintf("least discernibility, %.0f with suppressed records at %d each", k.value, o.rows)
	case classSize:
		text = fmt.Sprintf("least average class size, %.2f", k.value)
	}
	return anonymize.Fact{Name: "optimum", Value: fmt.Sprintf("%s, of all %d nodes of the lattice (%s)", text, o.nodes, o.shape())}
}
