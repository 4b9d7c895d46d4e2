package differential

import (
	dbsql "database/sql"
	"fmt"
	"testing"

	"github.com/anonsql/anonsql/server/servertest"
)

// numbered are statements that generate or set identities.
var numbered = []string{
	"INSERT INTO na (x) VALUES (1), (2)", "INSERT INTO na VALUES (10, 10)", "INSERT INTO na VALUES (20, 20), (21, 21)", "INSERT INTO na VALUES (-5, 5)",
	"INSERT INTO na (x) SELECT 30", "INSERT INTO na SELECT NULL, 40", "INSERT INTO na SELECT 0, 41", "INSERT INTO na (id, x) SELECT 50, 50",
	"REPLACE INTO na (x) VALUES (50)", "REPLACE INTO na VALUES (60, 60)", "REPLACE INTO na (x) VALUES (61), (62)",
	"INSERT IGNORE INTO na (x) VALUES (62)", "INSERT IGNORE INTO na (x) VALUES (63)",
	"INSERT INTO na (x) VALUES (64) ON DUPLICATE KEY UPDATE x = 0", "INSERT INTO na (id, x) VALUES (70, 70) ON DUPLICATE KEY UPDATE x = 0",
	"INSERT INTO na (id, x) VALUES (70, 70) ON DUPLICATE KEY UPDATE x = 71", "INSERT INTO na (x) VALUES (2) ON DUPLICATE KEY UPDATE id = LAST_INSERT_ID(id)",
	"INSERT INTO na (x) VALUES (62) ON DUPLICATE KEY UPDATE x = 72", "INSERT INTO na (x) VALUES (64) ON DUPLICATE KEY UPDATE x = 73, id = 74",
	"INSERT INTO na (x) VALUES (75), (72) ON DUPLICATE KEY UPDATE x = 76",
	"INSERT INTO na (x) VALUES (LAST_INSERT_ID(80))", "INSERT INTO na VALUES (90, LAST_INSERT_ID(91))", "INSERT INTO na (x) VALUES (100), (100)",
	// A table of numbers that an application counts itself.
	"INSERT INTO nb VALUES (1, 7)", "UPDATE nb SET n = LAST_INSERT_ID(n + 1)", "UPDATE nb SET n = n + 1", "UPDATE nb SET n = LAST_INSERT_ID(n + 1) WHERE id = 2",
	"INSERT INTO nb VALUES (1, 0) ON DUPLICATE KEY UPDATE n = LAST_INSERT_ID(n + 1)", "INSERT INTO nb VALUES (1, 0) ON DUPLICATE KEY UPDATE n = n + 1",
	"INSERT INTO nb VALUES (3, LAST_INSERT_ID(5))", "REPLACE INTO nb VALUES (1, 3)", "UPDATE nb SET n = LAST_INSERT_ID(NULL)", "UPDATE nb SET n = LAST_INSERT_ID(2.6)",
	"DELETE FROM nb WHERE n = LAST_INSERT_ID(15)", "SET @x = LAST_INSERT_ID(16)",
}

// The OK of every statement reports the same identity as MariaDB, and so does LAST_INSERT_ID().
func TestIdentities(t *testing.T) {
	p := newPair(t, withTransactions...)
	tables := []string{"CREATE TABLE na (id INT AUTO_INCREMENT PRIMARY KEY, x INT UNIQUE)", "CREATE TABLE nb (id INT PRIMARY KEY, n INT)"}
	servertest.Exec(t, p.own, tables...)
	servertest.Exec(t, p.other, tables...)
	for _, statement := range numbered {
		var said [2]string
		for i, db := range []*dbsql.DB{p.own, p.other} {
			done, err := db.ExecContext(t.Context(), statement)
			id := int64(-1) // of an error
			if err == nil {
				id, _ = done.LastInsertId() // of this driver never an error
			}
			said[i] = fmt.Sprint(id, ask(t, db, "SELECT LAST_INSERT_ID()").rows)
		}
		if said[0] != said[1] {
			t.Errorf("%s says %s, and MariaDB %s", statement, said[0], said[1])
		}
	}
}
