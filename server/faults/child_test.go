// Package faults_test holds servers in processes of their own, which are killed,
// whose disk fills, becomes read-only or is damaged, while clients drive them over
// the wire.
package faults_test

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server/servertest"
)

func TestMain(m *testing.M) {
	servertest.ServeIfChild(nil)
	_ = mysql.SetLogger(log.New(io.Discard, "", 0)) // connections that break are what is tested
	os.Exit(m.Run())
}

func open(t *testing.T, address string) *dbsql.DB {
	t.Helper()
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User = "tcp", address, "root"
	config.Params = maps.Clone(servertest.ListsRelations)
	connector, err := mysql.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	db := dbsql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	return db
}

// query returns the rows of a query, fields joined by |.
func query(db *dbsql.DB, statement string) (lines []string, err error) {
	rows, err := db.QueryContext(context.Background(), statement)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", statement, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	fields, targets := make([]dbsql.NullString, len(columns)), make([]any, len(columns))
	for i := range fields {
		targets[i] = &fields[i]
	}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		texts := make([]string, len(fields))
		for i, f := range fields {
			texts[i] = "NULL"
			if f.Valid {
				texts[i] = f.String
			}
		}
		lines = append(lines, strings.Join(texts, "|"))
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", statement, err)
	}
	return lines, nil
}

func fetch(t *testing.T, db *dbsql.DB, statement string) []string {
	t.Helper()
	lines, err := query(db, statement)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func run(t *testing.T, db *dbsql.DB, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := db.ExecContext(context.Background(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}
