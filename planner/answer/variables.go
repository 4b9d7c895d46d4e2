package answer

import (
	"context"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog"
)

// Variables are the system variables of this package, with their defaults. Every account may set them for its session.
func Variables() []sql.SystemVariable {
	return []sql.SystemVariable{
		chosenVariable(countsVariable, "estimate", countsAsInteger),
		chosenVariable(weightVariable, "off", "on"),
		chosenVariable(estimatorVariable, ownEstimator, catalog.Imputed, catalog.Independent),
	}
}

// chosenVariable declares a variable with one of the values, by default the first.
func chosenVariable(name string, values ...string) sql.SystemVariable {
	return &sql.MysqlSystemVariable{Name: name, Scope: sql.GetMysqlScope(sql.SystemVariableScope_Both), Dynamic: true,
		Type: choiceType{types.NewSystemEnumType(name, values...), name, values}, Default: values[0]}
}

// choiceType is the engine's enum type with an error that lists the values.
type choiceType struct {
	sql.SystemVariableType
	name   string
	values []string
}

// Convert implements sql.Type.
func (t choiceType) Convert(ctx context.Context, v any) (any, sql.ConvertInRange, error) {
	converted, in, err := t.SystemVariableType.Convert(ctx, v)
	if err != nil {
		given := fmt.Sprint(v)
		err = mysql.NewSQLError(mysql.ERWrongValueForVar, "42000", "Variable '%s' can't be set to the value of '%s': it takes %s%s",
			t.name, given, strings.Join(t.values, ", "), anonymize.DidYouMean(given, t.values))
	}
	return converted, in, err
}
