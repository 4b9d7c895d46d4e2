package peers

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/generalization"
	"github.com/anonsql/anonsql/anonymize/methods"
)

// groupColumn has the group of each record. Within a group, cells and sensitive values are not linked. In a file
// without it, records with the same cells form a group.
const groupColumn = "gid"

// Release runs one of our methods on the table, with its hierarchies.
func (t *Table) Release(ctx context.Context, method string, arguments anonymize.Arguments, random rand.Source) (*anonymize.Release, error) {
	m, err := methods.ByName(method)
	if err != nil {
		return nil, err
	}
	in, err := anonymize.NewInput(t.Microdata, t.Roles(), random)
	if err != nil {
		return nil, err
	}
	in.Domains = t.Hierarchies
	return m.Run(ctx, in, arguments)
}

// WriteRecords writes a release of generalized cells, a line for each record: its group, its cells and a sensitive
// value of its group. The lines pair cells and values of a group in the order of the release, which links nothing.
func WriteRecords(w io.Writer, r *anonymize.Release) error {
	if len(r.Fragments) != 2 || len(r.Fragments[1].Columns) != 1 {
		return fmt.Errorf(
			"a release of %s has %d relations: only one of generalized cells and one of a sensitive attribute can be written by record",
			r.Method,
			len(r.Fragments),
		)
	}
	out := csv.NewWriter(w)
	header := []string{groupColumn}
	for _, f := range r.Fragments {
		for _, c := range f.Columns {
			header = append(header, c.Name)
		}
	}
	lines := [][]string{header}
	for g, size := range r.GroupSizes {
		first := len(lines)
		for range size {
			lines = append(lines, []string{strconv.Itoa(g)})
		}
		for _, f := range r.Fragments {
			appendTuples(lines[first:], f, g)
		}
	}
	return out.WriteAll(lines)
}

// appendTuples adds the tuples of a group to its lines, each with its multiplicity.
func appendTuples(lines [][]string, f *anonymize.Fragment, g int) {
	at := 0
	for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
		for range f.Count[t] {
			for _, c := range f.Columns {
				text := ""
				if code := c.Codes[t]; c.IsPoint() {
					text = c.Dictionary[code].String()
				} else {
					text = c.Cells[code].Label
				}
				lines[at] = append(lines[at], text)
			}
			at++
		}
	}
}

// ReadRecords reads generalized records of a table, from WriteRecords or other tools, as a release. It finds columns
// by name and skips others. The dictionaries equal those of our own releases of the whole table: records that a tool
// dropped do not make the domains smaller.
func (t *Table) ReadRecords(ctx context.Context, text io.Reader) (*anonymize.Release, error) {
	r := csv.NewReader(text)
	header, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("the header: %w", err)
	}
	in, err := t.newReading(header)
	if err != nil {
		return nil, err
	}
	for {
		line, err := r.Read()
		if errors.Is(err, io.EOF) {
			return in.release(ctx)
		}
		if err == nil {
			err = in.add(line)
		}
		if err != nil {
			row, _ := r.FieldPos(0)
			return nil, fmt.Errorf("line %d: %w", row, err)
		}
	}
}

// A reading collects the records of a file.
type reading struct {
	table       *Table
	at          []int // columns of the file, in the order of the table's
	group       int   // column of the group, or -1
	readers     []*cellReader
	cells       [][]uint32 // by quasi-identifier and record
	values      map[string]uint32
	sensitive   []uint32
	groups      []uint32
	groupNumber map[string]uint32
}

func (t *Table) newReading(header []string) (*reading, error) {
	in := &reading{table: t, group: slices.Index(header, groupColumn), values: valuesOf(t.Sensitive()), groupNumber: make(map[string]uint32)}
	for _, name := range t.names() {
		at := slices.Index(header, name)
		if at < 0 {
			return nil, fmt.Errorf("column %s is missing: the file must have every column of the table", name)
		}
		in.at = append(in.at, at)
	}
	for _, c := range t.Quasi() {
		r, err := newCellReader(c, t.Hierarchies[c.Name])
		if err != nil {
			return nil, err
		}
		in.readers = append(in.readers, r)
		in.cells = append(in.cells, nil)
	}
	return in, nil
}

func (in *reading) add(line []string) error {
	for i, r := range in.readers {
		cell, err := r.read(line[in.at[i]])
		if err != nil {
			return err
		}
		in.cells[i] = append(in.cells[i], cell)
	}
	text := line[in.at[len(in.readers)]]
	value, ok := in.values[text]
	if !ok {
		return fmt.Errorf("column %s: '%s' is not a value of the table: sensitive values must be published as they are", in.table.Sensitive().Name, text)
	}
	in.sensitive = append(in.sensitive, value)
	if in.group >= 0 {
		in.groups = append(in.groups, placeOf(in.groupNumber, line[in.group]))
	}
	return nil
}

func placeOf(numbers map[string]uint32, text string) uint32 {
	n, known := numbers[text]
	if !known {
		n = uint32(len(numbers))
		numbers[text] = n
	}
	return n
}

// release publishes the records. Records with the same cells form a class.
func (in *reading) release(ctx context.Context) (*anonymize.Release, error) {
	rows := len(in.sensitive)
	if rows == 0 || rows > in.table.Rows {
		return nil, fmt.Errorf("it has %d records, the table %d", rows, in.table.Rows)
	}
	classOf, classes := anonymize.NumberRows(in.cells, rows)
	groupOf, groups := classOf, classes
	if in.group >= 0 {
		groupOf, groups = in.groups, len(in.groupNumber)
	}
	records := anonymize.Indices(rows)
	sensitive := *in.table.Sensitive()
	sensitive.Codes = in.sensitive
	input := &anonymize.Input{Rows: rows, Sensitive: []*anonymize.Column{&sensitive}}
	return generalization.PublishCells(ctx, "read", input, in.generalized(classOf, classes),
		bucketization.NewPartition(records, classOf, classes), bucketization.NewPartition(records, groupOf, groups), rand.New(rand.NewPCG(1, 1)))
}

func (in *reading) generalized(classOf []uint32, classes int) []*generalization.Generalized {
	var all []*generalization.Generalized
	for i, c := range in.table.Quasi() {
		of := make([]uint32, classes)
		for record, class := range classOf {
			of[class] = in.cells[i][record]
		}
		all = append(all, &generalization.Generalized{Attribute: &generalization.Attribute{Column: c},
			Dictionary: in.readers[i].dictionary, Cells: in.readers[i].cells, Of: of})
	}
	return all
}
