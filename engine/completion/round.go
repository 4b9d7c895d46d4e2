package completion

import (
	"fmt"
	"strings"

	"github.com/anonsql/anonsql/engine/estimates"
)

// A state is the records of all groups between two rounds: gid, place, and the columns of every fragment, in every draw where it was drawn.
type state struct {
	request *Request
	from    string // a table or a query
	drawn   []bool // by fragment
}

// A record is one of a chunk: a ROW whose fields are these expressions, under their names.
type record struct{ names, expressions []string }

// add adds a field, and returns its number, from 1.
func (r *record) add(name, expression string) (field int) {
	r.names, r.expressions = append(r.names, name), append(r.expressions, expression)
	return len(r.names)
}

// column adds a column of the state.
func (r *record) column(name string) (field int) { return r.add(name, name) }

// round is a query of the state after a fragment's tuples were redrawn; the last one has no places.
func (s *state) round(number, fragment int, last bool) (string, error) {
	r := s.request
	rows := &record{}
	rows.column("place")
	energies, err := s.energies(rows, fragment)
	if err != nil {
		return "", err
	}
	kept := []string{"gid", "place"}
	if last {
		kept = kept[:1]
	}
	for f := range r.Relations {
		if f != fragment {
			for _, name := range s.names(f) {
				rows.column(name)
				kept = append(kept, name)
			}
		}
	}
	drawn, names := s.redrawn(rows, fragment)
	chunks := fmt.Sprintf("SELECT gid, chunk, array_agg(ROW(%s) ORDER BY place) AS records, CAST(count(*) AS INTEGER) AS m FROM (%s) AS chunked GROUP BY gid, chunk",
		strings.Join(rows.expressions, ", "), s.chunked(number))
	matched := fmt.Sprintf("SELECT gid, chunk, records, m, %s AS energies FROM (%s) AS chunks CROSS JOIN (%s) AS weights", energies, chunks, r.weights(fragment))
	d := r.Dialect
	seed := r.random(d.Joined(d.Text(r.Seed), fmt.Sprint(number), "d", "gid", "chunk"))
	permuted := fmt.Sprintf("SELECT gid, records, m, zip_with(sequence(1, %d), energies, (d, e) -> %s) AS drawn FROM (%s) AS matched", r.draws(), permutation(seed), matched)
	return fmt.Sprintf("SELECT %s FROM (%s) AS permuted CROSS JOIN UNNEST(records, %s) AS listed(%s)", strings.Join(append(kept, names...), ", "), permuted,
		strings.Join(drawn, ", "), strings.Join(append(rows.names, names...), ", ")), nil
}

// names are the columns of a fragment in the state.
func (s *state) names(fragment int) (list []string) {
	if !s.drawn[fragment] {
		for i := range s.request.Relations[fragment].Columns {
			list = append(list, undrawn(fragment, i))
		}
		return list
	}
	for draw := range s.request.draws() {
		for i := range s.request.Relations[fragment].Columns {
			list = append(list, estimates.CompletedColumn(fragment, i, draw+1))
		}
	}
	return list
}

// redrawn are, by draw, arrays of the tuples that the records of a chunk have now, and the names of their columns.
func (s *state) redrawn(rows *record, fragment int) (arrays, names []string) {
	columns := len(s.request.Relations[fragment].Columns)
	var fields []int
	for _, name := range s.names(fragment) {
		fields = append(fields, rows.add("old_"+name, name))
	}
	for draw := range s.request.draws() {
		of, list := fields, []string(nil)
		if s.drawn[fragment] {
			of = fields[draw*columns:]
		}
		place := placeOf(fmt.Sprintf("drawn[%d]", draw+1), "CAST(i AS INTEGER)")
		for i := range columns {
			list, names = append(list, fmt.Sprintf("records[%s + 1][%d]", place, of[i])), append(names, estimates.CompletedColumn(fragment, i, draw+1))
		}
		tuple := list[0]
		if columns > 1 {
			tuple = "ROW(" + strings.Join(list, ", ") + ")"
		}
		arrays = append(arrays, fmt.Sprintf("transform(sequence(0, m - 1), i -> %s)", tuple))
	}
	return arrays, names
}

// energies is an expression of the energies of the records of a chunk with the tuples of a fragment, an array a draw, and adds
// to the records what it reads: of the other fragments that were drawn, or are the first.
func (s *state) energies(rows *record, fragment int) (string, error) {
	r := s.request
	var same []string // categories of what all draws have alike
	apart := make([][]string, r.draws())
	width := r.width(fragment)
	for f := range r.Relations {
		switch {
		case f == fragment:
		case f == 0:
			list, err := s.categories(f, 0, width, 0)
			if err != nil {
				return "", err
			}
			same = append(same, list...)
		case s.drawn[f]:
			for draw := range apart {
				list, err := s.categories(f, draw+1, width, 0)
				if err != nil {
					return "", err
				}
				apart[draw] = append(apart[draw], list...)
			}
		}
	}
	tuple, one, err := s.tuple(rows, fragment)
	if err != nil {
		return "", err
	}
	weight := func(sum, v string) string {
		return fmt.Sprintf("%s + w[d * %d + u + %s + 1]", sum, r.size(fragment), v)
	}
	add := "(s, u) -> " + weight("s", tuple)
	if !one {
		add = fmt.Sprintf("(s, u) -> reduce(%s, s, (t, v) -> %s, t -> t)", tuple, weight("t", "v"))
	}
	sum := fmt.Sprintf("reduce(x[%d], 0e0, %s, s -> s)", rows.add("same", "ARRAY["+strings.Join(same, ", ")+"]"), add)
	if len(apart[0]) > 0 {
		for i, list := range apart {
			apart[i] = []string{"ARRAY[" + strings.Join(list, ", ") + "]"}
		}
		var all []string
		for _, list := range apart {
			all = append(all, list[0])
		}
		sum = fmt.Sprintf("reduce(x[%d][d + 1], %s, %s, s -> s)", rows.add("apart", "ARRAY["+strings.Join(all, ", ")+"]"), sum, add)
	}
	return fmt.Sprintf("transform(sequence(0, %d), d -> flatten(transform(records, x -> transform(records, y -> %s))))", r.draws()-1, sum), nil
}

// tuple is an expression of the categories of the tuple of record y in draw d: a number where there is one column, else an array.
func (s *state) tuple(rows *record, fragment int) (expression string, one bool, err error) {
	r := s.request
	list := func(draw int) (string, error) {
		categories, err := s.categories(fragment, draw, 1, r.spanOf(fragment).first)
		if one = len(categories) == 1; one || err != nil {
			return strings.Join(categories, ""), err
		}
		return "ARRAY[" + strings.Join(categories, ", ") + "]", nil
	}
	if !s.drawn[fragment] {
		categories, err := list(0)
		return fmt.Sprintf("y[%d]", rows.add("tuple", categories)), one, err
	}
	var all []string
	for draw := range r.draws() {
		categories, err := list(draw + 1)
		if err != nil {
			return "", one, err
		}
		all = append(all, categories)
	}
	return fmt.Sprintf("y[%d][d + 1]", rows.add("tuple", "ARRAY["+strings.Join(all, ", ")+"]")), one, nil
}

// categories are expressions of the categories of a fragment's columns, less the first, times a factor; in a draw, or 0.
func (s *state) categories(fragment, draw, factor, first int) (list []string, err error) {
	r := s.request
	for i, c := range r.Relations[fragment].Columns {
		c.Name = undrawn(fragment, i)
		if draw > 0 {
			c.Name = estimates.CompletedColumn(fragment, i, draw)
		}
		category := make([]uint32, len(r.Fitted.Category[fragment][i]))
		for code, of := range r.Fitted.Category[fragment][i] {
			category[code] = uint32(factor * (int(of) - first))
		}
		text, err := estimates.Chosen(r.Dialect, c, r.Fitted.Sample.Fragments[fragment].Columns[i].Dictionary, category)
		if err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	return list, nil
}
