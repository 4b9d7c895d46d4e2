package acceptance

import (
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// A TIMESTAMP is a moment, shown in the session's time zone; a DATETIME is not.
func TestTimeZonesOfTables(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	answersOf(t, s.Open(t, servertest.Root), filepath.Join("..", "testdata", "mariadb", "time_zones.txt"))
}

// LOAD DATA parses moments in the session's time zone.
func TestTimeZoneOfLoadData(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{})
	db := s.Open(t, servertest.Root)
	db.SetMaxOpenConns(1)
	mysql.RegisterReaderHandler("moments", func() io.Reader { return strings.NewReader("2024-01-05 17:00:00,2024-01-05 17:00:00\n") })
	defer mysql.DeregisterReaderHandler("moments")
	servertest.Exec(t, db, "CREATE DATABASE d", "CREATE TABLE d.t (ts TIMESTAMP, dt DATETIME)", "SET time_zone = '+08:00'",
		"LOAD DATA LOCAL INFILE 'Reader::moments' INTO TABLE d.t FIELDS TERMINATED BY ','", "SET time_zone = '+00:00'")
	if got := one[string](t, db, "SELECT CONCAT(ts, ' ', dt) FROM d.t"); got != "2024-01-05 09:00:00 2024-01-05 17:00:00" {
		t.Errorf("loaded: %s", got)
	}
}

// In every time zone, a published view answers like its table: with exact estimates, and in its rows.
func TestTimeZonesOfViews(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	db := s.Open(t, servertest.Root)
	db.SetMaxOpenConns(1)
	servertest.Exec(t, db, "CREATE DATABASE d", "CREATE TABLE d.people (city VARCHAR(9), stamp TIMESTAMP NULL, at DATETIME, disease VARCHAR(9))",
		`INSERT INTO d.people SELECT ELT(1 + n % 4, 'Oslo', 'Rome', 'Bern', 'Lima'), TIMESTAMP('2024-03-01 07:00:00') + INTERVAL n * 71 MINUTE,
		TIMESTAMP('2024-03-01 07:00:00') + INTERVAL n * 71 MINUTE, ELT(1 + n * 7 % 5, 'flu', 'cold', 'acne', 'gout', 'asthma')
		FROM (WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM s WHERE n < 600) SELECT n FROM s) q`,
		"CALL anonymize('d.people', 'anatomy', 'l=3', 'qi=city,stamp,at', 'sa=disease', 'publish=folk', 'seed=7')")
	questions := []string{
		"SELECT HOUR(stamp), COUNT(*) FROM %s GROUP BY 1 ORDER BY 1", "SELECT DATE(stamp), COUNT(*), MIN(stamp), MAX(at) FROM %s GROUP BY 1 ORDER BY 1",
		"SELECT COUNT(*) FROM %s WHERE stamp > '2024-03-20 12:00:00'", "SELECT COUNT(*) FROM %s WHERE stamp = '2024-03-02 02:40:00'",
		"SELECT COUNT(*) FROM %s WHERE HOUR(stamp) < HOUR(at) AND city = 'Bern'", "SELECT MIN(stamp), MAX(stamp), COUNT(DISTINCT DATE(stamp)) FROM %s",
		"SELECT COUNT(*), SUM(UNIX_TIMESTAMP(stamp) - UNIX_TIMESTAMP(at)) FROM %s", "SELECT stamp, COUNT(*) FROM %s GROUP BY stamp ORDER BY 1 LIMIT 20",
		"SELECT MIN(s.h), MAX(s.h) FROM (SELECT DATE_FORMAT(stamp, '%%m-%%d %%H') h, COUNT(*) FROM %s GROUP BY 1) s",
	}
	for _, zone := range []string{"+00:00", "+08:00", "-05:30", "Europe/Berlin"} { // clocks go forward on 31 March
		servertest.Exec(t, db, "SET time_zone = '"+zone+"'")
		for _, question := range questions {
			want, got := fetchRows(t, db, fmt.Sprintf(question, "d.people")), fetchRows(t, db, fmt.Sprintf(question, "published.folk"))
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s, %s: the view says %v, the table %v", zone, question, got, want)
			}
		}
		shown := fetchRows(t, db, "SELECT DISTINCT stamp FROM published.folk ORDER BY 1")
		if want := fetchRows(t, db, "SELECT DISTINCT stamp FROM d.people ORDER BY 1"); !reflect.DeepEqual(shown, want) {
			t.Errorf("%s: the rows of the view are not at the moments of the table", zone)
		}
	}
	servertest.Exec(t, db, "SET time_zone = '+8:00'")
	if got := one[string](t, db, "SELECT CONCAT(@@time_zone, ' ', MIN(stamp)) FROM d.people"); got != "+08:00 2024-03-01 16:11:00" {
		t.Errorf("+8:00: %s", got)
	}
	for _, zone := range []string{"nonsense", "+15:00", "-14:00", "+08:60", ""} {
		_, err := db.Exec("SET time_zone = '" + zone + "'")
		number(t, err, 1298)
	}
}
