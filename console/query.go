package console

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/quoting"
)

// Bounds of a displayed result.
const (
	maxRows   = 1000
	maxBytes  = 1 << 20
	cellBytes = 8 // counted for every value beside its text: many NULLs are large, too
)

// A table is a result, as texts.
type table struct {
	Columns []string
	Numeric []bool
	kinds   []string // MySQL types
	Rows    [][]cell
	// Cut says that the result has more rows.
	Cut bool
}

// A cell is a value, as the server wrote it and as a page shows it.
type cell struct {
	Value, Text string
	Null        bool
}

// querier is a connection or a pool of them.
type querier interface {
	QueryContext(ctx context.Context, statement string, arguments ...any) (*sql.Rows, error)
}

// read runs a statement and reads what a page shows. It ends a statement that has more.
func read(ctx context.Context, q querier, statement string, arguments ...any) (*table, error) {
	return readUpTo(ctx, q, maxRows, maxBytes, statement, arguments...)
}

// readUpTo is read with other bounds, of rows and of bytes.
func readUpTo(ctx context.Context, q querier, rows, bytes int, statement string, arguments ...any) (*table, error) {
	size := 0
	return readEach(ctx, q, func(t *table, values []sql.NullString) (more bool) {
		if len(t.Rows) == rows || size > bytes {
			return false
		}
		row := make([]cell, len(values))
		for i, v := range values {
			row[i] = cell{v.String, showValue(v, t.Numeric[i]), !v.Valid}
			size += len(v.String) + cellBytes
		}
		t.Rows = append(t.Rows, row)
		return true
	}, statement, arguments...)
}

// readEach runs a statement and calls take with every row until it returns false; then it ends the statement, and the table is cut.
func readEach(ctx context.Context, q querier, take func(t *table, row []sql.NullString) (more bool), statement string, arguments ...any) (*table, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	rows, err := q.QueryContext(ctx, statement, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	t := &table{}
	if err := t.describe(rows); err != nil {
		return nil, err
	}
	targets, values := make([]any, len(t.Columns)), make([]sql.NullString, len(t.Columns))
	for i := range values {
		targets[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		for i := range values {
			values[i].String = t.written(i, values[i].String)
		}
		if !take(t, values) {
			t.Cut = true
			cancel() // otherwise Close would read the remaining rows
			return t, nil
		}
	}
	return t, rows.Err()
}

// describe reads the columns of a result.
func (t *table) describe(rows *sql.Rows) error {
	types, err := rows.ColumnTypes()
	for _, column := range types {
		kind := column.DatabaseTypeName()
		t.Columns = append(t.Columns, column.Name())
		t.Numeric = append(t.Numeric,
			strings.Contains(kind, "INT") && kind != "POINT" || slices.Contains([]string{"DOUBLE", "FLOAT", "DECIMAL", "YEAR", "BIT"}, kind))
		t.kinds = append(t.kinds, kind)
	}
	return err
}

// written writes a column's value like MySQL's clients. The driver writes numbers from a million on with an exponent, and BIT as bytes.
func (t *table) written(column int, value string) string {
	switch kind := t.kinds[column]; {
	case kind == "BIT" && len(value) <= 8:
		n := uint64(0)
		for _, b := range []byte(value) {
			n = n<<8 | uint64(b)
		}
		if value != "" {
			return strconv.FormatUint(n, 10)
		}
	case (kind == "DOUBLE" || kind == "FLOAT") && strings.Contains(value, "e"):
		if x, err := strconv.ParseFloat(value, 64); err == nil && math.Abs(x) >= 1e-5 && math.Abs(x) < 1e15 {
			return strconv.FormatFloat(x, 'f', -1, 64)
		}
	}
	return value
}

// showValue rounds long decimals for readers; texts stay.
func showValue(v sql.NullString, numeric bool) string {
	if !v.Valid {
		return "NULL"
	}
	text := strings.ToValidUTF8(v.String, "\uFFFD")
	f, err := strconv.ParseFloat(text, 64)
	switch {
	case !numeric || err != nil || !strings.ContainsAny(text, ".e"):
		return text
	case math.Abs(f) >= 1000 && math.Abs(f) < 1e15:
		return strconv.FormatFloat(math.Round(100*f)/100, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', 5, 64)
}

// column returns the cells of a column by its name.
func (t *table) column(name string) (cells []cell) {
	for i, c := range t.Columns {
		if strings.EqualFold(c, name) {
			for _, row := range t.Rows {
				cells = append(cells, row[i])
			}
		}
	}
	return cells
}

// A problem is an error, in MySQL's words if it is the server's.
type problem struct {
	Number uint16 // 0: not the server's
	State  string
	Text   string
}

func problemOf(err error) *problem {
	var said *mysql.MySQLError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &said):
		return &problem{said.Number, string(said.SQLState[:]), strings.ToValidUTF8(said.Message, "\uFFFD")}
	case errors.Is(err, errFull):
		return &problem{Text: err.Error()}
	case errors.Is(err, context.Canceled):
		return &problem{Text: "The question ended with the request that asked it."}
	}
	return &problem{Text: "The connection to the server failed. Ask again, or sign in again."}
}

// isStop reports whether somebody stopped the statement, here, on the page Jobs or in another client.
func (p *problem) isStop() bool { return p != nil && p.Number == interrupted }

// read is read for a page's own statements. It ends the session of an account that the server no longer admits.
func (s *session) read(ctx context.Context, statement string, arguments ...any) (*table, *problem) {
	t, err := read(ctx, s.db, statement, arguments...)
	s.note(err)
	return t, problemOf(err)
}

// interrupted is MySQL's error number for a killed statement.
const interrupted = 1317

// accessDenied is MySQL's error number for a refused login.
const accessDenied = 1045

func (s *session) note(err error) {
	if said, ok := errors.AsType[*mysql.MySQLError](err); ok && said.Number == accessDenied {
		s.denied.Store(true)
	}
}

// published returns the quoted name of a release or relation.
func published(name string) string { return fmt.Sprintf("published.%s", quoting.Name(name)) }
