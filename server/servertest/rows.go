package servertest

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

// A Queryer is a pool of connections, or one connection.
type Queryer interface {
	QueryContext(context.Context, string, ...any) (*dbsql.Rows, error)
}

// Rows returns the rows of a statement, with values as texts.
func Rows(db Queryer, statement string, arguments ...any) (found [][]dbsql.NullString, err error) {
	rows, err := db.QueryContext(context.Background(), statement, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		values, to := make([]dbsql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			to[i] = &values[i]
		}
		if err := rows.Scan(to...); err != nil {
			return nil, err
		}
		found = append(found, values)
	}
	return found, rows.Err()
}

// Tries is [Rows] with values joined by |.
func Tries(db Queryer, statement string, arguments ...any) (found []string, err error) {
	rows, err := Rows(db, statement, arguments...)
	for _, values := range rows {
		texts := make([]string, len(values))
		for i, v := range values {
			if texts[i] = v.String; !v.Valid {
				texts[i] = "NULL"
			}
		}
		found = append(found, strings.Join(texts, "|"))
	}
	return found, err
}

// Drain reads all rows of an answer, and returns the first error.
func Drain(rows *dbsql.Rows, err error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}

// Query is [Tries] for a statement that must succeed.
func Query(t testing.TB, db Queryer, format string, arguments ...any) []string {
	t.Helper()
	statement := fmt.Sprintf(format, arguments...)
	found, err := Tries(db, statement)
	if err != nil {
		t.Fatalf("%.300s: %v", statement, err)
	}
	return found
}

// Refused expects an error with this number and this text.
func Refused(t testing.TB, db Queryer, number int, says, format string, arguments ...any) {
	t.Helper()
	statement := fmt.Sprintf(format, arguments...)
	if _, err := Tries(db, statement); Number(err) != number || !strings.Contains(err.Error(), says) {
		t.Errorf("%s: %v, want error %d with %q", statement, err, number, says)
	}
}

// SameAnswers compares answers of [Tries]. It compares numbers to nine digits, since sums depend on their order, and ignores differences up to least.
func SameAnswers(a, b []string, least float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := strings.Split(a[i], "|"), strings.Split(b[i], "|")
		for j := range x {
			v, err := strconv.ParseFloat(x[j], 64)
			w, wrong := strconv.ParseFloat(y[j], 64)
			if err != nil || wrong != nil {
				if x[j] != y[j] {
					return false
				}
			} else if math.Abs(v-w) > max(least, 1e-9*math.Abs(v), 1e-9*math.Abs(w)) {
				return false
			}
		}
	}
	return true
}
