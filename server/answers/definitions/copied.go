package definitions

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
)

// likeMark is the prefix of a column that CREATE TABLE ... LIKE has until it is bound. The name of the other table follows it.
const likeMark = "__anon_like "

// MarkCopied makes the plan of CREATE TABLE ... LIKE name the table that it copies. It changes the tree in place.
func MarkCopied(statement sqlparser.Statement) {
	trees.Walk(statement, func(node any) {
		create, ok := node.(*sqlparser.DDL)
		if !ok || create.OptLike == nil || create.TableSpec != nil || len(create.OptLike.LikeTables) != 1 {
			return
		}
		name := sqlparser.NewColIdent(likeMark + sqlparser.String(create.OptLike.LikeTables[0]))
		create.TableSpec = &sqlparser.TableSpec{Columns: []*sqlparser.ColumnDefinition{{Name: name, Type: sqlparser.ColumnType{Type: "int"}}}}
	})
}

// Copied gives a table made LIKE another the key prefix lengths, collation and comment of the other, which the engine omits.
func Copied(ctx *sql.Context, n sql.Node, bind func(query string) (sql.Node, error)) (sql.Node, transform.TreeIdentity, error) {
	create, ok := n.(*plan.CreateTable)
	if !ok {
		return n, transform.SameTree, nil
	}
	schema := create.PkSchema()
	last := len(schema.Schema) - 1
	if last < 0 || !strings.HasPrefix(schema.Schema[last].Name, likeMark) {
		return n, transform.SameTree, nil
	}
	spec := &plan.TableSpec{
		Schema:    sql.NewPrimaryKeySchema(schema.Schema[:last], schema.PkOrdinals...),
		IdxDefs:   create.Indexes(),
		ChDefs:    create.Checks(),
		Collation: create.Collation,
		TableOpts: map[string]any{},
	}
	query, err := bind("SELECT * FROM " + strings.TrimPrefix(schema.Schema[last].Name, likeMark))
	if err != nil {
		return n, transform.SameTree, err
	}
	transform.Inspect(query, func(node sql.Node) bool {
		if table, ok := node.(*plan.ResolvedTable); ok {
			err = copyOptions(ctx, table, spec)
		}
		return err == nil
	})
	return plan.NewCreateTable(create.Db, create.Name(), create.IfNotExists(), create.Temporary(), spec), transform.NewTree, err
}

// copyOptions copies the collation, the comment and the key prefix lengths of a table.
func copyOptions(ctx *sql.Context, from *plan.ResolvedTable, to *plan.TableSpec) error {
	to.Collation = from.Collation()
	table := from.UnderlyingTable()
	if commented, ok := table.(sql.CommentedTable); ok {
		to.TableOpts["comment"] = commented.Comment()
	}
	indexed, ok := table.(sql.IndexAddressable)
	if !ok {
		return nil
	}
	indexes, err := indexed.GetIndexes(ctx)
	for _, index := range indexes {
		for _, def := range to.IdxDefs {
			if def.Name != index.ID() {
				continue
			}
			for i, length := range index.PrefixLengths() {
				def.Columns[i].Length = int64(length)
			}
		}
	}
	return err
}
