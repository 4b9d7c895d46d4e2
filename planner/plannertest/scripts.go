package plannertest

import (
	"embed"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/planner"
	"github.com/anonsql/anonsql/quoting"
)

//go:embed setups
var setups embed.FS

// Run runs every file of a folder against a fresh engine. -rewrite replaces the expected results in the files by the
// answers.
//
// Directives, each with SQL as input:
//
//	setup    runs setups/<name>.sql; the input is the name
//	exec     the statements, separated by semicolons at the ends of lines, must succeed;
//	         the output is "ok"
//	plan     the plan after the rule, with the paths of its estimates
//	query    name, type and nullability of the columns, and the rows; explain_sql must
//	         return plain SQL for the statement, with the same rows here and in SQLite
//	rows     like query, without the comparison
//	text     the plain SQL of the statement, which must have the statement's rows
//	prepare  the columns of the prepared statement before its parameters are known
//	error    the statement must fail, in planning or execution; the output is
//	         the error
//
// Arguments: user=name; sort for rows in the order of their text; notes for the notes of
// the statement; bind=(value, ...) for parameters, numbers or words; unexplained if
// explain_sql must refuse the statement, to show its refusal.
//
// The analyst repeats every query and every error, here and on an engine with the published releases only. Both must answer alike.
func Run(t *testing.T, folder string) {
	asked, answered := 0, 0
	datadriven.Walk(t, folder, func(t *testing.T, path string) {
		s := &script{engine: New(t), sessions: make(map[string]*Session)}
		datadriven.RunTest(t, path, s.run)
		asked, answered = asked+s.asked, answered+s.answered
	})
	if 3*answered < asked {
		t.Errorf("of %d statements, who has the published releases only answered %d", asked, answered)
	}
}

type script struct {
	engine   *Engine
	sessions map[string]*Session
	// handed is the analyst's session on the engine with the published releases; nil after a change.
	handed          *Session
	asked, answered int
}

func (s *script) run(t *testing.T, d *datadriven.TestData) string {
	session, query := s.session(t, d), d.Input
	switch d.Cmd {
	case "setup":
		s.handed = nil
		if err := session.setUp(query); err != nil {
			d.Fatalf(t, "%v", err)
		}
		return "ok\n"
	case "exec":
		s.handed = nil
		if err := session.exec(query); err != nil {
			d.Fatalf(t, "%v", err)
		}
		return "ok\n"
	case "plan":
		ctx, node, err := session.Plan(query)
		if err == nil {
			err = planner.DescribePaths(ctx, node)
		}
		if err != nil {
			d.Fatalf(t, "%s\n%v", query, err)
		}
		return node.String()
	case "query", "rows":
		s.askHandedOver(t, d)
		return s.query(t, d, session)
	case "text":
		text, err := session.plainSQL(query)
		if err == nil {
			err = session.compare(query, text)
		}
		if err != nil {
			d.Fatalf(t, "%s\n%v", query, err)
		}
		return text + "\n"
	case "prepare":
		_, node, err := session.Plan(query)
		if err != nil {
			d.Fatalf(t, "%s\n%v", query, err)
		}
		return columns(node.Schema()) + "\n"
	case "error":
		s.askHandedOver(t, d)
		result, err := session.Query(query, bindings(d)...)
		if err == nil {
			d.Fatalf(t, "%s\nsucceeded:\n%v", query, result.Rows)
		}
		return failure(err)
	}
	d.Fatalf(t, "unknown directive %q: use exec, plan, query, text, prepare or error", d.Cmd)
	return ""
}

func (s *script) askHandedOver(t *testing.T, d *datadriven.TestData) {
	s.asked++
	if s.sameHandedOver(t, d.Input, bindings(d)) {
		s.answered++
	}
}

// setUp runs a file of setups.
func (s *Session) setUp(name string) error {
	script, err := setups.ReadFile("setups/" + name + ".sql")
	if err != nil {
		return err
	}
	return s.exec(string(script))
}

func (s *Session) exec(script string) error {
	for _, statement := range strings.Split(strings.TrimSpace(script), ";\n") {
		if _, err := s.Query(statement); err != nil {
			return fmt.Errorf("%w in\n%s", err, statement)
		}
	}
	return nil
}

func (s *script) session(t *testing.T, d *datadriven.TestData) *Session {
	account := "owner"
	d.MaybeScanArgs(t, "user", &account)
	if s.sessions[account] == nil {
		s.sessions[account] = s.engine.Session(account)
	}
	return s.sessions[account]
}

func (s *script) query(t *testing.T, d *datadriven.TestData, session *Session) string {
	result, err := session.Query(d.Input, bindings(d)...)
	if err != nil {
		d.Fatalf(t, "%s\n%v", d.Input, err)
	}
	lines := make([]string, len(result.Rows))
	for i, row := range result.Rows {
		lines[i] = rowText(row)
	}
	if d.HasArg("sort") {
		sort.Strings(lines)
	}
	out := append([]string{columns(result.Schema)}, lines...)
	if d.HasArg("notes") {
		for _, note := range result.Notes {
			out = append(out, "note: "+note)
		}
	}
	if d.Cmd == "query" && !d.HasArg("bind") {
		text, err := session.plainSQL(d.Input)
		switch {
		case d.HasArg("unexplained") && err == nil:
			d.Fatalf(t, "%s\nhas plain SQL:\n%s", d.Input, text)
		case d.HasArg("unexplained"):
			out = append(out, strings.TrimSuffix(failure(err), "\n"))
		case err == nil:
			err = session.compare(d.Input, text)
		}
		if err != nil && !d.HasArg("unexplained") {
			d.Fatalf(t, "%s\n%v", d.Input, err)
		}
	}
	return strings.Join(out, "\n") + "\n"
}

// bindings reads bind=(30, F): integers, and words as texts.
func bindings(d *datadriven.TestData) []sqlparser.Expr {
	var given []sqlparser.Expr
	for _, argument := range d.CmdArgs {
		if argument.Key != "bind" {
			continue
		}
		for _, value := range argument.Vals {
			if _, err := strconv.Atoi(value); err == nil {
				given = append(given, sqlparser.NewIntVal([]byte(value)))
			} else {
				given = append(given, sqlparser.NewStrVal([]byte(value)))
			}
		}
	}
	return given
}

// plainSQL returns the answer of explain_sql.
func (s *Session) plainSQL(query string) (string, error) {
	result, err := s.Query("CALL explain_sql(" + quoting.Text(query) + ")")
	if err != nil {
		return "", err
	}
	return result.Rows[0][0].(string), nil
}

// compare runs a statement here, and its plain SQL, which reads the published relations, here and in SQLite. It fails
// if the rows differ by more than rounding: figures by more than 1e-9 of their size.
func (s *Session) compare(query, text string) error {
	estimated, err := s.Query(query)
	if err != nil {
		return err
	}
	joined, err := s.Query(text)
	if err != nil {
		return fmt.Errorf("%w in\n%s", err, text)
	}
	portable, err := s.inSQLite(text)
	if err != nil {
		return fmt.Errorf("SQLite: %w in\n%s", err, text)
	}
	want := sorted(estimated.Rows)
	for _, engine := range []struct {
		name string
		rows []sql.Row
	}{{"this server", joined.Rows}, {"SQLite", portable}} {
		if got := sorted(engine.rows); !slices.EqualFunc(got, want, sameRow) {
			return fmt.Errorf("the plain SQL has other rows\n%s\nestimated: %v\n%s: %v", text, want, engine.name, got)
		}
	}
	return nil
}

// A sortableRow has numbers and texts, and a key that small differences of figures do not change.
type sortableRow struct {
	key    string
	values []any
}

// sorted sorts rows by their keys.
func sorted(rows []sql.Row) []sortableRow {
	list := make([]sortableRow, len(rows))
	for i, row := range rows {
		for _, v := range row {
			x := number(v)
			list[i].values = append(list[i].values, x)
			if f, ok := x.(float64); ok {
				x = fmt.Sprintf("%.6g", f)
			}
			list[i].key += fmt.Sprint(x) + "|"
		}
	}
	slices.SortStableFunc(list, func(a, b sortableRow) int { return strings.Compare(a.key, b.key) })
	return list
}

// number converts numbers to float64, and also texts of numbers, since the engine converts numbers to texts in a
// UNION. It formats other values as texts.
func number(v any) any {
	if v == nil {
		return nil
	}
	if text, ok := v.(string); ok {
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			return x
		}
		return strings.ToLower(strings.TrimSuffix(text, " 00:00:00")) // equal texts may have different spellings
	}
	if moment, ok := v.(time.Time); ok {
		return strings.TrimSuffix(moment.Format("2006-01-02 15:04:05"), " 00:00:00")
	}
	converted, _, err := types.Float64.Convert(sql.NewEmptyContext(), v)
	if x, ok := converted.(float64); err == nil && ok {
		return x
	}
	return fmt.Sprint(v)
}

func sameRow(a, b sortableRow) bool { return slices.EqualFunc(a.values, b.values, sameValue) }

func sameValue(a, b any) bool {
	x, number := a.(float64)
	y, also := b.(float64)
	if number && also {
		return math.Abs(x-y) <= 1e-9*max(1, math.Abs(x), math.Abs(y))
	}
	return a == b
}

// columns describes a schema: name, type and, for nullable columns, NULL.
func columns(schema sql.Schema) string {
	list := make([]string, len(schema))
	for i, c := range schema {
		list[i] = c.Name + " " + strings.ToUpper(c.Type.String())
		if text, ok := c.Type.(sql.StringType); ok {
			list[i] = fmt.Sprintf("%s TEXT(%d)", c.Name, text.MaxCharacterLength())
		}
		if c.Nullable {
			list[i] += " NULL"
		}
	}
	return strings.Join(list, "|")
}

func rowText(row sql.Row) string {
	texts := make([]string, len(row))
	for i, v := range row {
		switch v := v.(type) {
		case nil:
			texts[i] = "NULL"
		case float64:
			texts[i] = strconv.FormatFloat(v, 'f', -1, 64)
		case time.Time:
			texts[i] = v.Format("2006-01-02 15:04:05")
		default:
			texts[i] = fmt.Sprint(v)
		}
	}
	return strings.Join(texts, "|")
}

// failure formats an error: number and message, or the message alone.
func failure(err error) string {
	if known, ok := errors.AsType[*mysql.SQLError](err); ok {
		return fmt.Sprintf("%d: %s\n", known.Num, known.Message)
	}
	return err.Error() + "\n"
}
