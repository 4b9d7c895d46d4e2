package acceptance

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// After an error in the middle of the rows, the client reads the error after the sent rows, and the connection continues.
func TestErrorsBehindRows(t *testing.T) {
	t.Parallel()
	const rows, invalidJSON = 12_000, 3141
	s := servertest.Start(t, server.Config{})
	conn := s.Connect(t, servertest.Root)
	values := make([]string, rows)
	for i := range values {
		values[i] = fmt.Sprintf(`(%d, '{"a": 1}')`, i)
	}
	values[rows-1] = fmt.Sprintf(`(%d, '{')`, rows)
	for _, statement := range []string{
		"CREATE DATABASE late", "USE late", "CREATE TABLE texts (id INT PRIMARY KEY, j VARCHAR(20))", "INSERT INTO texts VALUES " + strings.Join(values, ", "),
	} {
		if _, err := conn.ExecContext(context.Background(), statement); err != nil {
			t.Fatal(err)
		}
	}
	connection := one[int](t, conn, "SELECT CONNECTION_ID()")
	for protocol, parameters := range map[string][]any{"text": nil, "binary": {0}} {
		query := "SELECT id, JSON_EXTRACT(j, '$.a') FROM texts WHERE id >= 0"
		if parameters != nil {
			query = strings.Replace(query, ">= 0", ">= ?", 1)
		}
		found, err := conn.QueryContext(context.Background(), query, parameters...)
		if err != nil {
			t.Fatalf("%s: %v before a row", protocol, err)
		}
		read := 0
		for found.Next() {
			read++
		}
		var known *mysql.MySQLError
		if err := found.Err(); !errors.As(err, &known) || known.Number != invalidJSON || read == 0 || read >= rows {
			t.Errorf("%s: %v behind %d rows, want error %d behind some", protocol, err, read, invalidJSON)
		}
		found.Close()
		if now := one[int](t, conn, "SELECT CONNECTION_ID()"); now != connection {
			t.Errorf("%s: connection %d goes on as %d", protocol, connection, now)
		}
	}
}
