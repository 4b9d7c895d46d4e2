package catalog

import (
	"errors"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/catalog/source"
)

// PublishedDatabaseName is the database in which releases appear.
const PublishedDatabaseName = "published"

// tableAccessDenied is MySQL's ER_TABLEACCESS_DENIED_ERROR.
const tableAccessDenied = 1142

// A PublishedView is published.<release>: the table as analysts see it. Its
// stored rows are a preview drawn from the release; aggregates over it are
// estimated by package planner, which recognises the type.
type PublishedView struct {
	Relation
	published *Published
	releases  *Releases
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

// Published is the release behind the view.
func (v *PublishedView) Published() *Published { return v.published }

// Record describes the release behind the view, as far as it is public.
func (v *PublishedView) Record() *ReleaseRecord { return v.published.public }

// Release returns the fragments behind the view.
func (v *PublishedView) Release(ctx *sql.Context) (*anonymize.Release, error) {
	return v.published.Release(ctx)
}

// Prepared returns the fragments behind the view, ready for questions.
func (v *PublishedView) Prepared(ctx *sql.Context) (*estimate.Prepared, error) {
	return v.published.Prepared(ctx)
}

// CheckSourceAccess is error 1142 for accounts that may not read the raw
// table. It does not name the table: they may not know it.
func (v *PublishedView) CheckSourceAccess(ctx *sql.Context) error {
	if v.published.record.Imported {
		return errImported(v.published.record, "there is no actual value to compare with")
	}
	if v.releases.mayReadSource(ctx, v.published.record) {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err // killed: it could not be asked whether the account may
	}
	if err := v.releases.sourceIsGone(ctx, v.published.record); err != nil {
		return err
	}
	client := ctx.Session.Client()
	return mysql.NewSQLError(tableAccessDenied, "42000",
		"SELECT command denied to user '%s'@'%s' for the table behind published.%s, which ANON_ACTUAL, ANON_RELATIVE_ERROR and evaluate read",
		client.User, client.Address, v.name)
}

// SourceMicrodata reads columns of the raw table as it is now, for comparing.
// The caller has checked the access.
func (v *PublishedView) SourceMicrodata(ctx *sql.Context, columns []string) (*anonymize.Microdata, error) {
	if err := v.CheckSourceAccess(ctx); err != nil {
		return nil, err
	}
	table, err := v.releases.catalog.RawTableByID(ctx, v.published.record.SourceTable)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if elsewhere := (*anonymize.DataError)(nil); errors.As(err, &elsewhere) {
		return nil, err
	}
	if err != nil {
		return nil, &anonymize.DataError{Reason: "the raw table of release " + v.name + " does not exist any more: there is no actual value to compare with"}
	}
	if len(columns) == 0 {
		columns = v.published.record.Columns[:1] // the number of rows is asked
	}
	slices.Sort(columns)
	data, err := table.Microdata(ctx, slices.Compact(columns), nil)
	if err != nil {
		return nil, err
	}
	for _, c := range data.Columns {
		if then, known := v.published.record.Digests[c.Name]; known && source.Digest(c) != then {
			ctx.Session.Warn(&sql.Warning{Level: "Note", Code: mysql.ERUnknownError,
				Message: "the raw table behind published." + v.name + " has changed since it was published, in column " + c.Name + ": actual values are those of now"})
			break
		}
	}
	return data, nil
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
