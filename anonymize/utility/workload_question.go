package utility

import (
	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// An asker turns queries over codes of the raw table into questions to a release.
type asker struct {
	release *anonymize.Release
	// index has the code of a value, by column of the raw table.
	index map[*anonymize.Column]map[anonymize.Value]uint32
}

func newAsker(r *anonymize.Release, a *attributes) *asker {
	s := &asker{release: r, index: make(map[*anonymize.Column]map[anonymize.Value]uint32)}
	for _, c := range a.allColumns() {
		s.index[c] = make(map[anonymize.Value]uint32, len(c.Dictionary))
		for code, v := range c.Dictionary {
			s.index[c][v] = uint32(code)
		}
	}
	return s
}

// touched returns the attributes of a query, as the release names them.
func (s *asker) touched(q query) (names []string) {
	add := func(c *anonymize.Column) {
		fragment, column, _ := s.release.Locate(c.Name)
		names = append(names, s.release.Fragments[fragment].Columns[column].Name)
	}
	for _, w := range q.where {
		add(w.column)
	}
	if q.argument != nil {
		add(q.argument)
	}
	return names
}

// question asks for the given kinds of aggregates: Count of all records, the others of the
// argument.
func (s *asker) question(q query, kinds ...estimate.Kind) *estimate.Question {
	asked := &estimate.Question{}
	for _, w := range q.where {
		fragment, column, _ := s.release.Locate(w.column.Name)
		index := s.index[w.column]
		asked.Where = append(asked.Where, estimate.Expression{Leaves: []int{len(asked.Leaves)}})
		asked.Leaves = append(asked.Leaves, estimate.ValueLeaf(fragment, column, func(v anonymize.Value) bool {
			if code, ok := index[v]; ok {
				return w.keep[code]
			}
			return w.holds != nil && w.holds(v)
		}))
	}
	var argument *estimate.Expression
	if q.argument != nil {
		fragment, column, _ := s.release.Locate(q.argument.Name)
		argument = &estimate.Expression{Leaves: []int{len(asked.Leaves)}}
		asked.Leaves = append(asked.Leaves, estimate.ValueOf(fragment, column))
	}
	for _, kind := range kinds {
		a := estimate.Aggregate{Kind: kind}
		if kind != estimate.Count {
			a.Argument = argument
		}
		asked.Aggregates = append(asked.Aggregates, a)
	}
	return asked
}
