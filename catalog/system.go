package catalog

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/attributes"
	"github.com/anonsql/anonsql/catalog/jobs"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/catalog/shown"
	"github.com/anonsql/anonsql/catalog/source"
)

// SystemDatabaseName is the database of read-only system tables.
const SystemDatabaseName = "anonsql"

// A systemTable is computed when read.
type systemTable struct {
	name   string
	schema sql.Schema
	rows   func(ctx *sql.Context) ([]sql.Row, error)
}

var _ sql.Table = (*systemTable)(nil)

func (t *systemTable) Name() string               { return t.name }
func (t *systemTable) String() string             { return t.name }
func (t *systemTable) Schema() sql.Schema         { return t.schema }
func (t *systemTable) Collation() sql.CollationID { return sql.Collation_Default }

func (t *systemTable) Partitions(*sql.Context) (sql.PartitionIter, error) {
	return sql.PartitionsToPartitionIter(relationPartition{}), nil
}

func (t *systemTable) PartitionRows(ctx *sql.Context, _ sql.Partition) (sql.RowIter, error) {
	rows, err := t.rows(ctx)
	if err != nil {
		return nil, err
	}
	return sql.RowsToRowIter(rows...), nil
}

// SystemDatabase is the database anonsql. Its contents depend on what a session may read:
// figures of raw tables require those tables' grants.
func (r *Releases) SystemDatabase(jobs *jobs.Jobs) SystemDatabase {
	d := SystemDatabase{}
	d.Add("releases", r.releaseRows,
		"name", types.LongText, "version", types.Int32, "method", types.LongText, "status", types.LongText,
		"source", types.LongText, "rows", types.Int64, "groups", types.Int64, "parameters", types.JSON,
		"qi", types.LongText, "sa", types.LongText, "published_at", types.DatetimeMaxPrecision, "seconds", types.Float64,
		"refresh_recommended", types.Boolean,
		"pending", types.Int64, "waiting", types.Int64, "forged", types.Int64, "updates", types.LongText, "auto_refresh", types.Int64,
		"versions", types.Int32, "refreshed_at", types.DatetimeMaxPrecision, "refresh_problem", types.LongText,
		"estimator", types.LongText, "completed_tables", types.Int32)
	d.Add("guarantees", r.guaranteeRows,
		"release", types.LongText, "guarantee", types.LongText, "required", types.Float64, "achieved", types.Float64,
		"worst_group", types.Int64, "holds", types.Boolean, "detail", types.LongText)
	d.Add("evaluations", r.evaluationRows,
		"release", types.LongText, "version", types.Int32, "aggregate", types.LongText, "qi", types.LongText, "queries", types.Int32,
		"mean", types.Float64, "median", types.Float64, "p95", types.Float64, "zero_share", types.Float64, "coverage", types.Float64,
		"bounds_mean", types.Float64, "bounds_median", types.Float64, "bounds_p95", types.Float64, "bounds_held", types.Float64,
		"seed", types.Uint64, "evaluated_at", types.DatetimeMaxPrecision, "uncorrected_mean", types.Float64, "uncorrected_median", types.Float64,
		"estimator", types.LongText, "width", types.Float64)
	d.Add("epsilon", r.epsilonRows,
		"database", types.LongText, "table", types.LongText, "sa", types.LongText, "unit", types.LongText, "releases", types.Int32,
		"spent", types.Float64, "epsilon_limit", types.Float64, "delta_spent", types.Float64)
	d.Add("attributes", r.attributeRows,
		"database", types.LongText, "table", types.LongText, "column", types.LongText, "role", types.LongText, "scale", types.LongText)
	d.Add("taxonomies", r.taxonomyRows,
		"database", types.LongText, "table", types.LongText, "column", types.LongText, "kind", types.LongText, "source", types.LongText,
		"nodes", types.Int64, "leaves", types.Int64, "height", types.Int64, "root", types.LongText)
	d.Add("jobs", func(ctx *sql.Context) ([]sql.Row, error) { return r.jobRows(ctx, jobs) },
		"id", types.Int64, "user", types.LongText, "kind", types.LongText, "subject", types.LongText, "phase", types.LongText,
		"done", types.Int64, "total", types.Int64, "status", types.LongText, "error", types.LongText,
		"started_at", types.DatetimeMaxPrecision, "ended_at", types.DatetimeMaxPrecision, "seconds", types.Float64, "phases", types.LongText)
	return d
}

// A SystemDatabase has tables by their names in lower case.
type SystemDatabase map[string]sql.Table

var _ sql.Database = SystemDatabase{}

// Add declares a table; columns alternate name and type.
func (d SystemDatabase) Add(name string, rows func(*sql.Context) ([]sql.Row, error), columns ...any) sql.Schema {
	t := &systemTable{name: name, rows: rows}
	for i := 0; i < len(columns); i += 2 {
		t.schema = append(t.schema, &sql.Column{Name: columns[i].(string), Type: columns[i+1].(sql.Type), Nullable: true,
			Source: name, DatabaseSource: SystemDatabaseName})
	}
	d[name] = t
	return t.schema
}

func (d SystemDatabase) Name() string { return SystemDatabaseName }

func (d SystemDatabase) GetTableInsensitive(_ *sql.Context, name string) (sql.Table, bool, error) {
	t, ok := d[strings.ToLower(name)]
	return t, ok, nil
}

func (d SystemDatabase) GetTableNames(*sql.Context) ([]string, error) {
	return slices.Sorted(maps.Keys(d)), nil
}

// described returns the releases whose description the account may see: those that it may read,
// and those of tables that it may read. Only the latter show the name of the raw table, its
// state, and the duration of the work.
func (r *Releases) described(ctx *sql.Context) []*Published {
	return slices.DeleteFunc(r.All(ctx), func(p *Published) bool {
		return !r.canRead(ctx, PublishedDatabaseName, p.record.Name) && !r.mayReadSource(ctx, p.record)
	})
}

func (r *Releases) releaseRows(ctx *sql.Context) ([]sql.Row, error) {
	var rows []sql.Row
	for _, p := range r.described(ctx) {
		record := r.RecordFor(ctx, p)
		parameters, err := json.Marshal(record.chosen())
		if err != nil {
			return nil, err
		}
		document, _, err := types.JSON.Convert(ctx, string(parameters))
		if err != nil {
			return nil, err
		}
		source, refresh, seconds, live := any(nil), any(nil), any(nil), liveState{}
		if r.mayReadSource(ctx, p.record) && !record.Imported {
			if live, err = r.liveState(ctx, p); err != nil {
				return nil, err
			}
			source, refresh = r.presentName(ctx, record.source()).String(), r.refreshRecommended(ctx, record, live)
			seconds = math.Round(1000*record.Seconds) / 1000
		}
		rows = append(rows, sql.Row{record.Name, int32(record.Version), record.Method, record.Status(), source,
			int64(record.Rows), int64(record.Groups), document,
			strings.Join(record.QuasiIdentifiers, ","), strings.Join(record.Sensitive, ","),
			record.Published, seconds, refresh,
			live.pending, live.waiting, int64(record.Forged), live.updates, live.autoRefresh,
			live.versions, live.refreshed, live.problem, record.Estimator(), record.completedTables()})
	}
	return rows, nil
}

// Status returns "public", "public, composed", "public, imported", "public, imported unverified", "private" or "earlier version".
func (r *ReleaseRecord) Status() string {
	switch {
	case r.Live != nil && r.Live.Earlier:
		return "earlier version"
	case r.Private:
		return "private"
	case r.Imported && !r.Recomputed:
		return "public, imported unverified"
	case r.Imported:
		return "public, imported"
	case r.Composed:
		return "public, composed"
	}
	return "public"
}

// refreshRecommended is 1 if the raw table changed since the publication, or for a release that
// follows its table if a released value did. It is NULL if the table is gone or its home does
// not count changes, and for earlier versions.
func (r *Releases) refreshRecommended(ctx *sql.Context, record *ReleaseRecord, live liveState) any {
	if pending, follows := live.pending.(int64); follows {
		return int8(min(pending, 1))
	}
	if record.Live != nil && record.Live.Earlier {
		return nil
	}
	if raw.IsMirror(record.Database) {
		return nil // do not ask another server
	}
	table, err := r.catalog.RawTableByID(ctx, record.SourceTable)
	if err != nil || !source.Counted(table) {
		return nil
	}
	if table.Version() != record.SourceVersion {
		return int8(1)
	}
	return int8(0)
}

// GuaranteeRow returns a guarantee as users see it: guarantee, required (NULL if it is only
// reported), achieved, worst group (NULL for a figure of the whole release), holds (NULL if
// nothing was required), detail.
func GuaranteeRow(g anonymize.Guarantee) sql.Row {
	// A detail may contain values of a binary column.
	row := sql.Row{g.Name, nil, g.Achieved, nil, nil, strings.ToValidUTF8(g.Detail, "\uFFFD")}
	if g.Required != nil {
		row[1], row[4] = g.Required.Float(), int8(0)
		if g.Holds {
			row[4] = int8(1)
		}
	}
	if g.WorstGroup >= 0 {
		row[3] = shown.GID(g.WorstGroup)
	}
	return row
}

func (r *Releases) guaranteeRows(ctx *sql.Context) ([]sql.Row, error) {
	var rows []sql.Row
	for _, p := range r.described(ctx) {
		record := r.RecordFor(ctx, p)
		for _, g := range slices.Concat(record.Guarantees, record.Sequence) {
			rows = append(rows, append(sql.Row{record.Name}, GuaranteeRow(g)...))
		}
	}
	return rows, nil
}

func (r *Releases) attributeRows(ctx *sql.Context) ([]sql.Row, error) {
	attributes, err := r.catalog.AllAttributes()
	if err != nil {
		return nil, err
	}
	var rows []sql.Row
	for _, a := range attributes {
		if r.canRead(ctx, a.Database, a.Table) {
			rows = append(rows, sql.Row{a.Database, a.Table, a.Column, string(a.Role), string(a.Scale)})
		}
	}
	return rows, nil
}

// TaxonomyRow returns a taxonomy as users see it: database, table, column, kind, source, nodes,
// leaves, height, and the root's name, NULL for an order.
func TaxonomyRow(t *attributes.Taxonomy) sql.Row {
	root := any(nil)
	if t.Root != "" {
		root = t.Root
	}
	return sql.Row{t.Database, t.Table, t.Column, t.Kind, t.Source, int64(t.Nodes), int64(t.Leaves), int64(t.Height), root}
}

// taxonomySource is the index of the source in a row of anonsql.taxonomies.
const taxonomySource = 4

// taxonomyRows shows an owner's declarations about a table's values to accounts that may read
// it, and the table that they came from to those that may read that one, too.
func (r *Releases) taxonomyRows(ctx *sql.Context) ([]sql.Row, error) {
	taxonomies, err := r.catalog.AllTaxonomies()
	if err != nil {
		return nil, err
	}
	var rows []sql.Row
	for _, t := range taxonomies {
		if !r.canRead(ctx, t.Database, t.Table) {
			continue
		}
		row := TaxonomyRow(t)
		if t.SourceTable != "" && !r.canRead(ctx, t.SourceDatabase, t.SourceTable) {
			row[taxonomySource] = nil
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (r *Releases) jobRows(ctx *sql.Context, jobs *jobs.Jobs) ([]sql.Row, error) {
	var rows []sql.Row
	for _, job := range jobs.All() {
		if !r.canRead(ctx, job.Database, job.Table) {
			continue
		}
		ended, message, seconds := any(nil), any(nil), any(nil)
		if !job.Ended.IsZero() {
			ended = job.Ended.UTC()
		}
		if took, known := job.Duration(); known {
			seconds = took.Seconds()
		}
		if job.Error != "" {
			message = job.Error
		}
		rows = append(rows, sql.Row{job.ID, job.User, job.Kind, job.Subject, job.Phase, int64(job.Done), int64(job.Total),
			job.Status, message, job.Started.UTC(), ended, seconds, job.PhaseSeconds()})
	}
	return rows, nil
}
