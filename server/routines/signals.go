package routines

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/coercion"
)

// A signal holds a SIGNAL as written, and as the interpreter runs it: with literals only.
type signal struct{ run, written *sqlparser.Signal }

func (r *Run) signal(written *sqlparser.Signal) *sqlparser.Signal {
	own := *written
	r.signals = append(r.signals, signal{&own, written})
	return &own
}

// fillSignals puts the current values of variables into every SIGNAL.
func (r *Run) fillSignals(ctx *sql.Context) error {
	for _, s := range r.signals {
		s.run.Info = slices.Clone(s.written.Info)
		for i := range s.run.Info {
			value, err := r.signalled(ctx, s.run.Info[i].Value)
			if err != nil {
				return err
			}
			s.run.Info[i].Value = value
		}
	}
	return nil
}

// signalled returns an item of a SIGNAL as a literal. It escapes % because the interpreter uses the message as a format.
func (r *Run) signalled(ctx *sql.Context, item sqlparser.Expr) (sqlparser.Expr, error) {
	if column, ok := item.(*sqlparser.ColName); ok {
		name := column.Name.Lowered()
		switch user, isUser := strings.CutPrefix(name, "@"); {
		case isUser:
			typ, value, err := ctx.GetUserVariable(ctx, user)
			if err != nil || value == nil {
				return &sqlparser.NullVal{}, err
			}
			text, err := coercion.Text(ctx, value, typ)
			if err != nil {
				return nil, err
			}
			item = sqlparser.NewStrVal([]byte(text))
		case r.texts[name] != nil:
			item = r.texts[name]
		case r.values[name] != nil:
			return r.values[name], nil
		}
	}
	if text, ok := item.(*sqlparser.SQLVal); ok {
		return sqlparser.NewStrVal([]byte(strings.ReplaceAll(string(text.Val), "%", "%%"))), nil
	}
	return item, nil
}
