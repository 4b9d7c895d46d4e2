package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/catalogtest"
)

// spend makes a publication spend epsilon of column s: it has a model with noise.
func spend(epsilon string, also ...func(*catalog.Publication)) func(*catalog.Publication) {
	return spendOf("s", epsilon, also...)
}

func spendOf(sensitive, epsilon string, also ...func(*catalog.Publication)) func(*catalog.Publication) {
	return func(p *catalog.Publication) {
		e := anonymize.MustRatio(epsilon)
		p.Spends = &catalog.Spending{Sensitive: sensitive, Epsilon: e}
		p.Release.Model = &anonymize.Model{Sensitive: sensitive, Epsilon: e, Scale: 2 / e.Float()}
		for _, change := range also {
			change(p)
		}
	}
}

const shownEpsilon = "SELECT `database`, `table`, sa, releases, spent, epsilon_limit FROM anonsql.epsilon"

// Spendings of a table's releases add up whatever owners do with releases and tables: one story, with a publication in each step.
func TestEpsilonIsAddedUp(t *testing.T) {
	b := catalogtest.NewBench(t)
	r, c := b.Releases(), b.Owner()
	// allow: the rule of one public grouping has its own test.
	allow := func(p *catalog.Publication) { p.AllowComposition = true }
	const before = " d|t|q|1|10|10"
	for _, step := range []struct {
		publicationStep
		shown string // after
	}{
		{publicationStep{name: "the first one", statements: []string{"CREATE TABLE t (q INT, s INT)", fillTable("t", 0)},
			table: "t", as: "p", how: spend("4"), wants: stored}, "d|t|s|1|4|10"},
		{publicationStep{name: "in its place", table: "t", as: "p", how: spend("4", inPlace), wants: stored}, "d|t|s|2|8|10"},
		{publicationStep{name: "too much", table: "t", as: "p", how: spend("3", inPlace),
			wants: "model_epsilon is 3, must be at most 2: epsilons of all releases of d.t add up, 2 of them have spent 8 of s, and the limit is 10. " +
				"CALL set_attributes('d.t', 'epsilon_limit=11') raises it"}, "d|t|s|2|8|10"},
		{publicationStep{name: "without noise", table: "t", as: "p", how: inPlace, wants: stored}, "d|t|s|2|8|10"},
		{publicationStep{name: "of another column", table: "t", as: "p", how: spendOf("q", "10", inPlace), wants: stored}, "d|t|s|2|8|10" + before},
		{publicationStep{name: "after DROP, too much", drop: "p", table: "t", as: "p", how: spend("2.5", allow), wants: "must be at most 2:"},
			"d|t|s|2|8|10" + before},
		{publicationStep{name: "a private one, after a start", reopen: true, table: "t", as: "mine", how: spend("1/3", inPrivate), wants: stored},
			"d|t|s|3|8.333333333333334|10" + before},
		{publicationStep{name: "another table of the name", drop: "mine", statements: []string{"DROP TABLE t", "CREATE TABLE t (q INT, s INT)", fillTable("t", 77)},
			table: "t", as: "p", how: spend("2", allow), wants: "must be at most 5/3:"}, "d|t|s|3|8.333333333333334|10" + before},
		{publicationStep{name: "just what is left, after a start", reopen: true, table: "t", as: "p", how: spend("5/3", allow), wants: composed}, "d|t|s|4|10|10" + before},
		{publicationStep{name: "under another name", statements: []string{"ALTER TABLE t RENAME TO u"}, table: "u", as: "p", how: spend("0.001", inPlace, allow),
			wants: "must be at most 0:"}, "d|t|s|4|10|10" + before + " d|u|s|4|10|10"},
	} {
		t.Run(step.name, func(t *testing.T) {
			r = step.take(t, b, c, r)
			c.Serve(r)
			c.Want(shownEpsilon, step.shown)
		})
	}
	c.Session.SessionEnd()
	b.Catalog.Close()
	if report := catalogtest.Checked(t, b.Dir); report.Err() != nil {
		t.Error(catalogtest.Findings(report))
	}
}

// Epsilons of one unit add up. Those of another are no part of the sum, and a release that adds one is refused but at the owner's risk.
func TestEpsilonOfUnits(t *testing.T) {
	b := catalogtest.NewBench(t)
	r, c := b.Releases(), b.Owner()
	of := func(epsilon string, unit ...string) func(*catalog.Publication) {
		return spend(epsilon, inPlace, func(p *catalog.Publication) { p.Spends.Unit = catalog.UnitName(unit) })
	}
	const shown = "SELECT unit, releases, spent FROM anonsql.epsilon"
	for _, step := range []struct {
		publicationStep
		shown string // after
	}{
		{publicationStep{name: "of patients", statements: []string{"CREATE TABLE t (q INT, s INT)", fillTable("t", 0)},
			table: "t", as: "p", how: of("4", "clinic", "Patient"), wants: stored}, "Patient, clinic|1|4"},
		{publicationStep{name: "the same in another order", table: "t", as: "p", how: of("5", "Patient", "clinic"), wants: stored}, "Patient, clinic|2|9"},
		{publicationStep{name: "too much", table: "t", as: "p", how: of("2", "Patient", "clinic"), wants: "must be at most 1:"}, "Patient, clinic|2|9"},
		{publicationStep{name: "of rows", table: "t", as: "p", how: of("1"), wants: "model_epsilon is 1, cannot be added to what releases of d.t have spent of s: " +
			"they protect a Patient, clinic each, this one a row"}, "Patient, clinic|2|9"},
		{publicationStep{name: "of rows, at the owner's risk", table: "t", as: "p", how: func(p *catalog.Publication) {
			of("3")(p)
			p.AllowComposition = true
		}, wants: stored}, "Patient, clinic|2|9 |1|3"},
	} {
		t.Run(step.name, func(t *testing.T) {
			r = step.take(t, b, c, r)
			c.Serve(r)
			c.Want(shown, step.shown)
		})
	}
}

// An owner's limit is kept through a start and a renamed table; a column is the same under another name.
func TestEpsilonLimit(t *testing.T) {
	b := catalogtest.NewBench(t)
	c := b.Owner()
	c.Run("CREATE TABLE t (q INT, s INT)", fillTable("t", 0))
	if err := b.Catalog.SetEpsilonLimit(c.Context(), "d", "t", anonymize.MustRatio("1.5")); err != nil {
		t.Fatal(err)
	}
	c.Run("ALTER TABLE t RENAME TO u")
	b.ReopenWith(c)
	r := b.Releases()
	if _, err := publishRecords(c, r, "u", "p", spend("2")); err == nil || !strings.Contains(err.Error(), "must be at most 1.5: ") {
		t.Errorf("beyond the limit: %v", err)
	}
	record, err := publishRecords(c, r, "u", "p", spend("1.25"))
	if err != nil {
		t.Fatal(err)
	}
	c.Run("ALTER TABLE u RENAME COLUMN s TO salary")
	for column, want := range map[string]string{"salary": "5/4", "S": "5/4", "q": "0/1"} {
		if budget, err := r.EpsilonBudget(c.Context(), record, column, ""); err != nil || budget.Spent.String() != want || budget.Limit != anonymize.MustRatio("1.5") {
			t.Errorf("%s: %+v, %v, must have spent %s", column, budget, err, want)
		}
	}
}

// A table that is dropped and loaded again keeps its limit, and the sum of a column under its first and its last name.
func TestEpsilonOutlivesTheTable(t *testing.T) {
	b := catalogtest.NewBench(t)
	c := b.Owner()
	limit := func(text string) {
		t.Helper()
		if err := b.Catalog.SetEpsilonLimit(c.Context(), "d", "t", anonymize.MustRatio(text)); err != nil {
			t.Fatal(err)
		}
	}
	c.Run("CREATE TABLE t (q INT, s INT)", fillTable("t", 0))
	limit("1")
	record, err := publishRecords(c, b.Releases(), "t", "p", spend("1"))
	if err != nil {
		t.Fatal(err)
	}
	c.Run("ALTER TABLE t RENAME COLUMN s TO salary", "DROP TABLE t", "CREATE TABLE t (q INT, s INT, salary INT)")
	b.ReopenWith(c)
	r := b.Releases()
	want := func(spent, limit string) {
		t.Helper()
		table, err := b.Catalog.Table(c.Context(), "d", "t")
		if err != nil {
			t.Fatal(err)
		}
		again := &catalog.ReleaseRecord{SourceTable: table.ID(), Database: "d", Table: "t"}
		for column, spent := range map[string]string{"s": spent, "salary": spent, "q": "0/1"} {
			got, err := r.EpsilonBudget(c.Context(), again, column, "")
			if err != nil || got.Spent.String() != spent || got.Limit != anonymize.MustRatio(limit) {
				t.Errorf("%s: %+v, %v; must have spent %s of %s", column, got, err, spent, limit)
			}
		}
	}
	want("1/1", "1")
	limit("2")
	want("1/1", "2")
	c.Run("DROP TABLE t", "CREATE TABLE t (q INT, s INT, salary INT)")
	want("1/1", "1")
	c.Run("DROP DATABASE d", "CREATE DATABASE d", "CREATE TABLE d.t (q INT, s INT, salary INT)")
	want("1/1", "1")
	if budget, err := r.EpsilonBudget(c.Context(), record, "s", ""); err != nil || budget.Limit != anonymize.MustRatio("1") {
		t.Errorf("of the table that is gone: %+v, %v", budget, err)
	}
}

// So does a limit above the default.
func TestHighLimitOutlivesTheTable(t *testing.T) {
	b := catalogtest.NewBench(t)
	r, c := b.Releases(), b.Owner()
	c.Run("CREATE TABLE t (q INT, s INT)", fillTable("t", 0))
	if err := b.Catalog.SetEpsilonLimit(c.Context(), "d", "t", anonymize.MustRatio("20")); err != nil {
		t.Fatal(err)
	}
	record, err := publishRecords(c, r, "t", "p", spend("12"))
	if err != nil {
		t.Fatal(err)
	}
	c.Run("DROP TABLE t")
	again := &catalog.ReleaseRecord{SourceTable: record.SourceTable + 1, Database: "d", Table: "t"}
	if budget, err := r.EpsilonBudget(c.Context(), again, "s", ""); err != nil || budget.Limit != anonymize.MustRatio("20") {
		t.Errorf("%+v, %v", budget, err)
	}
}

// A publication must spend what its model says, and a failed publication spends nothing.
func TestNothingIsSpentByWhatFails(t *testing.T) {
	b := catalogtest.NewBench(t)
	r, c := b.Releases(), b.Owner()
	c.Run("CREATE TABLE t (q INT, s INT)", fillTable("t", 0))
	for what, change := range map[string]func(*catalog.Publication){
		"no spending":      func(p *catalog.Publication) { p.Spends = nil },
		"less":             func(p *catalog.Publication) { p.Spends.Epsilon = anonymize.MustRatio("0.5") },
		"of another":       func(p *catalog.Publication) { p.Spends.Sensitive = "q" },
		"no model":         func(p *catalog.Publication) { p.Release.Model = nil },
		"no description":   func(p *catalog.Publication) { p.Record.Completion = &catalog.CompletionRecord{} },
		"a model of noise": func(p *catalog.Publication) { p.Release.Model.Scale = 0 },
	} {
		if _, err := publishRecords(c, r, "t", "p", spend("1", change)); err == nil {
			t.Errorf("%s: it is stored", what)
		}
	}
	end := errors.New("the client is gone")
	admission, err := r.Admit(c.Context(), publicationOf(c, "t", "p", spend("1")))
	if err != nil {
		t.Fatal(err)
	}
	gone := c.Context().WithContext(catalog.WithSettler(t.Context(), catalog.Settler{Settle: func(context.Context) error { return end }}))
	if record, err := r.Publish(gone, admission); record != nil || !errors.Is(err, end) {
		t.Errorf("got %+v, %v", record, err)
	}
	c.Serve(r)
	c.Want(shownEpsilon, "")
}

const spendingDirectory = "ANONSQL_TEST_SPENDING_DIRECTORY"

// The child of TestKillDuringSpending publishes for ever.
func TestSpendingChild(t *testing.T) {
	dir := os.Getenv(spendingDirectory)
	if dir == "" {
		return // nothing to do but as the child of TestKillDuringSpending
	}
	b := &catalogtest.Bench{T: t, Dir: dir}
	b.Open()
	r, c := b.Releases(), b.Client()
	c.Session.SetCurrentDatabase("d")
	for {
		record, err := publishRecords(c, r, "t", "p", spend("0.001", inPlace))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("version", record.Version)
	}
}

// A process killed during publications leaves as many spendings as stored releases.
func TestKillDuringSpending(t *testing.T) {
	b := catalogtest.NewBench(t)
	c := b.Owner()
	c.Run("CREATE TABLE t (q INT, s INT)", fillTable("t", 0))
	if _, err := publishRecords(c, b.Releases(), "t", "p", spend("0.001")); err != nil {
		t.Fatal(err)
	}
	for round := range 4 {
		c.Session.SessionEnd()
		if err := b.Catalog.Close(); err != nil {
			t.Fatal(err)
		}
		child := catalogtest.StartProcess(t, "TestSpendingChild", spendingDirectory, b.Dir)
		for range 2 + round {
			child.Await("version ")
		}
		child.Kill()
		b.Open()
		*c = *b.Client()
		c.Session.SetCurrentDatabase("d")
		p, err := b.Releases().Named("p")
		if err != nil {
			t.Fatal(err)
		}
		if budget, err := b.Releases().EpsilonBudget(c.Context(), recordOf(c, "t"), "s", ""); err != nil || budget.Releases != p.Record().Version {
			t.Errorf("round %d: version %d of the release is there, %+v was spent, %v", round, p.Record().Version, budget, err)
		}
	}
}

// recordOf returns the description of a planned release of a table.
func recordOf(c *catalogtest.Client, table string) *catalog.ReleaseRecord {
	return &catalog.ReleaseRecord{SourceTable: c.Table(table).ID(), Database: "d", Table: table}
}
