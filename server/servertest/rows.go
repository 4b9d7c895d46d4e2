package servertest

import (
	dbsql "database/sql"
	"fmt"
	"strings"
	"testing"
)

// Tries returns rows, values joined by |.
func Tries(db *dbsql.DB, statement string) (found []string, err error) {
	rows, err := db.Query(statement)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		values := make([]dbsql.NullString, len(columns))
		to := make([]any, len(columns))
		for i := range values {
			to[i] = &values[i]
		}
		if err := rows.Scan(to...); err != nil {
			return nil, err
		}
		texts := make([]string, len(columns))
		for i, v := range values {
			if texts[i] = v.String; !v.Valid {
				texts[i] = "NULL"
			}
		}
		found = append(found, strings.Join(texts, "|"))
	}
	return found, rows.Err()
}

// Query is [Tries] that must succeed.
func Query(t testing.TB, db *dbsql.DB, format string, arguments ...any) []string {
	t.Helper()
	statement := fmt.Sprintf(format, arguments...)
	found, err := Tries(db, statement)
	if err != nil {
		t.Fatalf("%.300s: %v", statement, err)
	}
	return found
}

// Refused wants an error of this number that has this text.
func Refused(t testing.TB, db *dbsql.DB, number int, says, format string, arguments ...any) {
	t.Helper()
	statement := fmt.Sprintf(format, arguments...)
	if _, err := Tries(db, statement); Number(err) != number || !strings.Contains(err.Error(), says) {
		t.Errorf("%s: %v, want error %d with %q", statement, err, number, says)
	}
}
