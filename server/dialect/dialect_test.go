package dialect

import (
	"strings"
	"testing"

	"github.com/anonsql/anonsql/testsize"
)

// rewritten are statements with their rewritten forms; it omits unchanged ones.
var rewritten = []struct{ from, to string }{
	{"SELECT {d '2005-01-01'} AS x", "SELECT CAST( '2005-01-01' AS DATE) AS x"},
	{"SELECT {d '2005-02-30'} AS x", "SELECT DATE '2005-02-30'  AS x"},
	{"SELECT DATE '2005-01-01' + 1, n'é', time'10:00:00.5' t", "SELECT CAST( '2005-01-01'  AS DATE) + 1 AS `DATE '2005-01-01' + 1`, 'é' AS `n'é'`, CAST('10:00:00.5'  AS TIME(1)) t"},
	{"CREATE TABLE t (a DATE DEFAULT DATE '2005-01-01') AS SELECT DATE '2005-01-02' b", "CREATE TABLE t (a DATE DEFAULT DATE '2005-01-01') AS SELECT CAST( '2005-01-02'  AS DATE) b"},
	{"SELECT a IS UNKNOWN x FROM t WHERE b IS NOT unknown", "SELECT a IS NULL x FROM t WHERE b IS NOT NULL"},
	{"SELECT TRIM(BOTH FROM a) x", "SELECT TRIM(BOTH ' ' FROM a) x"},
	{"SELECT a + INTERVAL 1 DAY - INTERVAL (b + 1) DAY_HOUR x", "SELECT a + INTERVAL 1 DAY - INTERVAL __anon_units('DAY_HOUR', (b + 1) ) SECOND x"},
	{"SELECT DATE_ADD(a, INTERVAL '1-2' YEAR_MONTH) x", "SELECT DATE_ADD(a, INTERVAL __anon_units('YEAR_MONTH', '1-2' ) MONTH) x"},
	{"SELECT {fn UCASE({fn LCASE(a)})} x FROM t", "SELECT  UCASE( LCASE(a) )  x FROM t"},
	{"SELECT a FROM t WHERE b >= {ts'2005-01-01 00:00:00'}", "SELECT a FROM t WHERE b >= CAST('2005-01-01 00:00:00' AS DATETIME)"},
	{"SELECT * FROM {oj a LEFT OUTER JOIN b ON a.x = b.x}", "SELECT * FROM  a LEFT OUTER JOIN b ON a.x = b.x "},
	{"SELECT SUBSTRING(a FROM 2 FOR 3) x, MID(a from (SELECT 1 FROM u)) y", "SELECT SUBSTRING(a , 2 , 3) x, MID(a , (SELECT 1 FROM u)) y"},
	{"SELECT INTERVAL(a, 1, f(2, 3)) x, b + INTERVAL (c + f(1, 2)) DAY y", "SELECT __anon_interval(a, 1, f(2, 3)) x, b + INTERVAL (c + f(1, 2)) DAY y"},
	{"SELECT ROW(1, f(2)) = row (a, b) x FROM t WHERE ROW(1, 2) IN (ROW(1, 2), ROW(3, 4))", "SELECT (1, f(2)) =  (a, b) x FROM t WHERE (1, 2) IN ((1, 2), (3, 4))"},
	{"SELECT ROW(1, 2) = ROW(1, 2) x FROM (VALUES ROW(1, (2)), ROW(3, 4)) v", "SELECT (1, 2) = (1, 2) x FROM (VALUES ROW(1, (2)), ROW(3, 4)) v"},
	{"SET NAMES utf8mb4 COLLATE utf8mb4_bin", "SET NAMES utf8mb4 , collation_connection = utf8mb4_bin"},
	{"CREATE PROCEDURE p() BEGIN set names 'latin1' collate 'latin1_bin'; SELECT 1; END", "CREATE PROCEDURE p() BEGIN set names 'latin1' , collation_connection = 'latin1_bin'; SELECT 1; END"},
	{"SELECT {fn UCASE(a)}, b FROM t", "SELECT  UCASE(a)  AS `{fn UCASE(a)}`, b FROM t"},
	{"SELECT @x := 1", "SELECT __anon_assign('x', 1) AS `@x := 1`"},
	{"SELECT @n := @n + 1 AS n, a FROM t", "SELECT __anon_assign('n', __anon_variable('n',@n) + 1) AS n, a FROM t"},
	{"SELECT @n := @n + 1 row_no, a FROM t", "SELECT __anon_assign('n', __anon_variable('n',@n) + 1) row_no, a FROM t"},
	{"SELECT CASE a WHEN 1 THEN @d := -7 ELSE @d:=IF(b, 1, 2) END x", "SELECT CASE a WHEN 1 THEN __anon_assign('d', -7) ELSE __anon_assign('d',IF(b, 1, 2)) END x"},
	{"SELECT @t := now() + INTERVAL 1 DAY d, @u:=@v:=2 u", "SELECT __anon_assign('t', now() + INTERVAL 1 DAY) d, __anon_assign('u',__anon_assign('v',2)) u"},
	{"SET @a = (@b := 2), @c := 3", "SET @a = (__anon_assign('b', 2)), @c := 3"},
	{"UPDATE t SET a = @x := @x + 1 WHERE b", "UPDATE t SET a = __anon_assign('x', __anon_variable('x',@x) + 1) WHERE b"},
	{"SELECT 1 FROM t WHERE a = ANY (SELECT b FROM u)", "SELECT 1 FROM t WHERE a  IN  (SELECT b FROM u)"},
	{"SELECT 1 FROM t WHERE a <> ALL (SELECT b FROM u)", "SELECT 1 FROM t WHERE a  NOT IN  (SELECT b FROM u)"},
	{"SELECT 1 FROM t WHERE a > SOME ((SELECT 1))", "SELECT 1 FROM t WHERE a > __anon_any( ( SELECT 1 ))"},
	{"SELECT 1 FROM t WHERE a = ANY (((SELECT 1))) AND EXISTS ((SELECT 2))", "SELECT 1 FROM t WHERE a  IN  (  SELECT 1  ) AND EXISTS ( SELECT 2 )"},
	{"SELECT 1 FROM t WHERE a IN ((SELECT 1), (SELECT 2)) AND b NOT IN ((SELECT 3))", "SELECT 1 FROM t WHERE a IN ((SELECT 1), (SELECT 2)) AND b NOT IN ( SELECT 3 )"},
	{"(SELECT a FROM t) ORDER BY a", " SELECT a FROM t  ORDER BY a"},
	{"(SELECT a FROM t LIMIT 2) ORDER BY a", "SELECT * FROM (SELECT a FROM t LIMIT 2) AS __anon_query  ORDER BY a"},
	{"CREATE VIEW v AS (SELECT 1 a)", "CREATE VIEW v AS  SELECT 1 a "},
	{"CREATE TABLE t (SELECT 1 a)", "CREATE TABLE t  SELECT 1 a "},
	{"CREATE VIEW v AS (SELECT 1 a) WITH CHECK OPTION", "CREATE VIEW v AS  SELECT 1 a  WITH CHECK OPTION"},
	{"DO 1, f(2, 3)", "SET @__anon_do = ( ISNULL(1)), @__anon_do = ( ISNULL(f(2, 3)))"},
	{"DO @e:=1,@f:=@e", "SET @__anon_do = ( ISNULL(__anon_assign('e',1))), @__anon_do = (ISNULL(__anon_assign('f',__anon_variable('e',@e))))"},
	{"DESCRIBE t 'a%'", "SHOW COLUMNS FROM t LIKE 'a%'"},
	{"desc d.t `c`", "SHOW COLUMNS FROM d.t LIKE 'c'"},
	{"DROP VIEW IF EXISTS `a`.`b` CASCADE; SELECT 1", "DROP VIEW IF EXISTS `a`.`b` ; SELECT 1"},
	{"drop temporary table a, b restrict", "drop temporary table a, b "},
	{"DROP TABLES IF EXISTS a, b", "DROP TABLE IF EXISTS a, b"},
	{"DROP TEMPORARY TABLES a restrict", "DROP TEMPORARY TABLE a "},
	{"SELECT a FROM t FOR SHARE", "SELECT a FROM t LOCK IN SHARE MODE"},
	{"SELECT a FROM t FOR UPDATE OF t, d.u NOWAIT", "SELECT a FROM t FOR UPDATE  /*nowait*/"},
	{"SELECT a FROM t FOR SHARE OF `t` SKIP LOCKED; SELECT 1", "SELECT a FROM t LOCK IN SHARE MODE; SELECT 1"},
	{"SELECT HIGH_PRIORITY SQL_BUFFER_RESULT DISTINCT a FROM t", "SELECT   DISTINCT a FROM t"},
	{"SELECT ALL sql_small_result a x, (SELECT SQL_BIG_RESULT MAX(b) FROM u) y FROM t", "SELECT ALL  a x, (SELECT  MAX(b) FROM u) y FROM t"},
	{"SELECT DISTINCTROW a FROM t", "SELECT DISTINCT a FROM t"},
	{"INSERT LOW_PRIORITY IGNORE INTO t VALUES (1); DELETE LOW_PRIORITY QUICK IGNORE FROM t", "INSERT  IGNORE INTO t VALUES (1); DELETE    FROM t"},
	{"UPDATE LOW_PRIORITY t SET a = 1; REPLACE DELAYED INTO t VALUES (1)", "UPDATE  t SET a = 1; REPLACE  INTO t VALUES (1)"},
	{"EXPLAIN FORMAT='json' SELECT 1", "EXPLAIN FORMAT=TREE /*__anon_json*/ SELECT 1"},
	{"show storage engines; SELECT 1", "show  engines; SELECT 1"},
	{"SELECT STDDEV(a) AS stddev, plan p FROM t ORDER BY STDDEV", "SELECT STDDEV(a) AS `stddev`, `plan` p FROM t ORDER BY `STDDEV`"},
	{"SELECT größe, t.âge + 1 x, 日本語1 FROM städte t WHERE größe>1", "SELECT `größe` AS `größe`, t.`âge` + 1 x, `日本語1` AS `日本語1` FROM `städte` t WHERE `größe`>1"},
	{"SELECT SUM(ALL a) x, CAST(a AS UNSIGNED INT) y FROM t", "SELECT SUM( a) x, CAST(a AS UNSIGNED ) y FROM t"},
	{"SELECT a FROM t FORCE INDEX FOR ORDER BY (x, PRIMARY) USE KEY (primary)", "SELECT a FROM t FORCE INDEX  (x, `PRIMARY`) USE KEY (`primary`)"},
	{"ALTER TABLE t ADD CONSTRAINT PRIMARY KEY (a), ALGORITHM=COPY, CHANGE name name YEAR(4)", "ALTER TABLE t ADD  PRIMARY KEY (a), ALGORITHM=COPY, CHANGE `name` `name` YEAR"},
	{"CREATE TABLE t (plan YEAR(4)) ENGINE='InnoDB' PARTITION BY LIST (a) (PARTITION p VALUES IN (1, 2)); SELECT 1", "CREATE TABLE t (`plan` YEAR) ENGINE=InnoDB; SELECT 1"},
	{"CREATE TABLE t (a INT) PARTITION BY RANGE (a) (PARTITION p VALUES LESS THAN (3)) AS SELECT 1 AS a", "CREATE TABLE t (a INT)  AS SELECT 1 AS a"},
	{"CREATE TABLE t (a INT) PARTITION BY HASH(a) PARTITIONS 4 IGNORE (SELECT 1 AS a)", "CREATE TABLE t (a INT)  IGNORE  SELECT 1 AS a "},
	{"CREATE TABLE t (a INT) PARTITION BY KEY(a) (SELECT 1 AS a)", "CREATE TABLE t (a INT)   SELECT 1 AS a "},
	{"CREATE TABLE t (engine VARCHAR(9), CHECK (engine = 'V8'), ok INT AS ((engine = 'id')) STORED) ENGINE='InnoDB'", "CREATE TABLE t (engine VARCHAR(9), CHECK (engine = 'V8'), ok INT AS ((engine = 'id')) STORED) ENGINE=InnoDB"},
	{"CREATE TABLE t (a INT) /*!50100 PARTITION BY LIST (a) (PARTITION p VALUES IN (1)) */", "CREATE TABLE t (a INT) /*!50100  */"},
	{"SELECT 1 + 0b101 x FROM t WHERE a = 0b11", "SELECT 1 + b'101'  x FROM t WHERE a = b'11' "},
	{"CREATE TABLE t (a INT, b INT AS (a > 1) STORED, c INT AS ((a)) STORED, d INT DEFAULT (a IN (1, 2)))", "CREATE TABLE t (a INT, b INT AS ((a > 1)) STORED, c INT AS ((a)) STORED, d INT DEFAULT ((a IN (1, 2))))"},
	{"ALTER TABLE t ADD b INT GENERATED ALWAYS AS (a IS NULL) STORED", "ALTER TABLE t ADD b INT GENERATED ALWAYS AS ((a IS NULL)) STORED"},
	{"ALTER VIEW v AS SELECT 1", "CREATE OR REPLACE VIEW v AS SELECT 1"},
	{"INSERT INTO d.t (d.t.a, t.b, c) VALUES (t.a, 1)", "INSERT INTO d.t (a, b, c) VALUES (t.a, 1)"},
	{"SELECT TIMESTAMPDIFF(SQL_TSI_DAY, a, (SELECT 1))", "SELECT TIMESTAMPDIFF(DAY, a, (SELECT 1)) AS `TIMESTAMPDIFF(SQL_TSI_DAY, a, (SELECT 1))`"},
}

// kept are texts that stay as they are.
var kept = []string{
	"SELECT quick, sql_buffer_result FROM delayed", "SELECT sql_buffer_result, a FROM t", "SELECT t.quick x, delayed y FROM quick", "UPDATE quick SET a = 1", "DELETE FROM quick WHERE delayed",
	"", ";", "SELECT 1", "SELECT '{d ''2005-01-01''}', `{fn x}` /* {fn x} */ -- @x := 1", "SET @x := 1, @y := 2", "SELECT @@x", "SELECT {", "SELECT }", "SELECT @x :=",
	"SELECT SUBSTRING(a, 2, (SELECT 1 FROM t)), INTERVAL(", "SELECT a + INTERVAL (1) DAY, MID(",
	"SELECT a FROM t WHERE b = (SELECT 1) ORDER BY a", "SELECT 1 UNION ALL (SELECT 2) ORDER BY 1", "(SELECT 1) UNION (SELECT 2)", "CREATE VIEW v AS (SELECT 1) UNION (SELECT 2)",
	"SELECT * FROM (SELECT 1 a) q ORDER BY a", "SELECT a > ALL (1, 2)", "DESCRIBE t", "DESC d.t", "EXPLAIN SELECT 1", "EXPLAIN PLAN SELECT 1, (2)", "CREATE TABLE t (a INT)", "DO", "SELECT ((((", "{", "CHECK TABLE",
	"DROP TABLE cascade", "DROP VIEW IF EXISTS restrict", "DROP TABLE a, cascade", "DROP TABLE a.cascade", "DROP TABLE a `cascade`",
	"SELECT SUM(a) OVER (ORDER BY b) FROM (SELECT 1 a, 2 b) t", "SELECT DATE '2005-02-30', n 'x', unknown, date FROM t WHERE date = '2005-01-01'",
	"SELECT std(a), 'größe', `größe`, _utf8mb4'é', 1e5 FROM t", "GRANT SELECT ON plan TO a", "ALTER TABLE t LOCK=SHARED", "CREATE TABLE t SELECT ROW_NUMBER() OVER (PARTITION BY a) AS n FROM u",
	"CREATE TABLE t (a DATE DEFAULT DATE '2005-01-01')", "SELECT EXTRACT(DAY_HOUR FROM a), year_month FROM t",
}

func TestRewrite(t *testing.T) {
	for _, c := range rewritten {
		got := Rewrite(c.from, false, false)
		if got != c.to {
			t.Errorf("%s\n%q\nwant\n%q", c.from, got, c.to)
		}
		if again := Rewrite(got, false, false); again != got {
			t.Errorf("%s\nagain\n%q", got, again)
		}
	}
	for _, text := range kept {
		if got := Rewrite(text, false, false); got != text {
			t.Errorf("%s\nbecame\n%s", text, got)
		}
	}
	if got := Rewrite(`SELECT "{d '1'}", {fn f("x")} y`, true, false); got != `SELECT "{d '1'}",  f("x")  y` {
		t.Errorf("with ANSI_QUOTES: %s", got)
	}
	if got := Rewrite("SELECT 1; SELECT {fn f()} x", false, true); got != "SELECT 1; SELECT {fn f()} x" {
		t.Errorf("behind the first statement: %s", got)
	}
}

// TestRewriteHostile gives texts on which time or memory that grows faster than the text
// would not end before the test does.
func TestRewriteHostile(t *testing.T) {
	for _, part := range []string{"{fn ", "(", "((SELECT ", "@x := ", "CASE @x := ", "> ANY (SELECT ", "DO 1,", ")", "{d '1'} ", "(SELECT 1) ORDER BY ", "AS (SELECT ", "CHECK TABLE a, "} {
		for _, head := range []string{"", "SELECT ", "DO ", "CHECK TABLE ", "CREATE TABLE t ", "SET "} {
			query := head + strings.Repeat(part, testsize.Of(2_000, 20_000))
			if got := Rewrite(Rewrite(query, false, false), false, true); len(got) > 100*len(query) {
				t.Errorf("%s and %s: %d bytes became %d", head, part, len(query), len(got))
			}
		}
	}
}
