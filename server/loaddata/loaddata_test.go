package loaddata

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/raw"
)

// override is how a server plugs the package in.
type override struct{}

func (override) Build(ctx *sql.Context, n sql.Node, _ sql.Row) (sql.RowIter, error) {
	if insert, load, ok := Match(n); ok {
		return Exec(ctx, insert, load)
	}
	return nil, nil
}

// imported is a text that is loaded without a client, as an import does.
type imported string

func (text imported) Build(_ *sql.Context, n sql.Node, _ sql.Row) (sql.RowIter, error) {
	if insert, load, ok := Match(n); ok {
		return ExecText(insert, load, strings.NewReader(string(text)))
	}
	return nil, nil
}

// A database is an engine and one session; files are its client's files.
type database struct {
	t      testing.TB
	engine *sqle.Engine
	ctx    *sql.Context
	files  map[string]string
	sent   int // number of requested files
	closed int
}

// provider has the package's functions, and parser its marks, as a server's have.
type provider struct{ sql.MutableDatabaseProvider }

func (provider) Function(_ *sql.Context, name string) (sql.Function, bool) {
	list := Functions()
	i := slices.IndexFunc(list, func(f sql.Function) bool { return f.FunctionName() == name })
	if i < 0 {
		return nil, false
	}
	return list[i], true
}

type parser struct{ *sql.MysqlParser }

func (p parser) ParseWithOptions(ctx context.Context, query string, delimiter rune, multi bool,
	options sqlparser.ParserOptions) (sqlparser.Statement, string, string, error) {
	statement, read, rest, err := p.MysqlParser.ParseWithOptions(ctx, query, delimiter, multi, options)
	if load, ok := statement.(*sqlparser.Load); ok {
		MarkOrder(load)
	}
	return statement, read, rest, err
}

func newEngine(of sql.MutableDatabaseProvider) *sqle.Engine {
	a := analyzer.NewBuilder(provider{of}).Build()
	a.ExecBuilder = rowexec.NewOverrideBuilder(override{})
	e := sqle.New(a, nil)
	e.Parser = parser{sql.NewMysqlParser()}
	return e
}

// inMemory is a database of the engine's own tables.
func inMemory(t testing.TB) *database {
	d := &database{t: t, files: map[string]string{}}
	provider := memory.NewDBProvider(memory.NewDatabase("db"))
	d.engine = newEngine(provider)
	session := memory.NewSession(sql.NewBaseSession(), provider)
	d.ctx = sql.NewContext(context.Background(), sql.WithSession(session), sql.WithServices(sql.Services{LoadInfile: d.infile}))
	d.begin()
	return d
}

// inCatalog is a database of raw tables.
func inCatalog(t testing.TB) *database {
	c, err := catalog.Open(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	d := &database{t: t, files: map[string]string{}}
	d.engine = newEngine(c.Provider())
	session := c.NewSession(sql.NewBaseSession())
	t.Cleanup(func() {
		session.SessionEnd()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	d.ctx = sql.NewContext(context.Background(), sql.WithSession(session), sql.WithServices(sql.Services{LoadInfile: d.infile}))
	if err := c.Provider().CreateDatabase(d.ctx, "db"); err != nil {
		t.Fatal(err)
	}
	if err := session.CommitTransaction(d.ctx, nil); err != nil {
		t.Fatal(err)
	}
	d.begin()
	return d
}

// onBoth runs a test on the engine's own tables, row by row, and on raw
// tables.
func onBoth(t *testing.T, test func(t *testing.T, d *database)) {
	t.Run("memory", func(t *testing.T) { test(t, inMemory(t)) })
	t.Run("catalog", func(t *testing.T) { test(t, inCatalog(t)) })
}

func (d *database) begin() {
	d.ctx.SetCurrentDatabase("db")
	if err := sql.SystemVariables.AssignValues(map[string]any{"local_infile": int8(1)}); err != nil {
		d.t.Fatal(err)
	}
}

type sentFile struct {
	io.Reader
	d *database
}

func (f sentFile) Close() error {
	f.d.closed++
	return nil
}

func (d *database) infile(name string) (io.ReadCloser, error) {
	text, ok := d.files[name]
	if !ok {
		return nil, errors.New("no such file")
	}
	d.sent++
	return sentFile{strings.NewReader(text), d}, nil
}

// try runs a statement; the result is its rows as text.
func (d *database) try(query string) (string, error) {
	if s, ok := d.ctx.Session.(sql.LifecycleAwareSession); ok {
		defer s.CommandEnd() // as the server does
	}
	_, iter, _, err := d.engine.Query(d.ctx, query)
	if err != nil {
		return "", err
	}
	rows, err := sql.RowIterToRows(d.ctx, iter)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, r := range rows {
		if types.IsOkResult(r) {
			ok := types.GetOkResult(r)
			lines = append(lines, fmt.Sprint(ok.RowsAffected, " ", ok.Info))
			continue
		}
		lines = append(lines, strings.Trim(fmt.Sprint([]any(r)), "[]"))
	}
	return strings.Join(lines, "; "), nil
}

func (d *database) run(query string) string {
	d.t.Helper()
	got, err := d.try(query)
	if err != nil {
		d.t.Fatalf("%s: %v", query, err)
	}
	return got
}

func (d *database) expect(query, want string) {
	d.t.Helper()
	if got := d.run(query); got != want {
		d.t.Errorf("%s\ngot  %s\nwant %s", query, got, want)
	}
}

func (d *database) refuse(query string, number int, want string) {
	d.t.Helper()
	got, err := d.try(query)
	if err == nil {
		d.t.Errorf("%s\ngot %s, want error %d", query, got, number)
		return
	}
	if e := sql.CastSQLError(err); e.Num != number || !strings.Contains(e.Message, want) {
		d.t.Errorf("%s\ngot  %d %s\nwant %d %s", query, e.Num, e.Message, number, want)
	}
}

const csvClauses = ` FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '"'`

func TestLoad(t *testing.T) { onBoth(t, testLoad) }

func testLoad(t *testing.T, d *database) {
	d.run("CREATE TABLE t (a INT, b VARCHAR(20), c DECIMAL(6,2), d DATE)")
	d.files["f"] = "a,b,c,d\r\n1,\"x, \"\"y\"\"\",1.50,2024-02-29\r\n\\N,NULL,\"2\",1999-12-31\r\n"
	d.expect("LOAD DATA LOCAL INFILE 'f' INTO TABLE t"+csvClauses+" IGNORE 1 LINES", "2 Records: 2  Deleted: 0  Skipped: 0  Warnings: 0")
	d.expect("SELECT a, b, c, CAST(d AS CHAR) FROM t ORDER BY a", "<nil> <nil> 2 1999-12-31 00:00:00; 1 x, \"y\" 1.5 2024-02-29 00:00:00")
	if d.sent != 1 || d.closed != 1 {
		t.Errorf("%d files were asked for, %d closed", d.sent, d.closed)
	}
}

// TestLoadColumns: lists, user variables, SET, defaults.
func TestLoadColumns(t *testing.T) { onBoth(t, testLoadColumns) }

func testLoadColumns(t *testing.T, d *database) {
	d.files["f"] = "1,2,3\n4,5,6\n"
	for _, c := range []struct{ table, list, want string }{
		{"a INT, b INT, c INT", "", "1 2 3; 4 5 6"},
		{"a INT, b INT, c INT", "(c, B, a)", "3 2 1; 6 5 4"},
		{"a INT, b INT, c INT", "(a, @x, c)", "1 <nil> 3; 4 <nil> 6"},
		{"a INT, b INT, c INT", "(a, @x, c) SET b = @x * 10", "1 20 3; 4 50 6"},
		{"a INT, b INT, c INT", "(@x, @y, @z) SET a = @z, b = @y, c = @x", "3 2 1; 6 5 4"},
		{"a INT, b INT, c INT", "SET c = a + b", "1 2 3; 4 5 9"},
		{"a INT, b INT DEFAULT 7, c INT", "(a, @x, @y)", "1 7 <nil>; 4 7 <nil>"},
		{"a INT", "(a, @x, @y)", "1; 4"},
		{"a INT, b INT", "(a, @x, @y) SET b = @y", "1 3; 4 6"},
		{"a INT, b INT, c INT, d INT, e INT DEFAULT 8", "(d, a, @x) SET b = a + @x", "2 5 <nil> 1 8; 5 11 <nil> 4 8"},
	} {
		d.run("DROP TABLE IF EXISTS t")
		d.run("CREATE TABLE t (" + c.table + ")")
		if _, err := d.try("LOAD DATA LOCAL INFILE 'f' INTO TABLE t" + csvClauses + c.list); err != nil {
			t.Errorf("%s %s: %v", c.table, c.list, err)
			continue
		}
		if got := d.run("SELECT * FROM t ORDER BY a"); got != c.want {
			t.Errorf("%s %s\ngot  %s\nwant %s", c.table, c.list, got, c.want)
		}
	}
}

// TestLoadOrder: a row begins with defaults that are constants; SET is computed in its order, then other defaults, then generated columns.
func TestLoadOrder(t *testing.T) { onBoth(t, testLoadOrder) }

func testLoadOrder(t *testing.T, d *database) {
	d.files["f"] = "1,2\n"
	for _, c := range []struct{ table, list, want string }{
		{"a INT, b INT DEFAULT 5, c INT", "(a, @x) SET c = b + 1", "1 5 6"},
		{"a INT, b INT DEFAULT 5, c INT", "(a, @x) SET c = b, b = 7", "1 7 5"},
		{"a INT, b INT DEFAULT 5, c INT", "(a, @x) SET c = 3, b = c", "1 3 3"},
		{"a INT, b INT, c INT", "(a, b) SET c = a + b, a = 9", "9 2 3"},
		{"a INT, b INT, c INT", "(a, b) SET a = 9, c = a + b", "9 2 11"},
		{"a INT DEFAULT 4, b INT, c INT NOT NULL", "(b, @x) SET a = a + 1, c = c + @x", "5 1 2"},
		{"a INT DEFAULT 4, b INT DEFAULT (a + 1), c INT", "(a, c) SET b = DEFAULT", "1 2 2"},
		{"a INT DEFAULT 4, b INT, c INT", "(b, c) SET a = DEFAULT, b = DEFAULT", "4 <nil> 2"},
		{"b INT AS (c + 1) STORED, c INT DEFAULT 5, a INT, d INT", "(a, d)", "6 5 1 2"},
		{"b INT DEFAULT (a + 1), a INT DEFAULT 3, z INT, y INT", "(z, y)", "4 3 1 2"},
		{"g INT AS (b * 2) STORED, b INT DEFAULT (a + 1), a INT DEFAULT 3, z INT, y INT", "(z, y)", "8 4 3 1 2"},
	} {
		d.run("DROP TABLE IF EXISTS t")
		d.run("CREATE TABLE t (" + c.table + ")")
		if _, err := d.try("LOAD DATA LOCAL INFILE 'f' INTO TABLE t" + csvClauses + c.list); err != nil {
			t.Errorf("%s %s: %v", c.table, c.list, err)
			continue
		}
		if got := d.run("SELECT * FROM t"); got != c.want {
			t.Errorf("%s %s\ngot  %s\nwant %s", c.table, c.list, got, c.want)
		}
	}
	d.refuse("LOAD DATA LOCAL INFILE 'f' INTO TABLE t"+csvClauses+"(z, y) SET a = 1, a = a + 1", 1235, "SET assigns a column twice")
	d.refuse("LOAD DATA LOCAL INFILE 'f' INTO TABLE t"+csvClauses+"(z, y) SET g = 1", 1105, "generated column")
}

// TestLoadRefuses: an error has the position, and nothing is loaded.
func TestLoadRefuses(t *testing.T) { onBoth(t, testLoadRefuses) }

func testLoadRefuses(t *testing.T, d *database) {
	check := ", CHECK (a < 100)"
	if _, ok := d.ctx.Session.(*raw.Session); ok {
		check = "" // raw tables have none
	}
	d.run("CREATE TABLE t (a INT NOT NULL, b VARCHAR(3)" + check + ")")
	for _, c := range []struct {
		text   string
		number int
		want   string
	}{
		{"1,x\n2\n", 1261, "row 2 (line 2): expected 2 fields, found 1"},
		{"1,x\n2,y,z\n", 1262, "row 2 (line 2): expected 2 fields, found 3"},
		{"1,\"x\ny\"\nabc,z\n", 1366, "Incorrect integer value: 'abc' for column 'a' at row 2 (line 3)"},
		{"1,x\n99999999999,z\n", 1264, "Out of range value for column 'a' at row 2 (line 2): '99999999999'"},
		{"1,x\n2,long\n", 1406, "Data too long for column 'b' at row 2 (line 2): 'long'"},
		{"1,x\n\\N,y\n", 1263, "NULL supplied to NOT NULL column 'a' at row 2 (line 2)"},
		{"1,x\n2,\xff\n", 1300, "row 2 (line 2), column 2 (b): not valid UTF-8: byte 0xFF at position 1. If the text is of a Windows program, say CHARACTER SET latin1"},
		{"1,x\n2,\"y\n", 1366, "row 2 (line 2), column 2 (b): the enclosed field never ends"},
		{"1,x\n100,y\n", 3819, "at row 2 (line 2)"},
		{"\x1f\x8b\x08\x00...", 13, "LOAD DATA: the file is gzip, not plain text: anonsql import reads it"},
		{"PAR1....", 13, "Parquet"},
		{"\xff\xfea\x00,\x00", 13, "a text in UTF-16"},
		{"a\x00,\x00b\x00\n\x00", 13, "a text in UTF-16"},
		{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 13, "save it as .xlsx without a password"},
	} {
		if c.number == 3819 && check == "" {
			continue
		}
		d.files["f"] = c.text
		got, err := d.try("LOAD DATA LOCAL INFILE 'f' INTO TABLE t" + csvClauses)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %q, %v, want %d %s", c.text, got, err, c.number, c.want)
		}
		var e *mysql.SQLError
		if errors.As(err, &e) && e.Num != c.number {
			t.Errorf("%q: got number %d, want %d", c.text, e.Num, c.number)
		}
		d.expect("SELECT COUNT(*) FROM t", "0")
	}
	d.files["f"] = "x\n"
	d.refuse("LOAD DATA LOCAL INFILE 'f' INTO TABLE t (b)", 1364, "Field 'a' doesn't have a default value")
	d.refuse("LOAD DATA LOCAL INFILE 'f' INTO TABLE t CHARACTER SET koi8r", 1115, "koi8r")
	d.refuse("LOAD DATA LOCAL INFILE 'f' INTO TABLE t LINES TERMINATED BY '\t'", 1235, "fields and lines are both terminated")
	d.refuse("LOAD DATA INFILE 'f' INTO TABLE t", 1290, "the server reads no files")
	if d.sent != d.closed || d.sent == 0 {
		t.Errorf("%d files were asked for, %d closed", d.sent, d.closed)
	}
}

func TestLoadKeys(t *testing.T) { onBoth(t, testLoadKeys) }

func testLoadKeys(t *testing.T, d *database) {
	d.run("CREATE TABLE t (a INT PRIMARY KEY, b INT)")
	d.files["f"] = "1\t10\n2\t20\n1\t30\n"
	d.expect("LOAD DATA LOCAL INFILE 'f' INTO TABLE t", "2 Records: 3  Deleted: 0  Skipped: 1  Warnings: 1")
	if w := d.ctx.Session.Warnings(); len(w) != 1 || !strings.Contains(w[0].Message, "row 3 (line 3)") {
		t.Errorf("warnings: %v", w)
	}
	d.expect("SELECT * FROM t ORDER BY a", "1 10; 2 20")
	d.files["f"] = "1\t30\n3\t40\n"
	d.expect("LOAD DATA LOCAL INFILE 'f' REPLACE INTO TABLE t", "3 Records: 2  Deleted: 1  Skipped: 0  Warnings: 0")
	d.expect("SELECT * FROM t ORDER BY a", "1 30; 2 20; 3 40")

	d.run("CREATE TABLE s (id INT PRIMARY KEY AUTO_INCREMENT, b INT)")
	d.run("LOAD DATA LOCAL INFILE 'f' INTO TABLE s (@x, b)")
	d.expect("SELECT * FROM s ORDER BY id", "1 30; 2 40")
}

// TestLoadInTransaction: a failed load keeps the transaction's earlier changes, and a rollback undoes a successful
// load.
func TestLoadInTransaction(t *testing.T) {
	d := inCatalog(t)
	d.run("CREATE TABLE t (a INT, b INT, UNIQUE KEY (a))")
	d.run("START TRANSACTION")
	d.run("INSERT INTO t VALUES (1, 1)")
	d.files["wrong"] = "2\t2\nx\t3\n"
	d.refuse("LOAD DATA LOCAL INFILE 'wrong' REPLACE INTO TABLE t", 1366, "row 2 (line 2)")
	d.expect("SELECT * FROM t", "1 1")
	d.files["right"] = "2\t2\n1\t3\n"
	d.expect("LOAD DATA LOCAL INFILE 'right' REPLACE INTO TABLE t", "3 Records: 2  Deleted: 1  Skipped: 0  Warnings: 0")
	d.expect("SELECT * FROM t ORDER BY a", "1 3; 2 2")
	d.run("ROLLBACK")
	d.expect("SELECT COUNT(*) FROM t", "0")
}

// TestLoadDuplicateInBulk: without IGNORE a taken key is an error, which a
// bulk load notices late, and nothing is loaded.
func TestLoadDuplicateInBulk(t *testing.T) {
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "%d\n", i%900)
	}
	d := inCatalog(t)
	d.engine.Analyzer.ExecBuilder = rowexec.NewOverrideBuilder(imported(text.String()))
	d.run("CREATE TABLE t (a INT PRIMARY KEY)")
	d.refuse("LOAD DATA INFILE 'f' INTO TABLE t", 1062, "at or shortly before row 1000")
	d.expect("SELECT COUNT(*) FROM t", "0")
	d.expect("LOAD DATA INFILE 'f' IGNORE INTO TABLE t", "900 Records: 1000  Deleted: 0  Skipped: 100  Warnings: 100")
}

func TestLoadLatin1(t *testing.T) { onBoth(t, testLoadLatin1) }

func testLoadLatin1(t *testing.T, d *database) {
	d.run("CREATE TABLE t (a VARCHAR(9))")
	d.files["f"] = "caf\xe9\n\x80\n"
	d.run("LOAD DATA LOCAL INFILE 'f' INTO TABLE t CHARACTER SET latin1")
	d.expect("SELECT a FROM t ORDER BY CHAR_LENGTH(a)", "€; café")
	for _, typ := range []string{"BLOB", "VARBINARY(9)", "BIT(8)"} {
		d.run("CREATE TABLE b (n INT, a " + typ + ")")
		d.files["f"] = "1\t\x80\n"
		d.refuse("LOAD DATA LOCAL INFILE 'f' INTO TABLE b CHARACTER SET latin1", 1235, "bytes of column 'a'")
		d.run("LOAD DATA LOCAL INFILE 'f' INTO TABLE b CHARACTER SET latin1 (n, @x)")
		d.run("DROP TABLE b")
	}
}

// TestLoadCancel: a killed statement ends although the client sends on.
func TestLoadCancel(t *testing.T) { onBoth(t, testLoadCancel) }

func testLoadCancel(t *testing.T, d *database) {
	d.run("CREATE TABLE t (a INT)")
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	defer w.Close()
	d.ctx = sql.NewContext(ctx, sql.WithSession(d.ctx.Session), sql.WithServices(sql.Services{
		LoadInfile: func(string) (io.ReadCloser, error) {
			go func() {
				w.Write([]byte("1\n"))
				cancel()
			}()
			return r, nil
		}}))
	if _, err := d.try("LOAD DATA LOCAL INFILE 'f' INTO TABLE t"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestRequireInsert: LOCAL requires INSERT on its table, a server's file requires FILE.
func TestRequireInsert(t *testing.T) {
	for query, want := range map[string]string{
		"LOAD DATA LOCAL INFILE 'f' INTO TABLE d.t":         sqlparser.AuthType_INSERT,
		"LOAD DATA LOCAL INFILE 'f' REPLACE INTO TABLE d.t": sqlparser.AuthType_REPLACE,
		"LOAD DATA INFILE 'f' INTO TABLE d.t":               sqlparser.AuthType_FILE,
	} {
		parsed, err := sqlparser.Parse(query)
		if err != nil {
			t.Fatal(err)
		}
		load := parsed.(*sqlparser.Load)
		RequireInsert(load)
		if load.Auth.AuthType != want {
			t.Errorf("%s asks for %s, want %s", query, load.Auth.AuthType, want)
		}
	}
}
