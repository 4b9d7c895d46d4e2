package gate_test

import (
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server/gate"
)

func TestMask(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT diseas FORM people WHERE name = 'Ann' AND age = 37": "SELECT _ _ ... WHERE _ = ? AND _ = ?",
		"select `Ann Smith`, @x, @@version, \"Bob\", x'4f', 1e5":    "SELECT _ , _ , ... ? , ? ...",
		"SELECT " + strings.Repeat("!", 1000) + "1":                 "SELECT ! ! ... ?",
		"SELECT 1" + strings.Repeat(" AND 1", 1000):                 "SELECT ? AND ? AND ...",
		"SELECT 1 -- Ann\n /* Bob */ /*!50000 FROM t */ # Eve":      "SELECT ? FROM _",
		"SELECT 'it''s \\' Ann' 'Bob', _utf8mb4'Eve', N'Dan'":       "SELECT ? , _ ? , _ ?",
		"INSERT INTO t VALUES (1,'a'),(2,'b'":                       "INSERT INTO _ VALUES ( ? , ? ) , ( ? , ?",
		"'Ann":                                                      "?",
		"":                                                          "",
	} {
		if got := gate.Mask(text, 1000); got != want {
			t.Errorf("%.60q is masked as\n%q, want\n%q", text, got, want)
		}
	}
	if got := gate.Mask(strings.Repeat("SELECT a, b FROM c;", 100), 50); len(got) > 50 {
		t.Errorf("%d bytes", len(got))
	}
}
