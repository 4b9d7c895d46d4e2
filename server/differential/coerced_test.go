package differential

import (
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// coerced are comparisons and choices that outside tests found wrong, with MySQL's answers. They need no MariaDB.
var coerced = []answer{
	// CASE over TIMEs, DATEs and other values.
	{"SELECT CASE WHEN id > 0 THEN tm ELSE 'none' END FROM visit WHERE id = 1", "10:00:00"},
	{"SELECT CASE WHEN id = 1 THEN tm ELSE 0 END FROM visit ORDER BY id LIMIT 1", "10:00:00"},
	{"SELECT CASE WHEN id = 1 THEN d ELSE 'never' END FROM visit ORDER BY id LIMIT 2", "2024-01-05; never"},
	{"SELECT CASE WHEN id = 1 THEN e ELSE d END FROM visit ORDER BY id LIMIT 2", "low; 2024-02-05"},
	{"SELECT CASE WHEN tm > '11:00' THEN tm ELSE '-' END x, COUNT(*) FROM visit GROUP BY x ORDER BY x", "- | 2; 12:30:00 | 1; 23:00:00 | 1"},
	{"SELECT MAX(CASE WHEN id < 3 THEN tm ELSE 0 END) FROM visit", "12:30:00"},
	{"SELECT COALESCE(d, tm) = d, IFNULL(NULL, tm) FROM visit WHERE id = 1", "1 | 10:00:00"},
	// IN compares as = does.
	{"SELECT id FROM visit WHERE txt IN (7, 8, 9.5) ORDER BY id", "1; 2"},
	{"SELECT id FROM visit WHERE txt NOT IN (7, 8, 9.5) ORDER BY id", "3; 4"},
	{"SELECT COUNT(*) FROM visit WHERE code IN (0)", "4"},
	{"SELECT COUNT(*) FROM visit WHERE id IN ('2.1')", "0"},
	{"SELECT COUNT(*) FROM visit WHERE id IN ('1.1', 2)", "1"},
	{"SELECT '1.0' IN (1, 2), 1 IN ('1.0', 'x'), 2 NOT IN ('2.1', NULL)", "1 | 1 | NULL"},
	{"SELECT id FROM visit WHERE d IN ('2024-01-05', 20240205) ORDER BY id", "1; 2"},
	{"SELECT COUNT(*) FROM visit WHERE tm IN ('10:00', 123000)", "2"},
	{"SELECT COUNT(*) FROM visit WHERE e IN (1, 'high')", "3"},
	{"SELECT COUNT(*) FROM visit WHERE TIME(dt) IN (SELECT '10:00:00')", "1"},
	{"SELECT COUNT(*) FROM visit WHERE txt IN (SELECT 9.5)", "1"},
	{"SELECT COUNT(*) FROM visit WHERE TIME(dt) IN (SELECT CAST(tm AS CHAR) FROM visit) OR (id, tm) IN (SELECT b.id, '-1:0' FROM visit b)", "3"},
	// NULLIF and CASE x WHEN.
	{"SELECT NULLIF(tm, '10:00:00'), NULLIF(d, 20240105), NULLIF(txt, 7), NULLIF(e, 1) FROM visit WHERE id = 1", "NULL | NULL | NULL | NULL"},
	{"SELECT CASE tm WHEN '10:00' THEN 'x' ELSE 'y' END, CASE dt WHEN 20240105100000 THEN 'x' ELSE 'y' END, CASE txt WHEN 7 THEN 'x' END FROM visit WHERE id = 1", "x | x | x"},
	// Dates compared with numbers.
	{"SELECT COUNT(*) FROM visit WHERE d BETWEEN 20240101 AND 20240131", "1"},
	{"SELECT COUNT(*) FROM visit WHERE dt > 20240105", "4"},
	{"SELECT COUNT(*) FROM visit WHERE dt >= 20240205000000", "3"},
	{"SELECT COUNT(*) FROM visit WHERE dt BETWEEN 20240101 AND 20240301", "2"},
	{"SELECT COUNT(*) FROM visit WHERE ts > 20240201", "3"},
	{"SELECT COUNT(*) FROM visit WHERE dt = 20240105100000 OR 20240205 = d", "2"},
	{"SELECT COUNT(*) FROM visit WHERE d > 5", "4"},
	{"SELECT -dt, -d, -tm, -txt FROM visit WHERE id = 1", "-20240105100000 | -20240105 | -100000 | -7"},
	// A computed TIME compared with a text.
	{"SELECT COUNT(*) FROM visit WHERE TIME(dt) >= '12:00:00'", "2"},
	{"SELECT COUNT(*) FROM visit WHERE TIME(dt) = '10:00'", "1"},
	{"SELECT COUNT(*) FROM visit WHERE TIME(dt) BETWEEN '09:00:00' AND '12:30:00'", "2"},
	{"SELECT SUM(TIMEDIFF(dt, d) > '11:00:00') FROM visit", "2"},
	{"SELECT COUNT(*) FROM visit WHERE SEC_TO_TIME(id * 3600) > '02:00:00'", "2"},
	{"SELECT COUNT(*) FROM visit WHERE MAKETIME(id, 0, 0) <= '2:00'", "2"},
	{"SELECT COUNT(*) FROM visit WHERE ADDTIME(tm, '01:00:00') > '12:00:00' AND SUBTIME(tm, '1:00') < '12:00:00'", "1"},
	{"SELECT COUNT(*) FROM visit WHERE tm + INTERVAL 1 HOUR > '12:00:00'", "2"},
	{"SELECT COUNT(*) FROM visit WHERE DATE_ADD(tm, INTERVAL 1 HOUR) = '11:00:00'", "1"},
	{"SELECT COUNT(*) FROM visit WHERE CAST(dt AS TIME) < '12:00:00'", "2"},
	{"SELECT COUNT(*) FROM visit WHERE STR_TO_DATE('11:00', '%H:%i') > '12:00:00'", "0"},
	{"SELECT COUNT(*) FROM (SELECT TIME(dt) t FROM visit) x WHERE t > '12:00:00'", "2"},
	{"SELECT COUNT(*) FROM visit a JOIN visit b ON TIME(a.dt) = b.tm AND a.dt > 20240201", "2"},
	{"SELECT COUNT(*) FROM visit GROUP BY e HAVING MAX(TIME(dt)) > '22:00:00'", "1"},
	// Rows with NULL.
	{"SELECT (1, 2, 3) > (1, NULL, 3), (1, 2, 3) < (1, NULL, 3), (1, 2, 3) > (0, NULL, 3), (1, NULL) = (2, NULL)", "NULL | NULL | 1 | 0"},
	{"SELECT (1, 2) NOT IN ((1, NULL)), (1, NULL) IN ((1, NULL)), (1, 2) IN ((2, NULL)), (1, 2) IN ((3, 4), (1, '2'))", "NULL | NULL | 0 | 1"},
	{"SELECT COUNT(*) FROM (SELECT NULL a, 1 b UNION ALL SELECT 1, 3 UNION ALL SELECT 1, NULL) q WHERE (a, b) > (1, 2)", "1"},
	{"SELECT (1, NULL) <=> (1, NULL), (1, 2) <> (1, NULL), (NULL, 1) >= (1, 1)", "1 | NULL | NULL"},
	{"SELECT COUNT(*) FROM visit WHERE (d, tm) IN (('2024-01-05', '10:00'), (20240205, 123000), ('2024-01-05', '11:00'))", "2"},
	// Texts as conditions.
	{"SELECT IF('1abc', 'T', 'F'), NOT '1abc', '0.5' AND 1, 'x' OR 0, ('2x') IS TRUE, CASE WHEN '3' THEN 1 END, 'a' XOR '1'", "T | 0 | 1 | 0 | 1 | 1 | 1"},
	{"SELECT COUNT(*) FROM visit WHERE mark", "2"},
	{"SELECT COUNT(*) FROM visit WHERE NOT mark", "2"},
	{"SELECT COUNT(*) FROM visit GROUP BY mark HAVING mark ORDER BY 1", "1; 1"},
	// ENUMs.
	{"SELECT id FROM visit WHERE e < 'low' ORDER BY id", "3"},
	{"SELECT COUNT(*) FROM visit WHERE e > 1", "2"},
	{"SELECT COUNT(*) FROM visit WHERE e = 'none'", "0"},
	// Statements that change rows.
	{"UPDATE visit SET mark = 'x' WHERE TIME(dt) > '12:00:00' AND dt > 20240301", ""},
	{"SELECT COUNT(*) FROM visit WHERE mark = 'x'", "2"},
	{"DELETE FROM visit WHERE TIME(dt) >= '20:00:00' OR txt IN (9.5)", ""},
	{"SELECT COUNT(*) FROM visit", "2"},
	{"CREATE TABLE made AS SELECT '1a' = 1, CONCAT('a', 1.0) = 3", ""},
	{"CALL late()", "1"},
}

func TestComparisonsAndChoices(t *testing.T) {
	s := servertest.Start(t, server.Config{})
	db := connect(t, "tcp", s.Addr, "root")
	servertest.Exec(t, db, "CREATE TABLE visit (id INT PRIMARY KEY, code VARCHAR(5), d DATE, dt DATETIME, tm TIME, ts TIMESTAMP(3) NULL, e ENUM('low','mid','high'), txt VARCHAR(9), mark VARCHAR(9), KEY (d), KEY (dt))",
		"INSERT INTO visit VALUES (1, 'x', '2024-01-05', '2024-01-05 10:00:00', '10:00:00', '2024-01-05 10:00:00.25', 'low', '7', '1abc'), (2, 'y', '2024-02-05', '2024-02-05 00:00:00', '12:30:00', '2024-02-05 00:00:00', 'low', '9.50', 'no'), "+
			"(3, 'x', '2024-03-01', '2024-03-01 00:00:00' + INTERVAL 750 MINUTE, '23:00:00', '2024-03-05 12:00:00', 'high', 'a', '0.5'), (4, 'z', '2024-04-05', '2024-04-05 23:00:00', '-01:00:00', '2024-04-05 23:00:00', 'mid', '', '')",
		"CREATE PROCEDURE late() BEGIN IF TIME('2024-01-05 10:00:00') < '12:00:00' THEN SELECT 1; ELSE SELECT 0; END IF; END")
	checkAnswers(t, db, coerced)
}
