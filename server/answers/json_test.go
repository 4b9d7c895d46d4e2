package answers

import (
	"strings"
	"testing"
)

// documents are tables of documents.
var documentTables = []string{
	"SET NAMES utf8mb4, collation_connection = utf8mb4_0900_ai_ci",
	"CREATE TABLE j (id INT PRIMARY KEY, doc JSON, b VARCHAR(10))",
	`INSERT INTO j VALUES (1, '{"a": 1.5, "b": true, "n": "1", "d": 7}', 'x'), (2, '{"a": 1, "b": false, "n": "x", "d": 8}', 'x'),
		(3, '{"a": null}', NULL), (4, NULL, 'z')`,
}

// documentAnswers are questions about documents, with MySQL 8's answers.
var documentAnswers = []answer{
	// Comparisons of documents: a text is a JSON string, a truth is no number.
	{"SELECT id FROM j WHERE doc->'$.b' = true", "1"},
	{"SELECT id FROM j WHERE false = doc->'$.b'", "2"},
	{"SELECT id FROM j WHERE doc->'$.b' <> false", "1"},
	{"SELECT id FROM j WHERE doc->'$.b' = 1", ""},
	{"SELECT id FROM j WHERE doc->'$.a' = 1.5 OR 1 = doc->'$.a' ORDER BY id", "1; 2"},
	{"SELECT id FROM j WHERE doc->'$.d' > 7", "2"},
	{"SELECT id FROM j WHERE doc->'$.n' = 1", ""},
	{"SELECT id FROM j WHERE doc->'$.n' = '1'", "1"},
	{"SELECT id FROM j WHERE doc->'$.n' = b", "2"},
	{"SELECT doc->'$.a' <=> NULL FROM j ORDER BY id", "0; 0; 0; 1"}, // the document null is no NULL
	{"SELECT id FROM j WHERE doc->'$.d' IN (7, 9)", "1"},
	{"SELECT id FROM j WHERE doc->'$.n' NOT IN ('1', 'y')", "2"},
	{"SELECT id FROM j WHERE doc->'$.d' IN (SELECT id + 6 FROM j) ORDER BY id", "1; 2"},
	{"SELECT x.id, y.id FROM j x JOIN j y ON x.doc->'$.d' = y.id + 6 ORDER BY 1", "1 | 1; 2 | 2"},
	{"SELECT x.id, y.id FROM j x JOIN j y ON x.doc->'$.n' = y.b ORDER BY 2", "2 | 1; 2 | 2"},
	{"SELECT COUNT(*) FROM j x JOIN j y ON x.doc = y.doc", "3"},
	{"SELECT COUNT(*) FROM (SELECT CAST('1.0' AS JSON) v) x JOIN (SELECT CAST('1' AS JSON) v UNION ALL SELECT JSON_ARRAY(1)) y ON x.v = y.v", "1"},
	{"SELECT CASE doc->'$.a' WHEN 1 THEN 'one' WHEN 1.5 THEN 'more' END FROM j ORDER BY id", "more; one; NULL; NULL"},
	{"SELECT CAST('9007199254740993' AS JSON) = 9007199254740993, CAST('9007199254740993' AS JSON) = 9007199254740992", "1 | 0"},
	// A condition is true where it is not the document 0, as false is not.
	{"SELECT IF(CAST('0' AS JSON), 'y', 'n'), IF(CAST('false' AS JSON), 'y', 'n'), NOT CAST('\"\"' AS JSON), CAST('0.0' AS JSON) IS TRUE", "n | y | 0 | 0"},
	{"SELECT id FROM j WHERE doc->'$.b' ORDER BY id", "1; 2"},
	// NULL is not the document null.
	{"SELECT CASE WHEN 1 THEN NULL ELSE JSON_ARRAY() END IS NULL, NULLIF(CAST('1' AS JSON), 1) IS NULL, JSON_EXTRACT('[null]', '$[0]') IS NULL", "1 | 1 | 0"},
	// Documents as numbers.
	{`SELECT CAST(CAST('"3.7"' AS JSON) AS DECIMAL(3,1)), CAST(CAST('true' AS JSON) AS SIGNED), JSON_EXTRACT('[3]', '$[0]') + 1`, "3.7 | 1 | 4"},
	// Order and groups.
	{"SELECT id FROM j ORDER BY doc->'$.a', id", "4; 3; 2; 1"},
	{"SELECT doc->'$.b', COUNT(*) FROM j GROUP BY doc->'$.b' ORDER BY 1", "NULL | 2; false | 1; true | 1"},
	{"SELECT COUNT(DISTINCT x) FROM (SELECT CAST('1' AS JSON) x UNION ALL SELECT CAST('1.0' AS JSON) UNION ALL SELECT CAST('\"1\"' AS JSON)) q", "2"},
	// Aggregates.
	{"SELECT JSON_ARRAYAGG(b), JSON_OBJECTAGG(id, b) FROM (SELECT id, b FROM j WHERE id > 1) q", `["x", null, "z"] | {"2": "x", "3": null, "4": "z"}`},
	{"SELECT JSON_OBJECTAGG(b, id) FROM j", "error: JSON documents may not contain NULL member names. (errno 3158)"},
	{"SELECT id, JSON_ARRAYAGG(id) OVER () FROM j WHERE id < 3", "1 | [1, 2]; 2 | [1, 2]"},
	{"SELECT id, JSON_ARRAYAGG(id) OVER (ORDER BY id ROWS 1 PRECEDING) FROM j WHERE id < 4", "1 | [1]; 2 | [1, 2]; 3 | [2, 3]"},
	{"SELECT JSON_ARRAYAGG(id) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING) FROM j WHERE id < 3", "NULL; [1]"},
}

func TestDocuments(t *testing.T) {
	a := newAsked(t, true, documentTables...)
	for _, want := range documentAnswers {
		if got := a.askAll(want.probe); !want.is(got) {
			t.Errorf("%s\n got %s\nwant %s", want.probe, got, want.want)
		}
	}
}

// JSON_ARRAYAGG and JSON_OBJECTAGG are bounded by max_allowed_packet, including the separators.
func TestAggregatesOfDocumentsAreBounded(t *testing.T) {
	a := newAsked(t, true, tables...)
	joined := "(SELECT a.id AS a, b.id + 1000000000 AS b FROM many a CROSS JOIN many b CROSS JOIN (SELECT 1 UNION ALL SELECT 2) c) q" // 180,000 rows
	for probe, want := range map[string]string{
		"SELECT LENGTH(JSON_ARRAYAGG(b)) FROM " + joined:                     "was larger than max_allowed_packet (1048576)",
		"SELECT LENGTH(JSON_OBJECTAGG(CONCAT(a, '-', b), b)) FROM " + joined: "was larger than max_allowed_packet (1048576)",
	} {
		if got := a.askAll(probe); !strings.Contains(got, want) {
			t.Errorf("%s\n got %.200s\nwant %s", probe, got, want)
		}
	}
}
