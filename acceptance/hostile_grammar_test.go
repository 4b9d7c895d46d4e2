package acceptance

import (
	"fmt"
	"strings"
)

// A production is a rule of the grammar that can nest or repeat. of returns a statement that does so n times.
type production struct {
	name string
	of   func(n int) string
}

func wrapped(head, before, core, after, tail string) func(int) string {
	return func(n int) string {
		return head + strings.Repeat(before, n) + core + strings.Repeat(after, n) + tail
	}
}

// before repeats a prefix, chained repeats a suffix.
func prefixed(prefix string) func(int) string { return wrapped("SELECT ", prefix, "1", "", "") }

func chained(suffix string) func(int) string { return wrapped("SELECT 1", "", "", suffix, "") }

// comma repeats an item, separated by commas, in a frame.
func comma(head, item, tail string) func(int) string {
	return func(n int) string { return head + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + tail }
}

// counting repeats an item that contains its number.
func counting(head, item, between, tail string) func(int) string {
	return func(n int) string {
		var b strings.Builder
		b.WriteString(head)
		for i := range n {
			if i > 0 {
				b.WriteString(between)
			}
			b.WriteString(strings.ReplaceAll(item, "#", fmt.Sprint(i)))
		}
		return b.String() + tail
	}
}

// doubled returns a chain of common table expressions, each of which reads the previous one twice.
func doubled(how string) func(int) string {
	return func(n int) string {
		var b strings.Builder
		b.WriteString("WITH c0 AS (SELECT 1 AS a)")
		for i := 1; i <= n; i++ {
			fmt.Fprintf(&b, ", c%d AS (%s)", i, strings.ReplaceAll(how, "#", fmt.Sprintf("c%d", i-1)))
		}
		fmt.Fprintf(&b, " SELECT COUNT(*) FROM c%d", n)
		return b.String()
	}
}

// productions cover expressions, queries, other statements, and the lexer.
var productions = []production{
	// Prefixes.
	{"!", prefixed("!")},
	{"! ", prefixed("! ")},
	{"NOT", prefixed("NOT ")},
	{"not with comments", prefixed("not/**/")},
	{"minus", prefixed("- ")},
	{"plus", prefixed("+")},
	{"~", prefixed("~")},
	{"BINARY", prefixed("BINARY ")},
	{"mixed prefixes", prefixed("!-~ NOT BINARY ")},
	{"introducers", prefixed("_utf8mb4 ")},
	{"INTERVAL", prefixed("INTERVAL 1 DAY + ")},
	{"PRIOR", prefixed("EXISTS ")},
	{"DISTINCT", prefixed("DISTINCT ")},
	{"ALL", prefixed("ALL ")},
	// Chains.
	{"1+1", chained("+1")},
	{"1-1", chained("-1")},
	{"1*1", chained("*1")},
	{"1/1", chained("/1")},
	{"1.5+1.5", chained("+1.5")},
	{"DIV", chained(" DIV 1")},
	{"MOD", chained(" MOD 1")},
	{"%", chained("%1")},
	{"^", chained("^1")},
	{"|", chained("|1")},
	{"&", chained("&1")},
	{"<<", chained("<<1")},
	{"||", chained("||1")},
	{"&&", chained("&&1")},
	{"AND", chained(" AND 1")},
	{"OR", chained(" OR 1")},
	{"XOR", chained(" XOR 1")},
	{"=", chained("=1")},
	{"<=>", chained("<=>1")},
	{"<", chained("<1")},
	{"LIKE", chained(" LIKE 'a'")},
	{"IS NULL", chained(" IS NULL")},
	{"IS TRUE", chained(" IS NOT TRUE")},
	{"IN", chained(" IN (1)")},
	{"NOT IN", chained(" NOT IN (1,2)")},
	{"BETWEEN", chained(" BETWEEN 1 AND 1")},
	{"BETWEEN nested", wrapped("SELECT ", "(", "1", " BETWEEN 1 AND 2)", "")},
	{"NULLIF", wrapped("SELECT ", "NULLIF(", "1", ",2)", "")},
	{"minus of a column", wrapped("SELECT ", "- ", "a", "", " FROM db.t")},
	{"BETWEEN right", wrapped("SELECT ", "1 BETWEEN 1 AND ", "1", "", "")},
	{"REGEXP", chained(" REGEXP 'a'")},
	{"COLLATE", wrapped("SELECT 'a'", "", "", " COLLATE utf8mb4_bin", "")},
	{"->", wrapped("SELECT a", "", "", "->'$.a'", " FROM (SELECT JSON_OBJECT('a',1) AS a) t")},
	{"->>", wrapped("SELECT a", "", "", "->>'$.a'", " FROM (SELECT JSON_OBJECT('a',1) AS a) t")},
	{"ESCAPE", chained(" LIKE 'a' ESCAPE 'b'")},
	{"strings", wrapped("SELECT 'a'", "", "", " 'a'", "")},
	{"strings of both kinds", wrapped("SELECT 'a'", "", "", ` "a"'a'`, "")},
	{"dots", wrapped("SELECT a", "", "", ".a", "")},
	{"dates", wrapped("SELECT NOW()", "", "", " + INTERVAL 1 DAY", "")},
	{"OR of conditions", counting("SELECT * FROM information_schema.tables WHERE ", "table_name='a#'", " OR ", "")},
	{"AND of conditions", counting("SELECT * FROM information_schema.tables WHERE ", "table_name<>'a#'", " AND ", "")},
	{"OR of pairs", counting("SELECT * FROM information_schema.tables WHERE ", "(table_name='a#' AND table_schema='b')", " OR ", "")},
	{"AND of ORs", counting("SELECT * FROM information_schema.tables WHERE ", "(table_name='a#' OR table_schema='b')", " AND ", "")},
	{"OR in HAVING", counting("SELECT table_name, COUNT(*) n FROM information_schema.tables GROUP BY table_name HAVING ", "n>#", " OR ", "")},
	{"WITH ROLLUP", wrapped("SELECT a FROM db.t GROUP BY a", "", "", " WITH ROLLUP", "")},
	{"keys WITH ROLLUP", counting("SELECT COUNT(*) FROM db.t GROUP BY ", "a+#", ",", " WITH ROLLUP")},
	{"rollups in each other", wrapped("SELECT COUNT(*) FROM ", "(SELECT a FROM ", "db.t", " GROUP BY a WITH ROLLUP) d", "")},
	{"rollups of three keys in each other", wrapped("SELECT COUNT(*) FROM ", "(SELECT a FROM ", "db.t", " GROUP BY a, a+1, a+2 WITH ROLLUP) d", "")},
	{"rollups in subqueries", wrapped("", "SELECT (", "SELECT 1", ") FROM db.t GROUP BY a WITH ROLLUP LIMIT 1", "")},
	{"columns over a rollup", counting("SELECT ", "a+#", ",", " FROM db.t GROUP BY a WITH ROLLUP HAVING GROUPING(a)")},
	{"MEDIAN OVER", wrapped("SELECT ", "MEDIAN(", "1", ") OVER ()", "")},
	{"MEDIANs", comma("SELECT ", "MEDIAN(a) OVER ()", " FROM db.t")},
	{"PERCENTILE_CONT", wrapped("SELECT ", "PERCENTILE_CONT(.5) WITHIN GROUP (ORDER BY ", "1", " DESC)", "")},
	// Nesting.
	{"parentheses", wrapped("SELECT ", "(", "1", ")", "")},
	{"parentheses of sums", wrapped("SELECT ", "(1+", "1", ")", "")},
	{"open parentheses", wrapped("SELECT ", "(", "", "", "")},
	{"closed parentheses", wrapped("SELECT 1", "", "", ")", "")},
	{"rows", wrapped("SELECT ", "(1,", "1", ")", "")},
	{"ROW", wrapped("SELECT ", "ROW(1,", "1", ")", " = 1")},
	{"ABS", wrapped("SELECT ", "ABS(", "1", ")", "")},
	{"CONCAT", wrapped("SELECT ", "CONCAT('a',", "'a'", ")", "")},
	{"IF", wrapped("SELECT ", "IF(1,1,", "1", ")", "")},
	{"IF in front", wrapped("SELECT ", "IF(", "1", ",1,1)", "")},
	{"COALESCE", wrapped("SELECT ", "COALESCE(NULL,", "1", ")", "")},
	{"IFNULL", wrapped("SELECT ", "IFNULL(NULL,", "1", ")", "")},
	{"CAST", wrapped("SELECT ", "CAST(", "1", " AS CHAR)", "")},
	{"CONVERT", wrapped("SELECT ", "CONVERT(", "1", ", SIGNED)", "")},
	{"TRIM", wrapped("SELECT ", "TRIM(", "'a'", ")", "")},
	{"TRIM FROM", wrapped("SELECT ", "TRIM(LEADING 'a' FROM ", "'a'", ")", "")},
	{"SUBSTRING", wrapped("SELECT ", "SUBSTRING(", "'a'", ",1)", "")},
	{"EXTRACT", wrapped("SELECT ", "EXTRACT(YEAR FROM ", "NOW()", ")", "")},
	{"DATE_ADD", wrapped("SELECT ", "DATE_ADD(", "NOW()", ", INTERVAL 1 DAY)", "")},
	{"JSON_ARRAY", wrapped("SELECT ", "JSON_ARRAY(", "1", ")", "")},
	{"JSON_OBJECT", wrapped("SELECT ", "JSON_OBJECT('a',", "1", ")", "")},
	{"MAX", wrapped("SELECT ", "MAX(", "1", ")", "")},
	{"IN nested", wrapped("SELECT ", "1 IN (", "1", ")", "")},
	{"MATCH", wrapped("SELECT ", "MATCH(a) AGAINST (", "'a'", ")", "")},
	{"CASE", wrapped("SELECT ", "CASE WHEN 1 THEN ", "1", " END", "")},
	{"CASE in ELSE", wrapped("SELECT ", "CASE WHEN 1 THEN 1 ELSE ", "1", " END", "")},
	{"CASE in WHEN", wrapped("SELECT ", "CASE WHEN ", "1", " THEN 1 ELSE 0 END", "")},
	{"CASE value", wrapped("SELECT ", "CASE ", "1", " WHEN 1 THEN 1 END", "")},
	{"open CASE", wrapped("SELECT ", "CASE WHEN ", "", "", "")},
	{"WHENs", counting("SELECT CASE 1 ", "WHEN # THEN #", " ", " END")},
	{"WHENs of conditions", counting("SELECT CASE ", "WHEN table_name = 'a#' THEN #", " ", " END FROM information_schema.tables")},
	{"subqueries", wrapped("SELECT ", "(SELECT ", "1", ")", "")},
	{"derived tables", wrapped("SELECT 1 FROM ", "(SELECT 1 FROM ", "(SELECT 1) x", ") x", "")},
	{"derived tables of all", wrapped("SELECT * FROM ", "(SELECT * FROM ", "(SELECT 1) x", ") x", "")},
	{"doubled derived tables", func(n int) string {
		q := "(SELECT 1 AS a) x"
		for range min(n, 12) {
			q = "(SELECT x.a FROM " + q + " JOIN " + q[:len(q)-1] + "y) x"
		}
		return "SELECT * FROM " + q
	}},
	{"EXISTS", wrapped("SELECT ", "EXISTS (SELECT 1 WHERE ", "1", ")", "")},
	{"IN subqueries", wrapped("SELECT ", "1 IN (SELECT ", "1", ")", "")},
	{"IN subqueries in WHERE", wrapped("SELECT 1", " WHERE 1 IN (SELECT 1", "", ")", "")},
	{"correlated", wrapped("SELECT 1 FROM information_schema.tables a WHERE 1", " AND EXISTS (SELECT 1 FROM information_schema.tables a WHERE 1", "", ")", "")},
	{"PREPARE in parentheses", wrapped("PREPARE s FROM '", "(", "SELECT 1", ")", "'")},
	{"parentheses around SELECT", wrapped("", "(", "SELECT 1", ")", "")},
	{"braces", wrapped("SELECT ", "{d ", "'2020-01-01'", "}", "")},
	{"brackets", wrapped("SELECT ", "[", "1", "]", "")},
	// Queries.
	{"UNION", wrapped("SELECT 1", "", "", " UNION SELECT 1", "")},
	{"UNION ALL", wrapped("SELECT 1", "", "", " UNION ALL SELECT 1", "")},
	{"INTERSECT", wrapped("SELECT 1", "", "", " INTERSECT SELECT 1", "")},
	{"EXCEPT", wrapped("SELECT 1", "", "", " EXCEPT SELECT 1", "")},
	{"mixed set operations", wrapped("SELECT 1", "", "", " UNION SELECT 1 UNION ALL SELECT 1", "")},
	{"UNION in derived tables", wrapped("SELECT * FROM ", "(SELECT 1 UNION SELECT * FROM ", "(SELECT 1) x", ") x", "")},
	{"UNION on the right", wrapped("", "SELECT 1 UNION (", "SELECT 1", ")", "")},
	{"JOIN", counting("SELECT 1 FROM ", "(SELECT 1) t#", " JOIN ", "")},
	{"JOIN of tables", counting("SELECT 1 FROM ", "information_schema.schemata t#", " JOIN ", "")},
	{"JOIN ON", counting("SELECT 1 FROM information_schema.schemata t ", "JOIN information_schema.schemata t# ON t#.schema_name=t.schema_name", " ", "")},
	{"LEFT JOIN", counting("SELECT 1 FROM (SELECT 1 a) t ", "LEFT JOIN (SELECT 1 a) t# ON t#.a=t.a", " ", "")},
	{"NATURAL JOIN", counting("SELECT 1 FROM (SELECT 1 a) t ", "NATURAL JOIN (SELECT 1 a) t#", " ", "")},
	{"JOIN in parentheses", wrapped("SELECT 1 FROM ", "(", "information_schema.schemata a", " JOIN information_schema.schemata b)", "")},
	{"tables", counting("SELECT 1 FROM ", "(SELECT 1) t#", ",", "")},
	{"tables of the schema", counting("SELECT 1 FROM ", "information_schema.schemata t#", ",", "")},
	{"WITH", counting("WITH ", "c# AS (SELECT 1)", ",", " SELECT 1")},
	{"WITH doubled by JOIN", doubled("SELECT x.a FROM # x JOIN # y")},
	{"WITH doubled by comma", doubled("SELECT x.a FROM # x, # y")},
	{"WITH doubled by UNION", doubled("SELECT a FROM # UNION ALL SELECT a FROM #")},
	{"WITH doubled by subqueries", doubled("SELECT (SELECT MAX(a) FROM #) + (SELECT MAX(a) FROM #) AS a")},
	{"WITH doubled by IN", doubled("SELECT a FROM # WHERE a IN (SELECT a FROM #)")},
	{"WITH once", doubled("SELECT a FROM #")},
	{"WITH nested", wrapped("", "WITH c AS (", "SELECT 1", ") SELECT * FROM c", "")},
	{"WITH RECURSIVE", wrapped("", "WITH RECURSIVE c AS (SELECT 1 AS a UNION ALL SELECT a FROM c WHERE a IN (", "SELECT 1", ")) SELECT * FROM c", "")},
	{"columns", comma("SELECT ", "1", "")},
	{"columns with names", counting("SELECT ", "1 AS a#", ",", "")},
	{"stars", comma("SELECT ", "t.*", " FROM (SELECT 1) t")},
	{"columns of a table", comma("SELECT ", "a", " FROM (SELECT 1 AS a) t")},
	{"aggregates", counting("SELECT ", "SUM(a+#)", ",", " FROM (SELECT 1 AS a) t")},
	{"same aggregates", comma("SELECT ", "SUM(a)", " FROM (SELECT 1 AS a) t")},
	{"windows", comma("SELECT ", "ROW_NUMBER() OVER (ORDER BY a)", " FROM (SELECT 1 AS a) t")},
	{"named windows", counting("SELECT 1 FROM (SELECT 1 a) t WINDOW ", "w# AS (ORDER BY a)", ",", "")},
	{"windows of windows", func(n int) string {
		return counting("SELECT SUM(a) OVER w1 FROM (SELECT 1 a) t WINDOW w0 AS (ORDER BY a),", "w1# AS (w0)", ",", "")(n)
	}},
	{"scalar subqueries", comma("SELECT ", "(SELECT 1)", "")},
	{"IN list", comma("SELECT 1 IN (", "1", ")")},
	{"NOT IN list of texts", counting("SELECT 'a' NOT IN (", "'a#'", ",", ")")},
	{"IN list of expressions", comma("SELECT a IN (", "a+1", ") FROM (SELECT 1 AS a) t")},
	{"IN list of rows", comma("SELECT (1,1) IN (", "(1,1)", ")")},
	{"IN list of subqueries", comma("SELECT 1 IN (", "(SELECT 1)", ")")},
	{"arguments", comma("SELECT CONCAT(", "1", ")")},
	{"arguments of COALESCE", comma("SELECT COALESCE(", "NULL", ")")},
	{"arguments of GREATEST", comma("SELECT GREATEST(", "1", ")")},
	{"GROUP BY", comma("SELECT 1 FROM (SELECT 1 AS a) t GROUP BY ", "a", "")},
	{"GROUP BY expressions", counting("SELECT COUNT(*) FROM (SELECT 1 AS a) t GROUP BY ", "a+#", ",", "")},
	{"ORDER BY", comma("SELECT a FROM (SELECT 1 AS a) t ORDER BY ", "a", "")},
	{"ORDER BY expressions", counting("SELECT a FROM (SELECT 1 AS a) t ORDER BY ", "a+#", ",", "")},
	{"VALUES ROW", comma("VALUES ", "ROW(1)", "")},
	{"VALUES wide", comma("VALUES ROW(", "1", ")")},
	{"JSON_TABLE", wrapped("SELECT * FROM JSON_TABLE('[]', '$' COLUMNS (", "NESTED PATH '$' COLUMNS (", "a INT PATH '$'", ")", ")) t")},
	{"JSON_TABLE columns", counting("SELECT * FROM JSON_TABLE('[]', '$[*]' COLUMNS (", "a# INT PATH '$'", ",", ")) t")},
	{"hints", wrapped("SELECT /*+ ", "", "", "NO_MERGE(a) ", "*/ 1")},
	{"index hints", counting("SELECT 1 FROM information_schema.schemata USE INDEX (", "a#", ",", ")")},
	{"PARTITION", counting("SELECT 1 FROM information_schema.schemata PARTITION (", "a#", ",", ")")},
	{"placeholders", comma("SELECT ", "?", "")},
	{"sum of placeholders", wrapped("SELECT ?", "", "", "+?", "")},
	{"user variables", counting("SELECT ", "@a#", ",", "")},
	// Other statements.
	{"INSERT rows", comma("INSERT INTO db.t VALUES ", "(1)", "")},
	{"INSERT wide", comma("INSERT INTO db.t VALUES (", "1", ")")},
	{"INSERT columns", comma("INSERT INTO db.t (", "a", ") VALUES (1)")},
	{"INSERT nested", wrapped("INSERT INTO db.t VALUES (", "(", "1", ")", ")")},
	{"INSERT SET", comma("INSERT INTO db.t SET ", "a=1", "")},
	{"INSERT SELECT", wrapped("INSERT INTO db.t SELECT ", "(SELECT ", "1", ")", "")},
	{"ON DUPLICATE KEY", comma("INSERT INTO db.t VALUES (1) ON DUPLICATE KEY UPDATE ", "a=a+1", "")},
	{"UPDATE SET", comma("UPDATE db.t SET ", "a=1", "")},
	{"UPDATE chain", wrapped("UPDATE db.t SET a=1", "", "", "+1", "")},
	{"UPDATE tables", counting("UPDATE ", "db.t t#", ",", " SET t0.a = 1")},
	{"DELETE WHERE", wrapped("DELETE FROM db.t WHERE a=1", "", "", " AND a=1", "")},
	{"DELETE nested", wrapped("DELETE FROM db.t WHERE ", "NOT (", "1", ")", "")},
	{"DELETE tables", counting("DELETE ", "t#", ",", " FROM db.t t0")},
	{"SET", comma("SET ", "@a=1", "")},
	{"SET nested", wrapped("SET @a=", "(", "1", ")", "")},
	{"SET chain", wrapped("SET @a=1", "", "", "+1", "")},
	{"SET assigned", wrapped("SET ", "@a:=", "1", "", "")},
	{"CREATE columns", counting("CREATE TABLE db.c (", "a# INT", ",", ")")},
	{"CREATE keys", counting("CREATE TABLE db.c (a INT, ", "KEY k#(a)", ",", ")")},
	{"CREATE DEFAULT", wrapped("CREATE TABLE db.c (a INT DEFAULT (1", "", "", "+1", "))")},
	{"CREATE CHECK", wrapped("CREATE TABLE db.c (a INT CHECK (", "NOT (", "a", ")", "))")},
	{"CREATE CHECK chain", wrapped("CREATE TABLE db.c (a INT CHECK (a > 1", "", "", " AND a > 1", "))")},
	{"CREATE CHECKs", comma("CREATE TABLE db.c (a INT, ", "CHECK (a > 1)", ")")},
	{"CREATE unique columns", counting("CREATE TABLE db.c (", "a# INT UNIQUE", ",", ")")},
	{"CREATE foreign keys", counting("CREATE TABLE db.c (a INT, ", "FOREIGN KEY f# (a) REFERENCES db.u (a)", ",", ")")},
	{"CREATE generated", wrapped("CREATE TABLE db.c (a INT, b INT AS (a", "", "", "+a", "))")},
	{"CREATE ENUM", counting("CREATE TABLE db.c (a ENUM(", "'a#'", ",", "))")},
	{"CREATE SET", counting("CREATE TABLE db.c (a SET(", "'a#'", ",", "))")},
	{"CREATE SELECT", wrapped("CREATE TABLE db.c AS SELECT ", "(SELECT ", "1", ")", " AS a")},
	{"ALTER", counting("ALTER TABLE db.u ", "ADD COLUMN b# INT", ",", "")},
	{"ALTER DROP", counting("ALTER TABLE db.d ", "DROP COLUMN b#", ",", "")},
	{"ALTER MODIFY", counting("ALTER TABLE db.d ", "MODIFY COLUMN b# BIGINT", ",", "")},
	{"ALTER keys", counting("ALTER TABLE db.u ", "ADD KEY k# (a)", ",", "")},
	{"ALTER checks", comma("ALTER TABLE db.u ", "ADD CHECK (a > 1)", "")},
	{"CREATE VIEW", wrapped("CREATE OR REPLACE VIEW db.v AS SELECT ", "(", "1", ")", " AS a")},
	{"CREATE VIEW chain", wrapped("CREATE OR REPLACE VIEW db.v AS SELECT 1", "", "", "+1", " AS a")},
	{"DROP TABLE", counting("DROP TABLE IF EXISTS ", "db.x#", ",", "")},
	{"RENAME", counting("RENAME TABLE ", "db.x# TO db.y#", ",", "")},
	{"CREATE INDEX", comma("CREATE INDEX i ON db.t (", "a", ")")},
	{"PROCEDURE BEGIN", wrapped("CREATE PROCEDURE db.p() ", "BEGIN ", "SELECT 1;", "END; ", "")},
	{"PROCEDURE IF", wrapped("CREATE PROCEDURE db.p() BEGIN ", "IF 1 THEN ", "SELECT 1;", "END IF; ", "END")},
	{"PROCEDURE ELSEIF", wrapped("CREATE PROCEDURE db.p() BEGIN IF 1 THEN SELECT 1;", "", "", " ELSEIF 1 THEN SELECT 1;", " END IF; END")},
	{"PROCEDURE LOOP", wrapped("CREATE PROCEDURE db.p() BEGIN ", "LOOP ", "SELECT 1;", "END LOOP; ", "END")},
	{"PROCEDURE WHILE", wrapped("CREATE PROCEDURE db.p() BEGIN ", "WHILE 0 DO ", "SELECT 1;", "END WHILE; ", "END")},
	{"PROCEDURE REPEAT", wrapped("CREATE PROCEDURE db.p() BEGIN ", "REPEAT ", "SELECT 1;", "UNTIL 1 END REPEAT; ", "END")},
	{"PROCEDURE CASE", wrapped("CREATE PROCEDURE db.p() BEGIN ", "CASE 1 WHEN 1 THEN ", "SELECT 1;", "END CASE; ", "END")},
	{"PROCEDURE statements", wrapped("CREATE PROCEDURE db.p() BEGIN ", "", "SELECT 1; ", "SELECT 1; ", "END")},
	{"PROCEDURE parameters", counting("CREATE PROCEDURE db.p(", "IN a# INT", ",", ") SELECT 1")},
	{"PROCEDURE expressions", wrapped("CREATE PROCEDURE db.p() SELECT ", "!", "1", "", "")},
	{"PROCEDURE handlers", wrapped("CREATE PROCEDURE db.p() BEGIN ", "DECLARE CONTINUE HANDLER FOR NOT FOUND ", "SELECT 1;", "", " END")},
	{"DECLARE", counting("CREATE PROCEDURE db.p() BEGIN ", "DECLARE a# INT;", " ", " SELECT 1; END")},
	{"TRIGGER", wrapped("CREATE TRIGGER db.g BEFORE INSERT ON db.t FOR EACH ROW SET NEW.a = ", "-", "1", "", "")},
	{"TRIGGER BEGIN", wrapped("CREATE TRIGGER db.g BEFORE INSERT ON db.t FOR EACH ROW ", "BEGIN ", "SET NEW.a = 1;", "END; ", "")},
	{"EVENT", wrapped("CREATE EVENT db.e ON SCHEDULE EVERY 1 DAY DO SELECT ", "(", "1", ")", "")},
	{"CALL", comma("CALL db.p(", "1", ")")},
	{"CALL nested", wrapped("CALL db.p(", "(", "1", ")", ")")},
	{"CALL explain_sql", wrapped("CALL explain_sql('SELECT ", "!", "1", "", "')")},
	{"CALL explain_sql chain", wrapped("CALL explain_sql('SELECT COUNT(*) FROM db.t WHERE 1", "", "", " AND 1", "')")},
	{"PREPARE", wrapped("PREPARE s FROM 'SELECT ", "!", "1", "", "'")},
	{"PREPARE chain", wrapped("PREPARE s FROM 'SELECT 1", "", "", "+1", "'")},
	{"EXPLAIN", wrapped("", "EXPLAIN ", "SELECT 1", "", "")},
	{"DESCRIBE", wrapped("", "DESCRIBE ", "SELECT 1", "", "")},
	{"EXPLAIN nested", wrapped("EXPLAIN SELECT ", "(", "1", ")", "")},
	{"SHOW WHERE", wrapped("SHOW TABLES WHERE ", "NOT ", "1", "", "")},
	{"SHOW VARIABLES WHERE", wrapped("SHOW VARIABLES WHERE variable_name='a'", "", "", " OR variable_name='a'", "")},
	{"SHOW COLUMNS", wrapped("SHOW COLUMNS FROM db.t WHERE ", "(", "1", ")", "")},
	{"GRANT", comma("GRANT ", "SELECT", " ON db.t TO nobody@localhost")},
	{"GRANT accounts", counting("GRANT SELECT ON db.t TO ", "a#@localhost", ",", "")},
	{"CREATE USER", counting("CREATE USER IF NOT EXISTS ", "root@localhost", ",", "")},
	{"DROP USER", counting("DROP USER IF EXISTS ", "a#@localhost", ",", "")},
	{"LOCK TABLES", counting("LOCK TABLES ", "db.t AS t# READ", ",", "")},
	{"KILL", wrapped("KILL ", "(", "1", ")", "")},
	{"LIMIT", wrapped("SELECT 1 LIMIT ", "(", "1", ")", "")},
	{"DO", wrapped("DO ", "!", "1", "", "")},
	{"LOAD DATA", comma("LOAD DATA LOCAL INFILE 'a' INTO TABLE db.t (", "a", ")")},
	{"table function", wrapped("SELECT * FROM slppa(a, ", "(", "1", ")", ")")},
	{"table function arguments", comma("SELECT * FROM slppa(", "a", ")")},
	{"table function chain", wrapped("SELECT * FROM slppa(a, k = 1", "", "", "+1", ")")},
	{"CALL anonymize", comma("CALL anonymize('t', ", "'k=1'", ")")},
	// The lexer.
	{"comments", prefixed("/**/")},
	{"special comments", prefixed("/*!50000 */")},
	{"special comments that open", prefixed("/*! ")},
	{"special comments with operators", prefixed("/*!50000 ! */")},
	{"line comments", prefixed("-- a\n")},
	{"hash comments", prefixed("#\n")},
	{"FOR", prefixed("FOR ")},
	{"semicolons", wrapped("SELECT 1", "", "", ";", "")},
	{"statements", wrapped("SELECT 1", "", "", ";SELECT 1", "")},
	{"quotes", prefixed("''")},
	{"backquotes", wrapped("SELECT 1 AS `", "``", "a", "", "`")},
	{"backslashes", wrapped("SELECT '", `\\`, "a", "", "'")},
	{"an open string", wrapped("SELECT '", "a", "", "", "")},
	{"a long name", wrapped("SELECT ", "a", "", "", "")},
	{"a long number", wrapped("SELECT ", "1", "", "", "")},
	{"a long fraction", wrapped("SELECT .", "1", "", "", "")},
	{"a long exponent", wrapped("SELECT 1e", "1", "", "", "")},
	{"a long hexadecimal", wrapped("SELECT 0x", "11", "", "", "")},
	{"a long bit value", wrapped("SELECT b'", "1", "", "", "'")},
	{"a long variable", wrapped("SELECT @@", "a.", "a", "", "")},
	{"at signs", prefixed("@")},
	{"colons", prefixed(":a ")},
	{"NUL", prefixed("\x00")},
	{"escapes", wrapped("SELECT '", `\_`, "a", "", "' LIKE 'a'")},
	{"keywords", prefixed("SELECT ")},
	{"words", prefixed("a ")},
	{"commas", prefixed(",")},
	{"AS", prefixed("AS ")},
	{"no letters", prefixed("\xff")},
	// Values that are evaluated.
	{"JSON text", wrapped("SELECT JSON_VALID('", "[", "", "]", "')")},
	{"JSON cast", wrapped("SELECT CAST('", "[", "1", "]", "' AS JSON)")},
	{"JSON objects", wrapped("SELECT CAST('", `{"a":`, "1", "}", "' AS JSON)")},
	{"JSON depth", wrapped("SELECT JSON_DEPTH('", "[", "1", "]", "')")},
	{"JSON path", wrapped("SELECT JSON_EXTRACT('{}', '$", "", "", ".a", "')")},
	{"JSON path stars", wrapped("SELECT JSON_EXTRACT('[[[1]]]', '$", "", "", "[*]", "')")},
	{"JSON path ellipses", wrapped("SELECT JSON_EXTRACT('[[[1]]]', '$", "", "", "**[0]", "')")},
	{"JSON merge", wrapped("SELECT JSON_MERGE_PATCH('", `{"a":`, "1", "}", "', '{}')")},
	{"LIKE pattern", wrapped("SELECT REPEAT('a', 1000) LIKE '", "%a", "", "", "b'")},
	{"DATE_FORMAT", wrapped("SELECT DATE_FORMAT(NOW(), '", "%M", "", "", "')")},
	{"STR_TO_DATE", wrapped("SELECT STR_TO_DATE('1', '", "%d", "", "", "')")},
	{"WKT", wrapped("SELECT ST_GeomFromText('", "GEOMETRYCOLLECTION(", "POINT(1 1)", ")", "')")},
	{"WKT points", wrapped("SELECT ST_GeomFromText('LINESTRING(", "1 1,", "2 2", "", ")')")},
	{"GeoJSON", wrapped("SELECT ST_GeomFromGeoJSON('", `{"type":"GeometryCollection","geometries":[`, "", "]}", "')")},
	{"REPLACE", wrapped("SELECT REPLACE('", "aa", "", "", "', 'a', 'bb')")},
	{"FIND_IN_SET", wrapped("SELECT FIND_IN_SET('x', '", "a,", "", "", "')")},
	{"SUBSTRING_INDEX", wrapped("SELECT SUBSTRING_INDEX('", "a,", "", "", "', ',', 5)")},
	{"CONV", wrapped("SELECT CONV('", "1", "", "", "', 10, 2)")},
	{"INET6", wrapped("SELECT INET6_ATON('", ":", "", "", "')")},
	{"numbers in texts", wrapped("SELECT '", "1", "", "", "' + 0")},
}
