package acceptance

import (
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// sessionTexts shows how a session converts and compares texts.
const sessionTexts = "SELECT CONCAT_WS(' ', @@character_set_client, @@character_set_connection, @@character_set_results, @@collation_connection, 'a' = 'A')"

// A client that names a collation only in its greeting gets it. If the engine lacks the collation, the client gets the server's.
// The values are those of MySQL 8.0, which takes 45 for utf8mb4_general_ci.
func TestCollationOfTheGreeting(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{})
	const fallback = "utf8mb4 utf8mb4 utf8mb4 utf8mb4_0900_ai_ci 1"
	for collation, want := range map[string]string{
		"utf8mb4_general_ci": "utf8mb4 utf8mb4 utf8mb4 utf8mb4_general_ci 1",
		"utf8mb4_0900_ai_ci": fallback,
		"utf8mb4_bin":        "utf8mb4 utf8mb4 utf8mb4 utf8mb4_bin 0",
		"utf8_general_ci":    "utf8mb3 utf8mb3 utf8mb3 utf8mb3_general_ci 1",
		"latin1_swedish_ci":  "latin1 latin1 latin1 latin1_swedish_ci 1",
		"cp932_japanese_ci":  fallback, // not in the engine
	} {
		config := mysql.NewConfig()
		config.Net, config.Addr, config.User, config.Collation = "tcp", s.Addr, "root", collation
		db := servertest.Dial(t, config)
		if got := one[string](t, db, sessionTexts); got != want {
			t.Errorf("%s: %q, want %q", collation, got, want)
		}
	}
	c := protocolLogIn(t, s.Addr, false)
	for _, change := range []struct {
		collation uint16
		want      string
	}{
		{46, "utf8mb4 utf8mb4 utf8mb4 utf8mb4_bin 0"},
		{309, "utf8mb4 utf8mb4 utf8mb4 utf8mb4_0900_bin 0"},
		{45, "utf8mb4 utf8mb4 utf8mb4 utf8mb4_general_ci 1"},
		{54, fallback},  // utf16_general_ci, in which no client can send statements
		{31, fallback},  // latin1_german2_ci, which anonsql refuses
		{244, fallback}, // utf8mb4_german2_ci likewise
		{65000, fallback},
	} {
		c.collation = change.collation
		if answer := c.changeUser("root", "", ""); answer[0] != 0 {
			t.Fatalf("change of user: %q", answer)
		}
		if got := c.ask(sessionTexts); got != change.want {
			t.Errorf("collation %d: %q, want %q", change.collation, got, change.want)
		}
	}
}

// The stock client names its collation only in its greeting.
func TestCollationOfTheStockClient(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{})
	got, err := mariadb(t, s, "SELECT 'a' = 'A' AS same; SHOW VARIABLES LIKE 'collation_connection';", "--default-character-set=utf8mb4")
	if want := "same\n1\nVariable_name\tValue\ncollation_connection\tutf8mb4_general_ci\n"; err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}
