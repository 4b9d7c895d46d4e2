package syntax

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/server/gate"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// The limits of a statement's text are variables that SET GLOBAL changes, for all
// servers of the process. The defaults exceed what tools send; the worst statement
// within them is parsed, bound and analysed in about a second.
const (
	nestingVariable    = "anon_max_nesting"
	termsVariable      = "anon_max_terms"
	subqueriesVariable = "anon_max_subqueries"
)

// BoundVariables are the definitions of these variables.
func BoundVariables() []sql.SystemVariable {
	var list []sql.SystemVariable
	for _, v := range []struct {
		name                 string
		least, most, initial int64
	}{
		{nestingVariable, 20, 1000, 200},
		{termsVariable, 100, 20000, 4000},
		{subqueriesVariable, 10, 100000, 1500},
		{definitionsVariable, 20, 5000, 500},
	} {
		list = append(list, &sql.MysqlSystemVariable{
			Name:    v.name,
			Scope:   sql.GetMysqlScope(sql.SystemVariableScope_Global),
			Dynamic: true,
			Type:    types.NewSystemIntType(v.name, v.least, v.most, false),
			Default: v.initial,
		})
	}
	return list
}

// bound is the value of one of the variables.
func bound(name string) int {
	_, value, _ := sql.SystemVariables.GetGlobal(name)
	n, _ := value.(int64)
	return int(n)
}

// TextLimits are the current values of the variables.
func TextLimits() gate.Limits {
	return gate.Limits{Nesting: bound(nestingVariable), Terms: bound(termsVariable)}
}

// refusedText is the client's error for a refusal.
func refusedText(refused *gate.Refusal) *mysql.SQLError {
	switch refused.Bound {
	case gate.Placeholders:
		return sqlerror.New(sqlerror.TooManyPlaceholders, fmt.Sprintf("Prepared statement contains too many placeholders: at most %d, "+
			"insert fewer rows at once, or write values into the text", refused.Limit))
	case gate.Digits:
		return sqlerror.New(sqlerror.IllegalValue, fmt.Sprintf("Illegal number value found during parsing: a number is written with more than %d digits "+
			"before byte %d: a DECIMAL has at most 65", refused.Limit, refused.At))
	case gate.Terms:
		return sqlerror.New(sqlerror.Syntax, fmt.Sprintf("the statement joins more than %d conditions, branches, queries or blocks (%s) before byte %d: "+
			"write x IN (...) for x = a OR x = b, or ask the owner for SET GLOBAL %s", refused.Limit, termsVariable, refused.At, termsVariable))
	case gate.Operators:
		return sqlerror.New(
			sqlerror.Syntax,
			fmt.Sprintf("too many operators of the statement are nested deeply, for a limit of %d levels (%s), before byte %d: "+
				"compute parts of them in a derived table, or ask the owner for SET GLOBAL %s", refused.Limit, nestingVariable, refused.At, nestingVariable),
		)
	}
	return sqlerror.New(sqlerror.Syntax, fmt.Sprintf("the statement nests deeper than %d levels (%s) at byte %d: "+
		"parentheses, functions, CASE and operators in a chain each are a level; compute parts in a derived table, or ask the owner for SET GLOBAL %s",
		refused.Limit, nestingVariable, refused.At, nestingVariable))
}
