package catalog

import (
	"context"
	dbsql "database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/misfit"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/completed"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/shown"
)

// The possible default estimators of a release.
const (
	// Imputed answers from the completed tables.
	Imputed = "imputed"
	// Independent assumes that attributes of different fragments are independent within groups.
	Independent = "independent"
)

// A CompletionRecord describes the completed tables that are stored with a release. It depends
// only on the release, except for Estimator, which the owner chooses.
type CompletionRecord struct {
	// Tables is the number of completed tables, at least 2.
	Tables int
	// Estimator is the one for sessions that do not choose: Imputed or Independent.
	Estimator string
	// Misfit is the measurement of package misfit; empty if there is none.
	Misfit json.RawMessage `json:",omitempty"`
}

// Estimator returns the estimator that answers questions about the release if a session does not choose one.
func (r *ReleaseRecord) Estimator() string {
	if r.Completion == nil {
		return Independent
	}
	return r.Completion.Estimator
}

// completedTables returns the number of completed tables.
func (r *ReleaseRecord) completedTables() int32 {
	if r.Completion == nil {
		return 0
	}
	return int32(r.Completion.Tables)
}

// Completed returns the release with its completed tables; nil if it has none.
func (p *Published) Completed(ctx *sql.Context) (*estimate.Completed, error) {
	if kept := p.pinnedTables.Load(); kept != nil {
		return kept, nil
	}
	if p.record.Completion == nil {
		return nil, nil
	}
	return p.loadTables(ctx)
}

// decodeMisfit parses the stored measurement.
func (r *ReleaseRecord) decodeMisfit() (*misfit.Misfit, error) {
	if r.Completion == nil || len(r.Completion.Misfit) == 0 {
		return nil, nil
	}
	m, err := misfit.Decode(r.Completion.Misfit)
	if err != nil {
		return nil, fault.Explained("read the misfit of release "+r.Name, fault.Damaged("what was published", err))
	}
	return m, nil
}

// UnmeasuredMisfit is the assumed ratio of completed tables without a measurement: most releases have at most this one.
const UnmeasuredMisfit = 0.1

// Misfit says how wrong the completed tables behind the view are; nil if it was not measured.
func (v *PublishedView) Misfit() (*misfit.Misfit, error) { return v.published.readMisfit() }

// Completed returns the release behind the view with its completed tables; nil if it has none.
func (v *PublishedView) Completed(ctx *sql.Context) (*estimate.Completed, error) {
	return v.published.Completed(ctx)
}

// readTables loads and checks the completed tables of a release.
func (r *Releases) readTables(ctx *sql.Context, p *Published) (tables *estimate.Completed, err error) {
	if p.record.Place != nil && (p.large || p.record.Place.Tables > 0) {
		return r.tablesElsewhere(ctx, p)
	}
	prepared, err := p.Prepared(ctx)
	if err != nil {
		return nil, err
	}
	if r.supply != nil {
		return r.receivedTables(ctx, p, prepared)
	}
	err = r.catalog.View(ctx.Context, func(tx *dbsql.Conn) error {
		completion, err := readCompletion(ctx, tx, p.record, prepared.Release())
		if err == nil {
			tables, err = prepared.WithTables(ctx, completion)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx) // the statement has ended; nothing is damaged
		}
		if err != nil {
			return fault.Explained("read the completed tables of release "+p.record.Name, fault.Damaged("what was published", err))
		}
		return nil
	})
	return tables, err
}

// insertCompletion stores completed tables within a transaction: the places of table d and
// fragment j >= 1 are codes of fragment j at position d.
func insertCompletion(ctx context.Context, tx *dbsql.Conn, id int64, c *anonymize.Completion) error {
	w := &partWriter{ctx: ctx, tx: tx, release: id}
	for d := range c.Tables {
		if c.Narrow != nil {
			writePlaces(w, d, c.Narrow[d])
		} else {
			writePlaces(w, d, c.Wide[d])
		}
	}
	return w.err
}

func writePlaces[P uint8 | uint16](w *partWriter, table int, fragments [][]P) {
	for j, places := range fragments {
		codes := make([]uint32, len(places))
		for i, place := range places {
			codes[i] = uint32(place)
		}
		w.codes(j+1, table, "places", codes)
	}
}

// readCompletion reads the completed tables of a release. The caller must check that they complete it.
func readCompletion(ctx context.Context, tx *dbsql.Conn, record *ReleaseRecord, release *anonymize.Release) (*anonymize.Completion, error) {
	p := &partReader{ctx: ctx, tx: tx, release: record.ID}
	places := make([][][]uint16, record.Completion.Tables)
	for d := range places {
		for j := 1; j < len(release.Fragments); j++ {
			codes := p.codes(j, d, "places")
			table := make([]uint16, len(codes))
			for i, code := range codes {
				table[i] = uint16(code)
				if uint32(table[i]) != code {
					return nil, fmt.Errorf("a record has place %d in its group", code)
				}
			}
			places[d] = append(places[d], table)
		}
	}
	if p.err != nil {
		return nil, p.err
	}
	return anonymize.NewCompletion(release, places), nil
}

// Named returns the release of that name without access checks, for the server's own work.
func (r *Releases) Named(name string) (*Published, error) {
	for _, p := range r.current.Load().releases {
		if strings.EqualFold(p.record.Name, name) {
			return p, nil
		}
	}
	return nil, errNoRelease(name)
}

// CurrentOf returns p as it is now. It refuses another release that took its name.
func (r *Releases) CurrentOf(p *Published) (*Published, error) {
	now, err := r.Named(p.record.Name)
	if err == nil && now.record.ID != p.record.ID {
		err = &anonymize.DataError{Reason: fmt.Sprintf("release %s was published anew meanwhile, so that nothing is done: look at the new one, then call again", p.record.Name)}
	}
	return now, err
}

// AwaitTables lists the releases whose completed tables the server must draw, oldest first.
func (r *Releases) AwaitTables() []*Published {
	return slices.DeleteFunc(slices.Clone(r.current.Load().releases), func(p *Published) bool { return p.record.AwaitsTables == "" })
}

// Awaits returns the estimator of the completed tables to come, "" if none come, and whether their misfit is not wanted.
func (p *Published) Awaits() (estimator string, unmeasured bool) {
	return p.record.AwaitsTables, p.record.AwaitsUnmeasured
}

// Complete stores completed tables of a published release, replacing the present ones, and its
// default estimator. A nil completion keeps the present tables. It refuses if tables were stored after p was read.
func (r *Releases) Complete(ctx *sql.Context, p *Published, completion *anonymize.Completion, described CompletionRecord) (*ReleaseRecord, error) {
	unlock, err := r.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	now, err := r.CurrentOf(p)
	if err != nil {
		return nil, err
	}
	if now != p {
		return nil, &anonymize.DataError{Reason: fmt.Sprintf("another statement gave release %s completed tables meanwhile, and nothing of this one is stored: CALL fit_release again", p.record.Name)}
	}
	if err := p.CheckCompletable(); err != nil {
		return nil, err
	}
	record := *now.record
	record.Completion, record.AwaitsTables, record.AwaitsUnmeasured = &described, "", false
	if record.Live != nil {
		return nil, &anonymize.DataError{Reason: fmt.Sprintf("release %s follows its table: its counterfeits would be rows of every completed table", record.Name)}
	}
	if taken, ok := r.current.Load().tables[strings.ToLower(record.ImputedName())]; ok && taken.of != now {
		return nil, &anonymize.DataError{Reason: fmt.Sprintf("the name published.%s, which the completed tables would have, is taken by another release", record.ImputedName())}
	}
	text, err := json.Marshal(&record)
	if err != nil {
		return nil, err
	}
	return &record, r.exchange(ctx, &exchange{changed: now, becomes: &record, write: func(tx *dbsql.Conn) error {
		if _, err := tx.ExecContext(ctx, "UPDATE releases SET record = ? WHERE id = ?", string(text), record.ID); err != nil || completion == nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM release_parts WHERE release_id = ? AND kind = 'places'", record.ID); err != nil {
			return err
		}
		return insertCompletion(ctx, tx, record.ID, completion)
	}})
}

// CheckCompletable refuses a release that cannot get completed tables where it is.
func (p *Published) CheckCompletable() error {
	if p.large || p.record.Place != nil && p.record.Place.Tables > 0 {
		return &anonymize.DataError{Reason: fmt.Sprintf("release %s is in an engine, which draws completed tables when it is published: publish it anew", p.record.Name)}
	}
	return nil
}

// ImputedName is the name of the relation of the completed tables.
func (r *ReleaseRecord) ImputedName() string { return r.Name + "_imputed" }

// ModelName is the name of the relation of the model.
func (r *ReleaseRecord) ModelName() string { return r.Name + "_model" }

// drawColumn has the number of a completed table, from 1. An attribute of that name takes precedence.
const drawColumn = "draw"

// A completedRelation is the relation (draw, columns...) of all completed tables, in the order of tables and groups.
type completedRelation struct {
	Relation
	of *Published
}

func (r *Releases) completedRelationOf(p *Published, view sql.Schema) *completedRelation {
	name, draw := p.record.ImputedName(), drawColumn
	for view.Contains(draw, p.record.Name) {
		draw += "_"
	}
	schema := sql.Schema{integerColumn(draw, name, "completed table, from 1")}
	for _, c := range view {
		column := *c
		column.Source, column.Comment = name, "drawn: what the release does not say is a guess"
		schema = append(schema, &column)
	}
	relation := Relation{
		database: PublishedDatabaseName,
		name:     name,
		schema:   schema,
		comment:  "completed tables of a release, one behind the other",
		rows:     p.record.Rows * p.record.Completion.Tables,
	}
	if p.drawnRows != nil {
		relation.pages = p.drawnRows(relation.schema, 1, p.record.Place.Tables)
	}
	return &completedRelation{relation, p}
}

// WithProjections implements sql.ProjectedTable.
func (r *completedRelation) WithProjections(names []string) sql.Table {
	return &completedRelation{r.project(names), r.of}
}

// PartitionRows computes the rows while they are read.
func (r *completedRelation) PartitionRows(ctx *sql.Context, partition sql.Partition) (sql.RowIter, error) {
	return r.of.rowsOfCompleted(ctx, partition, &r.Relation, func(tables int) (from, to int) { return 0, tables })
}

// rowsOfCompleted returns a relation's rows from the completed tables that chosen selects, given their number.
func (p *Published) rowsOfCompleted(ctx *sql.Context, partition sql.Partition, relation *Relation, chosen func(int) (from, to int)) (sql.RowIter, error) {
	if relation.pages != nil {
		return relation.PartitionRows(ctx, partition)
	}
	tables, err := p.Completed(ctx)
	if err != nil {
		return nil, err
	}
	if tables == nil {
		return nil, errors.New("the release has no completed tables")
	}
	from, to := chosen(tables.Tables())
	return newCompletedRows(ctx, p, tables, relation.Schema(), from, to)
}

// A CompletedTable is a published view with the rows of one completed table. It has the view's
// name and columns, and is an ordinary table for the planner and the engine.
type CompletedTable struct {
	Relation
	of    *Published
	table int
}

var (
	_ sql.ProjectedTable  = (*CompletedTable)(nil)
	_ sql.StatisticsTable = (*CompletedTable)(nil)
)

// OfTable returns the view with the rows of completed table d, from 0; numbers beyond the last
// table wrap around. For a release without completed tables, reading rows fails.
func (v *PublishedView) OfTable(d int) *CompletedTable {
	relation, p := v.Relation, v.published
	if p.drawnRows != nil {
		draw := d%p.record.Place.Tables + 1
		relation.pages = p.drawnRows(relation.schema, draw, draw)
	}
	return &CompletedTable{relation, p, d}
}

// WithProjections implements sql.ProjectedTable.
func (t *CompletedTable) WithProjections(names []string) sql.Table {
	return &CompletedTable{t.project(names), t.of, t.table}
}

// PartitionRows computes the rows while they are read.
func (t *CompletedTable) PartitionRows(ctx *sql.Context, partition sql.Partition) (sql.RowIter, error) {
	return t.of.rowsOfCompleted(ctx, partition, &t.Relation, func(tables int) (from, to int) { return t.table % tables, t.table%tables + 1 })
}

// completedRows produces the rows of completed tables in slabs.
type completedRows struct {
	rows    *completed.Rows
	tables  *estimate.Completed
	draw    []bool                   // by column: it is the number of the table
	unit    []bool                   // by column: it identifies the unit of the row
	boxed   [][]any                  // by column; nil for numbers of tables and units
	units   *completed.UnitNumbering // nil if no column needs it
	numbers []any                    // boxed
	table   int
	codes   [][]uint32 // of the columns that are not numbers
	next    int
	count   int
	slab    []any
}

// newCompletedRows returns the rows of completed tables first to end-1 with the columns of a schema, which may include draw.
func newCompletedRows(ctx *sql.Context, of *Published, tables *estimate.Completed, schema sql.Schema, first, end int) (*completedRows, error) {
	clock, err := coding.ClockOf(ctx)
	if err != nil {
		return nil, err
	}
	it := &completedRows{tables: tables, draw: make([]bool, len(schema)), unit: make([]bool, len(schema)), boxed: make([][]any, len(schema))}
	var names []string
	release := tables.Prepared().Release()
	for i, c := range schema {
		if it.unit[i] = slices.Contains(of.record.Unit, c.Name); it.unit[i] {
			it.units = completed.NewUnitNumbering(release.GroupSizes, release.Units)
			continue
		}
		fragment, column, ok := release.Locate(c.Name)
		if it.draw[i] = !ok; !ok {
			continue
		}
		boxed, err := shown.Dictionary(release.Fragments[fragment].Columns[column].Dictionary, c.Type)
		if err != nil {
			return nil, err
		}
		it.boxed[i] = clock.ShownValues(c.Type, boxed)
		names = append(names, c.Name)
	}
	for d := range tables.Tables() {
		it.numbers = append(it.numbers, int64(d)+1)
	}
	it.rows, err = completed.NewRows(release, tables.Completion(), names, first, end)
	return it, err
}

func (it *completedRows) Next(ctx *sql.Context) (sql.Row, error) {
	if it.next == it.count {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if it.table, it.codes, it.count = it.rows.Next(); it.count == 0 {
			return nil, io.EOF
		}
		it.next = 0
		if err := it.beginUnits(ctx); err != nil {
			return nil, err
		}
	}
	width := len(it.draw)
	if len(it.slab) < width {
		it.slab = make([]any, slabRows*max(1, width))
	}
	row := it.slab[:width:width]
	it.slab = it.slab[width:]
	column, number := 0, int64(0)
	if it.units != nil {
		number = it.units.Next()
	}
	for i, draw := range it.draw {
		switch {
		case draw:
			row[i] = it.numbers[it.table]
		case it.unit[i]:
			row[i] = number
		default:
			row[i] = it.boxed[i][it.codes[column][it.next]]
			column++
		}
	}
	it.next++
	return row, nil
}

// beginUnits loads the units of the current table.
func (it *completedRows) beginUnits(ctx *sql.Context) error {
	if it.units == nil || it.units.IsOf(it.table) {
		return nil
	}
	of, err := it.tables.UnitsOf(ctx, it.table)
	it.units.Begin(it.table, of)
	return err
}

func (it *completedRows) Close(*sql.Context) error { return nil }

// firstTable returns the columns of completed table 1, for the preview.
func firstTable(tables *estimate.Completed, schema sql.Schema) ([]shown.Column, error) {
	release := tables.Prepared().Release()
	names := make([]string, len(schema))
	for i, c := range schema {
		names[i] = c.Name
	}
	rows, err := completed.NewRows(release, tables.Completion(), names, 0, 1)
	if err != nil {
		return nil, err
	}
	columns := make([]shown.Column, len(schema))
	for i, c := range schema {
		if columns[i].Boxed, err = shown.Dictionary(rows.Column(i).Dictionary, c.Type); err != nil {
			return nil, err
		}
	}
	for _, codes, n := rows.Next(); n > 0; _, codes, n = rows.Next() {
		for i := range columns {
			columns[i].Codes = append(columns[i].Codes, codes[i]...)
		}
	}
	return columns, nil
}
