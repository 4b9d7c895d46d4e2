package report

import (
	"strconv"

	"github.com/anonsql/anonsql/anonymize"
)

// shownRows is the number of rows of a relation on the page.
const shownRows = 6

// A relation has the first rows of a published relation.
type relation struct {
	Name    string
	Columns []string
	Rows    [][]cell
	More    string // number of hidden rows; "" for none
}

// A cell is a value as text; numbers are right-aligned.
type cell struct {
	Text    string
	Numeric bool
	Null    bool
}

// firstRows shows a fragment like SELECT *: gid, the attributes, count, and units if there are
// any. It shows the ends of generalized numbers in the label, not in separate columns.
func firstRows(release string, f *anonymize.Fragment) relation {
	r := relation{Name: release + "_" + f.Name, Columns: []string{"gid"}}
	for _, c := range f.Columns {
		r.Columns = append(r.Columns, clean(c.Name))
	}
	counted, numbers := []string{"count"}, [][]uint32{f.Count}
	if f.Units != nil {
		counted, numbers = append(counted, "units"), append(numbers, f.Units)
	}
	r.Columns = append(r.Columns, counted...)
	if more := f.Tuples() - shownRows; more > 0 {
		r.More = grouped(float64(more))
	}
	group := 0
	for t := range min(shownRows, f.Tuples()) {
		for f.GroupStart[group+1] <= uint32(t) {
			group++
		}
		row := []cell{{Text: strconv.Itoa(group + 1), Numeric: true}}
		for _, c := range f.Columns {
			row = append(row, cellOf(c, c.Codes[t]))
		}
		for _, n := range numbers {
			row = append(row, cell{Text: strconv.Itoa(int(n[t])), Numeric: true})
		}
		r.Rows = append(r.Rows, row)
	}
	return r
}

func cellOf(c *anonymize.FragmentColumn, code uint32) cell {
	if !c.IsPoint() {
		return cell{Text: clip(clean(c.Cells[code].Label))}
	}
	v := c.Dictionary[code]
	_, numeric := v.Number()
	return cell{Text: clip(clean(v.String())), Numeric: numeric && v.Kind != anonymize.Instant, Null: v.IsNull()}
}

// clip shortens long texts.
func clip(text string) string {
	const most = 80
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
