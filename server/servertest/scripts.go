package servertest

import (
	"context"
	dbsql "database/sql"
	"errors"
	"flag"
	"fmt"
	"math"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/testsize"
)

// RunScripts runs every file of the folder, a path from the root of the repository, against a fresh server with the
// given configuration. -rewrite replaces the expected results in the files by the server's answers.
//
// Directives, each with SQL as input:
//
//	exec     the statements must succeed; the output is "ok"
//	query    the result: a line of column names and a line for each row, fields
//	         separated by |, NULL for NULL
//	error    the statement must fail; the output is number (SQLSTATE): message
//	restart  stops the server and starts it again on the same data; no input
//
// Arguments: user=name, password=text, database=name (for the connection, opened
// at first use); session=name for a second connection of the same user;
// sort for rows in the order of their text; types for a line of column types;
// prepared for the binary protocol; affected for the number of rows;
// timed=column to print "-" for the numbers of a column that measures time.
func RunScripts(t *testing.T, folder string, config server.Config) {
	all := testsize.Named() || flag.Lookup("rewrite").Value.String() == "true"
	every, at := testsize.Levels(3, 1, 1), 0
	datadriven.Walk(t, filepath.Join(repository(t), filepath.FromSlash(folder)), func(t *testing.T, path string) {
		if at++; all || at%every == 0 {
			RunScript(t, path, config)
		}
	})
}

// RunScript runs one file.
func RunScript(t *testing.T, path string, config server.Config) {
	s := &script{server: Start(t, config), sessions: map[string]*dbsql.Conn{}}
	datadriven.RunTest(t, path, s.run)
}

type script struct {
	server   *Server
	sessions map[string]*dbsql.Conn
}

func (s *script) run(t *testing.T, d *datadriven.TestData) string {
	if d.Cmd == "restart" {
		s.restart(t)
		return "ok\n"
	}
	conn, err := s.session(t, d)
	if err != nil {
		if d.Cmd == "error" {
			return failure(err)
		}
		d.Fatalf(t, "cannot connect: %v", err)
	}
	switch d.Cmd {
	case "exec":
		result, err := conn.ExecContext(context.Background(), d.Input)
		if err != nil {
			d.Fatalf(t, "%s\n%v", d.Input, err)
		}
		if d.HasArg("affected") {
			n, _ := result.RowsAffected() // this driver never returns an error here
			return fmt.Sprintf("%d rows\n", n)
		}
		return "ok\n"
	case "query":
		text, err := query(t, conn, d)
		if err != nil {
			d.Fatalf(t, "%s\n%v", d.Input, err)
		}
		return text
	case "error":
		text, err := query(t, conn, d)
		if err == nil {
			d.Fatalf(t, "%s\nsucceeded:\n%s", d.Input, text)
		}
		return failure(err)
	}
	d.Fatalf(t, "unknown directive %q: use exec, query, error or restart", d.Cmd)
	return ""
}

func (s *script) restart(t *testing.T) {
	for name, conn := range s.sessions {
		conn.Close()
		delete(s.sessions, name)
	}
	s.server.Stop(t)
	s.server = Start(t, s.server.Config)
}

func (s *script) session(t *testing.T, d *datadriven.TestData) (*dbsql.Conn, error) {
	account := Account{User: "root", MultiStatements: true}
	name := ""
	d.MaybeScanArgs(t, "user", &account.User)
	d.MaybeScanArgs(t, "password", &account.Password)
	d.MaybeScanArgs(t, "database", &account.Database)
	d.MaybeScanArgs(t, "session", &name)
	key := account.User + " " + name
	if conn, ok := s.sessions[key]; ok {
		return conn, nil
	}
	conn, err := s.server.Open(t, account).Conn(context.Background())
	if err != nil {
		return nil, err
	}
	s.sessions[key] = conn
	return conn, nil
}

func query(t *testing.T, conn *dbsql.Conn, d *datadriven.TestData) (string, error) {
	rows, err := ask(conn, d)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var out strings.Builder
	columns, err := rows.Columns()
	if err != nil {
		return "", err
	}
	fmt.Fprintln(&out, strings.Join(columns, "|"))
	if d.HasArg("types") {
		types, err := rows.ColumnTypes()
		if err != nil {
			return "", err
		}
		names := make([]string, len(types))
		for i, t := range types {
			names[i] = t.DatabaseTypeName()
		}
		fmt.Fprintln(&out, strings.Join(names, "|"))
	}
	timed := ""
	d.MaybeScanArgs(t, "timed", &timed)
	lines, err := lines(rows, columns, timed)
	if err != nil {
		return "", err
	}
	if d.HasArg("sort") {
		sort.Strings(lines)
	}
	for _, line := range lines {
		fmt.Fprintln(&out, line)
	}
	return out.String(), nil
}

func ask(conn *dbsql.Conn, d *datadriven.TestData) (*dbsql.Rows, error) {
	if !d.HasArg("prepared") {
		return conn.QueryContext(context.Background(), d.Input)
	}
	statement, err := conn.PrepareContext(context.Background(), d.Input)
	if err != nil {
		return nil, err
	}
	return statement.QueryContext(context.Background())
}

// lines reads all result sets of a batch.
func lines(rows *dbsql.Rows, columns []string, timed string) ([]string, error) {
	var list []string
	for {
		width := len(columns)
		fields := make([]any, width)
		targets := make([]any, width)
		for i := range fields {
			targets[i] = &fields[i]
		}
		for rows.Next() {
			if err := rows.Scan(targets...); err != nil {
				return nil, err
			}
			texts := make([]string, width)
			for i, f := range fields {
				if texts[i] = text(f); columns[i] == timed {
					texts[i] = "-"
				}
			}
			list = append(list, strings.Join(texts, "|"))
		}
		if err := rows.Err(); err != nil {
			return nil, err
		}
		if !rows.NextResultSet() {
			return list, rows.Err()
		}
		var err error
		if columns, err = rows.Columns(); err != nil {
			return nil, err
		}
		list = append(list, "--", strings.Join(columns, "|"))
	}
}

// failure formats an error of the server; of the driver, only its text.
func failure(err error) string {
	if known, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return fmt.Sprintf("%d (%s): %s\n", known.Number, known.SQLState[:], known.Message)
	}
	return err.Error() + "\n"
}

// text formats doubles as MySQL does, with an exponent only where MySQL has one. The driver has parsed the server's
// numbers.
func text(value any) string {
	switch v := value.(type) {
	case nil:
		return "NULL"
	case []byte:
		return string(v)
	case float64:
		return double(v, 64)
	case float32:
		return double(float64(v), 32)
	}
	return fmt.Sprint(value)
}

func double(v float64, bits int) string {
	format := byte('f')
	if size := math.Abs(v); size != 0 && (size >= 1e15 || size < 1e-15) {
		format = 'g'
	}
	return strconv.FormatFloat(v, format, -1, bits)
}
