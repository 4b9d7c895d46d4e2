package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/catalog/shown"
	"github.com/anonsql/anonsql/catalog/source"
)

// PublishedDatabaseName is the database in which releases appear.
const PublishedDatabaseName = "published"

// tableAccessDenied is MySQL's ER_TABLEACCESS_DENIED_ERROR.
const tableAccessDenied = 1142

// A PublishedView is published.<release>: the table as analysts see it. Its stored rows are a preview drawn from the release. Package planner
// recognises the type and estimates aggregates over it.
type PublishedView struct {
	Relation
	published *Published
	releases  *Releases
	// attributes loads the columns that the release publishes: all except the unit's.
	attributes func(*sql.Context) ([]shown.Column, error)
}

var (
	_ sql.ProjectedTable  = (*PublishedView)(nil)
	_ sql.StatisticsTable = (*PublishedView)(nil)
)

// WithProjections implements sql.ProjectedTable.
func (v *PublishedView) WithProjections(names []string) sql.Table {
	projected := *v
	projected.Relation = v.Relation.project(names)
	return &projected
}

// View returns the view of a release that the session may see.
func (r *Releases) View(ctx *sql.Context, name string) (*PublishedView, error) {
	p, err := r.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	return p.tables[0].(*PublishedView), nil
}

// Published returns the release behind the view.
func (v *PublishedView) Published() *Published { return v.published }

// Record returns the public description of the release behind the view.
func (v *PublishedView) Record() *ReleaseRecord { return v.published.public }

// Release returns the fragments behind the view.
func (v *PublishedView) Release(ctx *sql.Context) (*anonymize.Release, error) {
	return v.published.Release(ctx)
}

// Prepared returns the fragments behind the view, ready for questions.
func (v *PublishedView) Prepared(ctx *sql.Context) (*estimate.Prepared, error) {
	return v.published.Prepared(ctx)
}

// CheckSourceAccess returns error 1142 for accounts that may not read the raw table. It does not name the table, which they may not know.
func (v *PublishedView) CheckSourceAccess(ctx *sql.Context) error {
	if v.published.record.Imported {
		return errImported(v.published.record, "there is no actual value to compare with")
	}
	if v.releases.mayReadSource(ctx, v.published.record) {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err // killed: the check could not be made
	}
	if err := v.releases.sourceIsGone(ctx, v.published.record); err != nil {
		return err
	}
	client := ctx.Session.Client()
	return mysql.NewSQLError(tableAccessDenied, "42000",
		"SELECT command denied to user '%s'@'%s' for the table behind published.%s, which ANON_ACTUAL, ANON_RELATIVE_ERROR and evaluate read",
		client.User, client.Address, v.name)
}

// SourceMicrodata reads columns of the current raw table, for comparisons, under their names in the release. The caller has checked the access.
func (v *PublishedView) SourceMicrodata(ctx *sql.Context, columns []string) (*anonymize.Microdata, error) {
	table, err := v.sourceTable(ctx)
	if err != nil {
		return nil, err
	}
	columns, now, err := v.compared(ctx, table, columns)
	if err != nil {
		return nil, err
	}
	stamp := ""
	if answering, ok := table.(source.Answering); ok {
		if stamp, err = answering.Stamp(ctx); err != nil {
			return nil, err
		}
	}
	data, err := table.Microdata(ctx, now, nil)
	if err != nil {
		return nil, err
	}
	for i, name := range columns {
		c := *data.Columns[i]
		c.Name, data.Columns[i] = name, &c
	}
	first := ""
	for _, c := range data.Columns {
		then, known := v.published.record.Digests[c.Name]
		if !known {
			continue
		}
		changed := source.Digest(c) != then
		if changed && first == "" {
			first = c.Name
		}
		v.published.changes.keep(c.Name, stamp, changed)
	}
	v.noteChange(ctx, first)
	return data, nil
}

// InClasses returns the columns of the raw table with weights in the classes of the release. The caller has checked the access.
func (v *PublishedView) InClasses(columns []*anonymize.Column) []*anonymize.Column {
	columns = slices.Clone(columns)
	for i, c := range columns {
		if w := v.published.record.Weight; c.Name == w.Name() {
			columns[i] = w.Coarsen(c)
		}
	}
	return columns
}

// SourceAggregates asks the current raw table a simple question if its home answers such. It returns false if the columns must be
// read, for instance because they have not been compared with the published ones since the table changed. Texts of keys get the
// release's spelling if the home considers them equal. The caller has checked the access.
func (v *PublishedView) SourceAggregates(ctx *sql.Context, q *source.Question) (groups []source.Group, ok bool, err error) {
	opened, err := v.sourceTable(ctx)
	if err != nil {
		return nil, false, err
	}
	table, ok := opened.(source.Answering)
	if !ok {
		return nil, false, nil
	}
	columns, now, err := v.compared(ctx, table, q.Columns())
	if err != nil || !slices.Equal(columns, now) {
		return nil, false, err
	}
	stamp, err := table.Stamp(ctx)
	if err != nil {
		return nil, false, err
	}
	if looked, err := v.look(ctx, table, columns, stamp); !looked || err != nil {
		return nil, false, err
	}
	if groups, ok, err = table.Aggregate(ctx, q); !ok || err != nil {
		return nil, false, err
	}
	for i := range q.Keys {
		if ok, err = v.spellKeys(ctx, table, q.Keys[i], i, groups); !ok || err != nil {
			return nil, false, err
		}
	}
	v.noteChange(ctx, v.published.changes.firstChanged(columns))
	return groups, true, nil
}

// look reports whether all columns are known to be as published. If necessary it asks the table's home.
func (v *PublishedView) look(ctx *sql.Context, table source.Answering, columns []string, stamp string) (bool, error) {
	if v.published.changes.looked(columns, stamp) {
		return true, nil
	}
	tallied, ok := table.(source.Tallied)
	if !ok {
		return false, nil
	}
	for _, name := range columns {
		then, known := v.published.record.Digests[name]
		if !known || v.published.changes.looked([]string{name}, stamp) {
			continue
		}
		now, err := tallied.Digest(ctx, name)
		if err != nil {
			return false, err
		}
		v.published.changes.keep(name, stamp, now != then)
	}
	return v.published.changes.looked(columns, stamp), nil
}

// spellKeys gives the keys of groups in a column the release's spelling; it returns false if they are not the release's texts.
func (v *PublishedView) spellKeys(ctx *sql.Context, table source.Answering, column string, key int, groups []source.Group) (bool, error) {
	if v.published.record.Place != nil { // the engine that answers has spelled the release
		_, released := v.published.record.column(column)
		return released, nil
	}
	release, err := v.Release(ctx)
	if err != nil {
		return false, err
	}
	fragment, at, released := release.Locate(column)
	if !released {
		return false, nil
	}
	values := make([]anonymize.Value, len(groups))
	for i, g := range groups {
		values[i] = g.Keys[key]
	}
	of := release.Fragments[fragment].Columns[at]
	spelled, err := table.AsSpelled(ctx, anonymize.NewColumn(of.Name, of.Type, values), &anonymize.Column{Dictionary: of.Dictionary})
	if refused := (*anonymize.DataError)(nil); errors.As(err, &refused) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for i := range groups {
		groups[i].Keys[key] = spelled.Value(i)
	}
	return true, nil
}

// A seenChanges remembers, by column, whether a raw table had changed at its last stamp.
type seenChanges struct {
	mu      sync.Mutex
	columns map[string]seenChange
}

type seenChange struct {
	stamp   string
	changed bool
}

// looked reports whether all columns were checked at this stamp of the table.
func (s *seenChanges) looked(columns []string, stamp string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return stamp != "" && !slices.ContainsFunc(columns, func(name string) bool { return s.columns[name].stamp != stamp })
}

// firstChanged returns the first of the columns that had changed; "" for none.
func (s *seenChanges) firstChanged(columns []string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range columns {
		if s.columns[name].changed {
			return name
		}
	}
	return ""
}

func (s *seenChanges) keep(column, stamp string, changed bool) {
	if stamp == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.columns == nil {
		s.columns = make(map[string]seenChange)
	}
	s.columns[column] = seenChange{stamp, changed}
}

// noteChange warns that a column has changed since publication; "" for none.
func (v *PublishedView) noteChange(ctx *sql.Context, column string) {
	if column != "" {
		ctx.Session.Warn(&sql.Warning{Level: "Note", Code: mysql.ERUnknownError,
			Message: "the raw table behind published." + v.name + " has changed since it was published, in column " + column + " (its values, or how many rows have them): actual values are those of now"})
	}
}

// compared returns the distinct columns that a question about the raw table reads, with their current names, which the lineage of a release knows.
func (v *PublishedView) compared(ctx *sql.Context, table source.Table, columns []string) (then, now []string, err error) {
	record := v.published.record
	if len(columns) == 0 {
		columns = record.Columns[:1] // the number of rows is asked for
	}
	then = slices.Compact(slices.Sorted(slices.Values(columns)))
	now = then
	if record.Live != nil && !raw.IsMirror(record.Database) { // lineages know columns by their names
		err = v.releases.catalog.Read(ctx, func(w *raw.Work) error {
			l, _, err := raw.LineageByID(w.Conn(), record.Live.Lineage)
			if t := w.TableByID(record.SourceTable); t != nil {
				now = l.NamesNow(t, then)
			}
			return err
		})
	}
	for i, name := range now {
		if err == nil && table.Schema().IndexOfColName(name) < 0 {
			err = &anonymize.DataError{Reason: fmt.Sprintf("column %q of release %s was renamed or dropped in %s.%s: there is no actual value to compare with. "+
				"ALTER TABLE ... RENAME COLUMN gives a renamed one its name back", then[i], v.name, table.Database(), table.Name())}
		}
	}
	return then, now, err
}

// sourceTable opens the raw table for accounts that may read it.
func (v *PublishedView) sourceTable(ctx *sql.Context) (source.Table, error) {
	if err := v.CheckSourceAccess(ctx); err != nil {
		return nil, err
	}
	table, err := v.releases.catalog.RawTableByID(ctx, v.published.record.SourceTable)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if elsewhere := (*anonymize.DataError)(nil); errors.As(err, &elsewhere) && !v.releases.SourceIsGone(ctx, v.published) {
		return nil, err
	}
	if err != nil {
		database, table := v.releases.SourceName(ctx, v.published)
		return nil, &anonymize.DataError{Reason: fmt.Sprintf("table %s.%s of release %s does not exist any more: there is no actual value to compare with. "+
			"CALL anonymize with replace=true publishes another table under this name", database, table, v.name)}
	}
	return table, nil
}

// PublishedDatabase is the database published.
func (r *Releases) PublishedDatabase() sql.Database { return publishedDatabase{r} }

type publishedDatabase struct{ releases *Releases }

var _ sql.Database = publishedDatabase{}

func (d publishedDatabase) Name() string { return PublishedDatabaseName }

// GetTableInsensitive finds a view or a relation that the session may see.
func (d publishedDatabase) GetTableInsensitive(ctx *sql.Context, name string) (sql.Table, bool, error) {
	found, ok := d.releases.snapshotOf(ctx).tables[strings.ToLower(name)]
	if !ok || !d.releases.visible(ctx, found.of) {
		return nil, false, nil
	}
	return found.table, true, nil
}
