package acceptance

import (
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// The server keeps no statistics of values, since accounts that may not read a table would see them.
func TestNoStatisticsAreKept(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	root := s.Connect(t, servertest.Root)
	servertest.Exec(t, root, "CREATE DATABASE raw", "CREATE DATABASE mine",
		"CREATE TABLE raw.secret (a INT, KEY (a))", "INSERT INTO raw.secret VALUES (770077)", "CREATE TABLE mine.secret (a INT, KEY (a))",
		"CREATE USER ana@'%' IDENTIFIED BY 's'", "GRANT ALL ON mine.* TO ana", "GRANT INSERT ON raw.secret TO ana")
	ana := s.Connect(t, servertest.Account{User: "ana", Password: "s"})
	servertest.Exec(t, ana, "USE mine")
	servertest.Refused(t, ana, 1142, "SELECT, INSERT command denied", "ANALYZE TABLE raw.secret")
	for _, statement := range []string{"ANALYZE TABLE secret UPDATE HISTOGRAM ON a USING DATA '{}'", "ANALYZE TABLE secret DROP HISTOGRAM ON a"} {
		servertest.Refused(t, ana, 1235, "keeps no histograms", "%s", statement)
	}
	for _, statement := range []string{"ANALYZE TABLE secret", "ANALYZE TABLE mine.secret"} {
		if rows := servertest.Query(t, ana, "%s", statement); len(rows) != 1 || !strings.Contains(rows[0], "OK") {
			t.Errorf("%s: %q", statement, rows)
		}
	}
	if rows := servertest.Query(t, root, "ANALYZE TABLE raw.secret"); len(rows) != 1 || !strings.Contains(rows[0], "OK") {
		t.Errorf("root: %q", rows)
	}
	if rows := servertest.Query(t, root, "SELECT * FROM information_schema.column_statistics"); len(rows) != 0 {
		t.Errorf("statistics are kept: %q", rows)
	}
}
