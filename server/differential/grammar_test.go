package differential

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// The tables of both servers. Texts compare without case and without trailing spaces.
var tables = []string{
	`CREATE TABLE v (id INT PRIMARY KEY, g INT, i INT, b BIGINT, ti TINYINT, d DECIMAL(8,2), e DECIMAL(12,4), f DOUBLE,
		s VARCHAR(20) COLLATE utf8mb4_general_ci, c CHAR(4) COLLATE utf8mb4_general_ci, dt DATE, ts DATETIME)`,
	`INSERT INTO v VALUES
		(1, 1, 5, 10000000000, 1, 1.50, 0.1234, 0.5, 'Rome', 'a', '2024-02-29', '2024-02-29 23:59:59'),
		(2, 1, -7, -3, -128, -2.25, 99.9999, -1.25, 'oslo', 'B', '2023-12-31', '2023-12-31 00:00:00'),
		(3, 1, NULL, 70000, 127, 1000.00, -5.5000, 1000000, '12abc', NULL, '2024-12-30', '2024-12-30 12:30:45'),
		(4, 2, 0, 0, 0, 0.00, 0.0000, 0, '', '', '1999-01-01', '1999-01-01 01:02:03'),
		(5, 2, 70000, 255, 12, 99999.99, 12345.6789, 0.125, '78.7', '07', '2000-02-28', '2000-02-28 10:00:00'),
		(6, 2, 5, NULL, NULL, NULL, NULL, NULL, NULL, 'x y', NULL, NULL),
		(7, 3, 127, 128, 2, 2.50, 3.5000, 2.5, '2024-05-06', 'é', '2024-05-06', '2024-05-06 07:08:09'),
		(8, 3, 3, 2, 3, 0.05, 0.0500, 7, 'ROME', 'b', '2021-01-03', '2021-01-03 23:00:00'),
		(9, NULL, -1, -1, -1, -0.50, -0.5000, -0.5, 'a_b%c', '%', '2024-01-31', '2024-01-31 00:00:01'),
		(10, NULL, 12, 99, 9, 12.34, 7.7777, 3.75, 'Ünï', 'é', '2020-12-28', '2020-12-28 18:45:00')`,
	`CREATE TABLE w (k INT, n INT, x DECIMAL(6,3), y VARCHAR(10) COLLATE utf8mb4_general_ci, z DATE)`,
	`INSERT INTO w VALUES (1, 5, 1.500, 'rome', '2024-02-29'), (2, NULL, 2.000, 'Oslo', NULL), (2, 7, NULL, NULL, '1999-01-01'),
		(3, -7, 100.250, '07', '2024-12-30'), (NULL, 0, 0.000, '', '2024-01-31'), (9, 127, -3.125, 'b', '2021-01-03')`,
}

// A grammar generates random expressions over table v (and w, if joined).
type grammar struct {
	*rand.Rand
	joined bool
}

func (g grammar) of(choices ...string) string { return choices[g.IntN(len(choices))] }

// fill replaces every {N}, {X}, {I}, {T}, {S}, {D}, {C} by a number, an exact one, a whole one, a text, one with the collation of a
// column, a date and a condition.
func (g grammar) fill(pattern string, depth int) string {
	var out strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] != '{' || i+2 >= len(pattern) || pattern[i+2] != '}' {
			out.WriteByte(pattern[i])
			continue
		}
		switch pattern[i+1] {
		case 'N':
			out.WriteString(g.number(depth - 1))
		case 'I':
			out.WriteString(g.whole(depth - 1))
		case 'X':
			out.WriteString(g.exact(depth - 1))
		case 'T':
			out.WriteString(g.text(depth - 1))
		case 'S':
			out.WriteString(g.collated(depth - 1))
		case 'D':
			out.WriteString(g.date(depth - 1))
		case 'C':
			out.WriteString(g.condition(depth - 1))
		case 'k': // a small number
			fmt.Fprint(&out, g.IntN(8)-1)
		}
		i += 2
	}
	return out.String()
}

func (g grammar) column(columns, others []string) string {
	if g.joined && g.IntN(3) == 0 {
		return g.of(others...)
	}
	return g.of(columns...)
}

func (g grammar) whole(depth int) string {
	if depth <= 0 || g.IntN(3) == 0 {
		if g.IntN(4) == 0 {
			return g.of("0", "1", "2", "-3", "10", "255", "70000", "NULL")
		}
		return g.column([]string{"v.id", "v.g", "v.i", "v.b", "v.ti"}, []string{"w.k", "w.n"})
	}
	return g.fill(g.of(wholes...), depth)
}

// wholes, numbers, texts, dates and conditions are the expressions of each kind.
var wholes = []string{
	"({I} + {I})", "({I} - {I})", "({I} * {k})", "({I} DIV {I})", "({N} DIV {N})", "({I} % {I})", "MOD({I}, {I})", "(-{I})", "ABS({I})", "SIGN({N})",
	"LENGTH({T})", "CHAR_LENGTH({T})", "ASCII({T})", "LOCATE('o', {S})", "INSTR({S}, 'o')", "INSTR(v.s, 'ME')", "FIELD({S}, {S}, 'b')", "FIND_IN_SET(v.s, 'a,b,rome')",
	"YEAR({D})", "MONTH({D})", "DAY({D})", "DAYOFWEEK({D})", "WEEKDAY({D})", "DAYOFYEAR({D})", "QUARTER({D})", "WEEK({D}, {k})", "WEEK({D})", "YEARWEEK({D}, {k})",
	"WEEKOFYEAR({D})", "HOUR(CAST({D} AS DATETIME))", "MINUTE(CAST({D} AS DATETIME))", "SECOND(CAST({D} AS DATETIME))", "TO_DAYS({D})", "TO_SECONDS({D})", "DATEDIFF({D}, {D})", "EXTRACT(WEEK FROM {D})",
	"EXTRACT(YEAR_MONTH FROM {D})", "EXTRACT(QUARTER FROM {D})", "TIMESTAMPDIFF(YEAR, {D}, {D})", "TIMESTAMPDIFF(MONTH, {D}, {D})", "TIMESTAMPDIFF(QUARTER, {D}, {D})",
	"TIMESTAMPDIFF(DAY, {D}, {D})", "TIMESTAMPDIFF(HOUR, {D}, {D})", "TIMESTAMPDIFF(WEEK, {D}, {D})", "UNIX_TIMESTAMP({D})",
	"CAST({N} AS SIGNED)", "CAST({T} AS SIGNED)", "CAST({D} AS SIGNED)", "CAST(ABS({I}) AS UNSIGNED)", "IF({C}, {I}, {I})", "COALESCE({I}, {I})", "IFNULL({I}, {I})",
	"NULLIF({I}, {I})", "CASE WHEN {C} THEN {I} ELSE {I} END", "CASE {I} WHEN {I} THEN {I} WHEN {I} THEN {I} END", "LEAST({I}, {I})", "GREATEST({I}, {I}, {I})",
	"({I} & {I})", "({I} | 6)", "BIT_COUNT({I})", "FLOOR({N})", "CEIL({N})", "ROUND({X})", "(FLOOR({N}) + 1)", "ISNULL({N})", "({C})", "STRCMP(v.s, v.c)",
	"PERIOD_DIFF(202402, 202311)", "PERIOD_ADD(202402, {k})", "CRC32({T})", "ORD({T})", "TIME_TO_SEC(CAST({D} AS DATETIME))", "(~ 5 & 255)",
	"BIT_LENGTH({T})", "BIT_LENGTH({X})", "OCTET_LENGTH({T})", "CHARACTER_LENGTH({T})", "ASCII({X})", "FIELD({X}, {X}, {X}, 2.5)", "FIELD({I}, {I}, 5)", "FIELD({N}, {N}, {I})", "FIELD({S}, {S}, {S})",
	"FIND_IN_SET({S}, 'a,b,ROME,,7')", "FIND_IN_SET('é', {S})", "LOCATE({S}, {S})", "LOCATE('O', {S}, {k})", "POSITION('M' IN {S})", "INSTR({S}, {S})", "INSTR({S}, 'ü')", "STRCMP({S}, {S})",
	"REGEXP_INSTR({S}, 'o|e')", "({S} LIKE '_O%')", "({S} REGEXP 'M')", "INET_ATON(CONCAT({k}, '.2.3.4'))", "MICROSECOND({D})", "EXTRACT(DAY_HOUR FROM {D})",
	"EXTRACT(MINUTE_SECOND FROM CAST({D} AS DATETIME))", "(DATE '2024-02-29' - {k})", "({I} ^ 3)", "({I} << {k})", "({I} >> 1)", "(~ {I})", "LENGTH(UNHEX({T}))", "HOUR(TIMEDIFF(CAST({D} AS DATETIME), v.ts))",
}

// collated returns a text with a column's collation.
func (g grammar) collated(depth int) string {
	column := g.column([]string{"v.s", "v.c", "v.s"}, []string{"w.y"})
	if depth <= 0 || g.IntN(2) == 0 {
		return column
	}
	return strings.ReplaceAll(g.of("LOWER(%)", "UPPER(%)", "LEFT(%, 2)", "CONCAT(%, 'o')", "REVERSE(%)", "TRIM(%)", "REPLACE(%, 'o', 'É')", "SUBSTRING(%, 2)", "IFNULL(%, 'ROME')", "RPAD(%, 4, 'o')"), "%", column)
}

func (g grammar) number(depth int) string {
	if depth <= 0 || g.IntN(4) == 0 {
		if g.IntN(4) == 0 {
			return g.of("0.5", "2.50", "-1.25", "1.504", "-2.249", "0.0451e0", "99999.994", "0.0", "1e2", "0.1e0", "100", "12.345", "NULL")
		}
		return g.column([]string{"v.d", "v.e", "v.f", "v.i", "v.b"}, []string{"w.x", "w.n"})
	}
	if g.IntN(3) == 0 {
		return g.whole(depth)
	}
	return g.fill(g.of(numbers...), depth)
}

// exact is a number that is no DOUBLE.
func (g grammar) exact(depth int) string {
	if depth <= 0 {
		return g.column([]string{"v.d", "v.e", "v.i", "v.ti"}, []string{"w.x", "w.n"})
	}
	return g.fill(g.of("({X} + {X})", "({X} - {X})", "({X} * {X})", "(-{X})", "ABS({X})", "COALESCE({X}, 0.5)", "CAST({X} AS DECIMAL(20,6))", "IF({C}, {X}, {X})"), depth)
}

var numbers = []string{
	"({N} + {N})", "({N} - {N})", "({N} * {N})", "({N} / {N})", "({X} % {X})", "(-{N})", "ABS({N})", "ROUND({X}, {k})", "TRUNCATE({N}, {k})", "ROUND({X}, 2)",
	"IF({C}, {N}, {N})", "COALESCE({N}, {N})", "IFNULL({N}, {N})", "IFNULL({N}, 0)", "NULLIF({N}, {N})", "CASE WHEN {C} THEN {N} ELSE {N} END", "CASE WHEN {C} THEN {N} END",
	"LEAST({N}, {N})", "GREATEST({N}, {N})", "CAST({N} AS DECIMAL(12,3))", "CAST({T} AS DECIMAL(10,2))", "CAST({N} AS DOUBLE)", "CAST({T} AS DOUBLE)", "(v.s + 0)", "(v.c * 2)",
	"SQRT(ABS({N}))", "POW({k}, 2)", "EXP({k})", "LN(ABS({N}) + 1)", "LOG10(ABS({N}) + 1)", "CAST({D} AS SIGNED) / 7", "(v.dt + 0)", "(CAST({D} AS DATETIME) + 0)",
	"({N} % {N})", "MOD({N}, {X})", "ROUND({N}, {k})", "ROUND({N})", "TRUNCATE({X}, {k})", "CEIL({N})", "SIN({k})", "COS({k})", "TAN({k})", "ASIN({k} * 0.1e0)", "ACOS({k} * 0.1e0)", "ATAN({I})", "ATAN2({I}, {k})", "COT({k} + 2)",
	"DEGREES({k})", "RADIANS({I})", "LOG(2, ABS({N}) + 1)", "LOG2(ABS({N}) + 1)", "LOG({k})", "SQRT({N})", "POW({k}, {k})", "POWER(ABS({X}) + 1, 0.5)", "(TIMESTAMP '2024-01-01 10:00:00' + {k})", "SIGN({N})",
}

func (g grammar) text(depth int) string {
	if depth <= 0 || g.IntN(3) == 0 {
		if g.IntN(4) == 0 {
			return g.of("'Rome'", "'a'", "''", "'12.5x'", "'b'", "NULL", "'1'")
		}
		return g.column([]string{"v.s", "v.c", "v.s"}, []string{"w.y"})
	}
	return g.fill(g.of(texts...), depth)
}

var texts = []string{
	"CONCAT({T}, {T})", "CONCAT({T}, '-', {I})", "CONCAT_WS(',', {T}, {T}, {I})", "LOWER({T})", "UPPER({T})", "LEFT({T}, {k})", "RIGHT({T}, {k})", "SUBSTRING({T}, {k})",
	"SUBSTRING({T}, {k}, {k})", "REPLACE({T}, 'o', 'xy')", "REVERSE({T})", "REPEAT({T}, 2)", "LPAD({T}, 5, '*')", "RPAD({T}, 6, 'ab')", "TRIM({T})", "LTRIM({T})",
	"TRIM(LEADING 'R' FROM {T})", "SUBSTRING_INDEX({T}, 'o', 1)", "SUBSTRING_INDEX({T}, '-', -1)", "HEX({T})", "HEX(ABS({I}))", "MD5({T})", "ELT({I}, 'x', 'y', 'z')",
	"IF({C}, {T}, {T})", "COALESCE({T}, {T})", "COALESCE({T}, {I})", "IFNULL({T}, 'none')", "NULLIF(v.s, v.c)", "CASE WHEN {C} THEN {T} ELSE {T} END",
	"CASE v.s WHEN 'rome' THEN {T} ELSE 'other' END", "CAST({T} AS CHAR(3))", "CAST({I} AS CHAR)", "CAST({D} AS CHAR)", "CONCAT({D})", "LEFT({D}, 7)", "INSERT({S}, 2, 1, 'zz')",
	"DATE_FORMAT({D}, '%Y-%m')", "DATE_FORMAT({D}, '%x-%v %W %j %H:%i')", "DATE_FORMAT({D}, '%X %V %U %u %y %e %c %b %M %a')", "MONTHNAME({D})", "DAYNAME({D})",
	"FORMAT(v.b, 0)", "FORMAT({X}, 2)", "MAKE_SET({k}, 'a', 'b', 'c')", "EXPORT_SET(5, 'Y', 'N', ',', 4)", "OCT(ABS({I}))", "BIN(ABS({I}))", "QUOTE({T})",
	"CAST(SEC_TO_TIME(ABS({k}) * 1000) AS CHAR)", "CONCAT(MAKETIME({k}, 30, 15))", "CONCAT(ADDTIME('10:00:00', '02:30:00'))", "CONV(ABS({I}), 10, 16)", "SOUNDEX('Robert')",
	"SUBSTRING_INDEX({T}, 'o', {k})", "SUBSTRING_INDEX({T}, '', {k})", "SUBSTRING_INDEX({T}, {T}, {k})", "LPAD({S}, {k}, 'é')", "RPAD({S}, {k}, 'é*')", "TRIM(BOTH 'a' FROM {T})", "TRIM(TRAILING 'e' FROM {T})", "TRIM(LEADING FROM {T})",
	"RTRIM(CONCAT({T}, '  '))", "REPLACE({T}, 'é', 'e')", "REPLACE({T}, {T}, 'x')", "REPEAT({T}, {k})", "INSERT({S}, {k}, {k}, {S})", "ELT({k}, {T}, {T}, {I})", "ELT({I}, {T}, {D})", "MAKE_SET({I}, {S}, 'b', {S})",
	"EXPORT_SET({I}, 'é', '-', ',', 5)", "EXPORT_SET({I}, {T}, 'x')", "HEX(UNHEX({T}))", "HEX(UNHEX({I}))", "CHAR({k} + 60, 66 USING utf8mb4)", "CHAR(195, 169 USING utf8mb4)", "HEX(CHAR({I}))", "HEX({N})", "SOUNDEX({T})", "FORMAT({N}, {k})",
	"FORMAT({X}, 1)", "TO_BASE64({T})", "TO_BASE64({X})", "HEX(FROM_BASE64({T}))", "HEX(FROM_BASE64(TO_BASE64({T})))", "SHA1({T})", "SHA({I})", "SHA2({T}, 256)", "SHA2({X}, 224)", "MD5({X})", "CONVERT({T} USING utf8mb4)",
	"LOWER({S} COLLATE utf8mb4_bin)", "SUBSTRING({X}, 2)", "SUBSTRING({T}, -{k}, 2)", "MID({T}, 2, {k})", "LEFT({X}, 3)", "CONCAT({X})", "CONCAT_WS({T}, {I}, {D}, {T})", "REVERSE({X})", "COALESCE(REGEXP_SUBSTR({S}, '[a-m]+'), '')",
	"REGEXP_REPLACE({S}, '[aeiou]', '-')", "REGEXP_REPLACE({S}, 'O', '')", "CONV({T}, 10, 16)", "CONV({I}, 10, -2)", "CONV({T}, 36, 10)", "CONV({X}, 10, {k})", "BIN({X})", "OCT({X})", "BIN({T})", "QUOTE({I})", "SPACE({k})",
	"INET_NTOA({I})", "TIME_FORMAT(CAST({D} AS DATETIME), '%H:%k:%i %l %p')", "TIME_FORMAT(SEC_TO_TIME({I}), '%H:%i:%s|%T')", "DATE_FORMAT({D}, {T})", "FROM_UNIXTIME(ABS({k}) * 100000, '%Y %D')", "CAST({X} AS CHAR)",
	"CAST(TIMEDIFF(CAST({D} AS DATETIME), v.ts) AS CHAR)", "CONCAT(TIME({D}))", "NULLIF(v.s, 'rome')",
	"HEX(TRIM(UNHEX(CONCAT('20', HEX({T})))))", "HEX(LTRIM(UNHEX('20AE20')))", "HEX(RTRIM(UNHEX(HEX({I}))))", "HEX(TRIM(TRAILING UNHEX('AE') FROM CONCAT({T}, UNHEX('AEAE'))))", "HEX(TRIM(LEADING 'x' FROM UNHEX('78AE')))",
}

func (g grammar) date(depth int) string {
	if depth <= 0 || g.IntN(3) == 0 {
		if g.IntN(4) == 0 {
			return g.of("CAST('2024-02-29' AS DATE)", "CAST('2023-12-31 23:59:59' AS DATETIME)", "'2020-01-01 00:00:00'", "CAST('2021-01-03' AS DATE)", "CAST('9999-12-31' AS DATE)", "CAST('0101-01-01' AS DATE)", "CAST('1900-02-28 00:00:00' AS DATETIME)")
		}
		return g.column([]string{"v.dt", "v.ts"}, []string{"w.z"})
	}
	return g.fill(g.of(dates...), depth)
}

var dates = []string{
	"DATE({D})", "LAST_DAY({D})", "({D} + INTERVAL {k} DAY)", "({D} - INTERVAL {k} MONTH)", "DATE_ADD({D}, INTERVAL {k} YEAR)", "DATE_SUB({D}, INTERVAL {k} WEEK)",
	"DATE_ADD({D}, INTERVAL {k} QUARTER)", "({D} + INTERVAL {k} HOUR)", "({D} + INTERVAL {I} MINUTE)", "CAST({D} AS DATE)", "CAST({D} AS DATETIME)", "IF({C}, v.dt, v.ts)", "IF({C}, {D}, {D})",
	"COALESCE({D}, {D})", "IFNULL(v.dt, CAST('2024-01-01' AS DATE))", "CASE WHEN {C} THEN v.dt ELSE CAST('2000-01-01' AS DATE) END", "MAKEDATE(2024, {I})", "FROM_DAYS(TO_DAYS({D}))",
	"STR_TO_DATE(DATE_FORMAT({D}, '%Y-%m-%d'), '%Y-%m-%d')", "STR_TO_DATE(CONCAT(DATE_FORMAT({D}, '%X%V'), ' Sunday'), '%X%V %W')", "STR_TO_DATE(CONCAT(DATE_FORMAT({D}, '%x%v'), ' Monday'), '%x%v %W')",
	"TIMESTAMPADD(MONTH, {k}, {D})", "TIMESTAMP({D})", "ADDDATE({D}, {k})", "FROM_UNIXTIME({k} * 86400)", "CAST(20240131 AS DATE)", "LEAST(v.dt, v.ts)", "GREATEST(v.dt, CAST('2024-01-01' AS DATE))",
	"TIMESTAMP(v.dt, '10:00:00')", "ADDTIME(v.ts, '01:00:00')", "SUBTIME(v.ts, '00:00:01')", "NULLIF(v.dt, CAST('2024-02-29' AS DATE))",
	"({D} + INTERVAL '1:30' HOUR_MINUTE)", "({D} - INTERVAL '-1 2' DAY_HOUR)", "DATE_ADD({D}, INTERVAL '1-2' YEAR_MONTH)", "DATE_SUB({D}, INTERVAL '1 1:2:3' DAY_SECOND)", "({D} + INTERVAL {k} DAY_MINUTE)", "({D} + INTERVAL {X} MINUTE_SECOND)",
	"DATE_ADD({D}, INTERVAL {k} HOUR_SECOND)", "CAST(({D} + INTERVAL '1.000001' SECOND_MICROSECOND) AS DATE)", "CAST(({D} + INTERVAL '2:3.5' MINUTE_MICROSECOND) AS DATE)", "({D} + INTERVAL {X} DAY)", "({D} + INTERVAL v.s DAY)",
	"CONVERT_TZ({D}, '+00:00', '+05:30')", "FROM_UNIXTIME(ABS({k}) * 100000)", "MAKEDATE(YEAR({D}), {I})", "DATE '2024-02-29'", "TIMESTAMP '2024-12-31 23:59:59'", "ADDTIME(CAST({D} AS DATETIME), '01:00:00')", "TIMESTAMP(v.dt, SEC_TO_TIME({k} * 1000))",
	"FROM_DAYS({k} * 1000 + 730000)", "STR_TO_DATE(CONCAT({I}), '%Y')", "STR_TO_DATE({T}, '%Y-%m-%d')", "TIMESTAMPADD(DAY, {I}, {D})", "SUBDATE({D}, {k})",
}

func (g grammar) condition(depth int) string {
	if depth <= 0 {
		return g.fill(g.of("v.i > {I}", "v.s LIKE '%o%'", "v.dt >= '2024-01-01'", "v.d < {N}", "v.s = 'rome'", "v.i IS NULL", "1 = 0", "v.ts < '2024-01-01 12:00:00'"), 0)
	}
	return g.fill(g.of(conditions...), depth)
}

var conditions = []string{
	"v.d > 1.495", "v.d = 1.504", "v.d <= 2.495", "v.d IN (1.504, 2.5)", "v.d BETWEEN 1.495 AND 1.499", "v.d BETWEEN 1.504e0 AND 2.5e0", "v.e < 0.12344e0", "v.d = v.e", "v.i > 4.6", "v.i = 4.6", "v.ti <= -0.5", "v.d < {N}",
	"{I} = {I}", "{I} < {N}", "{N} >= {N}", "{N} <> {I}", "{I} <=> {I}", "CONCAT({T}) COLLATE utf8mb4_bin = ({T})", "CONCAT({T}) COLLATE utf8mb4_bin < ({T})", "v.s = 'rome'", "v.s = v.c", "v.s < v.c", "v.s LIKE '%o%'", "v.s LIKE 'r_me'", "v.s NOT LIKE 'a%'", "v.s LIKE '%|%%' ESCAPE '|'",
	"{D} = {D}", "{D} < {D}", "v.dt = v.ts", "v.dt BETWEEN '2024-01-01' AND '2024-12-31'", "{I} BETWEEN {I} AND {I}", "{I} IN ({I}, {I}, 5)", "v.s IN ('rome', 'OSLO')", "{N} NOT IN (1, 2.5)",
	"{N} IS NULL", "{T} IS NOT NULL", "NOT ({C})", "({C} AND {C})", "({C} OR {C})", "({C} XOR {C})", "({C}) IS TRUE", "({C}) IS NOT FALSE", "v.s = {N}", "v.c = 7", "v.s + 0 > {N}",
	"{S} REGEXP '^r'", "{S} NOT REGEXP 'o$'", "{S} RLIKE '[0-9]'", "{S} LIKE '%O'", "{S} LIKE {S}", "{T} LIKE '%|_%' ESCAPE '|'", "{S} LIKE 'é'", "v.s COLLATE utf8mb4_bin = 'Rome'", "v.s COLLATE utf8mb4_bin LIKE 'R%'",
	"v.s COLLATE utf8mb4_general_ci = 'ROME'", "({C}) IS UNKNOWN", "({C}) IS NOT UNKNOWN", "{D} > DATE '2023-12-31'", "{D} BETWEEN DATE '2000-01-01' AND {D}", "v.c = 'É'", "v.c IN ('É', 'A')", "v.s <=> 'ROME'",
	"YEAR({D}) = 2024", "v.dt = 20240229", "{I}", "({C}) = ({C})", "COALESCE({C}, 0)",
}
