package answer

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/vitess/go/mysql"
)

// Refuse is error 1235 (not supported), with the reason and a way out.
func Refuse(format string, arguments ...any) error {
	return mysql.NewSQLError(mysql.ERNotSupportedYet, mysql.SSUnknownSQLState, "published view: "+format, arguments...)
}

// writtenNames maps the engine's names to those that users write.
var writtenNames = map[string]string{
	"COUNTDISTINCT": "COUNT", "STDDEVPOP": "STDDEV", "STDDEVSAMP": "STDDEV_SAMP", "VARPOP": "VARIANCE", "VARSAMP": "VAR_SAMP",
	"ANYVALUE": "ANY_VALUE", "BITAND": "BIT_AND", "BITOR": "BIT_OR", "BITXOR": "BIT_XOR", "JSONARRAY": "JSON_ARRAYAGG",
}

// refuseAggregate refuses an aggregate function that has no estimate.
func refuseAggregate(e sql.Aggregation) error {
	name := strings.ToUpper(e.(sql.FunctionExpression).FunctionName())
	if written, ok := writtenNames[name]; ok {
		name = written
	}
	const wayOut = "COUNT, SUM, AVG, MIN, MAX, COUNT(DISTINCT x), STDDEV and VARIANCE are estimated; " +
		"the relations published.<release>_qi1, ..., _sa and _gid are ordinary tables"
	if len(e.Children()) > 1 && name == "COUNT" {
		return Refuse("COUNT(DISTINCT ...) takes one expression here: put several into one, such as CONCAT(a, '-', b); %s", wayOut)
	}
	if isDistinct(e) {
		return Refuse("%s(DISTINCT ...) is not estimated; SELECT DISTINCT gives the possible values; %s", name, wayOut)
	}
	return Refuse("%s is not estimated; %s", name, wayOut)
}

// isDistinct reports whether an aggregate is DISTINCT. The engine marks the argument, our own aggregates have a method.
func isDistinct(e sql.Aggregation) bool {
	if own, ok := e.(interface{ IsDistinct() bool }); ok {
		return own.IsDistinct()
	}
	return slices.ContainsFunc(e.Children(), func(child sql.Expression) bool {
		_, marked := child.(*expression.DistinctExpression)
		return marked
	})
}

// refuseDistinct refuses a COUNT(DISTINCT x) whose probabilities are unknown.
func refuseDistinct() error {
	return Refuse("COUNT(DISTINCT x) is estimated where x, every key and every condition joined by AND reads one fragment; " +
		"here one of them mixes fragments. Ask it without that part, or count the possible values: " +
		"SELECT COUNT(*) FROM (SELECT DISTINCT x FROM published... WHERE ...) t")
}

// refuseCombinations refuses a join over too many combinations.
func refuseCombinations(limit int) error {
	return Refuse("the join needs more than %d combinations of the view's columns: use fewer of its columns beside the join, "+
		"restrict them in WHERE, or aggregate the view first, in a derived table with GROUP BY on the joined column", limit)
}

// errNotANumber refuses SUM, AVG and variances over text that is no number.
func errNotANumber(value any) error {
	return Refuse("SUM, AVG and the like cannot add up '%v', which is not a number: give them a number, such as CAST(x AS SIGNED)", value)
}
