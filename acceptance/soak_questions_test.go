package acceptance

// soakQuestions are the shapes of estimates.
var soakQuestions = []soakQuestion{
	{text: "SELECT COUNT(*) FROM {T}"},
	{"SELECT COUNT(*) FROM {T} WHERE age >= ?", []any{40}},
	{"SELECT COUNT(*), AVG(age), SUM(age) FROM {T} WHERE region <> ? AND disease = ?", []any{"Vessin", "Asthma"}},
	{"SELECT disease, COUNT(*), AVG(age) FROM {T} WHERE sex = ? GROUP BY disease ORDER BY disease", []any{"Female"}},
	{text: "SELECT sex, disease, COUNT(*) AS n FROM {T} GROUP BY sex, disease HAVING n > 1 ORDER BY n DESC, sex, disease LIMIT 9"},
	{text: "SELECT DISTINCT disease FROM {T} ORDER BY disease"},
	{text: "SELECT region FROM {T} GROUP BY 1 ORDER BY 1"},
	{"SELECT MIN(age), MAX(age), COUNT(DISTINCT disease) FROM {T} WHERE age BETWEEN ? AND ?", []any{30, 60}},
	{"SELECT COUNT(*), ANON_STDERR(COUNT(*)), ANON_LOW(COUNT(*)), ANON_HIGH(SUM(age)) FROM {T} WHERE age < ? AND disease IN (?, ?)", []any{50, "Asthma", "Allergy"}},
	{text: "SELECT age DIV 10 * 10 AS decade, COUNT(*) FROM {T} GROUP BY age DIV 10 * 10 ORDER BY decade"},
	{"SELECT SUM(CASE WHEN disease = ? THEN 1 ELSE 0 END) / COUNT(*) FROM {T}", []any{"Asthma"}},
	{"WITH some AS (SELECT age, disease FROM {T} WHERE sex = ?) SELECT disease, COUNT(*) FROM some GROUP BY disease ORDER BY disease", []any{"Male"}},
	{"SELECT n FROM (SELECT COUNT(*) AS n FROM {T} WHERE region = ? OR disease = ?) t", []any{"Nordmark", "Asthma"}},
	{text: "SELECT STDDEV(age), VARIANCE(age) FROM {T} WHERE disease <> 'Asthma'"},
	{text: "SELECT COUNT(*), SUM(size), (SELECT SUM(count) FROM {T}_sa) FROM {T}_gid"},
	{text: "SELECT s.disease, SUM(q.count * s.count / g.size) FROM {T}_qi1 q JOIN {T}_gid g ON q.gid = g.gid JOIN {T}_sa s ON s.gid = g.gid GROUP BY s.disease ORDER BY s.disease"},
}

// soakLiveQuestions are for the release that follows its table.
var soakLiveQuestions = []soakQuestion{
	{text: "SELECT COUNT(*) FROM {T}"},
	{"SELECT disease, COUNT(*) FROM {T} WHERE age > ? GROUP BY disease ORDER BY disease", []any{40}},
	{text: "SELECT COUNT(*), SUM(size), (SELECT SUM(count) FROM {T}_sa) FROM {T}_gid"},
	{"SELECT AVG(age), MIN(age), MAX(age) FROM {T} WHERE sex = ? AND disease <> ?", []any{"F", "Asthma"}},
}

// soakGreetings are the queries of tools when they connect. With = before it, the answer must be the same each time.
var soakGreetings = []string{
	"SET NAMES utf8mb4", "= SELECT @@version_comment LIMIT 1", "= SHOW VARIABLES LIKE 'lower_case_%'", "= SELECT @@session.transaction_isolation",
	"SET SESSION sql_mode = 'STRICT_TRANS_TABLES'", "SET autocommit = 1", "= SHOW DATABASES", "= SELECT DATABASE(), CURRENT_USER()",
	"SHOW FULL TABLES FROM published", "= SHOW FULL COLUMNS FROM published.fixed", "= SHOW INDEX FROM published.fixed", "= SHOW CREATE TABLE published.fixed",
	"SHOW TABLE STATUS FROM published", "SHOW COLLATION", "SHOW ENGINES", "SHOW CHARACTER SET", "SHOW WARNINGS", "SHOW PROCESSLIST",
	"= SELECT schema_name FROM information_schema.schemata ORDER BY schema_name",
	"= SELECT column_name, data_type, is_nullable FROM information_schema.columns WHERE table_schema = 'published' AND table_name = 'fixed' ORDER BY ordinal_position",
	"SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = 'published'",
	"= SELECT * FROM published.fixed LIMIT 0", "= SELECT * FROM published.fixed WHERE 1 = 0", "= SELECT COUNT(1) FROM published.fixed HAVING COUNT(1) > 0",
	"SELECT * FROM anonsql.releases", "SELECT * FROM anonsql.guarantees",
}
