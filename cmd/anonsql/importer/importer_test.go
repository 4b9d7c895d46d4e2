package importer

import (
	"bytes"
	"context"
	dbsql "database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sqle "github.com/dolthub/go-mysql-server"
	gms "github.com/dolthub/go-mysql-server/server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/parquet-go/parquet-go"

	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/catalog"
	files "github.com/anonsql/anonsql/catalog/directory"
	"github.com/anonsql/anonsql/server/loaddata"
)

// If the loaded table cannot be dropped, the error says that it may exist, with an unknown number of rows.
func TestTableThatCannotBeDropped(t *testing.T) {
	db, err := dbsql.Open("mysql", "root@tcp(127.0.0.1:1)/")
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	err = (&server{db: db}).undo(t.Context(), Options{Database: "d"}, "t__importing")
	if err == nil || !strings.HasPrefix(err.Error(), "table d.t__importing, if it was made, is left, empty or with rows: drop it: ") {
		t.Errorf("%v", err)
	}
}

// A place is an import's destination: a catalog, or a plain server on it.
type place struct {
	name    string
	catalog *catalog.Catalog
	do      func(Options) (*Result, error)
}

func open(t testing.TB) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Open(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func onBoth(t *testing.T, test func(t *testing.T, p place)) {
	t.Run("directory", func(t *testing.T) {
		c := open(t)
		test(t, place{"directory", c, func(o Options) (*Result, error) { return ToCatalog(context.Background(), c, o) }})
	})
	t.Run("server", func(t *testing.T) {
		c := open(t)
		address := serve(t, c)
		test(t, place{"server", c, func(o Options) (*Result, error) {
			o.Server, o.User = address, "root"
			return ToServer(context.Background(), o)
		}})
	})
}

// loads plugs in LOAD DATA as anonsql's server does.
type loads struct{}

func (loads) Build(ctx *sql.Context, n sql.Node, _ sql.Row) (sql.RowIter, error) {
	if insert, load, ok := loaddata.Match(n); ok {
		return loaddata.Exec(ctx, insert, load)
	}
	return nil, nil
}

// serve starts the engine's own server on c.
func serve(t testing.TB, c *catalog.Catalog) string {
	t.Helper()
	if err := sql.SystemVariables.AssignValues(map[string]any{"local_infile": int8(1)}); err != nil {
		t.Fatal(err)
	}
	a := analyzer.NewBuilder(c.Provider()).Build()
	a.ExecBuilder = rowexec.NewOverrideBuilder(loads{})
	engine := sqle.New(a, nil)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	sessions := func(_ context.Context, conn *mysql.Conn, addr string) (sql.Session, error) {
		client := sql.Client{User: conn.User, Address: conn.RemoteAddr().String(), Capabilities: conn.Capabilities}
		return c.NewSession(sql.NewBaseSessionWithClientServer(addr, client, conn.ConnectionID)), nil
	}
	s, err := gms.NewServer(gms.Config{Protocol: "tcp", Address: address, Listener: listener}, engine, sql.NewContext, sessions, nil)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Start() }()
	t.Cleanup(func() {
		s.Close()
		<-done
		engine.Close()
	})
	return address
}

func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// query reads a catalog with a separate engine.
func query(t testing.TB, c *catalog.Catalog, statement string) string {
	t.Helper()
	engine := sqle.New(analyzer.NewBuilder(c.Provider()).Build(), nil)
	defer engine.Close()
	session := c.NewSession(sql.NewBaseSession())
	defer session.SessionEnd()
	ctx := sql.NewContext(context.Background(), sql.WithSession(session))
	schema, iter, _, err := engine.Query(ctx, statement)
	if err != nil {
		return err.Error()
	}
	rows, err := sql.RowIterToRows(ctx, iter)
	if err != nil {
		return err.Error()
	}
	var lines []string
	for _, r := range rows {
		fields := make([]string, len(r))
		for i, v := range r {
			fields[i] = "NULL"
			if v != nil {
				s, _, err := types.LongText.Convert(ctx, v)
				if err != nil {
					t.Fatal(schema[i].Name, err)
				}
				fields[i] = fmt.Sprint(s)
			}
		}
		lines = append(lines, strings.Join(fields, "|"))
	}
	return strings.Join(lines, "\n")
}

func same(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

const people = "id, education-num, name, active, born, score, note\n" +
	"1, 13, \"Ada, née \"\"B\"\"\", true, 2001-05-04, 1.50, ?\n" +
	"2, ?, Ben\\N, FALSE, 1999-12-31, 22, \"tab\tand\\\nline\"\n" +
	"3, 9, \"? \", ?, 1980-01-01, -3.125, \r\n"

func TestImport(t *testing.T) {
	onBoth(t, func(t *testing.T, p place) {
		result, err := p.do(Options{File: write(t, "people.csv", people), Database: "db", Table: "people", NullTokens: []string{"?"}})
		if err != nil {
			t.Fatal(err)
		}
		if result.Rows != 3 || !result.Created || result.Bytes != int64(len(people)) ||
			fmt.Sprint(result.Renamed) != "[{education-num education_num}]" {
			t.Errorf("result: %+v", result)
		}
		same(t, query(t, p.catalog, "SELECT * FROM db.people ORDER BY id"),
			"1|13|Ada, née \"B\"|1|2001-05-04 00:00:00|1.500|NULL\n"+
				"2|NULL|Ben\\N|0|1999-12-31 00:00:00|22.000|tab\tand\\\nline\n"+
				"3|9|? |NULL|1980-01-01 00:00:00|-3.125|")
		same(t, query(t, p.catalog, "SELECT column_type, is_nullable FROM information_schema.columns WHERE table_name = 'people' ORDER BY ordinal_position"),
			"int|YES\nint|YES\nvarchar(16)|YES\ntinyint(1)|YES\ndate|YES\ndecimal(5,3)|YES\nvarchar(16)|YES")
	})
}

// A reading is a text, the options for reading it, and its rows.
type reading struct {
	text string
	o    Options
	want string
}

// TestReadings: empty fields are NULL among numbers and dates; dates are read as people write them; texts that mean NULL may be empty or have commas.
func TestReadings(t *testing.T) {
	const gaps = "n,age,day\na,22,2017-01-02\nb,,\nc,30.5,2018-03-04\n"
	checkReadings(t, []reading{
		{gaps, Options{}, "a|22.0|2017-01-02 b|NULL|NULL c|30.5|2018-03-04"},
		{gaps, Options{NullTokens: []string{""}}, "a|22.0|2017-01-02 b|NULL|NULL c|30.5|2018-03-04"},
		{gaps, Options{KeepEmpty: true}, "a|22|2017-01-02 b|| c|30.5|2018-03-04"},
		{"n,x\n?,1\n,2\nc,3\n", Options{NullTokens: []string{"?", ""}}, "NULL|1 NULL|2 c|3"},
		{"n,x\n\"n/a, unknown\",1\nb,2\n", Options{NullTokens: []string{"n/a, unknown"}}, "NULL|1 b|2"},
		{"n,x\n,1\nb,2\n", Options{}, "|1 b|2"},
		{"#,age\n1,30\n2,40\n", Options{NameEmpty: true}, "1|30 2|40"},
		{"x;d\n1234,50;31.12.2017\n-3,5;1.2.2017\n;\n", Options{}, "1234.50|2017-12-31 -3.50|2017-02-01 NULL|NULL"},
		{"x,d\n1,12/31/2017\n2,1/2/2017\n", Options{}, "1|2017-12-31 2|2017-01-02"},
		{"x,d\n1,31/12/2017\n2,1/2/2017\n", Options{}, "1|2017-12-31 2|2017-02-01"},
		{"x,d\n1,2/1/2017\n", Options{Dates: "dmy"}, "1|2017-01-02"},
		{"x,d\n1,2/1/2017\n", Options{Dates: "mdy"}, "1|2017-02-01"},
		{"x,d\n1,2/1/2017\n", Options{}, "1|2/1/2017"},
		{"d;n\n31.12.2017 14:05;a\n1.2.2017;b\n", Options{}, "2017-12-31 14:05:00|a 2017-02-01|b"},
		{"d;n\n31/12/2017, 14:05:06.5;a\n1/2/2017 1:02;b\n", Options{}, "2017-12-31 14:05:06.5|a 2017-02-01 01:02:00|b"},
		{"d;n\n12/31/2017 2:05 PM;a\n1/2/2017 12:30 a.m.;b\n", Options{}, "2017-12-31 14:05:00|a 2017-01-02 00:30:00|b"},
		{"d;n\n31-12-2017;a\n1-2-2017;b\n", Options{}, "2017-12-31|a 2017-02-01|b"},
		{"d;n\n2017/12/31;a\n2017-2-1;b\n2017-02-03;c\n", Options{}, "2017-12-31|a 2017-02-01|b 2017-02-03|c"},
		{"d;n\n2017-12-31 14:05;a\n2017-02-01T03:04:05;b\n", Options{}, "2017-12-31 14:05:00|a 2017-02-01 03:04:05|b"},
		{"d;n\n1/2/2017 3:04;a\n", Options{}, "1/2/2017 3:04|a"},
		{"d;n\n1/2/2017 3:04;a\n", Options{Dates: "mdy"}, "2017-01-02 03:04:00|a"},
		{"d;n\n30.2.2017 3:04;a\n31.12.2017 25:00;b\n", Options{}, "30.2.2017 3:04|a 31.12.2017 25:00|b"},
		{"d;n\n078-05-1120;a\n1.2.3;b\n", Options{}, "078-05-1120|a 1.2.3|b"},
		{"b,d\ntrue,x\n,y\nFALSE,z\n", Options{}, "1|x NULL|y 0|z"},
	})
}

// TestNumbers: numbers are read as people write them, and no digit is lost.
func TestNumbers(t *testing.T) {
	checkReadings(t, []reading{
		{"x;n\n1.234,50;a\n-999,5;b\n1.234;c\n12;d\n", Options{}, "1234.50|a -999.50|b 1234.00|c 12.00|d"},
		{"x;n\n1.234.567,5;a\n3;b\n", Options{}, "1234567.5|a 3.0|b"},
		{"x;n\n1,234.50;a\n1,234;b\n0.25;c\n", Options{}, "1234.50|a 1234.00|b 0.25|c"},
		{"x;n\n1 234,50;a\n1\u202f234\u202f567,5;b\n", Options{}, "1234.50|a 1234567.50|b"},
		{"x;n\n1'234.50;a\n7;b\n", Options{}, "1234.50|a 7.00|b"},
		{"x;n\n1,234;a\n12;b\n", Options{}, "1,234|a 12|b"},
		{"x;n\n1,234;a\n12;b\n", Options{Decimal: "comma"}, "1.234|a 12.000|b"},
		{"x;n\n1,234;a\n12;b\n", Options{Decimal: "point"}, "1234|a 12|b"},
		{"x;n\n12.345.678;a\n23.456.789;b\n", Options{}, "12.345.678|a 23.456.789|b"},
		{"x;n\n12.345.678;a\n23.456.789;b\n", Options{Decimal: "comma"}, "12345678|a 23456789|b"},
		{"x;n\na;1.234\nb;987\nc;12.500\n", Options{Decimal: "comma"}, "a|1234 b|987 c|12500"},
		{"x;n\na;1.234\nb;987\nc;1.234.567\n", Options{Decimal: "comma"}, "a|1234 b|987 c|1234567"},
		{"x;n\na;1.234\nb;987\nc;12.500\n", Options{}, "a|1.234 b|987.000 c|12.500"},
		{"x;n\na;1234567890.12345678901\nb;-0.5\n", Options{}, "a|1234567890.12345678901 b|-0.50000000000"},
		{"x;n\na;0.123456789012345678901234567891\nb;12345678901234567890123456789012345\n", Options{},
			"a|0.123456789012345678901234567891 b|12345678901234567890123456789012345.000000000000000000000000000000"},
	})
}

func checkReadings(t *testing.T, readings []reading) {
	t.Helper()
	for _, c := range readings {
		c.o.Database, c.o.Table, c.o.DataDir, c.o.File = "n", "n", filepath.Join(t.TempDir(), "d"), write(t, "f.csv", c.text)
		if _, err := ToDataDir(context.Background(), c.o); err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		made, err := catalog.Open(c.o.DataDir)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.ReplaceAll(strings.ReplaceAll(query(t, made, "SELECT * FROM n.n"), " 00:00:00", ""), "\n", " ")
		if got != c.want {
			t.Errorf("%q: %s\nwant %s", c.text, got, c.want)
		}
		made.Close()
	}
}

// TestPolicies: an existing table is an error, more rows, or replaced.
func TestPolicies(t *testing.T) {
	onBoth(t, func(t *testing.T, p place) {
		o := Options{File: write(t, "f.csv", "a,b\n1,true\n2,false\n"), Database: "db", Table: "t"}
		if _, err := p.do(o); err != nil {
			t.Fatal(err)
		}
		if _, err := p.do(o); err == nil || !strings.Contains(err.Error(), "table db.t exists already") {
			t.Errorf("got %v", err)
		}
		o.Policy = Append
		if r, err := p.do(o); err != nil || r.Rows != 2 || r.Created {
			t.Errorf("got %+v, %v", r, err)
		}
		o.File = write(t, "g.csv", "b;a\n1;9\n")
		o.Delimiter = ";"
		if _, err := p.do(o); err != nil {
			t.Error(err)
		}
		same(t, query(t, p.catalog, "SELECT a, b FROM db.t ORDER BY a, b"), "1|1\n1|1\n2|0\n2|0\n9|1")
		o.File = write(t, "less.csv", "a\n3\n") // an imported column accepts NULL, and the user is told
		if r, err := p.do(o); err != nil || len(r.Notes) != 1 || !strings.HasPrefix(r.Notes[0], "the file has no column b: ") {
			t.Errorf("got %+v, %v", r, err)
		}
		same(t, query(t, p.catalog, "SELECT COUNT(*), COUNT(b) FROM db.t WHERE a = 3"), "1|0")
		o.Policy = Replace
		o.File = write(t, "h.csv", "x\ny\n")
		if r, err := p.do(o); err != nil || !r.Created {
			t.Errorf("got %+v, %v", r, err)
		}
		same(t, query(t, p.catalog, "SELECT * FROM db.t"), "y")
		same(t, query(t, p.catalog, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'db'"), "t")
	})
}

// TestFailedImports change nothing.
func TestFailedImports(t *testing.T) {
	onBoth(t, func(t *testing.T, p place) {
		o := Options{File: write(t, "f.csv", "a,b\n1,x\n"), Database: "db", Table: "t"}
		if _, err := p.do(o); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			text   string
			policy Policy
			table  string
			want   string
		}{
			{"a,b\n1,x\n2\n", Create, "new", "row 2 (line 3): expected 2 fields, found 1"},
			{"a,b\n1,\xff\n", Create, "new", "row 1 (line 2), column 2 (b): not valid UTF-8"},
			{"", Create, "new", "there is no header"},
			{"a,a\n", Create, "new", "would both be named \"a\". Say --names"},
			{"a,b\n2,y\nz,y\n", Append, "t", "Incorrect integer value: 'z' for column 'a' at row 2"},
			{"a,b\n2,y\n3," + strings.Repeat("y", 300) + "\n", Append, "t", "Data too long for column 'b' at row 2"},
			{"a,c\n2,y\n", Append, "t", "table db.t has no column c, which "},
			{"a,b\n", Replace + 1, "t", "policy"},
		} {
			o := Options{File: write(t, "f.csv", c.text), Database: "db", Table: c.table, Policy: c.policy}
			if _, err := p.do(o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q: got %v, want %q", c.text, err, c.want)
			}
		}
		same(t, query(t, p.catalog, "SELECT * FROM db.t"), "1|x")
		same(t, query(t, p.catalog, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'db'"), "t")
	})
}

// create makes the table db.t.
func (p place) create(t *testing.T, schema sql.Schema) {
	t.Helper()
	session := p.catalog.NewSession(sql.NewBaseSession())
	defer session.SessionEnd()
	ctx := sql.NewContext(context.Background(), sql.WithSession(session))
	if err := p.catalog.Provider().CreateDatabase(ctx, "db"); err != nil {
		t.Fatal(err)
	}
	db, err := p.catalog.Provider().Database(ctx, "db")
	if err != nil {
		t.Fatal(err)
	}
	if err := db.(sql.TableCreator).CreateTable(ctx, "t", sql.NewPrimaryKeySchema(schema), sql.Collation_Default, ""); err != nil {
		t.Fatal(err)
	}
	if err := session.CommitTransaction(ctx, nil); err != nil {
		t.Fatal(err)
	}
}

// TestAppendByTheTablesColumns: the types of the table say how fields are read, not those that the file alone would have.
func TestAppendByTheTablesColumns(t *testing.T) {
	onBoth(t, func(t *testing.T, p place) {
		p.create(t, sql.Schema{{Name: "seen", Type: types.Datetime, Nullable: true, Source: "t"}, {Name: "doc", Type: types.JSON, Nullable: true, Source: "t"},
			{Name: "raw", Type: types.MustCreateBinary(sqltypes.VarBinary, 20), Nullable: true, Source: "t"},
			{Name: "n", Type: types.Int32, Nullable: true, Source: "t"}, {Name: "name", Type: types.Text, Nullable: true, Source: "t"}})
		o := Options{File: write(t, "f.csv", "seen,doc,raw,n,name\n31.12.2017 14:05,true,\"1.234,50\",,true\n1.2.2017,,,,false\n"), Database: "db", Table: "t", Policy: Append}
		r, err := p.do(o)
		if err != nil || len(r.Notes) != 2 || r.Notes[0] != "empty fields are NULL in doc, n" || !strings.HasSuffix(r.Notes[1], " year in seen") {
			t.Fatalf("%+v, %v", r, err)
		}
		want := "2017-02-01 00:00:00|NULL||NULL|false\n2017-12-31 14:05:00|true|1.234,50|NULL|true"
		same(t, query(t, p.catalog, "SELECT * FROM db.t ORDER BY seen"), want)
		for _, zoned := range []string{"2017-12-31T23:30:00-05:00", "2017-12-31T23:30:00.000000000Z", "2017-12-31 23:30:00 +0500 EST"} {
			o.File = write(t, "g.csv", "seen,name\n2017-12-31,a\n"+zoned+",b\n")
			if _, err := p.do(o); err == nil || !strings.HasSuffix(err.Error(), `row 2: "`+zoned+`" has a zone, and column seen of the table has none: write the times of one zone, without it`) {
				t.Errorf("%s: %v", zoned, err)
			}
		}
		same(t, query(t, p.catalog, "SELECT * FROM db.t ORDER BY seen"), want)
	})
}

// A BIT takes numbers and booleans: LOAD DATA would take their digits for bytes.
func TestAppendBits(t *testing.T) {
	onBoth(t, func(t *testing.T, p place) {
		p.create(t, sql.Schema{{Name: "n", Type: types.Int32, Source: "t"}, {Name: "b", Type: types.MustCreateBitType(32), Nullable: true, Source: "t"}})
		o := Options{File: write(t, "f.csv", "n,b\n1,1\n2,0\n3,\n4,65535\n5,151588874\n"), Database: "db", Table: "t", Policy: Append}
		if _, err := p.do(o); err != nil {
			t.Fatal(err)
		}
		o.File = write(t, "g.csv", "n,b\n6,true\n7,false\n")
		if _, err := p.do(o); err != nil {
			t.Fatal(err)
		}
		same(t, query(t, p.catalog, "SELECT n, b + 0 FROM db.t ORDER BY n"), "1|1\n2|0\n3|NULL\n4|65535\n5|151588874\n6|1\n7|0")
		o.File = write(t, "h.csv", "n,b\n8,1\n9,x\n")
		if _, err := p.do(o); err == nil || !strings.Contains(err.Error(), `row 2: "x" is no whole number, and column b of the table is BIT`) {
			t.Errorf("got %v", err)
		}
	})
}

// TestAppendDuplicate: rows with existing keys make the whole import fail, although LOCAL implies IGNORE.
func TestAppendDuplicate(t *testing.T) {
	onBoth(t, func(t *testing.T, p place) {
		p.create(t, sql.Schema{{Name: "a", Type: types.Int32, Source: "t", PrimaryKey: true}})
		o := Options{File: write(t, "f.csv", "a\n1\n2\n1\n"), Database: "db", Table: "t", Policy: Append}
		if _, err := p.do(o); err == nil || !strings.Contains(err.Error(), "1 of the 3 rows have keys that table db.t or the file has already: leave these rows out") {
			t.Errorf("got %v", err)
		}
		same(t, query(t, p.catalog, "SELECT COUNT(*) FROM db.t"), "0")
	})
}

// TestImportCancelled leaves no table.
func TestImportCancelled(t *testing.T) {
	c := open(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	o := Options{File: write(t, "f.csv", "a\n"+strings.Repeat("1\n", 100000)), Database: "db", Table: "t"}
	if _, err := ToCatalog(ctx, c, o); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if got := query(t, c, "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'db'"); got != "0" {
		t.Errorf("%s tables are left", got)
	}
}

// TestImportInterrupted cancels when the table has appeared: the import is
// whole or, with its table, gone.
func TestImportInterrupted(t *testing.T) {
	c := open(t)
	address := serve(t, c)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	const rows = 300_000
	o := Options{File: write(t, "f.csv", "a\n"+strings.Repeat("1\n", rows)), Database: "db", Table: "t", Server: address, User: "root"}
	done := make(chan error, 1)
	go func() {
		_, err := ToServer(ctx, o)
		done <- err
	}()
	const tables = "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'db'"
	// A new table is not announced: the test polls.
	for asked := time.Now(); query(t, c, tables) == "0"; time.Sleep(time.Millisecond) {
		if len(done) > 0 && query(t, c, tables) == "0" {
			t.Fatalf("the import ended without a table: %v", <-done)
		}
		if time.Since(asked) > time.Minute {
			t.Fatal("the import has made no table in a minute")
		}
	}
	cancel()
	want := "0"
	if err := <-done; err == nil {
		want = "1"
	} else if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	// A CREATE TABLE that was still running may have created t__importing since.
	if got := query(t, c, tables+" AND table_name = 't'"); got != want {
		t.Errorf("%s tables are left, want %s", got, want)
	}
}

// TestToDataDir: the directory is created, persists, and is refused while open.
func TestToDataDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	o := Options{File: write(t, "f.tsv", "a\tb\n1\tx y\n"), Database: "db", Table: "t", DataDir: dir}
	if _, err := ToDataDir(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	same(t, query(t, c, "SELECT * FROM db.t"), "1|x y")
	o.Policy = Append
	if _, err := ToDataDir(context.Background(), o); !errors.Is(err, files.ErrLocked) {
		t.Errorf("got %v", err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestImportAdult(t *testing.T) {
	file := anontest.AdultPath(t)
	onBoth(t, func(t *testing.T, p place) {
		r, err := p.do(Options{File: file, Database: "raw", Table: "adult", NullTokens: []string{"?", ""}})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d rows in %v, %.0f rows/s", p.name, r.Rows, r.Elapsed.Round(time.Millisecond), r.RowsPerSecond())
		same(t, query(t, p.catalog, "SELECT COUNT(*), SUM(workclass IS NULL), MIN(age), MAX(age) FROM raw.adult"), "48842|2799|17|90")
	})
}

// Bytes of Parquet that are no text have another way out than those of a text.
func TestBytesOfParquet(t *testing.T) {
	var b bytes.Buffer
	w := parquet.NewGenericWriter[struct {
		A []byte `parquet:"a"`
	}](&b)
	if _, err := w.Write([]struct {
		A []byte `parquet:"a"`
	}{{[]byte("\xff")}}); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	onBoth(t, func(t *testing.T, p place) {
		_, err := p.do(Options{File: write(t, "f.parquet", b.String()), Database: "db", Table: "t"})
		if err == nil || !strings.Contains(err.Error(), "bytes that are no text: write it as hexadecimal digits") || strings.Contains(err.Error(), "--charset") {
			t.Errorf("%v", err)
		}
	})
}
