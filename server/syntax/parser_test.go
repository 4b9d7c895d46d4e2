package syntax

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/variables"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/accounts/given"
	"github.com/anonsql/anonsql/server/answers/own"
	"github.com/anonsql/anonsql/server/answers/trees"
	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// setUp adds the variables of the process, as a server does.
var setUp = sync.OnceFunc(func() {
	variables.InitSystemVariables()
	sql.SystemVariables.AddSystemVariables(BoundVariables())
})

// setting gives a bound another value for a test.
func setting(t *testing.T, name string, value int64) {
	t.Helper()
	setUp()
	_, before, ok := sql.SystemVariables.GetGlobal(name)
	if !ok {
		t.Fatalf("there is no variable %s", name)
	}
	set := func(value any) {
		if err := sql.SystemVariables.AssignValues(map[string]any{name: value}); err != nil {
			t.Fatal(err)
		}
	}
	set(value)
	t.Cleanup(func() { set(before) })
}

// ways are the ways in which a text reaches the parser. The engine uses the first one for texts that it has
// generated.
var ways = []struct {
	name  string
	parse func(p *parser, ctx context.Context, text string) (sqlparser.Statement, error)
}{
	{"ParseSimple", func(p *parser, _ context.Context, text string) (sqlparser.Statement, error) {
		return p.ParseSimple(text)
	}},
	{"Parse", func(p *parser, ctx context.Context, text string) (sqlparser.Statement, error) {
		statement, _, _, err := p.Parse(sql.NewContext(ctx), text, false)
		return statement, err
	}},
	{"ParseWithOptions", func(p *parser, ctx context.Context, text string) (sqlparser.Statement, error) {
		statement, _, _, err := p.ParseWithOptions(ctx, text, ';', false, sqlparser.ParserOptions{})
		return statement, err
	}},
	{"ParseOneWithOptions", func(p *parser, ctx context.Context, text string) (sqlparser.Statement, error) {
		statement, _, err := p.ParseOneWithOptions(ctx, text, sqlparser.ParserOptions{})
		return statement, err
	}},
}

// parse is the tree of a text that a client has sent, or the error.
func parse(t *testing.T, text string) (sqlparser.Statement, error) {
	t.Helper()
	setUp()
	statement, _, _, err := newParser().Parse(sql.NewContext(t.Context()), text, false)
	return statement, err
}

// Nothing recursive reads a text before the gate has bounded it, whichever way it came:
// this one would end the process.
func TestTheGateIsFirst(t *testing.T) {
	setUp()
	deep := "SELECT " + strings.Repeat("!", 1_000_000) + "1"
	for _, way := range ways {
		statement, err := way.parse(newParser(), t.Context(), deep)
		if statement != nil || sqlerror.Number(err) != sqlerror.Syntax || !strings.Contains(err.Error(), nestingVariable) {
			t.Errorf("%s: %v, %v", way.name, statement, err)
		}
		if statement, err = way.parse(newParser(), t.Context(), "SELECT 1"); err != nil || sqlparser.String(statement) != "select 1" {
			t.Errorf("%s: %s, %v", way.name, sqlparser.String(statement), err)
		}
	}
}

// Texts that the engine has generated have parentheses around every operator, and may nest three times as deep.
func TestTheEnginesOwnTexts(t *testing.T) {
	setting(t, nestingVariable, 20)
	for _, way := range ways {
		for depth, passes := range map[int]bool{20: true, 21: way.name == "ParseSimple", 60: way.name == "ParseSimple", 61: false} {
			if _, err := way.parse(newParser(), t.Context(), "SELECT "+strings.Repeat("!", depth)+"1"); (err == nil) != passes {
				t.Errorf("%s, %d levels: %v", way.name, depth, err)
			}
		}
	}
}

// If only the first of several statements is parsed, only that is bounded; the others are bounded in their turn.
func TestTheFirstOfSeveral(t *testing.T) {
	setUp()
	text := "SELECT 1; SELECT " + strings.Repeat("!", 100_000) + "1"
	ctx := sql.NewContext(t.Context())
	statement, parsed, rest, err := newParser().Parse(ctx, text, true)
	if err != nil || sqlparser.String(statement) != "select 1" || strings.TrimSpace(parsed+rest) == "" || !strings.HasSuffix(rest, "!1") {
		t.Fatalf("%v, %q, %v", statement, parsed, err)
	}
	if _, next, err := newParser().ParseOneWithOptions(ctx, text, sqlparser.ParserOptions{}); err != nil || next < len("SELECT 1") {
		t.Errorf("the next begins at byte %d, %v", next, err)
	}
	if _, _, _, err := newParser().Parse(ctx, text, false); sqlerror.Number(err) != sqlerror.Syntax {
		t.Errorf("as one text: %v", err)
	}
	if _, _, _, err := newParser().Parse(ctx, rest, true); sqlerror.Number(err) != sqlerror.Syntax {
		t.Errorf("the second: %v", err)
	}
}

// ANSI_QUOTES changes where a string ends: text hidden in one mode is visible to the gate in the other.
func TestTheGateHasTheMode(t *testing.T) {
	setUp()
	hidden := `SELECT "\", ` + strings.Repeat("!", 1000) + `1 AS "b"`
	for _, ansi := range []bool{false, true} {
		_, _, _, err := newParser().ParseWithOptions(t.Context(), hidden, ';', false, sqlparser.ParserOptions{AnsiQuotes: ansi})
		if shown := err != nil && strings.Contains(err.Error(), "levels"); shown != ansi {
			t.Errorf("AnsiQuotes is %t: %v", ansi, err)
		}
	}
}

// A flip is a context that ends after a number of checks.
type flip struct {
	context.Context
	asked *int
	after int
}

func (f flip) Err() error {
	if *f.asked++; *f.asked > f.after {
		return context.Canceled
	}
	return nil
}

// Parsing ends with its statement: before the grammar sees the text, and before its tree is
// walked.
func TestParsingEndsWithItsStatement(t *testing.T) {
	setUp()
	why := sqlerror.ErrInterrupted
	for _, way := range ways[1:] {
		st := running.New("select", "SELECT 1")
		ctx, cancel := st.NewContext(t.Context())
		cancel(why)
		if statement, err := way.parse(newParser(), ctx, "SELECT 1"); statement != nil || err != why {
			t.Errorf("%s, ended before: %v, %v", way.name, statement, err)
		}
	}
	for _, way := range ways[2:] {
		asked := 0
		if statement, err := way.parse(newParser(), flip{t.Context(), &asked, 1}, "SELECT 1"); statement != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%s, ended meanwhile: %v, %v", way.name, statement, err)
		}
	}
}

// A text that could not be parsed is not parsed again for the same statement.
func TestWrongTextsAreParsedOnce(t *testing.T) {
	setUp()
	ctx, cancel := running.New("select", "SELECT FROM").NewContext(t.Context())
	defer cancel(nil)
	_, _, _, first := newParser().ParseWithOptions(ctx, "SELECT FROM WHERE;", ';', false, sqlparser.ParserOptions{})
	_, _, second := newParser().ParseOneWithOptions(ctx, "SELECT FROM WHERE", sqlparser.ParserOptions{})
	if first == nil || first != second {
		t.Errorf("first %v, then %v", first, second)
	}
	deep := "SELECT " + strings.Repeat("!", 1000) + "1"
	_, _, _, first = newParser().ParseWithOptions(ctx, deep, ';', false, sqlparser.ParserOptions{})
	if _, _, _, second = newParser().ParseWithOptions(ctx, deep, ';', false, sqlparser.ParserOptions{}); first == nil || first != second {
		t.Errorf("first %v, then %v", first, second)
	}
}

// One statement may expand to a bounded number of views.
func TestViewsAreCounted(t *testing.T) {
	setUp()
	ctx, cancel := running.New("select", "SELECT * FROM v").NewContext(t.Context())
	defer cancel(nil)
	p := newParser()
	for n := 1; ; n++ {
		_, _, _, err := p.ParseWithOptions(ctx, "CREATE VIEW v AS SELECT 1", ';', false, sqlparser.ParserOptions{})
		if err == nil && n <= 20_000 {
			continue
		}
		if n != 20_001 || sqlerror.Number(err) != sqlerror.Syntax || !strings.Contains(err.Error(), "more than 20000 views") {
			t.Errorf("view %d: %v", n, err)
		}
		return
	}
}

// Statements that the grammar lacks, or mistakes for others, are refused with a replacement, in every way; similar
// statements are not.
func TestRefusedWithAWayOut(t *testing.T) {
	setUp()
	for text, want := range map[string]string{
		"SELECT PERCENTILE_CONT(0.5) OVER () FROM t":                      "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x)",
		"SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY a, b) FROM t": "with one x",
		"SET ROLE ALL":                                               "every role that was granted is active at once",
		"SET DEFAULT ROLE ALL TO ana":                                "every role that was granted is active at once",
		"SET PASSWORD = 'x'":                                         "write ALTER USER 'name'@'host' IDENTIFIED BY",
		"set password := 'x'":                                        "write ALTER USER 'name'@'host' IDENTIFIED BY",
		"SET PASSWORD FOR ana = 'x'":                                 "write ALTER USER 'name'@'host' IDENTIFIED BY",
		"ALTER USER USER() IDENTIFIED BY 'x'":                        "write the account's name",
		"ALTER USER ana ACCOUNT LOCK":                                "ACCOUNT LOCK: ALTER USER",
		"ALTER USER ana REQUIRE SSL":                                 "anonsql serve --require-tls",
		"SHOW CREATE USER ana":                                       "SHOW GRANTS FOR",
		"ALTER USER ana":                                             "this form of ALTER USER",
		"ALTER USER ana /* IDENTIFIED BY */":                         "this form of ALTER USER",
		"ALTER USER `IDENTIFIED BY`":                                 "this form of ALTER USER",
		"ALTER USER ana@'IDENTIFIED BY'":                             "this form of ALTER USER",
		"ALTER USER ana IDENTIFIED WITH caching_sha2_password -- BY": "this form of ALTER USER",
		"/*!40100 ALTER USER ana */":                                 "this form of ALTER USER",
		"ALTER USER ana IDENTIFIED BY RANDOM PASSWORD":               "this form of ALTER USER",
		"ALTER USER a IDENTIFIED BY 'x', b IDENTIFIED BY 'y'":        "this form of ALTER USER",
	} {
		for _, way := range ways {
			if _, err := way.parse(newParser(), t.Context(), text); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %s: %v", way.name, text, err)
			}
		}
	}
	for _, text := range []string{"SET @password = 'x'", "SET autocommit = 1", "ALTER USER ana IDENTIFIED BY 'x'", "ALTER USER ana IDENTIFIED WITH mysql_native_password AS '*00'",
		"ALTER USER ana IDENTIFIED BY ''", "ALTER USER ana /*!40100 IDENTIFIED */ BY ''", "ALTER USER ana IDENTIFIED WITH 'caching_sha2_password' BY ''", "SELECT t.alter user FROM t",
		"SELECT 'WITH ROLLUP'", "CREATE USER ana", "ALTER TABLE t ADD COLUMN a INT"} {
		if _, err := parse(t, text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := parse(t, "SELECT FROM WHERE"); err == nil || !strings.Contains(err.Error(), "syntax error") {
		t.Errorf("for what is only wrong the grammar's error stays: %v", err)
	}
}

// For statements of other servers' SQL, the error has MySQL's form; signs in texts do not count.
func TestSpokenElsewhere(t *testing.T) {
	setUp()
	for text, want := range map[string]string{
		"SELECT TOP 5 * FROM t":                   "write LIMIT 5 at the end",
		"SELECT a FROM t FETCH FIRST 5 ROWS ONLY": "write LIMIT 5",
		"SELECT [a] FROM [t]":                     "backticks",
		"SELECT a::text FROM t":                   "CAST(x AS CHAR)",
		"SELECT a FROM t WHERE b ILIKE 'x%'":      "LIKE pays no attention",
		"SELECT a FROM t WHERE b == 1":            "there is no '=='",
		"SHOW RELEASES":                           "anonsql.releases",
		"SELECT a FROM 'people'":                  "backticks",
		"CREATE TABLE t (id INT IDENTITY(1, 1))":  "AUTO_INCREMENT",
		"CREATE USER ana WITH PASSWORD 'x'":       "create_analyst",
	} {
		for _, way := range ways {
			if _, err := way.parse(newParser(), t.Context(), text); err == nil || !strings.Contains(err.Error(), want) || sqlerror.Number(err) != sqlerror.Syntax {
				t.Errorf("%s: %s: %v", way.name, text, err)
			}
		}
	}
	for _, text := range []string{"SELECT a FROM WHERE b = 'x::y == [z]'", "SELECT top, FROM t"} {
		if _, err := parse(t, text); err == nil || strings.Contains(err.Error(), "; ") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := parse(t, "SELECT '[a]::b == c' FROM t"); err != nil {
		t.Error(err)
	}
}

// A panic of the grammar becomes an error with the possible reason.
func TestPanicsOfTheGrammar(t *testing.T) {
	caught := errors.New("handler caught panic: slice bounds out of range")
	if !sqlerror.EnginePanicked(caught) {
		t.Fatalf("%v is no panic of the engine", caught)
	}
	for name, panics := range map[string]func() error{
		"a panic":                     func() (err error) { defer Unreadable(&err); panic("slice bounds out of range") },
		"one that the grammar caught": func() (err error) { defer Unreadable(&err); return caught },
	} {
		err := panics()
		if sqlerror.Number(err) != sqlerror.Syntax || !strings.Contains(err.Error(), "put a space between a word and a quote") {
			t.Errorf("%s: %v", name, err)
		}
	}
	why := errors.New("why")
	if err := func() (err error) { defer Unreadable(&err); return why }(); err != why {
		t.Errorf("another error becomes %v", err)
	}
}

// Trees are rewritten, and names that servers have added are table functions.
func TestTreesAreRewritten(t *testing.T) {
	setUp()
	p := newParser()
	const text = "SELECT * FROM Slppa(adult, k = 3)"
	table := func() string {
		statement, err := p.ParseSimple(text)
		if err != nil {
			t.Fatal(err)
		}
		return sqlparser.String(statement)
	}
	if got := table(); strings.Contains(got, "__anon_ref") {
		t.Errorf("a name that nobody added: %s", got)
	}
	var all sync.WaitGroup
	for i := range 20 { // servers of one process begin at the same time
		all.Go(func() { p.Add(own.Names{TableFunctions: map[string]bool{fmt.Sprintf("other%d", i): true}}) })
	}
	all.Wait()
	p.Add(own.Names{TableFunctions: map[string]bool{"slppa": true}, Tasks: map[string]string{"classify": "evaluate"}})
	if got := table(); !strings.Contains(got, "__anon_ref('', 'adult')") || !strings.Contains(got, "__anon_named('k', 3)") {
		t.Errorf("a table function: %s", got)
	}
	if names := p.names.Load().TableFunctions; len(names) != 21 || !names["other7"] {
		t.Errorf("the names are %v", names)
	}
}

// A tree requires the privileges that the server checks, not the grammar's.
func TestPrivilegesThatTreesAskFor(t *testing.T) {
	authOf := func(statement sqlparser.Statement) sqlparser.AuthInformation {
		return reflect.ValueOf(statement).Elem().FieldByName("Auth").Interface().(sqlparser.AuthInformation)
	}
	for text, want := range map[string]sqlparser.AuthInformation{
		"KILL 7":            {AuthType: sqlparser.AuthType_IGNORE, TargetType: sqlparser.AuthTargetType_Ignore},
		"SHOW PROCESSLIST":  {AuthType: sqlparser.AuthType_IGNORE, TargetType: sqlparser.AuthTargetType_Ignore},
		"SHOW GRANTS":       {AuthType: sqlparser.AuthType_IGNORE, TargetType: sqlparser.AuthTargetType_Ignore},
		"CREATE DATABASE d": {AuthType: sqlparser.AuthType_CREATE, TargetType: sqlparser.AuthTargetType_DatabaseIdentifiers, TargetNames: []string{"d"}},
		"DROP DATABASE d":   {AuthType: sqlparser.AuthType_DROP, TargetType: sqlparser.AuthTargetType_DatabaseIdentifiers, TargetNames: []string{"d"}},
		"LOAD DATA LOCAL INFILE 'f' INTO TABLE d.t": {AuthType: sqlparser.AuthType_INSERT, TargetType: sqlparser.AuthTargetType_SingleTableIdentifier,
			TargetNames: []string{"d", "t"}},
	} {
		statement, err := parse(t, text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := authOf(statement); got.AuthType != want.AuthType || got.TargetType != want.TargetType || !slices.Equal(got.TargetNames, want.TargetNames) {
			t.Errorf("%s asks for %+v, want %+v", text, got, want)
		}
	}
	for _, text := range []string{"SHOW GRANTS FOR ana", "SHOW TABLES", "LOAD DATA INFILE 'f' INTO TABLE d.t"} {
		own, err := sqlparser.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		statement, err := parse(t, text)
		if err != nil || !reflect.DeepEqual(authOf(statement), authOf(own)) {
			t.Errorf("%s asks for %+v, %v; the grammar for %+v", text, authOf(statement), err, authOf(own))
		}
	}
}

// Every password of a tree is kept for the rule, also that in the body of a routine.
func TestPasswordsAreKept(t *testing.T) {
	for text, want := range map[string]int{
		"CREATE USER a IDENTIFIED WITH caching_sha2_password BY 'x', b IDENTIFIED WITH caching_sha2_password BY 'x'":             2,
		"CREATE USER a IDENTIFIED WITH 'caching_sha2_password' BY 'x'":                                                           1,
		"/*!40100 ALTER USER a identified WITH caching_sha2_password BY 'x' */":                                                  1,
		"CREATE PROCEDURE p() CREATE USER a IDENTIFIED WITH caching_sha2_password BY 'x'":                                        1,
		"CREATE PROCEDURE p() BEGIN IF 1 THEN BEGIN ALTER USER a IDENTIFIED WITH caching_sha2_password BY 'x'; END; END IF; END": 1,
		"CREATE USER a IDENTIFIED BY 'x'":                                  0,
		"CREATE USER a IDENTIFIED WITH caching_sha2_password AS '$A$005$'": 0,
	} {
		statement, err := parse(t, text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		kept := 0
		trees.Walk(statement, func(node any) {
			if a, ok := node.(*sqlparser.Authentication); ok && a.Plugin != "" {
				if password, plain := given.Password(plan.NewOtherAuthentication(a.Password, a.Plugin, a.Identity)); plain && password == "x" {
					kept++
				}
			}
		})
		if kept != want {
			t.Errorf("%s: %d passwords are kept, want %d", text, kept, want)
		}
	}
}

// Statements with passwords, which a log must not repeat, are recognised in any case.
func TestHoldsPassword(t *testing.T) {
	for text, want := range map[string]bool{"ALTER USER a Identified BY 'x'": true, "SET PassWord = 'x'": true, "CALL Create_Analyst('a', 'b')": true, "SELECT 1": false} {
		if HoldsPassword(text) != want {
			t.Errorf("%s: %t", text, !want)
		}
	}
}

// A body that ends after its text ends with it, and a missing tree stays missing.
func TestAdaptedTrees(t *testing.T) {
	setUp()
	p := newParser()
	ddl := &sqlparser.DDL{Action: sqlparser.CreateStr, SubStatementPositionStart: 90, SubStatementPositionEnd: 100}
	if _, err := p.adapt(t.Context(), "CREATE VIEW", false, ddl); err != nil || ddl.SubStatementPositionStart != 11 || ddl.SubStatementPositionEnd != 11 {
		t.Errorf("the body is %d to %d, %v", ddl.SubStatementPositionStart, ddl.SubStatementPositionEnd, err)
	}
	if statement, err := p.adapt(t.Context(), "", false, nil); statement != nil || err != nil {
		t.Errorf("no tree becomes %v, %v", statement, err)
	}
}

// In the body of a routine, every ALTER USER that gives no password is marked, for its
// plan to be refused; those that give one are not, and an empty one is one.
func TestBodiesThatGiveNoPassword(t *testing.T) {
	setUp()
	for text, want := range map[string]int{
		"CREATE PROCEDURE p() ALTER USER a":                                                                        1,
		"CREATE PROCEDURE p() ALTER USER a /* IDENTIFIED BY '' */":                                                 1,
		"CREATE PROCEDURE p() BEGIN IF 1 THEN SELECT 1; ELSE BEGIN ALTER USER a; END; END IF; END":                 1,
		"CREATE PROCEDURE p() CASE WHEN 1 THEN ALTER USER a; ELSE ALTER USER b; END CASE":                          2,
		"CREATE PROCEDURE p() BEGIN l: LOOP ALTER USER a; LEAVE l; END LOOP; END":                                  1,
		"CREATE PROCEDURE p() BEGIN WHILE 1 DO ALTER USER a IDENTIFIED WITH caching_sha2_password; END WHILE; END": 1,
		"CREATE PROCEDURE p() ALTER USER a IDENTIFIED BY 'x' WITH MAX_USER_CONNECTIONS 3":                          1,
		"CREATE PROCEDURE p() BEGIN ALTER USER a IDENTIFIED BY 'x'; ALTER USER b; END":                             1,
		"CREATE PROCEDURE p() ALTER USER a IDENTIFIED BY ''":                                                       0,
		"CREATE PROCEDURE p() BEGIN ALTER USER a IDENTIFIED BY ''; ALTER USER b IDENTIFIED BY 'x'; END":            0,
	} {
		statement, err := parse(t, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		marked := 0
		trees.Walk(statement, func(node any) {
			if a, ok := node.(*sqlparser.Authentication); ok && given.Refused(plan.NewOtherAuthentication(a.Password, a.Plugin, a.Identity)) {
				marked++
			}
		})
		if marked != want {
			t.Errorf("%s: %d are marked, want %d", text, marked, want)
		}
	}
}
