package functions

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/privacy"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/functions/argument"
)

// bindPrivacy makes ANON_PRIVACY(release): every guarantee, recomputed now from
// the stored fragments, beside what was promised. Whoever may read the release
// may read it.
func (e *Environment) bindPrivacy(ctx *sql.Context, arguments []sql.Expression) (*relation, error) {
	name, err := releaseArgument(ctx, "anon_privacy", arguments)
	if err != nil {
		return nil, err
	}
	p, err := e.readableRelease(ctx, name)
	if err != nil {
		return nil, err
	}
	name = p.Record().Name
	return &relation{
		schema: sql.Schema{
			{Name: "guarantee", Type: types.LongText},
			{Name: "required", Type: types.Float64, Nullable: true},
			{Name: "achieved", Type: types.Float64},
			{Name: "worst_group", Type: types.Int64, Nullable: true},
			{Name: "holds", Type: types.Boolean},
			{Name: "detail", Type: types.LongText},
		},
		rows: func(ctx *sql.Context, _ []sql.Expression) (sql.RowIter, error) { return e.privacyRows(ctx, name) },
	}, nil
}

func (e *Environment) privacyRows(ctx *sql.Context, name string) (sql.RowIter, error) {
	p, err := e.readableRelease(ctx, name)
	if err != nil {
		return nil, err
	}
	release, err := p.Promised(ctx)
	if err != nil {
		return nil, err
	}
	guarantees, err := privacy.Verify(release)
	if err != nil {
		return nil, err
	}
	var rows []sql.Row
	for _, g := range guarantees {
		rows = append(rows, catalog.GuaranteeRow(g))
	}
	return sql.RowsToRowIter(rows...), nil
}

// releaseArgument reads the only argument as a release: adult, published.adult
// or 'adult'.
func releaseArgument(ctx *sql.Context, function string, arguments []sql.Expression) (string, error) {
	if len(arguments) > 1 {
		return "", &anonymize.ParameterError{Parameter: function, Value: "given " + arguments[1].String(), Rule: "takes a release and nothing else"}
	}
	if len(arguments) == 1 {
		if ref, ok := arguments[0].(*argument.Ref); ok {
			return ref.Name, nil
		}
	}
	name, err := tableArgument(ctx, function, arguments)
	return name.table, err
}

// readableRelease finds a release that the account may SELECT from.
func (e *Environment) readableRelease(ctx *sql.Context, name string) (*catalog.Published, error) {
	if !e.CanRead(ctx, catalog.PublishedDatabaseName, name) {
		client := ctx.Session.Client()
		return nil, mysql.NewSQLError(tableAccessDenied, "42000",
			"SELECT command denied to user '%s'@'%s' for table '%s'", client.User, client.Address, name)
	}
	return e.Releases.Find(ctx, name)
}
