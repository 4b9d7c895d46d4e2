package releases

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/engine/dialect"
	"github.com/anonsql/anonsql/engine/estimates"
	"github.com/anonsql/anonsql/engine/publication"
	"github.com/anonsql/anonsql/engine/tables"
)

// A Reader reads relations of releases and nothing else in the engine.
type Reader struct {
	asker                    tables.Asker
	dialect                  *dialect.Dialect
	address, catalog, schema string
	private                  string // the schema in which relations are formed, and stay if their release is private
	limit                    int
}

// Engine implements source.RelationStore.
func (r *Reader) Engine() string { return "trino://" + r.address + "/" + r.catalog + "/" + r.schema }

// Limit implements source.RelationStore.
func (r *Reader) Limit() int { return r.limit }

// schemaOf returns the schema of the relations at a place.
func (r *Reader) schemaOf(p source.Place) string {
	return cmp.Or(p.Schema, r.schema)
}

// relation returns the name of a relation at a place. It refuses every name that is not a relation's.
func (r *Reader) relation(p source.Place, fragment string) (string, error) {
	if p.Engine != r.Engine() || !publication.ValidName(p.Name) || !publication.IsRelation(fragment) {
		return "", fmt.Errorf("%q and %q in %s do not name a relation of %s", p.Name, fragment, p.Engine, r.Engine())
	}
	return r.dialect.Name(r.catalog, r.schemaOf(p), publication.RelationName(p.Name, fragment)), nil
}

// Read implements source.RelationStore.
func (r *Reader) Read(ctx context.Context, p source.Place, fragments []source.Fragment, every int64) (*anonymize.Release, error) {
	release := &anonymize.Release{}
	var gids []int64
	condition := ""
	if every > 1 {
		condition = fmt.Sprintf("mod(gid, %d) = 0", every)
	}
	for i, f := range fragments {
		fragment, of, err := r.fragment(ctx, p, f, condition, make(domains))
		if err != nil {
			return nil, err
		}
		if i > 0 && !slices.Equal(of, gids) {
			return nil, fmt.Errorf("the relations %s and %s of %s have other groups", fragments[0].Name, f.Name, p.Name)
		}
		gids = of
		release.Fragments = append(release.Fragments, fragment)
	}
	if len(release.Fragments) == 0 {
		return nil, fmt.Errorf("%s has no relations", p.Name)
	}
	return release, size(release, release.Fragments[0])
}

// size sets a release's group sizes from one of its fragments and checks it.
func size(r *anonymize.Release, of *anonymize.Fragment) error {
	r.GroupSizes = make([]uint32, of.Groups())
	for g := range r.GroupSizes {
		for _, n := range of.Count[of.GroupStart[g]:of.GroupStart[g+1]] {
			r.GroupSizes[g] += n
		}
		r.Rows += int(r.GroupSizes[g])
	}
	return r.Check()
}

// Guarantees implements source.RelationStore. The engine numbers groups differently, so no group is named.
func (r *Reader) Guarantees(ctx context.Context, p source.Place, fragments []source.Fragment, w source.Wanted) ([]anonymize.Guarantee, error) {
	m, err := methodFor(&w)
	if err != nil {
		return nil, err
	}
	request := publication.Request{Method: m.name}
	if err := m.write(&w, &request); err != nil {
		return nil, err
	}
	var relations []publication.Relation
	for _, f := range fragments {
		if _, err := r.relation(p, f.Name); err != nil {
			return nil, err
		}
		relation := publication.Relation{Name: publication.RelationName(p.Name, f.Name), Role: f.Role}
		for i, c := range f.Columns {
			relation.Columns = append(relation.Columns, publication.Column{Name: c.Name, Type: p.Declared[c.Name]})
			if c.Ranges {
				relation.Domains = append(relation.Domains, publication.RelationName(p.Name, publication.DomainName(f.Name, i)))
			}
		}
		relations = append(relations, relation)
	}
	var groups uint64
	for _, s := range p.Sizes {
		groups += s.Groups
	}
	e := &publication.Engine{Conn: questions{r.asker}, Dialect: r.dialect, Catalog: r.catalog, Published: r.schemaOf(p)}
	found, err := e.Guarantees(ctx, request, relations, int64(groups))
	for i := range found {
		found[i].WorstGroup = -1
	}
	return found, err
}

// questions is a Conn that refuses changes.
type questions struct{ tables.Asker }

// Exec implements engine.Conn.
func (questions) Exec(context.Context, string) (int64, error) {
	return 0, errors.New("who reads releases changes nothing")
}

// A reading collects a relation while it is read: the engine's values, numbered in order of appearance.
type reading struct {
	gids    []int64
	counts  []uint32
	codes   [][]uint32
	code    []map[any]uint32
	values  [][]any
	scratch []any // of a row
}

func newReading(columns int) *reading {
	t := &reading{codes: make([][]uint32, columns), code: make([]map[any]uint32, columns), values: make([][]any, columns)}
	for i := range t.code {
		t.code[i] = make(map[any]uint32)
	}
	return t
}

// add adds a row: gid, columns, count.
func (t *reading) add(row []any) error {
	if len(row) != len(t.codes)+2 {
		return fmt.Errorf("a row of a relation has %d values, must have %d", len(row), len(t.codes)+2)
	}
	gid, isNumber := row[0].(int64)
	n, counts := row[len(row)-1].(int64)
	if !isNumber || !counts || n < 1 || n > 1<<31 {
		return fmt.Errorf("a row of a relation has gid %v and count %v", row[0], row[len(row)-1])
	}
	for i := range t.codes {
		v := row[i+1]
		if _, ok := v.([]byte); ok {
			return fmt.Errorf("a row of a relation has bytes")
		}
		code, known := t.code[i][v]
		if !known {
			code = uint32(len(t.values[i]))
			t.code[i][v] = code
			t.values[i] = append(t.values[i], v)
		}
		t.codes[i] = append(t.codes[i], code)
	}
	t.gids, t.counts = append(t.gids, gid), append(t.counts, uint32(n))
	return nil
}

// fragment reads the groups of a relation whose numbers meet a condition, all for "". gids are their numbers, ascending.
func (r *Reader) fragment(
	ctx context.Context,
	p source.Place,
	f source.Fragment,
	condition string,
	known domains,
) (_ *anonymize.Fragment, gids []int64, err error) {
	relation, err := r.relation(p, f.Name)
	if err != nil {
		return nil, nil, err
	}
	count := r.dialect.Name("count")
	if f.Draw > 0 {
		count = r.dialect.Cast("1", dialect.BigInt)
	}
	ranges, names := hasRanges(f), slices.Concat([]string{"gid"}, r.columnsOf(f), []string{count})
	t, text := newReading(len(f.Columns)), "SELECT "+strings.Join(names, ", ")+" FROM "+relation
	if condition != "" {
		text += " WHERE " + condition
	}
	add := t.add
	if ranges {
		add = t.addRanges
	}
	if err := r.asker.Query(ctx, text, add); err != nil {
		return nil, nil, err
	}
	columns := make([]*anonymize.FragmentColumn, len(f.Columns))
	for i, c := range f.Columns {
		if ranges {
			columns[i], err = r.rangesColumn(ctx, p, f, i, t, known)
		} else {
			columns[i], err = pointsColumn(ctx, c, t.codes[i], t.values[i])
		}
		if err != nil {
			return nil, nil, err
		}
	}
	fragment, gids := t.sorted(f, columns)
	return fragment, gids, nil
}

// columnsOf returns the names of a relation's columns without gid and count.
func (r *Reader) columnsOf(f source.Fragment) (names []string) {
	for fragment, width := range f.Widths {
		for i := range width {
			names = append(names, r.dialect.Name(estimates.CompletedColumn(fragment, i, f.Draw)))
		}
	}
	if f.Draw > 0 {
		return names
	}
	for _, c := range f.Columns {
		of := []string{c.Name}
		if c.Ranges {
			of = publication.SpanColumns(c.Name)
		}
		for _, name := range of {
			names = append(names, r.dialect.Name(name))
		}
	}
	return names
}

// pointsColumn returns a column of single values.
func pointsColumn(ctx context.Context, c source.FragmentColumn, codes []uint32, returned []any) (*anonymize.FragmentColumn, error) {
	column, err := keptColumn(ctx, c, codes, returned)
	if err != nil {
		return nil, err
	}
	return &anonymize.FragmentColumn{Name: column.Name, Type: column.Type, Dictionary: column.Dictionary, Codes: column.Codes}, nil
}

// keptColumn converts a column to the kept values. codes number the values that the engine returned.
func keptColumn(ctx context.Context, c source.FragmentColumn, codes []uint32, returned []any) (*anonymize.Column, error) {
	typ, err := coding.ParseType(c.Type)
	if err != nil {
		return nil, fmt.Errorf("column %s: %w", c.Name, err)
	}
	values := make([]anonymize.Value, len(returned))
	for i, v := range returned {
		if values[i], err = keptValue(ctx, c.Name, typ, v); err != nil {
			return nil, err
		}
	}
	column := &anonymize.Column{Name: c.Name, Type: c.Type, Codes: codes}
	coding.SortDictionary(column, values)
	if len(column.Dictionary) != len(values) {
		return nil, &anonymize.DataError{
			Reason: fmt.Sprintf(
				"column %s has %d values in the engine, of which %d are the same here: publish a view that rounds them",
				c.Name,
				len(values),
				len(values)-len(column.Dictionary)+1,
			),
		}
	}
	return column, nil
}

func keptValue(ctx context.Context, name string, typ sql.Type, v any) (anonymize.Value, error) {
	kept, err := tables.ValueOf(ctx, typ, v)
	if err != nil {
		return kept, &anonymize.DataError{Reason: fmt.Sprintf("column %s has the value '%.40v', which cannot be read: %v", name, v, err)}
	}
	return kept, nil
}

// sorted sorts tuples by group and values.
func (t *reading) sorted(f source.Fragment, columns []*anonymize.FragmentColumn) (*anonymize.Fragment, []int64) {
	order := anonymize.Ints(len(t.gids))
	slices.SortFunc(order, func(a, b int) int {
		if t.gids[a] != t.gids[b] {
			if t.gids[a] < t.gids[b] {
				return -1
			}
			return 1
		}
		for _, c := range columns {
			if x, y := c.Codes[a], c.Codes[b]; x != y {
				return int(x) - int(y)
			}
		}
		return 0
	})
	sorted := &anonymize.Fragment{Name: f.Name, Role: f.Role, Count: make([]uint32, len(order))}
	var gids []int64
	for at, from := range order {
		if at == 0 || t.gids[from] != gids[len(gids)-1] {
			gids = append(gids, t.gids[from])
			sorted.GroupStart = append(sorted.GroupStart, uint32(at))
		}
		sorted.Count[at] = t.counts[from]
	}
	sorted.GroupStart = append(sorted.GroupStart, uint32(len(order)))
	for _, c := range columns {
		codes := anonymize.Gather(c.Codes, order)
		sorted.Columns = append(sorted.Columns, &anonymize.FragmentColumn{Name: c.Name, Type: c.Type, Dictionary: c.Dictionary, Cells: c.Cells, Codes: codes})
	}
	return sorted, gids
}
