package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/engine"
	"github.com/anonsql/anonsql/engine/dialect"
	"github.com/anonsql/anonsql/enginetest"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// endless is a query that would take hours, with a mark by which it is found.
const endless = "SELECT count(*) FROM UNNEST(sequence(1, 10000)) AS a(x) CROSS JOIN UNNEST(sequence(1, 10000)) AS b(y) CROSS JOIN UNNEST(sequence(1, 10000)) AS c(z) WHERE x * y + z = 7 -- "

// state returns the state of the marked statement in the engine's list.
func state(t *testing.T, c engine.Conn, mark string) (found string) {
	t.Helper()
	err := c.Query(context.Background(), "SELECT state FROM system.runtime.queries WHERE query LIKE '%-- "+mark+"' AND query NOT LIKE '%runtime.queries%'", func(v []any) error {
		found, _ = v[0].(string)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// until waits for a state of the statement with a mark.
func until(t *testing.T, c engine.Conn, mark, want string) {
	t.Helper()
	last := ""
	for range 300 {
		if last = state(t, c, mark); last == want {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("the statement %s is %s, want %s", mark, last, want)
}

// TestCancel: a statement ends in the engine when its context does.
func TestCancel(t *testing.T) {
	client := enginetest.Need(t).Client
	for mark, run := range map[string]func(ctx context.Context, text string) error{
		"query": func(ctx context.Context, text string) error {
			return client.Query(ctx, text, func([]any) error { return nil })
		},
		"exec": func(ctx context.Context, text string) error {
			_, err := client.Exec(ctx, text)
			return err
		},
	} {
		mark += time.Now().Format(" 150405.000000")
		ctx, cancel := context.WithCancelCause(context.Background())
		ended, killed := make(chan error, 1), errors.New("killed")
		go func() { ended <- run(ctx, endless+mark) }()
		until(t, client, mark, "RUNNING")
		cancel(killed)
		if err := <-ended; !errors.Is(err, killed) {
			t.Errorf("%s: %v, want the cause", mark, err)
		}
		until(t, client, mark, "FAILED")
	}
}

// TestRealErrors: the engine's own, with their numbers.
func TestRealErrors(t *testing.T) {
	client := enginetest.Need(t).Client
	for text, want := range map[string]int{
		"SELECT * FROM iceberg.nowhere.t":          1146,
		"SELECT nothing FROM system.runtime.nodes": 1054,
		"SELECT 1 / 0": 1105,
		"SELEC 1":      1105,
		"CREATE TABLE iceberg.nowhere.t AS SELECT 1 AS number": 1146,
	} {
		_, err := client.Exec(context.Background(), text)
		if number(err) != want {
			t.Errorf("%s: %v, want %d", text, err, want)
		}
	}
}

// TestDialect: the dialect's texts mean in the engine what they should.
func TestDialect(t *testing.T) {
	client, d := enginetest.Need(t).Client, dialect.Trino
	at := time.Date(2020, 2, 29, 23, 59, 58, 123456000, time.UTC)
	number := func(text string) string {
		written, ok := d.Number(text)
		if !ok {
			t.Errorf("%s is refused", text)
		}
		return written
	}
	const key = "X'00112233445566778899AABBCCDDEEFF'"
	for expression, want := range map[string]string{
		d.Text(`it's \ 100% "ü"`): `string[it's \ 100% "ü"]`, d.Boolean(true): "bool[true]", d.Null(): "<nil>[<nil>]",
		number("-9223372036854775808"): "int64[-9223372036854775808]", number("0.10"): "string[0.10]", number("-1.5e-3"): "float64[-0.0015]",
		number("12345678901234567890123456789012345678"): "string[12345678901234567890123456789012345678]",
		d.Date(at): "time.Time[2020-02-29 00:00:00 +0000 UTC]", d.Timestamp(at): "time.Time[2020-02-29 23:59:58.123456 +0000 UTC]",
		d.Double(1.0 / 3):                                                    "float64[0.3333333333333333]",
		d.CastDecimal("7", 38, 2):                                            "string[7.00]",
		d.Cast("DECIMAL '7.5'", dialect.Text):                                "string[7.5]",
		d.HashText("'a'", key) + " = " + d.HashText("'a '", key):             "bool[false]",
		"length(" + d.HashText("'a'", key) + ")":                             "int64[32]",
		d.Row("'a'", "NULL", "12") + " = '1:an2:12'":                         "bool[true]",
		d.Row("CAST(NULL AS VARCHAR)", "'a'") + " = " + d.Row("'a'", "NULL"): "bool[false]",
		"(SELECT " + d.SumOfDigests("X'00000000000001FFFFFFFFFFFFFFFF'", 8, "n") + " FROM (VALUES BIGINT '10000000000', BIGINT '3') AS t(n))": "string[720575940595452132113783805]",
		"to_hex(hmac_sha256(to_utf8('a'), " + key + ")) = upper(to_hex(" + d.HashText("'a'", key) + "))":                                      "bool[true]",
	} {
		found, err := rows(client, "SELECT "+expression)
		if err != nil || strings.Join(found, ";") != want {
			t.Errorf("%s is %q, %v, want %q", expression, found, err, want)
		}
	}
}

// TestTableAs creates a table from a query, and gets its number of rows.
func TestTableAs(t *testing.T) {
	client := enginetest.Need(t).Client
	// The engine cannot drop a schema that contains a table with such a name, and several runs share it.
	schema := fmt.Sprintf("tableas%d", time.Now().UnixNano())
	name := dialect.Trino.Name("iceberg", schema, "It's a table")
	if _, err := client.Exec(context.Background(), "CREATE SCHEMA "+schema); err != nil {
		t.Fatal(err)
	}
	properties := []dialect.Property{{Name: "format", Value: "PARQUET"}, {Name: "sorted_by", Values: []string{"n"}}}
	n, err := client.Exec(context.Background(), dialect.Trino.CreateTableAs(name, "it's", properties, "SELECT n FROM UNNEST(sequence(1, 1000)) AS t(n)"))
	if err != nil || n != 1000 {
		t.Errorf("%d rows, %v, want 1000", n, err)
	}
	found, err := rows(client, "SELECT sum(n) FROM "+name)
	if err != nil || strings.Join(found, ";") != "int64[500500]" {
		t.Errorf("the sum is %q, %v", found, err)
	}
}
