package acceptance

import (
	dbsql "database/sql"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server/servertest"
)

// Tools see releases in lists of tables, as views with comments. The relations behind them always have names, but
// lists include them only if a session asks.
func TestReleasesAreListedAsViews(t *testing.T) {
	t.Parallel()
	db := publishPatients(t, 60)
	conn := connected(t, db)
	servertest.Exec(t, conn, "SET anon_list_relations = DEFAULT")
	for _, c := range []struct{ query, want string }{
		{"SHOW TABLES FROM published", "p"},
		{"SHOW FULL TABLES FROM published", "p|VIEW"},
		{"SELECT table_name, table_type, engine, table_rows FROM information_schema.tables WHERE table_schema = 'published'", "p|VIEW|NULL|NULL"},
		{"SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'published' AND table_type = 'VIEW'", "1"},
		{"SELECT table_name, is_updatable FROM information_schema.views WHERE table_schema = 'published'", "p|NO"},
		{"SELECT DISTINCT table_name FROM information_schema.columns WHERE table_schema = 'published'", "p"},
		{"SELECT COUNT(*) > 0 FROM published.p_qi1", "1"},
	} {
		if got := strings.Join(servertest.Query(t, conn, "%s", c.query), ","); got != c.want {
			t.Errorf("%s: %s, want %s", c.query, got, c.want)
		}
	}
	status := servertest.Query(t, conn, "SHOW TABLE STATUS FROM published WHERE Comment = 'VIEW'")
	if len(status) != 1 || !strings.HasPrefix(status[0], "p|NULL|NULL|") || !strings.HasSuffix(status[0], "|VIEW") {
		t.Errorf("SHOW TABLE STATUS: %s", status)
	}
	comments := servertest.Query(t, conn, "SELECT column_name, column_comment FROM information_schema.columns WHERE table_schema = 'published' AND table_name = 'p'")
	for _, want := range []string{"age|from p_qi2, quasi-identifiers: figures that combine it with columns of other relations are estimates",
		"disease|from p_sa, sensitive attributes: figures that combine it with columns of other relations are estimates"} {
		if !slices.Contains(comments, want) {
			t.Errorf("comments are %q, without %q", comments, want)
		}
	}
	servertest.Exec(t, conn, "SET anon_list_relations = ON")
	all := servertest.Query(t, conn, "SHOW FULL TABLES FROM published")
	if !slices.Contains(all, "p|VIEW") || !slices.Contains(all, "p_qi1|BASE TABLE") || !slices.Contains(all, "p_gid|BASE TABLE") {
		t.Errorf("with anon_list_relations: %s", all)
	}
}

// SHOW TABLE STATUS shows the comments of tables, as information_schema does; a table without one has an empty text.
func TestTableStatusShowsComments(t *testing.T) {
	t.Parallel()
	conn := connected(t, publishPatients(t, 60))
	servertest.Exec(t, conn, "CREATE DATABASE said")
	servertest.Exec(t, conn, "CREATE TABLE said.plain (a INT)")
	servertest.Exec(t, conn, "CREATE TABLE said.spoken (a INT) COMMENT = 'my people'")
	const listed = "SELECT table_name, table_comment FROM information_schema.tables WHERE table_schema = 'said' ORDER BY table_name"
	if got := strings.Join(servertest.Query(t, conn, listed), ","); got != "plain|,spoken|my people" {
		t.Errorf("information_schema: %s", got)
	}
	status := servertest.Query(t, conn, "SHOW TABLE STATUS FROM said")
	slices.Sort(status)
	if len(status) != 2 || !strings.HasSuffix(status[0], "|") || !strings.HasSuffix(status[1], "|my people") {
		t.Errorf("SHOW TABLE STATUS: %q", status)
	}
}

// A reader of a view's rows gets a note that they are a preview. A list of its columns has no note, and an
// aggregation only notes the estimate.
func TestPreviewHasANote(t *testing.T) {
	t.Parallel()
	conn := connected(t, publishPatients(t, 60))
	for query, noted := range map[string]bool{
		"SELECT * FROM published.p LIMIT 3":                          true,
		"SELECT age FROM published.p ORDER BY age LIMIT 1":           true,
		"SELECT COUNT(*) FROM published.p WHERE age > 30":            false,
		"SHOW COLUMNS FROM published.p":                              false,
		"DESCRIBE published.p":                                       false,
		"EXPLAIN SELECT * FROM published.p":                          false,
		"SELECT column_name FROM information_schema.columns LIMIT 1": false,
	} {
		servertest.Query(t, conn, "%s", query)
		notes := strings.Join(servertest.Query(t, conn, "SHOW WARNINGS"), "\n")
		if got := strings.Contains(notes, "preview: the rows of p are "); got != noted {
			t.Errorf("%s: %q", query, notes)
		}
	}
}

// connected is one connection of a pool.
func connected(t *testing.T, db *dbsql.DB) *dbsql.Conn {
	t.Helper()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// A join of a release's relations notes that its rows are pairs, not records, unless it weighs them by group size.
func TestJoinedRelationsHaveANote(t *testing.T) {
	t.Parallel()
	conn := connected(t, publishPatients(t, 60))
	for query, noted := range map[string]bool{
		"SELECT COUNT(*) FROM published.p_qi1 JOIN published.p_sa USING (gid)":                                                               true,
		"SELECT a.gid FROM published.p_qi1 a, published.p_sa b WHERE a.gid = b.gid LIMIT 1":                                                  true,
		"SELECT SUM(a.count * b.count / g.size) FROM published.p_qi1 a JOIN published.p_sa b USING (gid) JOIN published.p_gid g USING (gid)": false,
		"SELECT COUNT(*) FROM published.p_qi1 a JOIN published.p_qi1 b USING (gid)":                                                          false,
		"SELECT SUM(count) FROM published.p_sa":                                                                                              false,
	} {
		servertest.Query(t, conn, "%s", query)
		notes := strings.Join(servertest.Query(t, conn, "SHOW WARNINGS"), "\n")
		if got := strings.Contains(notes, "pairs: the rows of p_qi1 and p_sa are pairs that may belong together"); got != noted {
			t.Errorf("%s: %q", query, notes)
		}
	}
}
