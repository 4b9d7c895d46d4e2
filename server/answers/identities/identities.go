// Package identities makes LAST_INSERT_ID() and the OK packet of INSERT, REPLACE and UPDATE report MySQL's identity: the first generated one, else
// that of LAST_INSERT_ID(x), else that of the last row (MySQL's manual, mysql_insert_id). The engine is right only for INSERT ... VALUES, and
// reports an earlier identity for REPLACE and ON DUPLICATE KEY UPDATE. The package refuses nothing.
package identities

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/tree"
)

// Functions returns LAST_INSERT_ID.
func Functions() []sql.Function {
	const name = "last_insert_id"
	return []sql.Function{sql.FunctionN{Name: name, Fn: func(arguments ...sql.Expression) (sql.Expression, error) {
		if len(arguments) > 1 {
			return nil, sql.ErrInvalidArgumentNumber.New("LAST_INSERT_ID", "0 or 1", len(arguments))
		}
		return &insertID{tree.Nary{Operands: arguments}, name}, nil
	}}}
}

// insertID is LAST_INSERT_ID. The OK packet of the statement also reports the value of its argument.
type insertID struct {
	tree.Nary
	name string
}

var (
	_ sql.FunctionExpression         = (*insertID)(nil)
	_ sql.CollationCoercible         = (*insertID)(nil)
	_ sql.NonDeterministicExpression = (*insertID)(nil)
)

func (i *insertID) FunctionName() string { return i.name }

func (i *insertID) Description() string { return "MySQL's function of that name" }

func (i *insertID) String() string { return i.CallText(i.name) }

func (i *insertID) Type() sql.Type { return types.Uint64 }

func (i *insertID) IsNullable() bool { return len(i.Operands) > 0 }

// IsNonDeterministic implements sql.NonDeterministicExpression.
func (i *insertID) IsNonDeterministic() bool { return true }

func (i *insertID) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

func (i *insertID) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(i, children)
}

func (i *insertID) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if len(i.Operands) == 0 {
		return uint64(ctx.GetLastQueryInfoInt(sql.LastInsertId)), nil
	}
	v, err := i.Operands[0].Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	id, err := wholeID(ctx, v, i.Operands[0].Type())
	if err != nil {
		return nil, err
	}
	ctx.SetLastQueryInfoInt(sql.LastInsertId, int64(id))
	noteInsertID(ctx, &id)
	if v == nil {
		return nil, nil
	}
	return id, nil
}

// wholeID converts a value to an identity, 0 for NULL.
func wholeID(ctx *sql.Context, v any, of sql.Type) (uint64, error) {
	number, err := coercion.Number(ctx, v, of)
	if id, ok := number.(uint64); ok || number == nil || err != nil {
		return id, err
	}
	id, err := coercion.NearestBigint(ctx, v, of)
	return uint64(id), err
}

func noteInsertID(ctx *sql.Context, id *uint64) {
	if st := running.StatementOf(ctx); st != nil {
		st.InsertID.Store(id)
	}
}

// Noted makes an INSERT note the identities of its rows.
func Noted(ctx *sql.Context, n sql.Node, _ bool) (sql.Node, transform.TreeIdentity, error) {
	insert, ok := n.(*plan.InsertInto)
	if !ok {
		return n, transform.SameTree, nil
	}
	columns := insert.Destination.Schema()
	at := slices.IndexFunc(columns, func(c *sql.Column) bool { return c.AutoIncrement })
	if at < 0 {
		if insert.IsReplace || len(insert.OnDupExprs) > 0 {
			noteInsertID(ctx, new(uint64))
		}
		return n, transform.SameTree, nil
	}
	if insert.Ignore {
		return n, transform.SameTree, nil
	}
	ids := &identities{at: at - len(columns), moves: insert.IsReplace || insert.FirstGeneratedAutoIncRowIdx < 0, updates: len(insert.OnDupExprs) > 0}
	source, err := ids.wrap(insert.Source, at)
	if err != nil || source == insert.Source {
		return n, transform.SameTree, err
	}
	insert = insert.WithSource(source)
	if ids.updates {
		field := expression.NewGetField(at, columns[at].Type, columns[at].Name, false)
		insert.OnDupExprs = append(slices.Clone(insert.OnDupExprs), expression.NewSetField(field, &updated{tree.NewStandin(field), ids}))
	}
	return insert, transform.NewTree, nil
}

// wrap puts a node over the source rows of an INSERT, at the projection where the engine generates identities.
func (i *identities) wrap(n sql.Node, at int) (sql.Node, error) {
	project, ok := n.(*plan.Project)
	if !ok {
		children := n.Children()
		if len(children) != 1 {
			return n, nil
		}
		child, err := i.wrap(children[0], at)
		if err != nil || child == children[0] {
			return n, err
		}
		return n.WithChildren(child)
	}
	if at >= len(project.Projections) {
		return n, nil
	}
	serial, ok := project.Projections[at].(*expression.AutoIncrement)
	if _, loads := project.Child.(*plan.LoadData); !ok || loads { // package loaddata notes its own
		return n, nil
	}
	i.given = &given{Standin: tree.NewStandin(serial.Child)}
	made, err := serial.WithChildren(i.given)
	if err != nil {
		return nil, err
	}
	list := slices.Clone(project.Projections)
	list[at] = made
	return &identifying{plan.UnaryNode{Child: plan.NewProject(list, project.Child)}, i}, nil
}

// given is the value that an INSERT specifies for the identity of a row. generates says whether the engine replaces it.
type given struct {
	tree.Standin
	generates bool
}

var _ sql.CollationCoercible = (*given)(nil)

func (g *given) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(g, children)
}

func (g *given) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := g.Child.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	id, err := wholeID(ctx, v, g.Child.Type())
	g.generates = v == nil || err == nil && id == 0 && !sql.LoadSqlMode(ctx).ModeEnabled(sql.NoAutoValueOnZero)
	return v, nil
}

// identities are the identities of the rows of an INSERT.
type identities struct {
	at      int // index of the identity column from the end of a row, below 0
	given   *given
	moves   bool            // sets LAST_INSERT_ID(), since the engine does not
	updates bool            // ON DUPLICATE KEY UPDATE may update an existing row instead
	rows    *identifiedRows // of its execution
}

// updated notes the identity of a row that ON DUPLICATE KEY UPDATE has changed.
type updated struct {
	tree.Standin
	of *identities
}

var _ sql.CollationCoercible = (*updated)(nil)

func (u *updated) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(u, children)
}

func (u *updated) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := u.Child.Eval(ctx, row)
	if err != nil || u.of.rows == nil {
		return v, err
	}
	id, err := wholeID(ctx, v, u.Child.Type())
	u.of.rows.note(id, false)
	return v, err
}

// identifying is the source of an INSERT. It notes the identities of the rows that pass.
type identifying struct {
	plan.UnaryNode
	*identities
}

func (i *identifying) IsReadOnly() bool { return i.Child.IsReadOnly() }

func (i *identifying) String() string { return i.Child.String() }

func (i *identifying) WithChildren(children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(i, len(children), 1)
	}
	return &identifying{plan.UnaryNode{Child: children[0]}, i.identities}, nil
}

// Rows executes the node.
func (i *identifying) Rows(ctx *sql.Context, below sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	st := running.StatementOf(ctx)
	if st == nil {
		return below.Build(ctx, i.Child, row)
	}
	made := &identifiedRows{identities: i.identities, statement: st, noted: st.InsertID.Load(), before: ctx.GetLastQueryInfoInt(sql.LastInsertId)}
	i.rows = made
	var err error
	made.RowIter, err = below.Build(ctx, i.Child, row) // may already evaluate rows
	return made, err
}

type identifiedRows struct {
	sql.RowIter
	*identities
	statement *running.Statement
	noted     *uint64 // the last identity noted, except by LAST_INSERT_ID(x)
	before    int64   // LAST_INSERT_ID()
	generated bool
}

func (r *identifiedRows) Next(ctx *sql.Context) (sql.Row, error) {
	if last := ctx.GetLastQueryInfoInt(sql.LastInsertId); r.updates && last != r.before && r.statement.InsertID.Load() == r.noted {
		r.note(uint64(last), true) // the previous row was inserted
	}
	row, err := r.RowIter.Next(ctx)
	if err != nil || r.given.generates && r.updates {
		return row, err
	}
	id, err := wholeID(ctx, row[len(row)+r.at], types.Int64)
	if err != nil {
		return nil, err
	}
	if r.given.generates && r.moves && !r.generated {
		ctx.SetLastQueryInfoInt(sql.LastInsertId, int64(id))
	}
	r.note(id, r.given.generates)
	return row, nil
}

// note notes an identity unless one with precedence is noted already.
func (r *identifiedRows) note(id uint64, generated bool) {
	if r.generated || !generated && r.statement.InsertID.Load() != r.noted {
		return
	}
	r.generated, r.noted = generated, &id
	r.statement.InsertID.Store(r.noted)
}
