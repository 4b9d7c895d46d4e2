package catalog

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/shown"
	"github.com/anonsql/anonsql/catalog/source"
)

// A Relation is a read-only table stored by columns: a published fragment, or the rows drawn for the preview of a view. Values are boxed once
// per dictionary entry and rows are cut from slabs, so that values need no allocation.
type Relation struct {
	database string
	name     string
	schema   sql.Schema
	comment  string
	of       string // the release of which it is a fragment; "" for other relations
	rows     int
	// load returns all columns, each with rows entries.
	load func(ctx *sql.Context) ([]shown.Column, error)
	// pages, if not nil, replaces load: the relation is read page by page.
	pages func(ctx *sql.Context) (shown.NextPage, error)
	// projection has the positions of the requested columns; nil for all.
	projection []int
}

var (
	_ sql.ProjectedTable  = (*Relation)(nil)
	_ sql.StatisticsTable = (*Relation)(nil)
	_ sql.CommentedTable  = (*Relation)(nil)
	_ sql.PrimaryKeyTable = (*Relation)(nil)
)

// Name is the relation's name in its database.
func (r *Relation) Name() string { return r.name }

func (r *Relation) String() string { return r.name }

// FragmentOf returns the name of the release of which the relation is a fragment; "" if there is none.
func (r *Relation) FragmentOf() string { return r.of }

func (r *Relation) Collation() sql.CollationID { return sql.Collation_Default }

// Schema describes the projected columns.
func (r *Relation) Schema() sql.Schema {
	if r.projection == nil {
		return r.schema
	}
	projected := make(sql.Schema, len(r.projection))
	for i, position := range r.projection {
		projected[i] = r.schema[position]
	}
	return projected
}

// PrimaryKeySchema implements sql.PrimaryKeyTable. It returns all columns, projected or not, as the optimizer expects.
func (r *Relation) PrimaryKeySchema() sql.PrimaryKeySchema { return sql.NewPrimaryKeySchema(r.schema) }

// project returns the relation with only the named columns. It ignores unknown names, which would be the engine's mistake.
func (r *Relation) project(names []string) Relation {
	projected := *r
	projected.projection = make([]int, 0, len(names))
	for _, name := range names {
		position := slices.IndexFunc(r.schema, func(c *sql.Column) bool { return strings.EqualFold(c.Name, name) })
		if position >= 0 {
			projected.projection = append(projected.projection, position)
		}
	}
	return projected
}

// WithProjections implements sql.ProjectedTable.
func (r *Relation) WithProjections(names []string) sql.Table {
	projected := r.project(names)
	return &projected
}

// Projections implements sql.ProjectedTable.
func (r *Relation) Projections() []string {
	if r.projection == nil {
		return nil
	}
	names := make([]string, len(r.projection))
	for i, position := range r.projection {
		names[i] = r.schema[position].Name
	}
	return names
}

// DataLength is an estimate for the optimizer, in bytes.
func (r *Relation) DataLength(*sql.Context) (uint64, error) {
	return uint64(r.rows) * uint64(len(r.schema)) * 8, nil
}

// RowCount is exact.
func (r *Relation) RowCount(*sql.Context) (uint64, bool, error) { return uint64(r.rows), true, nil }

// Partitions implements sql.Table; there is one partition.
func (r *Relation) Partitions(*sql.Context) (sql.PartitionIter, error) {
	return sql.PartitionsToPartitionIter(relationPartition{}), nil
}

type relationPartition struct{}

func (relationPartition) Key() []byte { return []byte("all") }

// PartitionRows yields the rows in stored order: by gid and value.
func (r *Relation) PartitionRows(ctx *sql.Context, _ sql.Partition) (sql.RowIter, error) {
	clock, err := coding.ClockOf(ctx)
	if err != nil {
		return nil, err
	}
	return r.rowsBy(ctx, clock)
}

// rowsBy returns the rows as a clock shows them.
func (r *Relation) rowsBy(ctx *sql.Context, clock coding.Clock) (sql.RowIter, error) {
	if r.pages != nil {
		next, err := r.pages(ctx)
		return &pagedIter{relation: r, clock: clock, next: next}, err
	}
	columns, err := r.load(ctx)
	if err != nil {
		return nil, err
	}
	return r.rowsOf(columns, r.rows, clock), nil
}

// rowsOf returns the projected rows of columns.
func (r *Relation) rowsOf(columns []shown.Column, rows int, clock coding.Clock) *relationIter {
	projected := r.Schema()
	iter := &relationIter{rows: rows, columns: make([]shown.Column, len(projected))}
	for i, c := range projected {
		position := i
		if r.projection != nil {
			position = r.projection[i]
		}
		iter.columns[i] = shown.Column{Codes: columns[position].Codes, Boxed: clock.ShownValues(c.Type, columns[position].Boxed)}
	}
	return iter
}

// slabRows is the number of rows whose values are allocated together.
const slabRows = 128

type relationIter struct {
	columns []shown.Column
	next    int
	rows    int
	slab    []any
}

func (it *relationIter) Next(*sql.Context) (sql.Row, error) {
	if it.next == it.rows {
		return nil, io.EOF
	}
	width := len(it.columns)
	if len(it.slab) < width {
		it.slab = make([]any, slabRows*width)
	}
	row := it.slab[:width:width]
	it.slab = it.slab[width:]
	for i, c := range it.columns {
		row[i] = c.Boxed[0]
		if c.Codes != nil {
			row[i] = c.Boxed[c.Codes[it.next]]
		}
	}
	it.next++
	return row, nil
}

func (it *relationIter) Close(*sql.Context) error { return nil }

// A pagedIter yields the rows of a relation page by page.
type pagedIter struct {
	relation *Relation
	clock    coding.Clock
	next     shown.NextPage
	page     *relationIter // nil before the first
}

func (it *pagedIter) Next(ctx *sql.Context) (sql.Row, error) {
	for {
		if it.page != nil && it.page.next < it.page.rows {
			return it.page.Next(ctx)
		}
		columns, err := it.next()
		if err != nil {
			return nil, err
		}
		if columns == nil {
			return nil, io.EOF
		}
		it.page = it.relation.rowsOf(columns, len(columns[0].Codes), it.clock)
	}
}

func (it *pagedIter) Close(*sql.Context) error { return nil }

// RelationsOf returns the relations that a release will have under a name.
func RelationsOf(name string, release *anonymize.Release) ([]source.Relation, error) {
	units, load := release.Units != nil, func(*sql.Context) (*anonymize.Release, error) { return release, nil }
	relations, records := []*Relation{gidRelation(name+"_gid", release.Groups(), units, load)}, fragmentRecords(release)
	if release.Model != nil {
		relations = append(relations, modelRelation(&ReleaseRecord{Name: name, Fragments: records, Model: release.Model}))
	}
	for i, described := range records {
		r, err := fragmentRelation(name+"_"+described.Name, described, units, func(*sql.Context) (*anonymize.Fragment, error) { return release.Fragments[i], nil })
		if err != nil {
			return nil, err
		}
		relations = append(relations, r)
	}
	kept := make([]source.Relation, len(relations))
	for i, r := range relations {
		kept[i] = source.Relation{
			Name:   r.name,
			Schema: r.schema,
			Rows:   func(ctx *sql.Context) (sql.RowIter, error) { return r.rowsBy(ctx, coding.Clock{}) }, // moments, in UTC
		}
	}
	return kept, nil
}

// Columns of relations that are not attributes.
const (
	gidColumn   = "gid"
	countColumn = "count"
	unitsColumn = "units"
)

// integerColumn returns a column of our own numbers: gid, size, count, units.
func integerColumn(name, source, comment string) *sql.Column {
	return &sql.Column{Name: name, Type: types.Int64, Source: source, DatabaseSource: PublishedDatabaseName, Comment: comment}
}

// fragmentRelation returns the relation (gid, columns..., count) of a fragment, with a column
// units if the release has units. A generalized numeric column is followed by its ends.
func fragmentRelation(name string, described FragmentRecord, units bool, load func(*sql.Context) (*anonymize.Fragment, error)) (*Relation, error) {
	schema := sql.Schema{integerColumn(gidColumn, name, "group, from 1")}
	for _, c := range described.Columns {
		column, err := publishedColumn(name, c)
		if err != nil {
			return nil, err
		}
		column.Comment = c.cellComment(described.Role)
		schema = append(append(schema, column), endColumns(name, c)...)
	}
	schema = append(schema, integerColumn(countColumn, name, "records of the group that have this tuple"))
	if units {
		schema = append(schema, integerColumn(unitsColumn, name, "units of the group that have this tuple in any record"))
	}
	return &Relation{
		database: PublishedDatabaseName,
		name:     name,
		schema:   schema,
		comment:  "relation of " + roles[described.Role] + " behind a release",
		rows:     described.Tuples,
		load: func(ctx *sql.Context) ([]shown.Column, error) {
			f, err := load(ctx)
			if err != nil {
				return nil, err
			}
			return shown.FragmentColumns(f, 0)
		},
	}, nil
}

// publishedColumn describes a published attribute. Generalized cells are shown by their labels.
func publishedColumn(table string, c FragmentColumnRecord) (*sql.Column, error) {
	typ, err := coding.ParseType(c.Type)
	if err != nil {
		return nil, fmt.Errorf("column %s: %w", c.Name, err)
	}
	if !c.Point {
		typ = types.LongText
	}
	return &sql.Column{Name: c.Name, Type: typ, Nullable: true, Source: table, DatabaseSource: PublishedDatabaseName}, nil
}

// gidRelation returns the relation (gid, size), with a column units if the release has units.
func gidRelation(name string, groups int, units bool, load func(*sql.Context) (*anonymize.Release, error)) *Relation {
	schema := sql.Schema{integerColumn(gidColumn, name, "group, from 1"), integerColumn("size", name, "records of the group")}
	if units {
		schema = append(schema, integerColumn(unitsColumn, name, "units of the group, with equally many records each"))
	}
	return &Relation{database: PublishedDatabaseName, name: name, schema: schema, comment: "groups behind a release", rows: groups,
		load: func(ctx *sql.Context) ([]shown.Column, error) {
			r, err := load(ctx)
			if err != nil {
				return nil, err
			}
			return shown.GroupsColumns(r.GroupSizes, r.Units, 0), nil
		}}
}

// modelRelation returns the relation (attribute, value, sensitive_value, weight) of a release's model, with one row per cell.
func modelRelation(record *ReleaseRecord) *Relation {
	name, rows := record.ModelName(), 0
	for _, t := range record.Model.Tables {
		rows += len(t.Weight)
	}
	text := func(column, comment string) *sql.Column {
		return &sql.Column{Name: column, Type: types.LongText, Nullable: true, Source: name, DatabaseSource: PublishedDatabaseName, Comment: comment}
	}
	weight := integerColumn("weight", name, "records with both, rounded or with noise; NULL: few, counted with the other NULLs of the value only")
	weight.Nullable = true
	return &Relation{
		database: PublishedDatabaseName,
		name:     name,
		schema: sql.Schema{text("attribute", "quasi-identifier"), text("value", "its value, or values from .. to"),
			text("sensitive_value", "the sensitive attribute's value, or values from .. to"), weight},
		comment: "model of a release: how its quasi-identifiers go with " + record.Model.Sensitive,
		rows:    rows,
		load:    func(*sql.Context) ([]shown.Column, error) { return shown.ModelColumns(record.Model, record.typeOf) },
	}
}

// A generalized column shows the labels of its cells ("[16-24]", "{a,b}", "Secondary school", "*"). If its values are numbers or points in
// time, two more columns of the attribute's type have the least and the greatest value of a cell, so that analysts can compute with them.
const (
	lowSuffix  = "_low"
	highSuffix = "_high"
)

// hasEnds reports whether a published column has these two columns.
func (c *FragmentColumnRecord) hasEnds() bool {
	typ, err := coding.ParseType(c.Type)
	return err == nil && !c.Point && coding.New(typ).Numeric()
}

// endColumns returns the columns of the ends; none if there are none.
func endColumns(table string, c FragmentColumnRecord) []*sql.Column {
	if !c.hasEnds() {
		return nil
	}
	typ, _ := coding.ParseType(c.Type) // hasEnds parsed it
	ends := make([]*sql.Column, 0, 2)
	for _, suffix := range []string{lowSuffix, highSuffix} {
		ends = append(ends, &sql.Column{Name: c.Name + suffix, Type: typ, Nullable: true, Source: table, DatabaseSource: PublishedDatabaseName,
			Comment: "end of " + c.Name})
	}
	return ends
}

// RelationColumns lists the names of the columns of a fragment's relation.
func RelationColumns(f *anonymize.Fragment) []string {
	names := []string{gidColumn}
	for _, c := range f.Columns {
		names = append(names, c.Name)
		for _, end := range endColumns("", FragmentColumnRecord{Name: c.Name, Type: c.Type, Point: c.IsPoint()}) {
			names = append(names, end.Name)
		}
	}
	if f.Units != nil {
		return append(names, countColumn, unitsColumn)
	}
	return append(names, countColumn)
}

// typeOf returns the type of an attribute of the release; text if it cannot be parsed.
func (r *ReleaseRecord) typeOf(attribute string) sql.Type {
	described, _ := r.column(attribute)
	if typ, err := coding.ParseType(described.Type); err == nil {
		return typ
	}
	return types.LongText
}
