package console

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/console/asking"
	"github.com/anonsql/anonsql/console/chart"
)

// A scriptedServer answers statements by a script: the names of columns, and a number of rows of NULL.
type scriptedServer struct {
	driver.Conn
	answer func(statement string) (columns []string, rows int, err error)
	asked  []string
}

func (s *scriptedServer) Connect(context.Context) (driver.Conn, error) { return s, nil }
func (s *scriptedServer) Driver() driver.Driver                        { return nil }
func (s *scriptedServer) Close() error                                 { return nil }

func (s *scriptedServer) QueryContext(_ context.Context, statement string, _ []driver.NamedValue) (driver.Rows, error) {
	s.asked = append(s.asked, statement)
	columns, rows, err := s.answer(statement)
	return &nullRows{columns, rows}, err
}

type nullRows struct {
	columns []string
	left    int
}

func (r *nullRows) Columns() []string { return r.columns }
func (*nullRows) Close() error        { return nil }

func (r *nullRows) Next(row []driver.Value) error {
	if r.left == 0 {
		return io.EOF
	}
	r.left--
	clear(row)
	return nil
}

// Items describe the columns of the answer: if a server refuses the additional columns, no column is an interval.
func TestItemsAreOfTheAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		columns func(statement string) []string
		ways    int
		items   bool
	}{
		"as it is read":           {func(text string) []string { return make([]string, 1+strings.Count(text, "anon_")) }, 1, true},
		"additions in a comment":  {func(string) []string { return []string{"n"} }, 2, true},
		"a column that we missed": {func(text string) []string { return make([]string, 2+strings.Count(text, "anon_")) }, 2, false},
	} {
		server := &scriptedServer{answer: func(text string) ([]string, int, error) { return c.columns(text), 1, nil }}
		db := sql.OpenDB(server)
		_, items, err := readWidest(t.Context(), "SELECT SUM(a) / COUNT(*) AS n FROM p", func(way string) (*table, error) { return read(t.Context(), db, way) })
		if err != nil || len(server.asked) != c.ways || (items != nil) != c.items {
			t.Errorf("%s: %d ways, items %v, %v", name, len(server.asked), items, err)
		}
		db.Close()
	}
}

// A question that panics leaves its place to the next one.
func TestPlacesOfQuestions(t *testing.T) {
	s := &session{asking: make(chan struct{}, 1)}
	for range 3 {
		func() {
			defer func() { _ = recover() }()
			if !s.inTurn(func() { panic("at the drawing board") }) {
				t.Error("there is no place")
			}
		}()
	}
	if !s.inTurn(func() {
		if s.inTurn(func() {}) {
			t.Error("two questions run where one may")
		}
	}) {
		t.Error("there is no place")
	}
}

// A statement that exceeded its memory is not repeated in another form.
func TestEndedStatements(t *testing.T) {
	server := &scriptedServer{answer: func(string) ([]string, int, error) { return nil, 0, &mysql.MySQLError{Number: 3170} }}
	db := sql.OpenDB(server)
	defer db.Close()
	_, _, err := readWidest(t.Context(), "SELECT COUNT(*) FROM p", func(way string) (*table, error) { return read(t.Context(), db, way) })
	if problemOf(err).Number != 3170 || len(server.asked) != 1 {
		t.Errorf("asked %d times: %v", len(server.asked), err)
	}
}

// The fields offer no average where there is nothing to average: it would be a number of records.
func TestMeasures(t *testing.T) {
	texts := &askable{Name: "p", Columns: []asking.Column{{Name: "town", Kind: asking.Text}}}
	numbers := &askable{Name: "p", Columns: []asking.Column{{Name: "age", Kind: asking.Number}}}
	if got := texts.measures(); len(got) != 1 || got[0][0] != "count" {
		t.Errorf("texts have the measures %v", got)
	}
	if got := numbers.measures(); len(got) != len(asking.Measures) {
		t.Errorf("numbers have the measures %v", got)
	}
	if c := choiceOf(url.Values{"measure": {"avg"}, "of": {""}}, numbers); c.Of != "age" {
		t.Errorf("an average is of %q", c.Of)
	}
	if c := choiceOf(url.Values{"measure": {"avg"}, "of": {"gone"}}, numbers); c.Of != "age" {
		t.Errorf("an average of another release's column is of %q", c.Of)
	}
}

// A truncated result, whose notes cannot be read, is not shown as exact.
func TestCutAnswers(t *testing.T) {
	for _, c := range []struct {
		interval, cut bool
		said          string
	}{{false, true, "These may be estimates"}, {false, false, ""}, {true, true, "Exact"}} {
		a := &answer{Result: &table{Columns: []string{"d", "n", "l", "h"}, Numeric: []bool{false, true, true, true}, Cut: c.cut}}
		items := []asking.Item{{}, {Figure: true}}
		if c.interval {
			items[1].Interval = [2]int{2, 3}
		}
		for _, key := range []string{"a", "b"} {
			a.Result.Rows = append(a.Result.Rows, []cell{{Value: key, Text: key}, {Value: "5"}, {Value: "5"}, {Value: "5"}})
		}
		a.draw(items)
		a.markUnknown()
		if !strings.HasPrefix(a.Legend, c.said) || (a.Legend == "") != (c.said == "") || strings.Contains(a.Drawn[0].Chart.Title, "the first 2") != c.cut {
			t.Errorf("%+v: %q, %q", c, a.Legend, a.Drawn[0].Chart.Title)
		}
	}
}

// A key without letters has a name, in the table and in the drawing; NULL has its own.
func TestEmptyKeys(t *testing.T) {
	a := &answer{Result: &table{Columns: []string{"d", "n"}, Numeric: []bool{false, true}}}
	for _, key := range []cell{{}, {Text: "NULL", Null: true}, {Value: "flu", Text: "flu"}} {
		a.Result.Rows = append(a.Result.Rows, []cell{key, {Value: "5", Text: "5"}})
	}
	a.draw([]asking.Item{{}, {Figure: true}})
	var texts []string
	for _, s := range a.Drawn[0].Chart.Wide.Shapes {
		if s.Class == "key" {
			texts = append(texts, s.Text)
		}
	}
	if got := strings.Join(texts, " "); got != "(empty) NULL flu" || a.Result.Rows[0][0].Text != "(empty)" || a.Result.Rows[0][0].Value != "" {
		t.Errorf("keys are called %s, in the table %+v", got, a.Result.Rows[0][0])
	}
}

// Two columns of a name have errors of two names, and a figure of more digits than a float64 has all of them.
func TestTwinsAndDigits(t *testing.T) {
	twins := &table{Columns: []string{"n", "n", "", "", "", ""}}
	header := headerOf(twins, []asking.Item{{Figure: true, Interval: [2]int{2, 3}}, {Figure: true, Interval: [2]int{4, 5}}})
	if got := strings.Join(header, " "); got != "n n n_low n_high n_2_low n_2_high" {
		t.Errorf("the columns are %s", got)
	}
	c := cell{Value: "12345678901234567890.12", Text: "1.2346e+19"}
	if x := number(c); c.said(chart.Figure{Value: x, Low: x, High: x}) != c.Value {
		t.Errorf("an exact figure is %s", c.said(chart.Figure{Value: x, Low: x, High: x}))
	}
}

// Answers with many small values are bounded, too: a page and a file of NULLs take a few times their limit.
func TestManyNulls(t *testing.T) {
	db := sql.OpenDB(&scriptedServer{answer: func(string) ([]string, int, error) { return make([]string, 300), maxFileRows, nil }})
	defer db.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	page, err := read(t.Context(), db, "SELECT")
	if err != nil || !page.Cut || len(page.Rows) > maxBytes/300/cellBytes+1 {
		t.Errorf("a page has %d rows, %v", len(page.Rows), err)
	}
	var file bytes.Buffer
	cut, err := readInto(t.Context(), db, "SELECT", &file)
	if err != nil || !cut.Cut || file.Len() > maxFileBytes+10_000 {
		t.Errorf("a file has %d bytes, %v", file.Len(), err)
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 8*maxFileBytes {
		t.Errorf("%d bytes were allocated", after.TotalAlloc-before.TotalAlloc)
	}
}
