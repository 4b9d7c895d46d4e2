package differential

import (
	"context"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/anonsql/anonsql/mariadbtest"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

const (
	// bytesCharset is the number of the character set of bytes, numbers and times.
	bytesCharset = 63
	// mostBytes is the greatest length of a character in utf8mb4.
	mostBytes = 4
)

// definitionDifferences are wrong, or right, for a reason.
var definitionDifferences = []difference{
	{regexp.MustCompile(`(%|MOD\(|GREATEST\(|LEAST\().*[-+*]|[-+*].*(%|MOD\()`), "a DECIMAL that is calculated inside of these has the engine's type, of few digits"},
	{regexp.MustCompile(`\(NULL`), "MariaDB has bytes for a NULL"},
}

// The column definitions of random queries are right: texts are where MariaDB has texts, times have its decimals, and every value fits
// into its column's length. Lengths may differ from MariaDB's, which counts computed digits in its own way, as does MySQL.
func TestDefinitions(t *testing.T) {
	queries, seed := queriesOr(250, 1000), *seed
	own, other := definers(t)
	compared, shown := 0, 0
	for at := range queries {
		q := newGrammar(seed, at).query()
		a, err := own.ExecuteFetch(q.String(), 1e5, true)
		b, otherErr := other.ExecuteFetch(q.String(), 1e5, true)
		if err != nil || otherErr != nil || len(a.Fields) != len(b.Fields) {
			continue
		}
		compared++
		named := func(d difference) bool { return d.query.MatchString(q.String()) }
		for _, wrong := range wrongDefinitions(a, b) {
			if slices.ContainsFunc(definitionDifferences, named) {
				continue
			}
			if shown++; shown <= 40 {
				t.Errorf("query %d, %s: %s", at, wrong, q)
			}
		}
	}
	t.Logf("seed %d: %d of %d queries compared, %d wrong definitions", seed, compared, queries, shown)
	if compared < int(queries)*9/10 {
		t.Errorf("only %d of %d queries are answered by both", compared, queries)
	}
}

// wrongDefinitions describes the errors in own's columns.
func wrongDefinitions(own, other *sqltypes.Result) (wrong []string) {
	for i, f := range own.Fields {
		o := other.Fields[i]
		said := fmt.Sprintf("column %d, %s of length %d with %d decimals", i, f.Type, f.ColumnLength, f.Decimals)
		if isText(f) && isText(o) && (f.Charset == bytesCharset) != (o.Charset == bytesCharset) {
			wrong = append(wrong, fmt.Sprintf("%s has the character set %d, and not %d", said, f.Charset, o.Charset))
		}
		if isTime(f) && isTime(o) && f.Decimals != o.Decimals {
			wrong = append(wrong, fmt.Sprintf("%s must have %d", said, o.Decimals))
		}
		if f.Type == querypb.Type_FLOAT64 || f.Type == querypb.Type_FLOAT32 { // in both servers, small values are longer
			continue
		}
		for _, row := range own.Rows {
			if value := row[i]; !value.IsNull() && sentLength(f, value.ToString()) > int(f.ColumnLength) {
				wrong = append(wrong, fmt.Sprintf("%s has the value %q", said, value.ToString()))
				break
			}
		}
	}
	return wrong
}

// sentLength is the length of a value as definitions count it.
func sentLength(f *querypb.Field, value string) int {
	switch {
	case isText(f) && f.Charset != bytesCharset:
		return mostBytes * utf8.RuneCountInString(value)
	case f.Type == querypb.Type_DECIMAL: // room for a sign is always there, and for the 0 before the point not
		return len(strings.Replace(strings.TrimPrefix(value, "-"), "0.", ".", 1)) + 1
	}
	return len(value)
}

func isText(f *querypb.Field) bool { return sqltypes.IsText(f.Type) || sqltypes.IsBinary(f.Type) }

func isTime(f *querypb.Field) bool {
	return f.Type == querypb.Type_DATETIME || f.Type == querypb.Type_TIMESTAMP || f.Type == querypb.Type_TIME
}

// definers are connections to the two servers that show the definitions of columns.
func definers(t *testing.T) (own, other *mysql.Conn) {
	t.Helper()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	m := mariadbtest.Start(t, mariadbtest.Options{WithoutAccounts: true})
	servertest.Exec(t, connect(t, "tcp", s.Addr, "root"), tables...)
	servertest.Exec(t, connect(t, "unix", m.Socket, ""), tables...)
	host, port, _ := net.SplitHostPort(s.Addr)
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	own = definer(t, mysql.ConnParams{Host: host, Port: number})
	other = definer(t, mysql.ConnParams{UnixSocket: m.Socket}, "SET NAMES utf8mb4 COLLATE utf8mb4_bin")
	return own, other
}

func definer(t *testing.T, to mysql.ConnParams, settings ...string) *mysql.Conn {
	t.Helper()
	to.Uname, to.Charset, to.DbName = "root", "utf8mb4", "d"
	conn, err := mysql.Connect(context.Background(), &to)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	for _, s := range append(settings, "SET time_zone = '+00:00'", "SET sql_mode = 'STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE'") {
		if _, err := conn.ExecuteFetch(s, 1, false); err != nil {
			t.Fatal(err)
		}
	}
	return conn
}
