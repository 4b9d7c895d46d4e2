package answers

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// A rewrite is one thing that is done to statements because the engine by itself would
// not answer as MySQL does. It has one function, which says when it is done:
//
//   - text: before the statement is parsed;
//   - tree: to the tree that the parser made, in place, where the text has one of words
//     (in lower case; always without words);
//   - bound: to the bound plan, before the engine's rules;
//   - node, expression: to every node and expression of the finished plan, once,
//     before it is executed, from below;
//   - functions: they take the place of the engine's of the same names.
//
// why is what the engine does. probe is a statement, over the tables of the tests, that
// shows it. A rewrite goes when the bare engine answers its probe as MySQL does:
// TestProbes fails then, and names it.
type rewrite struct {
	name, why, probe string
	words            []string

	text       func(string) string
	tree       func(parsed) error
	bound      func(*sql.Context, sql.Node) (sql.Node, transform.TreeIdentity, error)
	node       func(*sql.Context, sql.Node, bool) (sql.Node, transform.TreeIdentity, error)
	expression func(*sql.Context, sql.Expression) (sql.Expression, transform.TreeIdentity, error)
	functions  func() []sql.Function
}

// A tree is a parsed statement.
type parsed struct {
	sqlparser.Statement
	text           string          // in lower case
	tableFunctions map[string]bool // our own, in lower case
}

// rewrites are all there are, in the order in which a statement meets them.
var rewrites = []rewrite{
	{name: "escapes", why: `a string loses the backslash of \_ and \%`, probe: `SELECT 'axb' LIKE 'a\_b'`, text: keepLikeEscapes},

	{name: "explain", why: "EXPLAIN prints the text NULL where clients read numbers", probe: "EXPLAIN SELECT 1", words: []string{"explain", "desc"}, tree: explainAsTree},
	{name: "nameless", why: "a column or a variable without a name panics", probe: "SELECT ``", words: []string{"``", `""`, "||", "&&", "@"}, tree: refuseNamelessColumns},
	{name: "trim", why: "TRIM of NULL, and an empty ESCAPE, panic", probe: "SELECT TRIM(NULL FROM 'x')", words: []string{"trim", "escape"}, tree: avoidPanics},
	{name: "arguments", why: "a bare name is no argument of a table function", probe: "SELECT * FROM echo(t)", tree: rewriteTableFunctions},
	{name: "unions", why: "the time doubles with each UNION of a chain", words: setOperators, tree: boundSetOperations},
	{name: "union columns", why: "a UNION of three finds no column of an expression", probe: "SELECT 1 + a FROM t UNION SELECT 2.5 + a FROM t UNION SELECT 'x'", words: setOperators, tree: nameColumns},
	{name: "constant keys", why: "GROUP BY 'x' and GROUP_CONCAT(... ORDER BY 1) are misread", probe: "SELECT COUNT(*) FROM t GROUP BY 'x'", words: []string{"group"}, tree: groupByConstants},
	{name: "joined texts", why: "GROUP_CONCAT does not tell what it joins from what it is ordered by", words: []string{"group_concat"}, tree: markJoinedTexts},
	{name: "subqueries", why: "NOT IN and NOT EXISTS are one kind of join, wrong for NULL", probe: "SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.b = t.b)", words: []string{"in", "exists"}, tree: keepFromJoins},
	{name: "signed", why: "CAST(COUNT(*) AS SIGNED) is dropped before an estimate takes the place of COUNT", words: []string{"signed"}, tree: keepCasts},
	{name: "large casts", why: "CAST(x AS JSON) and BINARY(n) make values of any size", probe: "SELECT LENGTH(CAST('' AS BINARY(100000000)))", words: []string{"binary", "json"}, tree: boundCasts},
	{name: "ifnull", why: "IFNULL has the type of its first argument", probe: "SELECT IFNULL(a, 2.5) FROM t WHERE a IS NULL", words: []string{"ifnull"}, tree: coalesce},
	{name: "regexp", why: "REGEXP is bound to a function that no provider replaces", probe: "SELECT 'é' REGEXP '^.$'", words: []string{"regexp", "rlike"}, tree: callRegexpLike},

	{name: "strict", why: "UPDATE stores the nearest value that fits", probe: "UPDATE t SET tiny = 500", bound: strictUpdates},
	{name: "like", why: "LIKE without wildcards is =, and x% a range of bytes", probe: `SELECT s FROM t WHERE s LIKE 'A%'`, bound: explicitEscapes},
	{name: "constants", why: "long digits are read as a number in quadratic time", bound: boundConstants},

	{name: "hash keys", why: "a hash join finds no DECIMAL, and compares texts bytewise", probe: "SELECT COUNT(*) FROM t JOIN u ON t.d = u.d", node: hashKeys},
	{name: "exact keys", why: "a look-up takes the nearest key", probe: "SELECT COUNT(*) FROM t JOIN k ON t.d = k.id", node: exactKeys},
	{name: "unknown joins", why: "NOT EXISTS drops a row for a comparison with NULL", probe: "SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.b = t.b)", node: knownFilters},
	{name: "sorted unions", why: "ORDER BY of a UNION looks for columns of a branch", probe: "SELECT a AS x FROM t UNION SELECT b FROM u ORDER BY x", node: sortedSetOperations},
	{name: "groups", why: "a group shows columns of different rows", probe: "SELECT s, b FROM t GROUP BY CONCAT(a, 1)", node: groupBy},
	{name: "duplicates", why: "DISTINCT and set operations compare texts bytewise", probe: "SELECT DISTINCT s FROM t", node: withoutDuplicates},
	{name: "documents", why: "JSON_TABLE reads a document of any size", node: boundedDocuments},

	{name: "in", why: "IN (SELECT ...) compares bytes, and takes NULLs in rows for equal", probe: "SELECT (1, NULL) IN (SELECT 1, NULL)", expression: inSubquery},
	{name: "rows", why: "(a, b) = (c, d) takes one side in the types of the other", probe: "SELECT (1, 'x') = (1, 'X')", expression: equalRows},
	{name: "windows", why: "windows do not see peers, and sum no numbers to 0", probe: "SELECT a, SUM(a) OVER (ORDER BY b) FROM u", expression: windows},
	{name: "distinct", why: "COUNT(DISTINCT x) compares texts bytewise", probe: "SELECT COUNT(DISTINCT s) FROM t", expression: countDistinct},
	{name: "concat", why: "two GROUP_CONCATs share memory, and keep all of every text", probe: "SELECT GROUP_CONCAT(DISTINCT s) FROM t", expression: groupConcat},
	{name: "long numbers", why: "long digits are read as a number in quadratic time", expression: shortNumbers},
	{name: "bounds", why: "expressions make values of any size", probe: "SELECT LENGTH(HEX(REPEAT('x', 50000000)))", expression: boundedValues},

	{name: "sized", why: "REPEAT, SPACE, LPAD build texts of any length", probe: "SELECT REPEAT('x', 100000000)", functions: sizedFunctions},
	{name: "joined", why: "CONCAT, REPLACE and INSERT build texts of any length", functions: joiningFunctions},
	{name: "deviations", why: "STD of an INT loses its fraction", probe: "SELECT STD(a) FROM u", functions: varianceFunctions},
	{name: "casts", why: "what the tree's casts are called", functions: castFunctions},
	{name: "missing", why: "functions that tools send and the engine lacks", probe: "SELECT MAKEDATE(2024, 60)", functions: missingFunctions},
	{name: "geometries", why: "maps nested deep end the process", functions: geometryFunctions},
}
