package sqlerror

import "strings"

// A provocation is a statement that fails, with the client's error.
type provocation struct {
	number int
	says   string
	// statements are separated by semicolons. The last one fails.
	statements string
	where      place
}

// A place is the engine, and the session, that the last statement runs in.
type place int

const (
	// inMemory is the engine over its own tables, with a database d, which is the current
	// one, and a database plain, which can nothing but have tables.
	inMemory place = iota
	// byNobody is the same for an account without privileges.
	byNobody
	// cancelled is the same where the statement has been killed.
	cancelled
	// inCatalog is the engine over our catalog, with a database d.
	inCatalog
)

// provocations are for the engine of the version that go.mod names: every row of
// kindNumbers, engineTexts and wordings has its case.
var provocations = []provocation{
	{1044, "Access denied for user 'nobody'@'localhost' to database 'd'", "USE d", byNobody},
	{1046, "no database selected", "DROP DATABASE d; SHOW TABLES", inMemory},
	{1050, "table with name t already exists", "CREATE TABLE t (a INT); CREATE TABLE t (a INT)", inMemory},
	{1050, "the view d.v already exists", "CREATE VIEW v AS SELECT 1; CREATE VIEW v AS SELECT 2", inCatalog},
	{1051, "Unknown table ''", "CREATE VIEW v AS SELECT 1; DROP TABLE v", inMemory},
	{1051, "the view d.v does not exist", "DROP VIEW v", inMemory},
	{1052, "Column 'a' is ambiguous: say of which table it is", "CREATE TABLE t (a INT); SELECT a FROM t, t AS s", inMemory},
	{1052, `ambiguous column or alias name "x"`, "CREATE TABLE t (a INT); SELECT a AS x, a + 1 AS x FROM t ORDER BY x", inMemory},
	{1054, `column "b" could not be found in any table in scope`, "CREATE TABLE t (a INT); SELECT b FROM t", inMemory},
	{1054, `table "t" does not have column "b"`, "CREATE TABLE t (a INT); ALTER TABLE t DROP COLUMN b", inMemory},
	{1054, `table "t" does not have column "b"`, "CREATE TABLE t (a INT); ALTER TABLE t ADD FOREIGN KEY (b) REFERENCES t (a)", inMemory},
	{1054, `column "x" does not exist in scope, but there is an alias defined in this projection with that name. ` +
		`Aliases cannot be used in the same projection they're defined in`, "CREATE TABLE t (a INT); SELECT a AS x, x + 1 FROM t", inMemory},
	{1054, "Unknown column '5' in 'group statement'", "CREATE TABLE t (a INT); SELECT COUNT(*) FROM t GROUP BY 5", inMemory},
	{1054, "Unknown column in 'order clause' or 'group statement': columns are numbered from 1", "CREATE TABLE t (a INT); SELECT COUNT(*) FROM t GROUP BY 0", inMemory},
	{1059, "Identifier name '" + strings.Repeat("x", 65) + "' is too long, empty, or ends with a space", "CREATE TABLE " + strings.Repeat("x", 65) + " (a INT)", inMemory},
	{1060, `Column "a" already exists`, "CREATE TABLE t (a INT); ALTER TABLE t ADD COLUMN a INT", inMemory},
	{1060, "duplicate column name: `a`", "CREATE TABLE t (a INT, a INT)", inMemory},
	{1061, "Duplicate key name 'k'", "CREATE TABLE t (a INT, KEY k (a)); CREATE INDEX k ON t (a)", inCatalog},
	{1064, "syntax error at position 6 near 'SELEC'", "SELEC 1", inMemory},
	{1064, "Invalid syntax: negative limit", "SET @l = -1; PREPARE s FROM 'SELECT 1 LIMIT ?'; EXECUTE s USING @l", inMemory},
	{1066, "Not unique table/alias: t", "CREATE TABLE t (a INT); SELECT * FROM t, t", inMemory},
	{Unknown, "handler caught panic: runtime error: slice bounds out of range [:-1] at position 18 near 'SELECT'", "SELECT /*!40000*/ 1", inMemory},
	{1111, "Invalid use of group function, or of a column where it cannot be seen",
		"CREATE TABLE t (a INT); INSERT INTO t VALUES (1); SELECT a FROM t WHERE COUNT(*) > 1", inMemory},
	{1064, "invalid interval unit: FOO", "SELECT DATE_ADD('2024-01-01', INTERVAL 1 FOO)", inMemory},
	{1111, "Invalid use of group function: an aggregate of an aggregate", "CREATE TABLE t (a INT); SELECT SUM(COUNT(*)) FROM t", inMemory},
	{1191, "cannot use MATCH ... AGAINST ... on a table that does not declare indexes",
		"SELECT 1 FROM information_schema.tables WHERE MATCH(table_name) AGAINST ('x')", inCatalog},
	{1193, "Unknown system variable 'bar'", "SET @@foo.bar = 1", inMemory},
	{1210, "Incorrect arguments to EXECUTE: parameter 2 has no value", "SET @a = 1; PREPARE s FROM 'SELECT ? + ?'; EXECUTE s USING @a", inMemory},
	{1210, "Incorrect arguments to EXECUTE: parameters are 1, values are 2", "SET @a = 1; PREPARE s FROM 'SELECT ?'; EXECUTE s USING @a, @a", inMemory},
	{1210, "offset must be a non-negative integer; found: -1", "CREATE TABLE t (a INT); SELECT LAG(a, -1) OVER (ORDER BY a) FROM t", inMemory},
	{1210, "Invalid argument to NTILE", "CREATE TABLE t (a INT); INSERT INTO t VALUES (1); SELECT NTILE(0) OVER (ORDER BY a) FROM t", inMemory},
	{1248, "Every derived table must have its own alias", "SELECT * FROM (SELECT 1)", inMemory},
	{1273, "Unknown collation: nothing", "SELECT 'a' COLLATE nothing", inMemory},
	{1300, "invalid string for charset utf8mb4: '[220]'", "CREATE TABLE t (a VARBINARY(9)); INSERT INTO t VALUES (X'DC'); SELECT COUNT(DISTINCT a) FROM t", inMemory},
	{1791, "Unknown EXPLAIN format name: 'XML'; TREE and JSON are known", "EXPLAIN FORMAT=XML SELECT 1", inMemory},
	{1115, "Unknown character set: nothing", "CREATE TABLE t (a TEXT CHARACTER SET nothing)", inMemory},
	{1115, "Unknown character set: nothing", "SET NAMES nothing", inMemory},
	{1115, "Unknown character set: 'latin2' is none that anonsql converts: utf8mb4, latin1, ascii and others of SHOW CHARACTER SET are",
		"CREATE TABLE t (a TEXT CHARACTER SET latin2)", inMemory},
	{1136, "number of values does not match number of columns provided", "CREATE TABLE t (a INT); INSERT INTO t VALUES (1, 2)", inMemory},
	{1136, "Column count doesn't match value count at row 2", "VALUES ROW(1), ROW(1, 2)", inMemory},
	{1141, "There is no such grant defined for user 'nothing' on host 'localhost'", "SHOW GRANTS FOR nothing@localhost", inMemory},
	{1142, "Access denied for user 'nobody'@'localhost' to table 't'", "CREATE TABLE t (a INT); CREATE TABLE s (a INT); GRANT SELECT ON d.s TO nobody@localhost; SELECT * FROM t", byNobody},
	{1142, "command denied to user 'nobody'@'localhost'", "CREATE TABLE t (a INT); GRANT SELECT ON d.* TO nobody@localhost; DELETE FROM t", byNobody},
	{1144, "Illegal GRANT/REVOKE command", "GRANT SUPER ON d.* TO root@localhost", inMemory},
	{1144, "Illegal GRANT/REVOKE command: dynamic privileges may only operate at a global scope", "GRANT CLONE_ADMIN ON d.* TO root@localhost", inMemory},
	{1193, "Unknown system variable '@@nothing'", "SELECT @@nothing", inMemory},
	{1172, "Result consisted of more than one row", "SELECT * FROM (SELECT 1 UNION SELECT 2) q INTO @a", inMemory},
	{1222, "The used SELECT statements have a different number of columns", "SELECT 1, 2 INTO @a", inMemory},
	{1222, "The used SELECT statements have a different number of columns", "SELECT 1, 2 UNION SELECT 1", inMemory},
	{1228, "Variable 'timestamp' is a SESSION variable and can't be used with SET GLOBAL", "SET GLOBAL timestamp = 1", inMemory},
	{1229, "Variable 'max_connections' is a GLOBAL variable and should be set with SET GLOBAL", "SET SESSION max_connections = 1", inMemory},
	{1231, "Variable 'autocommit' can't be set to the value of 'x'", "SET SESSION autocommit = 'x'", inMemory},
	{1231, "Variable 'autocommit' can't be set to the value of '<nil>'", "SET SESSION autocommit = NULL", inMemory},
	{1191, "no matching Full-Text index found on table `t`", "CREATE TABLE t (a TEXT); SELECT a FROM t WHERE MATCH (a) AGAINST ('x')", inMemory},
	{1235, `"IN BOOLEAN MODE" is not supported yet`, "CREATE TABLE t (a TEXT); SELECT a FROM t WHERE MATCH (a) AGAINST ('x' IN BOOLEAN MODE)", inMemory},
	{1235, "unsupported feature: SHOW COUNT(*) WARNINGS", "SHOW COUNT(*) WARNINGS", inMemory},
	{1235, "unsupported syntax: WITH LOCAL CHECK OPTION", "CREATE VIEW v AS SELECT 1 WITH LOCAL CHECK OPTION", inMemory},
	{1235, "tables cannot be created on database information_schema", "CREATE TABLE information_schema.t (a INT)", inMemory},
	{1235, "tables cannot be dropped on database information_schema", "DROP TABLE information_schema.tables", inMemory},
	{1235, "tables cannot be renamed on database mysql", "USE mysql; RENAME TABLE user TO x", inMemory},
	{1235, "table tables cannot be altered", "ALTER TABLE information_schema.tables ADD COLUMN x INT", inMemory},
	{1235, "database 'plain' doesn't support views", "DROP TABLE plain.t", inMemory},
	{1235, `database "plain" doesn't support triggers`, "DROP TRIGGER plain.g", inMemory},
	{1235, `database "d" doesn't support triggers`, "CREATE TABLE t (a INT); CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET @a = 1", inCatalog},
	{1235, `database "plain" doesn't support stored procedures`, "CALL plain.p()", inMemory},
	{1235, "database 'plain' doesn't support events", "ALTER EVENT plain.e COMMENT 'x'", inMemory},
	{1235, "database does not support temporary tables", "CREATE TEMPORARY TABLE plain.t (a INT)", inMemory},
	{1235, "unsupported feature: virtual generated columns, such as b: say STORED", "CREATE TABLE t (a INT, b INT AS (a + 1))", inCatalog},
	{1235, `unsupported feature: column "a": type point is not supported`, "CREATE TABLE t (a POINT)", inCatalog},
	{1235, "the table does not support foreign key operations: t", "CREATE TABLE t (a INT PRIMARY KEY); CREATE TABLE s (a INT, FOREIGN KEY (a) REFERENCES t (a))", inCatalog},
	{1235, "random passwords are not made: IDENTIFIED BY '...'", "CREATE USER u IDENTIFIED BY RANDOM PASSWORD", inMemory},
	{1238, "Variable 'version' is a read only variable", "SET GLOBAL version = 'x'", inMemory},
	{1243, "Unknown prepared statement handler (nothing) given to EXECUTE", "EXECUTE nothing", inMemory},
	{1264, "1000 out of range for tinyint", "CREATE TABLE t (a TINYINT); INSERT INTO t VALUES (1000)", inMemory},
	{1264, "precision out of range for utc_timestamp", "SELECT UTC_TIMESTAMP(9)", inMemory},
	{1264, "incompatible type for default value: Out of range value for column of Decimal type ", "CREATE TABLE t (a DECIMAL(3, 0) DEFAULT 1000)", inMemory},
	{1264, "incompatible type for default value: value 99999 is not a valid Year", "CREATE TABLE t (a YEAR DEFAULT 99999)", inMemory},
	{1265, "incompatible type for default value: value x is not valid for this Enum", "CREATE TABLE t (a ENUM('a') DEFAULT 'x')", inMemory},
	{1265, "Data truncated for column 'a'", "CREATE TABLE t (a ENUM('a', 'b')); INSERT INTO t VALUES ('b'); ALTER TABLE t MODIFY a ENUM('a')", inMemory},
	{1265, "incompatible type for default value: value x was not found in the set", "CREATE TABLE t (a SET('a') DEFAULT 'x')", inMemory},
	{1292, "incompatible type for default value: Incorrect datetime value: 'x'", "CREATE TABLE t (a DATE DEFAULT 'x')", inMemory},
	{1292, "Incorrect datetime value: 'x'", "SELECT TIMESTAMPDIFF(DAY, 'x', 'y')", inMemory},
	{1292, `value "2039-01-01 00:00:00" is outside of timestamp range`, "CREATE TABLE t (a TIMESTAMP); INSERT INTO t VALUES ('2039-01-01')", inMemory},
	{1292, "incompatible type for default value: value x is not a valid Time", "CREATE TABLE t (a TIME DEFAULT 'x')", inMemory},
	{1305, "function: 'nothing' not found", "SELECT nothing()", inMemory},
	{1305, "table function: 'nothing' not found", "SELECT * FROM nothing()", inMemory},
	{1305, `stored procedure "nothing" does not exist`, "CALL nothing()", inMemory},
	{1305, "SAVEPOINT nothing does not exist", "ROLLBACK TO SAVEPOINT nothing", inCatalog},
	{1317, "Query execution was interrupted", "SELECT SLEEP(1)", cancelled},
	{1318, "`p` expected `1` parameters but got `0`", "CREATE PROCEDURE p(a INT) SELECT a; CALL p()", inMemory},
	{1327, "Undeclared variable: a", "SELECT 1 INTO a", inMemory},
	{1347, "'t' is not VIEW, or is a release, which no SELECT defines: SHOW CREATE TABLE shows it", "CREATE TABLE t (a INT); SHOW CREATE VIEW t", inMemory},
	{1353, "In definition of view, derived table or common table expression, SELECT list and column names list have different column counts",
		"WITH q (a, b) AS (SELECT 1) SELECT * FROM q", inMemory},
	{1356, "View 'd.v' references invalid table(s) or column(s) or function(s) or definer/invoker of view lack rights to use them",
		"CREATE TABLE t (a INT); CREATE VIEW v AS SELECT * FROM t; DROP TABLE t; SELECT * FROM v", inMemory},
	{1364, "Field 'a' doesn't have a default value", "CREATE TABLE t (a INT NOT NULL, b INT); INSERT INTO t (b) VALUES (1)", inMemory},
	{1367, "Illegal double '1e400' value found during parsing", "SELECT 1e400", inMemory},
	{1396, "Operation CREATE USER failed for 'nobody'@'localhost'", "CREATE USER nobody@localhost", inMemory},
	{1396, "Operation DROP USER failed for 'nothing'@'localhost'", "DROP USER nothing@localhost", inMemory},
	{1396, "Operation ALTER USER failed for 'nothing'@'localhost'", "ALTER USER nothing@localhost IDENTIFIED BY 'x'", inMemory},
	{1396, "Operation CREATE ROLE failed for 'r'@'%'", "CREATE ROLE r; CREATE ROLE r", inMemory},
	{1396, "Operation DROP ROLE failed for 'nothing'@'%'", "DROP ROLE nothing", inMemory},
	{1406, "string 'abc' is too large for column 'a'", "CREATE TABLE t (a VARCHAR(2)); INSERT INTO t VALUES ('abc')", inMemory},
	{1406, "incompatible type for default value: string '[97 98 99]' is too large for column 'varchar(2)'", "CREATE TABLE t (a VARCHAR(2) DEFAULT 'abc')", inMemory},
	{1410, "You are not allowed to create a user with GRANT", "GRANT SELECT ON *.* TO nothing@localhost", inMemory},
	{1582, "function 'sin' expected 1 arguments, 2 received", "SELECT SIN(1, 2)", inMemory},
	{3105, `The value specified for generated column "b" in table "t" is not allowed.`, "CREATE TABLE t (a INT, b INT GENERATED ALWAYS AS (a + 1) STORED); INSERT INTO t VALUES (1, 2)", inMemory},
	{3140, "incompatible type for default value: Invalid JSON text: unexpected end of JSON input", "CREATE TABLE t (a JSON DEFAULT '{')", inMemory},
	{3140, "expression 'convert('{', json)': couldn't convert to json: Invalid JSON text: unexpected end of JSON input", "SELECT CAST('{' AS JSON)", inMemory},
	{3523, "Unknown authorization ID `nothing`@`%`", "GRANT nothing TO root@localhost", inMemory},
	{3636, "WITH RECURSIVE iteration limit exceeded", "WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM c) SELECT COUNT(*) FROM c", inMemory},
	{3819, `Check constraint "t_chk_1" violated`, "CREATE TABLE t (a INT, CHECK (a > 1)); INSERT INTO t VALUES (1)", inMemory},
	{3959, `can't alter column "a" because it would invalidate check constraint "c"`,
		"CREATE TABLE t (a INT, CONSTRAINT c CHECK (a > 1)); ALTER TABLE t RENAME COLUMN a TO b", inMemory},

	// The engine gives these their numbers itself (sql.CastSQLError).
	{1007, "can't create database d; database exists", "CREATE DATABASE d", inMemory},
	{1048, "Column 'a' cannot be null", "CREATE TABLE t (a INT NOT NULL); INSERT INTO t VALUES (NULL)", inMemory},
	{1049, "database not found: nothing", "USE nothing", inMemory},
	{1054, "Unknown column 'b' in 't'", "CREATE TABLE t (a INT); INSERT INTO t (b) VALUES (1)", inMemory},
	{1062, "Duplicate entry '1' for key 't.PRIMARY'", "CREATE TABLE t (a INT PRIMARY KEY); INSERT INTO t VALUES (1), (1)", inCatalog},
	{1062, "Duplicate entry '1' for key 't.a'", "CREATE TABLE t (a INT UNIQUE); INSERT INTO t VALUES (1), (1)", inCatalog},
	{1072, "key column 'b' doesn't exist in table", "CREATE TABLE t (a INT, PRIMARY KEY (b))", inMemory},
	{1091, "can't drop 'k'; check that column/key exists", "CREATE TABLE t (a INT); ALTER TABLE t DROP INDEX k", inMemory},
	{1146, "table not found: nothing", "SELECT * FROM nothing", inMemory},
	{1241, "operand should have 1 columns, but has 2", "SELECT (SELECT 1, 2)", inMemory},
	{1242, "the subquery returned more than 1 row", "SELECT (SELECT 1 UNION SELECT 2)", inMemory},
	{1366, "'x' is not a valid value for 'int'", "CREATE TABLE t (a INT); INSERT INTO t VALUES ('x')", inMemory},
	{3141, `Invalid JSON text in argument 1 to function json_extract: "{"`, "SELECT JSON_EXTRACT('{', '$.a')", inMemory},
}
