package functions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog"
)

// sameAs is the method in_order under another name; spoil then changes its release.
func sameAs(name string, spoil func(*anonymize.Release)) anonymize.Method {
	m := inOrder
	m.Name = name
	m.Algorithm = func(ctx context.Context, in *anonymize.Input, s anonymize.Settings) (*anonymize.Release, error) {
		r, err := inOrder.Algorithm(ctx, in, s)
		if err == nil {
			spoil(r)
		}
		return r, err
	}
	return m
}

// The server does not trust a method's promises: it compares the release with the table and stores nothing of a
// broken one.
func TestReleaseIsNotBelieved(t *testing.T) {
	two := anonymize.Ratio{Num: 2, Den: 1}
	for _, c := range []struct {
		method anonymize.Method
		want   string
	}{
		{sameAs("liar", func(r *anonymize.Release) { r.Promises = []anonymize.Promise{{Guarantee: "k", Bound: two}} }), "k"},
		{sameAs("loser", func(r *anonymize.Release) { r.Fragments = r.Fragments[:1] }), "disease"},
		{sameAs("forger", func(r *anonymize.Release) {
			column := r.Fragments[0].Columns[0]
			column.Dictionary = slices.Clone(column.Dictionary)
			column.Dictionary[0] = anonymize.IntegerValue(29) // Ann and Gus, who are 30
		}), "age"},
		{sameAs("stranger", func(r *anonymize.Release) { r.Promises = []anonymize.Promise{{Guarantee: "beauty", Bound: two}} }), "beauty"},
	} {
		b := newBench(t)
		b.environment.Method = func(string) (anonymize.Method, error) { return c.method, nil }
		_, err := b.try("root", "CALL anonymize('hospital.patients', 'x', 'qi=age,sex', 'sa=disease', 'seed=1')")
		if err == nil || !strings.HasPrefix(err.Error(), "the release of "+c.method.Name+" was not accepted: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want one about %s", c.method.Name, err, c.want)
		}
		got := b.run("root", "SELECT COUNT(*), (SELECT COUNT(*) FROM anonsql.jobs WHERE status = 'failed') FROM anonsql.releases").lines()
		if !slices.Equal(got, []string{"0|1"}) {
			t.Errorf("%s: releases and failed jobs are %q", c.method.Name, got)
		}
	}
}

// A method that panics ends its job, and the server logs the panic.
func TestMethodPanics(t *testing.T) {
	b := newBench(t)
	b.environment.Method = func(string) (anonymize.Method, error) {
		return sameAs("panicking", func(*anonymize.Release) { panic("out of cheese") }), nil
	}
	ctx := b.context(context.Background(), "root", "CALL anonymize('hospital.patients')")
	rows, err := b.environment.anonymize(ctx, "hospital.patients", "x", "qi=age", "sa=disease")
	if err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() {
			if cause := recover(); cause != "out of cheese" {
				t.Errorf("recovered %v", cause)
			}
		}()
		t.Errorf("it returned %v", drained(ctx, rows))
	}()
	if got := b.run("root", "SELECT status, error FROM anonsql.jobs").lines(); !slices.Equal(got, []string{"failed|" + errPanicked.Error()}) {
		t.Errorf("jobs %q", got)
	}
}

// KILL stops the work at any time, and nothing is stored.
func TestKilledPublication(t *testing.T) {
	for _, at := range []string{"before", "while it runs", "when it has run"} {
		b := newBench(t)
		killed, kill := context.WithCancel(context.Background())
		defer kill()
		b.environment.Method = func(string) (anonymize.Method, error) {
			m := sameAs("slow", func(*anonymize.Release) { kill() })
			if at == "while it runs" {
				m.Algorithm = func(ctx context.Context, _ *anonymize.Input, _ anonymize.Settings) (*anonymize.Release, error) {
					kill()
					return nil, ctx.Err()
				}
			}
			return m, nil
		}
		ctx := b.context(killed, "root", "CALL anonymize('hospital.patients')")
		rows, err := b.environment.anonymize(ctx, "hospital.patients", "x", "qi=age", "sa=disease", "attacks=true", "calibrate=true")
		if err != nil {
			t.Fatal(err)
		}
		if at == "before" {
			kill()
		}
		if err := drained(ctx, rows); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", at, err)
		}
		if n := b.number("SELECT COUNT(*) FROM anonsql.releases"); n != 0 {
			t.Errorf("%s: %v releases are stored", at, n)
		}
	}
}

// manyPeople is a table of 1000 records, from which on a release is measured unless
// its owner does not want that.
func (b *bench) manyPeople() {
	values := make([]string, fewRows)
	for i := range values {
		values[i] = fmt.Sprintf("(%d, %d)", i%40, i*7%5)
	}
	b.run("root", "CREATE TABLE hospital.people (x INT, s INT); INSERT INTO hospital.people VALUES "+strings.Join(values, ", ")+
		"; CALL set_attributes('hospital.people', 'qi=x', 'sa=s')")
}

func TestMeasuredByDefault(t *testing.T) {
	b := newBench(t)
	b.manyPeople()
	count := func(release string) string {
		return b.run("root", "SELECT (SELECT COUNT(*) FROM ANON_UTILITY("+release+") WHERE measure = 'calibration_queries'), "+
			"(SELECT COUNT(*) FROM ANON_PRIVACY("+release+") WHERE guarantee IN ('definetti', 'learned'))").lines()[0]
	}
	if r := b.run("root", "CALL anonymize('hospital.people', 'in_order', 'seed=1')"); strings.Contains(strings.Join(r.notes, "\n"), "calibration") {
		t.Errorf("notes %q", r.notes)
	}
	if got := count("people"); got != "1|2" {
		t.Errorf("of %d records calibrations and attacks are %s", fewRows, got)
	}
	b.run("root", "CALL anonymize('hospital.people', 'in_order', 'seed=1', 'calibrate=false', 'attacks=off', 'replace=true')")
	if got := count("people"); got != "0|0" {
		t.Errorf("not wanted, calibrations and attacks are %s", got)
	}
	b.run("root", "DELETE FROM hospital.people WHERE x = 0; CALL anonymize('hospital.people', 'in_order', 'seed=1', 'replace=true')")
	if got := count("people"); got != "0|0" {
		t.Errorf("of fewer than %d records calibrations and attacks are %s", fewRows, got)
	}
}

// A workload's seed is not the method's, differs between seeds, and is the system's
// when none is given.
func TestWorkloadSeed(t *testing.T) {
	seen := map[uint64]bool{}
	for _, text := range []string{"1", "2", "", ""} {
		seed, err := workloadSeed(text)
		if err != nil || seen[seed] {
			t.Errorf("seed of %q: %d, %v", text, seed, err)
		}
		seen[seed] = true
	}
	again, err := workloadSeed("1")
	if err != nil || !seen[again] {
		t.Errorf("the seed of 1 is another one the second time: %d, %v", again, err)
	}
}

// Copies are recognised by the columns that are not released, too: short ones, at most
// maxOtherColumns of them, and none of a private release.
func TestRecordsBeside(t *testing.T) {
	b := newBench(t)
	wide := make([]string, maxOtherColumns+5)
	for i := range wide {
		wide[i] = fmt.Sprintf("w%d INT", i)
	}
	b.run("root", "CREATE TABLE hospital.wide (x INT, s INT, long_text TEXT, document JSON, short_text VARCHAR(255), "+strings.Join(wide, ", ")+
		"); INSERT INTO hospital.wide (x, s, short_text) VALUES (1, 1, 'a'), (2, 2, 'b')")
	ctx := b.context(context.Background(), "root", "")
	var drawn []uint32
	columnsOf := func(private bool, stale int64, left ...uint32) []string {
		table, err := b.catalog.Table(ctx, "hospital", "wide")
		if err != nil {
			t.Fatal(err)
		}
		data, err := table.Microdata(ctx, []string{"x", "s"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		p := &publication{run: &run{environment: b.environment, unitReading: unitReading{table: table}, microdata: data, version: table.Version() - stale}}
		p.Publication = catalog.Publication{Record: catalog.ReleaseRecord{Private: private}}
		p.whole, p.drawn, p.published = data, drawn, left
		if rows := len(append(left, drawn...)); rows > 0 {
			p.microdata = &anonymize.Microdata{Rows: 1, Columns: data.Columns}
		}
		columns, err := p.records(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for i, c := range columns {
			if names = append(names, c.Name); i >= 2 && len(c.Codes) != p.microdata.Rows {
				t.Errorf("column %s has %d records of %d", c.Name, len(c.Codes), p.microdata.Rows)
			}
		}
		return names
	}
	public := columnsOf(false, 0)
	if got := columnsOf(false, 0, 1); !slices.Equal(got, public) {
		t.Errorf("with records left out the release is known by %q", got)
	}
	for _, left := range [][]uint32{nil, {0}} {
		if drawn = []uint32{1}; !slices.Equal(columnsOf(false, 0, left...), public) {
			t.Errorf("with max_records the release is known by %q", columnsOf(false, 0, left...))
		}
	}
	drawn = nil
	if len(public) != 2+maxOtherColumns || !slices.Equal(public[:4], []string{"x", "s", "short_text", "w0"}) {
		t.Errorf("a public release is known by %q", public)
	}
	released := []string{"x", "s"}
	if got := columnsOf(true, 0); !slices.Equal(got, released) {
		t.Errorf("a private release is known by %q", got)
	}
	if got := columnsOf(false, 1); !slices.Equal(got, released) {
		t.Errorf("of a table that changed meanwhile the release is known by %q", got)
	}
}

// A copy of a table that was published with max_records is recognised by columns that neither releases.
func TestCopyWithMaxRecords(t *testing.T) {
	b := newBench(t)
	var rows []string
	for i := range 400 {
		rows = append(rows, fmt.Sprintf("(%d, %d, 's%d', %d, %d, %d)", i/2, i%40, i%7, i*7919%1009%31, i*104729%997%29, i*15485863%991%23))
	}
	b.run("root", "CREATE TABLE hospital.stays (patient INT, x INT, s VARCHAR(3), a INT, b INT, c INT); INSERT INTO hospital.stays VALUES "+strings.Join(rows, ", ")+
		"; CREATE TABLE hospital.again AS SELECT patient + 5000 AS patient, x DIV 2 AS y, CONCAT('no ', s) AS r, a, b, c FROM hospital.stays")
	const call = "CALL anonymize('hospital.%s', 'anatomy', 'l=2', 'unit=patient', 'max_records=%d', 'qi=%s', 'sa=%s', 'fit=false', 'calibrate=false', 'attacks=false')"
	b.run("root", fmt.Sprintf(call, "stays", 1, "x", "s"))
	if _, err := b.try("root", fmt.Sprintf(call, "again", 2, "y", "r")); err == nil || !strings.Contains(err.Error(), "hospital.stays") {
		t.Errorf("the copy is told %v", err)
	}
}

// A copy of a published table is refused before the long work.
func TestCopyIsRefusedEarly(t *testing.T) {
	b := newBench(t)
	b.manyPeople()
	b.run("root", "CREATE TABLE hospital.again AS SELECT * FROM hospital.people; CALL set_attributes('hospital.again', 'qi=x', 'sa=s')")
	b.run("root", "CALL anonymize('hospital.people', 'anatomy', 'l=2', 'fit=false', 'calibrate=false', 'attacks=false')")
	_, err := b.try("root", "CALL anonymize('hospital.again', 'anatomy', 'l=2', 'calibrate=true', 'attacks=true')")
	if err == nil || !strings.Contains(err.Error(), "hospital.people") {
		t.Fatalf("a copy is told %v", err)
	}
	job := b.run("root", "SELECT phase FROM anonsql.jobs WHERE kind = 'anonymize' ORDER BY id DESC LIMIT 1")
	if got := fmt.Sprint(job); !strings.Contains(got, "compare with other releases") {
		t.Errorf("a copy is refused when it is at %s", got)
	}
}

// The frontier of CALL tune: no trial dominates one on it, some trial dominates each one off it, and every choice
// promises at least what was required.
func TestTuneFrontier(t *testing.T) {
	b := newBench(t)
	b.people(40, 3)
	r := b.run("root", `CALL tune('hospital.people', 'methods=anatomy,mondrian,slppa', 'l=3/2', 'seed=3', 'queries=40', 'qi_count=1-2',
		'anatomy.l=2|3', 'anatomy.homogeneous=false', 'mondrian.k=4|8', 'mondrian.l=2',
		'slppa.beta=1/2|2/3', 'slppa.tables=1|2', 'slppa.homogeneous=false')`)
	type trial struct {
		frontier   bool
		risk, loss float64
	}
	var trials []trial
	for _, row := range r.rows {
		trials = append(trials, trial{row[0].(bool), row[1].(float64), row[2].(float64)})
		statement := row[4].(string)
		if _, err := b.try("root", strings.Replace(statement, ")", ", 'dry_run=true')", 1)); err != nil {
			t.Errorf("%s: %v", statement, err)
		}
	}
	chosen := 0
	for i, a := range trials {
		beaten := slices.ContainsFunc(trials, func(o trial) bool {
			return o.risk <= a.risk && o.loss <= a.loss && (o.risk < a.risk || o.loss < a.loss)
		})
		if a.frontier == beaten {
			t.Errorf("trial %d, risk %v and loss %v, is on the frontier: %v, beaten: %v", i, a.risk, a.loss, a.frontier, beaten)
		}
		if a.frontier {
			chosen++
		}
	}
	if chosen == 0 || chosen == len(trials) {
		t.Errorf("%d of %d trials are on the frontier: the case tests nothing", chosen, len(trials))
	}
}

// A procedure computes its rows once, when the first is read, and not again after an error.
func TestWorkIsDoneOnce(t *testing.T) {
	ctx, times := sql.NewEmptyContext(), 0
	rows := rowsOf(func(*sql.Context) ([]sql.Row, error) { times++; return []sql.Row{{1}, {2}}, nil })
	if times != 0 {
		t.Error("the work was done before a row was read")
	}
	if got, err := sql.RowIterToRows(ctx, rows); err != nil || len(got) != 2 || times != 1 {
		t.Errorf("%v, %v, done %d times", got, err, times)
	}
	failed := errors.New("failed")
	rows = rowOf(func(*sql.Context) (sql.Row, error) { times++; return nil, failed })
	if err := drained(ctx, rows); !errors.Is(err, failed) {
		t.Error(err)
	}
	if err := drained(ctx, rows); err != nil || times != 2 {
		t.Errorf("%v, done %d times", err, times)
	}
}
