package scope

import (
	"context"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
)

type engineKey struct{}

// WithEngine is the context of an engine's statements.
func WithEngine(ctx context.Context, engine *analyzer.Analyzer) context.Context {
	return context.WithValue(ctx, engineKey{}, engine)
}

// Engine is the engine of a statement, nil where it is none of an engine.
func Engine(ctx context.Context) *analyzer.Analyzer {
	engine, _ := ctx.Value(engineKey{}).(*analyzer.Analyzer)
	return engine
}

// A binder binds for one statement.
type binder struct {
	ctx    *sql.Context
	engine *analyzer.Analyzer
}

// binderOf is nil where what is parsed is no statement of an engine.
func binderOf(ctx context.Context) *binder {
	statement, ok := ctx.(*sql.Context)
	if !ok || statement == nil {
		return nil
	}
	engine := Engine(ctx)
	if engine == nil {
		return nil
	}
	return &binder{statement, engine}
}

// columns are the names of the columns of a table of FROM; ok is false where the binder does not know it by itself.
func (b *binder) columns(of sqlparser.TableExpr, with *sqlparser.With) (names []string, ok bool) {
	query := &sqlparser.Select{With: trees.Copy(with), SelectExprs: sqlparser.SelectExprs{&sqlparser.StarExpr{}},
		From: sqlparser.TableExprs{trees.Copy(of)}}
	build := planbuilder.New(b.ctx, b.engine.Catalog, nil, b.engine.Parser)
	build.DisableAuth()
	bound, _, err := build.BindOnly(query, sqlparser.String(query), nil)
	if err != nil {
		return nil, false
	}
	for _, column := range bound.Schema() {
		names = append(names, column.Name)
	}
	return names, true
}

// visible is the WITH of what a SELECT may name, the innermost last.
func visible(outside, own *sqlparser.With) *sqlparser.With {
	switch {
	case own == nil || len(own.Ctes) == 0: // which a WITH has not
		return outside
	case outside == nil:
		return own
	}
	return &sqlparser.With{Ctes: slices.Concat(outside.Ctes, own.Ctes), Recursive: outside.Recursive || own.Recursive}
}
