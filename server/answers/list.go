package answers

import (
	"cmp"
	"context"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/planner"
	"github.com/anonsql/anonsql/server/answers/assignments"
	"github.com/anonsql/anonsql/server/answers/calendar"
	"github.com/anonsql/anonsql/server/answers/columns"
	"github.com/anonsql/anonsql/server/answers/correlated"
	"github.com/anonsql/anonsql/server/answers/definitions"
	"github.com/anonsql/anonsql/server/answers/documents"
	"github.com/anonsql/anonsql/server/answers/existence"
	"github.com/anonsql/anonsql/server/answers/foundrows"
	"github.com/anonsql/anonsql/server/answers/groupconcat"
	"github.com/anonsql/anonsql/server/answers/grouping"
	"github.com/anonsql/anonsql/server/answers/identities"
	"github.com/anonsql/anonsql/server/answers/indexes"
	"github.com/anonsql/anonsql/server/answers/own"
	"github.com/anonsql/anonsql/server/answers/percentile"
	"github.com/anonsql/anonsql/server/answers/scalar"
	"github.com/anonsql/anonsql/server/answers/scope"
	"github.com/anonsql/anonsql/server/answers/sorting"
	"github.com/anonsql/anonsql/server/answers/trees"
	"github.com/anonsql/anonsql/server/answers/windowing"
	"github.com/anonsql/anonsql/tree"
)

// A rewrite is one correction of statements that the engine by itself would not answer
// as MySQL does. It has a function, or several that need each other. Their names say
// when they are called:
//
//   - text: before the statement is parsed;
//   - tree: with the parser's tree, in place, if the text has one of words (in lower
//     case) or there are no words;
//   - planned, bound: with the bound plan, before the engine's rules; planned may bind further queries;
//   - node, expression: with every node and expression of the finished plan, once,
//     bottom up, before it is executed;
//   - functions: they replace the engine's of the same names.
//
// reading: it leaves statements that change data alone, since they may read what they
// change.
//
// why is the engine's behaviour. probe is a statement over the tests' tables that shows
// it. When the bare engine answers a probe as MySQL does, TestProbes fails and names
// the rewrite, which can then be removed.
type rewrite struct {
	name, why, probe string
	words            []string
	reading          bool

	text       func(string) string
	tree       func(parsed) error
	planned    func(*sql.Context, sql.Node, func(query string) (sql.Node, error)) (sql.Node, transform.TreeIdentity, error)
	bound      func(*sql.Context, sql.Node) (sql.Node, transform.TreeIdentity, error)
	node       func(*sql.Context, sql.Node, bool) (sql.Node, transform.TreeIdentity, error)
	expression func(*sql.Context, sql.Expression) (sql.Expression, transform.TreeIdentity, error)
	functions  func() []sql.Function
}

// A parsed statement is its tree, with further inputs for rewrites of trees.
type parsed struct {
	sqlparser.Statement
	ctx   context.Context
	text  string // in lower case
	names own.Names
}

// rewrites is the list of all rewrites, in the order of their application.
var rewrites = []rewrite{
	{name: "escapes", why: `a string loses the backslash of \_ and \%`,
		probe: `SELECT 'axb' LIKE 'a\_b'`, text: keepLikeEscapes},
	{name: "minus", why: "-- begins a comment whatever follows",
		probe: "SELECT 5--3", text: separateDashes},

	{name: "prepared names", why: "names of PREPARE are told apart by their case, and bytes in a variable are no text",
		probe: "PREPARE Own FROM 'SELECT 1 AS n'; EXECUTE own", words: []string{"prepare", "execute"}, tree: lowerPreparedName},

	{name: "explain", why: "EXPLAIN has one row of NULLs for every plan",
		probe: "EXPLAIN SELECT id FROM k", words: []string{"explain", "desc"}, tree: explainAsTree},
	{name: "nameless", why: "a column or a variable without a name panics",
		probe: "SELECT ``", words: []string{"``", `""`, "||", "&&", "@"}, tree: refuseNamelessColumns},
	{name: "bare variables", why: "a name of no column is read as the system variable of that name",
		probe: "SELECT id FROM t WHERE autocommit", words: []string{"@@"}, tree: apply(columns.ScopeVariables), bound: columns.RefuseBare},
	{name: "variables in HAVING", why: "HAVING looks for a column of a variable's name",
		probe: "SET @n = 3; SELECT a, COUNT(*) FROM t GROUP BY a HAVING a + 2 > @n", words: []string{"having"}, tree: apply(columns.SelectVariables)},
	{name: "trim", why: "TRIM(NULL FROM x) and an empty ESCAPE panic",
		probe: "SELECT TRIM(NULL FROM 'x')", words: []string{"trim", "escape"}, tree: avoidPanics},
	{name: "arguments", why: "a bare name is no argument of a table function", probe: "SELECT * FROM echo(t)", tree: rewriteTableFunctions},
	{name: "tasks", why: "a procedure has one kind of rows, whatever its arguments ask",
		probe: "CALL memory_variadic_add('x', 'task=memory_variadic_byte_slice')", words: []string{"task"}, tree: func(t parsed) error {
			trees.Walk(t.Statement, t.names.CallTask)
			return nil
		}},
	{name: "numbers of columns", why: "recursive SELECTs of other numbers of columns panic, or are read on",
		probe: "WITH RECURSIVE q (a) AS (SELECT 1 UNION ALL SELECT a + 1, 2 FROM q WHERE a < 3) SELECT * FROM q",
		words: append([]string{"with"}, setOperators...), tree: countColumns, bound: countRecursive},
	{name: "namesakes", why: "of two tables of one name in two databases one is asked what is about the other",
		probe: "CREATE DATABASE other; CREATE TABLE other.t (id INT); SELECT COUNT(*) FROM d.t JOIN other.t ON TRUE WHERE other.t.id = 2",
		words: []string{"from"}, tree: refuseNamesakes},
	{name: "view names", why: "a view reads tables of its own database where MySQL reads the current one's",
		probe: "CREATE DATABASE other; CREATE TABLE other.t (id INT); CREATE VIEW other.w AS SELECT id FROM t", bound: refuseViewNames},
	{name: "full text", why: "a full-text index is refused without a number",
		probe: "CREATE TABLE words (a TEXT, FULLTEXT (a))", words: []string{"fulltext"}, tree: apply(columns.RefuseFullText)},
	{name: "character sets", why: "SET NAMES takes a character set that nothing can be converted to, and every statement panics",
		probe: "SET NAMES latin2", words: []string{"char", "names"}, tree: refuseCharacterSets},
	{name: "german", why: "the collations of German telephone books hold ä and ae apart",
		probe: "SELECT 'ä' COLLATE utf8mb4_german2_ci = 'ae'", words: []string{"german2"}, tree: apply(columns.RefuseGerman)},
	{name: "conversions", why: "ALTER TABLE ... CONVERT TO leaves the collations of columns as they are",
		probe: "ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", words: []string{"convert"}, tree: refuseConversions},
	{name: "unions", why: "the work on a chain grows with the square of its UNIONs",
		probe: "SELECT 1" + strings.Repeat(" UNION SELECT 'x'", 59), words: setOperators, tree: boundSetOperations},
	{name: "union columns", why: "a UNION in a UNION panics over two columns of one name",
		probe: "SELECT a, a FROM u UNION SELECT 1, 2 UNION SELECT 'x', 'y'", words: setOperators, tree: nameColumns},
	{name: "bare keys", why: "a key in parentheses is no name and no number of a column, and one of a WITH table is dropped",
		probe: "WITH q AS (SELECT a, SUM(id) AS s FROM t GROUP BY a) SELECT s FROM q ORDER BY (s) DESC",
		words: []string{"order", "group"}, tree: apply(grouping.BareKeys)},
	{name: "named windows", why: "OVER w looks at all rows, whatever the order of w",
		probe: "SELECT id, SUM(id) OVER w AS n FROM t WINDOW w AS (ORDER BY id)",
		words: []string{"window"}, tree: apply(windowing.WriteOut)},
	{name: "grouped recursion", why: "an aggregate in a recursive query has a row always, and the query does not end",
		probe: "WITH RECURSIVE q AS (SELECT 1 AS a UNION ALL SELECT MAX(a) FROM q) SELECT * FROM q LIMIT 3",
		words: []string{"recursive"}, tree: apply(windowing.RefuseRecursion)},
	{name: "known windows", why: "there is no CUME_DIST, no NTH_VALUE and no BIT_AND, NTILE(2) is taken for NTILE(4), LAG OVER () panics, has the type of its value alone, and its number cannot be a parameter",
		probe: "SELECT id, NTH_VALUE(id, 2) OVER () AS n FROM t", words: []string{"over"}, tree: apply(windowing.ByKnown), functions: windowing.Functions},
	{name: "ordered windows", why: "ORDER BY a window of the SELECT list is a name of two columns",
		probe: "SELECT id, SUM(a) OVER () AS n FROM t ORDER BY SUM(a) OVER (), id", words: []string{"over"}, tree: apply(windowing.OrderBySelected)},
	{name: "windows over groups", why: "a window does not look at groups",
		probe: "SELECT b, SUM(COUNT(*)) OVER () AS n FROM t GROUP BY b ORDER BY b",
		words: []string{"over"}, tree: apply(windowing.OverGroups)},
	{name: "constant keys", why: "GROUP BY 'x' takes the text for a column's number",
		probe: "SELECT COUNT(*) FROM t GROUP BY 'x'", words: []string{"group"}, tree: groupByConstants},
	{name: "ordered aliases", why: "an expression of ORDER BY finds no alias",
		probe: "SELECT UPPER(s) AS u FROM t ORDER BY FIELD(u, 'OSLO', 'ROME'), id", words: []string{"order"}, tree: apply(grouping.OrderByAliases)},
	{name: "distinct order", why: "ORDER BY the number of an expression of DISTINCT finds no column",
		probe: "SELECT DISTINCT a + 1 FROM t ORDER BY 1 DESC", words: []string{"distinct"}, tree: apply(columns.OrderDistinct)},
	{name: "dropped", why: "a window drops DISTINCT without a word",
		probe: "SELECT SUM(DISTINCT a) OVER () FROM t", words: []string{"distinct", "*", "partition"}, tree: apply(grouping.RefuseDropped)},
	{name: "letters", why: "an aggregate is known by its text in lower case",
		probe: "SELECT MAX(CONCAT(s, 'a')) AS x, MAX(CONCAT(s, 'A')) AS y FROM t",
		words: []string{"'", `"`, "?"}, tree: apply(grouping.MarkFigures)},
	{name: "repeated aggregates", why: "an aggregate that is selected again is taken for the name of the first one",
		probe: "SELECT SUM(t.a), SUM(t.a) AS x FROM t",
		words: grouping.Aggregates, tree: apply(grouping.KeepRepeated)},
	{name: "concat", why: "GROUP_CONCAT joins its first value alone, and compares bytes",
		probe: "SELECT GROUP_CONCAT(DISTINCT s, 1) AS n FROM t",
		words: []string{"group_concat"}, tree: apply(groupconcat.Join)},
	{name: "subqueries", why: "joins for IN and EXISTS panic, or fail for NULL",
		probe: "SELECT 1 FROM t WHERE a IN (SELECT a FROM u WHERE 1=0)", words: []string{"in"}, tree: keepFromJoins},
	{name: "compared subqueries", why: "a comparison with a subquery of several rows becomes a join, not error 1242",
		probe: "SELECT id FROM t WHERE a = (SELECT a FROM u WHERE a < 3)", words: []string{"select"}, tree: apply(existence.KeepComparisons)},
	{name: "outer joins", why: "LEFT JOIN ... ON TRUE loses the rows without a partner",
		probe: "SELECT id, q.a FROM t LEFT JOIN (SELECT a FROM u WHERE 1=0) q ON TRUE",
		words: []string{"true"}, tree: apply(existence.JoinOuter)},
	{name: "existence", why: "EXISTS of an aggregate, of a LIMIT or of a set operation becomes a join",
		probe: "SELECT id FROM t WHERE EXISTS (SELECT COUNT(*) FROM u WHERE u.a = t.id)",
		words: []string{"exists"}, tree: apply(existence.KeepFromJoins)},
	{name: "large casts", why: "casts to JSON and BINARY(n) of any size",
		probe: "SELECT LENGTH(CAST('' AS BINARY(2000000)))", words: []string{"binary", "json"}, tree: boundCasts},
	{name: "scalars", why: "casts, operators and choices that round or lose values",
		probe: "SELECT CAST('12abc' AS SIGNED)", tree: callScalars, functions: scalar.Functions},
	{name: "calendar", why: "weeks, formats, zones and times of a day that the engine reads in its own way",
		probe: "SELECT STR_TO_DATE('12:30', '%H:%i')", functions: calendar.Functions},
	{name: "clock", why: "NOW is an hour off in the hours before clocks are put back or forward",
		probe: "SELECT TIMESTAMPDIFF(SECOND, '2024-11-03 01:30:00', NOW())", expression: calendar.Now},
	{name: "json", why: "JSON paths have no last, no ranges, no ** and no scalars for arrays; functions of documents panic or lose values",
		probe: `SELECT JSON_EXTRACT('[1,[2,3]]', '$**[last]')`, words: []string{"->"}, tree: callExtract, functions: documents.Functions},
	{name: "json rows", why: "JSON_ARRAYAGG has the bytes and times of its rows, and an array of none; JSON_OBJECTAGG loses times that are names",
		probe: "SELECT JSON_ARRAYAGG(id) FROM t WHERE 1=0", functions: documents.Aggregates},
	{name: "regexp", why: "REGEXP is bound to a function that no provider replaces",
		probe: "SELECT 'a' REGEXP ''", words: []string{"regexp", "rlike"}, tree: callRegexpLike},
	{name: "percentiles", why: "the engine has no percentiles",
		probe: "SELECT MEDIAN(a) FROM t", words: []string{"median", "percentile_"}, tree: callPercentiles, functions: percentile.Functions},

	{name: "stars", why: "t.* over USING begins with the joined columns, and * over two NATURAL JOINs has them twice",
		probe: "SELECT u.* FROM t JOIN u USING (b)", words: []string{"natural", "using"}, tree: func(t parsed) error {
			scope.ExpandStars(t.ctx, t.Statement)
			return nil
		}},
	{name: "generated defaults", why: "DEFAULT is no value of a generated column without a list of columns, and in the first row it lets any other value into the next ones",
		probe: "INSERT INTO gen (id, b) VALUES (7, DEFAULT), (8, 99); SELECT COUNT(*) FROM gen",
		words: []string{"default", "()", "( )"}, tree: func(t parsed) error {
			scope.OmitGenerated(t.ctx, t.Statement)
			return nil
		}},
	{name: "aggregates inside", why: "an aggregate of a subquery in the SELECT list, in HAVING or in ORDER BY is taken for the one of the same text outside",
		probe: "SELECT b, SUM(a) AS n, (SELECT SUM(a) FROM t WHERE id = 1) AS one FROM t GROUP BY b HAVING SUM(a) > (SELECT SUM(a) * 0.1 FROM t) ORDER BY b",
		words: []string{"select"}, tree: ownTables},
	{name: "having names", why: "a name in HAVING is a table's column before it is the SELECT list's",
		probe: "SELECT b, SUM(a) + 10 AS a FROM t GROUP BY b HAVING a > 10 ORDER BY b",
		words: []string{"having"}, tree: apply(grouping.MarkHaving), bound: planner.SelectedNames},
	{name: "full groups", why: "a column that has several values in a group is shown beside an aggregate, and one that depends on keys is refused",
		probe: "SET sql_mode = 'ONLY_FULL_GROUP_BY'; SELECT b, a, COUNT(*) FROM t GROUP BY b", bound: grouping.Full},
	{name: "joined writes", why: "UPDATE over a join loses what one table is assigned under two names, and wants keys; DELETE trips over rows that an outer join made up",
		probe: "UPDATE t x JOIN t y ON x.id = y.id SET x.a = 7, y.b = 8; SELECT id, a, b FROM t", words: []string{"update", "delete"},
		tree: apply(assignments.MarkJoined), planned: assignments.Joined, functions: assignments.Functions},
	{name: "existing tables", why: "CREATE TABLE IF NOT EXISTS ... SELECT inserts into a table that is there",
		probe: "CREATE TABLE IF NOT EXISTS k SELECT 9 AS id; SELECT COUNT(*) FROM k", bound: definitions.Existing},
	{name: "copied tables", why: "CREATE TABLE ... LIKE loses the lengths of keys, and the comment",
		probe: "CREATE TABLE pre (a TEXT, KEY x (a(5))); CREATE TABLE likes LIKE pre; SELECT COUNT(*) FROM likes",
		words: []string{"like"}, tree: apply(definitions.MarkCopied), planned: definitions.Copied},
	{name: "generated columns", why: "ALTER TABLE leaves values of generated columns that are computed from a column it changes, or by an expression it changes, and forgets digits of a quotient that is the default of a new column",
		probe: "CREATE TABLE reg (a INT, b INT AS (a + 1) STORED); INSERT INTO reg (a) VALUES (1); ALTER TABLE reg MODIFY b INT AS (a + 5) STORED; SELECT b FROM reg",
		bound: definitions.Regenerated},
	{name: "changed rows", why: "UPDATE leaves a text that its collation holds equal as it was, and stamps rows that do not change",
		probe: "UPDATE t SET s = 'ROME' WHERE id = 1; SELECT s FROM t WHERE id = 1", node: assignments.Applied},
	{name: "defaults", why: "DEFAULT(x) in a query panics, and that of another column than the one assigned to is taken for its own",
		probe: "SELECT DEFAULT(a) FROM t", words: []string{"default"}, tree: apply(assignments.RefuseDefaults)},
	{name: "declared", why: "TIME(n) is an error or TIME(6), FLOAT(m, d) and DOUBLE(m, d) keep all digits, and DECIMAL UNSIGNED takes numbers below zero",
		probe: "CREATE TABLE dec1 (a TIME, b DOUBLE(8,2)); INSERT INTO dec1 VALUES ('09:00:00.600', 1.119); SELECT a, b FROM dec1",
		words: []string{"unsigned", "time", "float", "double", "real"}, tree: apply(definitions.DeclareColumns)},
	{name: "selected values", why: "VALUES(x) finds no column of INSERT ... SELECT, and has the type of what is selected",
		probe: "INSERT INTO u2 (a, b) SELECT id, b + 1 FROM t WHERE id = 1 ON DUPLICATE KEY UPDATE b = VALUES(b) + u2.b; SELECT b FROM u2",
		words: []string{"duplicate"}, tree: apply(assignments.NameSelected), bound: assignments.TypedValues},
	{name: "column types", why: "a UNION has the types of its first branch; a DATE is calculated with in seconds, TRIM of bytes panics; SUM and AVG are of DOUBLEs; every operator compares different types in its own way",
		probe: "SELECT MAKEDATE(2024, 60) + 1 AS n", bound: columns.Types},
	{name: "duplicate subqueries", why: "a subquery in ON DUPLICATE KEY UPDATE is not finished, or reads the wrong row, and an alias of the SELECT list hides a column",
		probe: "INSERT INTO u2 (a, b) SELECT 1, 2 ON DUPLICATE KEY UPDATE b = (SELECT MAX(id) FROM t)",
		bound: assignments.RefuseSubqueries},
	{name: "duplicate keys", why: "ON DUPLICATE KEY UPDATE leaves generated columns and ON UPDATE CURRENT_TIMESTAMP as they were",
		probe: "INSERT INTO gen (id, a) VALUES (1, 5) ON DUPLICATE KEY UPDATE a = 5; SELECT a, b, u > '2000-01-01' FROM gen",
		bound: assignments.Derived},
	{name: "variables", why: "a date in a variable becomes a DATETIME",
		probe: "SET @day = CAST('2024-02-29' AS DATE); SELECT @day",
		words: []string{"@"}, bound: assignments.Variables, node: assignments.IntoVariables},
	{name: "values of SET", why: "SET computes a value with what it has just assigned, and one that fails keeps what is before it",
		probe: "SET @x = 1; SET @x = 2, @y = @x; SELECT @x, @y", node: assignments.ComputeFirst},
	{name: "json texts", why: "a text that is stored as JSON has DOUBLEs for its whole numbers",
		probe: "INSERT INTO docs VALUES (1, '9007199254740993'); SELECT doc FROM docs", bound: assignments.Assigned},
	{name: "stored values", why: "a column takes no date with a space behind it, no number of a date, no TIME of a DATETIME, and the nearest TIME there is; a division by zero is stored as NULL; CHECKs look at values that are not converted yet, and ON DUPLICATE KEY UPDATE stores NULL in columns that take none",
		probe: "CREATE TABLE sv (a TIME); INSERT INTO sv VALUES ('2024-02-29 10:11:12'); SELECT a FROM sv", node: assignments.Inserted},
	{name: "insert ids", why: "LAST_INSERT_ID(NULL) panics, and REPLACE and INSERT ... SELECT do not move LAST_INSERT_ID()",
		probe: "SELECT LAST_INSERT_ID(NULL)", node: identities.Noted, functions: identities.Functions},
	{name: "computed digits", why: "a default or a generated column loses the digits of a quotient that are not shown, and is computed of values that are not converted yet",
		probe: "CREATE TABLE cd (a INT, b DECIMAL(9,6) AS (a / 3) STORED); INSERT INTO cd (a) VALUES (1); SELECT b FROM cd", expression: assignments.Computed},
	{name: "read only", why: "a statement that writes in a READ ONLY transaction panics",
		probe: "START TRANSACTION READ ONLY; UPDATE t SET a = 1", bound: assignments.RefuseReadOnly},
	{name: "deletes elsewhere", why: "DELETE without WHERE looks for its table in the current database",
		probe: "CREATE DATABASE gone; USE gone; DROP DATABASE gone; DELETE FROM d.k; SELECT COUNT(*) FROM d.k", words: []string{"delete"}, bound: assignments.Emptied},
	{name: "index conditions", why: "SHOW INDEX does not look at its WHERE",
		probe: "SHOW INDEX FROM t WHERE Key_name = 'none'", words: []string{"where"}, tree: refuseIndexConditions},
	{name: "pipes", why: "|| is OR in the SQL mode PIPES_AS_CONCAT, too",
		probe: "SET sql_mode = 'PIPES_AS_CONCAT'; SELECT 'a' || 'b'", words: []string{"||"}, tree: refusePipes},
	{name: "shown columns", why: "SHOW COLUMNS tells names apart by their case", probe: "SHOW COLUMNS FROM t LIKE 'TIN%'", bound: columns.CompareShown},
	{name: "strict", why: "UPDATE stores the nearest value that fits", probe: "UPDATE t SET tiny = 500", bound: strictUpdates},
	{name: "like bytes", why: "LIKE of bytes that are no UTF-8 is an error, and _ is several of them",
		probe: "SELECT UNHEX('FF78') LIKE '_x'", bound: columns.LikeBytes},
	{name: "like", why: "LIKE without wildcards is =, and x% a range of bytes",
		probe: "SELECT COUNT(*) FROM l WHERE x LIKE 'AB%'", bound: explicitEscapes},

	{name: "varying conditions", why: "a random number or an assignment in a condition is computed once, for all rows",
		probe: "SELECT id FROM t WHERE RAND(2) < 0.65", bound: existence.Varying},
	{name: "index ranges", why: "the ranges of several lists over one index are multiplied, and nothing ends that",
		probe: strings.ReplaceAll("SELECT COUNT(*) FROM w WHERE a IN (?) AND b IN (?) AND c IN (?)", "?", "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"),
		bound: indexes.FewRanges},

	{name: "pairs of rows", why: "a join looks at every pair of rows when its condition is more than equations",
		probe: "SELECT COUNT(*) AS n FROM many a JOIN many b ON a.id = b.id AND a.x + b.x >= 0", reading: true, node: correlated.Join},
	{name: "hash keys", why: "a hash join compares the bytes of texts and DECIMALs",
		probe: "SELECT /*+ HASH_JOIN(t, u) */ COUNT(*) FROM t JOIN u ON t.d = u.d", node: hashKeys},
	{name: "exact keys", why: "a look-up takes the nearest key", probe: "SELECT COUNT(*) FROM t JOIN k ON t.d = k.id", node: exactKeys},
	{name: "unknown joins", why: "NOT EXISTS drops a row for a comparison with NULL",
		probe: "SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.b < t.b)", bound: existence.Known, node: existence.KnownJoin},
	{name: "lateral conditions", why: "a condition of a LATERAL table that reads columns outside alone is an error",
		probe: "SELECT k.id, q.a FROM k, LATERAL (SELECT u.a FROM u WHERE k.id = 1) q", bound: existence.Lateral},
	{name: "stripped rows", why: "a join of a subquery in a branch of a UNION panics, or finds nothing",
		probe: "SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM u JOIN k ON k.id = u.a AND k.id = t.id) UNION SELECT 5", node: existence.StrippedOnce},
	{name: "conditions", why: "a condition of an inner join is lost beside an outer join or in a subquery that reads columns outside, and one of a subquery about a column outside is looked up in the index of its namesake inside",
		probe: "SELECT id, (SELECT SUM(x.id) FROM k x WHERE t.id = 1) AS n FROM t", bound: existence.Conditions},
	{name: "sorted unions", why: "ORDER BY 1 of a UNION of constants is no order",
		probe: "SELECT 'b' UNION SELECT 'a' ORDER BY 1", node: sortedSetOperations},
	{name: "groups", why: "a group shows columns of different rows", probe: "SELECT a, b FROM n GROUP BY g", node: groupBy},
	{name: "duplicates", why: "DISTINCT and set operations compare bytes; OFFSET comes before ORDER BY",
		probe: "SELECT DISTINCT s FROM t", node: withoutDuplicates},
	{name: "found rows", why: "FOUND_ROWS forgets the rows that OFFSET skips",
		probe: "SET @n = 1; SELECT id FROM t ORDER BY id LIMIT 1 OFFSET 1; SELECT FOUND_ROWS()",
		bound: foundrows.Marked, node: foundrows.Counted},
	{name: "random order", why: "a key of ORDER BY is computed in every comparison, so that RAND() orders by no random number of a row",
		probe: "SELECT id FROM many WHERE id < 6 ORDER BY RAND(2)", node: sorting.SortOnce},
	{name: "window rows", why: "a row without columns ends a window's partition",
		probe: "SELECT COUNT(*) OVER () AS n FROM t", node: windowRows},

	{name: "correlated subqueries", why: "a subquery reads its table for every row outside",
		probe:   "SELECT SUM((SELECT SUM(b.x) FROM many b WHERE b.id = a.id)) AS n FROM many a",
		reading: true, expression: correlated.Subquery},
	{name: "values of subqueries", why: "a subquery is computed again for the same values outside",
		probe:   "SELECT SUM((SELECT SUM(b.x) FROM many b WHERE b.id > a.x)) AS n FROM many a",
		reading: true, expression: correlated.Remember},
	{name: "texts of times", why: "a text beside a date is read for every row",
		probe: "SELECT COUNT(*) AS n FROM many WHERE t > '2024-02-29 10:11:12'", expression: tree.TimesOfTexts},
	{name: "in", why: "IN (SELECT ...) compares bytes, and takes NULLs in rows for equal",
		probe: "SELECT (1, NULL) IN (SELECT 1, NULL)", expression: inSubquery},
	{name: "windows", why: "windows do not see peers", probe: "SELECT a, SUM(a) OVER (ORDER BY b) FROM u", expression: windows},
	{name: "distinct", why: "COUNT(DISTINCT x) compares bytes", probe: "SELECT COUNT(DISTINCT s) FROM t", expression: countDistinct},
	{name: "long numbers", why: "long digits are read as a number in quadratic time",
		probe: `SELECT COUNT(*) FROM t WHERE id = CAST(CONCAT('"', REPEAT('1', 1001), '"') AS JSON) + 0`,
		bound: boundConstants, expression: shortNumbers},
	{name: "whole numbers", why: "whole numbers beyond BIGINT wrap around",
		probe: "SELECT 9223372036854775807 + id FROM t WHERE id = 1", expression: columns.CheckedNumbers},
	{name: "bounds", why: "expressions and aggregates make values of any size",
		probe: "SELECT LENGTH(JSON_ARRAYAGG(REPEAT('x', 500000))) FROM t", expression: boundedValues},

	{name: "sized", why: "LPAD counts bytes; REPEAT, SPACE and LPAD build texts of any length",
		probe: "SELECT LPAD('é', 3, 'x')", functions: sizedFunctions},
	{name: "joined", why: "CONCAT and REPLACE build texts of any length",
		probe: "SELECT LENGTH(REPLACE(SPACE(4000), ' ', SPACE(4000)))", functions: joiningFunctions},
	{name: "deviations", why: "STD of an INT loses its fraction, aggregates of dates are of seconds",
		probe: "SELECT STD(a) FROM t", functions: numericAggregates},
	{name: "missing", why: "functions that tools send and the engine lacks",
		probe: "SELECT BIN_TO_UUID(UUID_TO_BIN('6ccd780c-baba-1026-9564-5b8c656024db', 2), 2) AS u", functions: missingFunctions},
	{name: "geometries", why: "deep maps end the process",
		probe:     "SELECT ST_GeomFromText(CONCAT(REPEAT('GEOMETRYCOLLECTION(', 101), 'POINT(1 1)', REPEAT(')', 101)))",
		functions: geometryFunctions},
}

// apply makes a rewrite of trees of a function of the statement, or of each of its nodes; the first error counts.
func apply[F func(sqlparser.Statement) | func(sqlparser.Statement) error | func(any) | func(any) error](change F) func(parsed) error {
	return func(t parsed) (err error) {
		switch change := any(change).(type) {
		case func(sqlparser.Statement):
			change(t.Statement)
		case func(sqlparser.Statement) error:
			err = change(t.Statement)
		case func(any):
			trees.Walk(t.Statement, change)
		case func(any) error:
			trees.Walk(t.Statement, func(node any) { err = cmp.Or(err, change(node)) })
		}
		return err
	}
}
