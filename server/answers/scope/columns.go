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

// WithEngine returns a context that carries the engine of a statement.
func WithEngine(ctx context.Context, engine *analyzer.Analyzer) context.Context {
	return context.WithValue(ctx, engineKey{}, engine)
}

// Engine returns the engine that ctx carries, or nil.
func Engine(ctx context.Context) *analyzer.Analyzer {
	engine, _ := ctx.Value(engineKey{}).(*analyzer.Analyzer)
	return engine
}

// A binder binds parts of one statement.
type binder struct {
	ctx    *sql.Context
	engine *analyzer.Analyzer
}

// binderOf returns the binder of the statement in ctx, nil outside an engine.
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

// columns returns the column names of a table of FROM. ok is false if the binder cannot bind the table alone.
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

// visible joins the common table expressions that a SELECT can name, innermost last.
func visible(outside, own *sqlparser.With) *sqlparser.With {
	switch {
	case own == nil || len(own.Ctes) == 0: // nothing to add
		return outside
	case outside == nil:
		return own
	}
	return &sqlparser.With{Ctes: slices.Concat(outside.Ctes, own.Ctes), Recursive: outside.Recursive || own.Recursive}
}
