package functions

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/contingency"
	"github.com/anonsql/anonsql/anonymize/impute"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/report"
)

// countedTowns is the table of [towns] in an engine.
type countedTowns struct{ source.Table }

func (countedTowns) Version() int64     { return 1 }
func (countedTowns) Schema() sql.Schema { return nil }

// An engineOfPairs plans one attempt, which is itself, and notes what it is asked.
type engineOfPairs struct {
	source.Publisher
	rows   int // of the table; linked rows are read
	linked *source.Linked
	refuse error // of the link
	lost   error // of the groups
	found  []anonymize.Guarantee
	moved  func() // after Publish; nil for nothing
	asked  []string
}

func (c *engineOfPairs) note(what string) error {
	c.asked = append(c.asked, what)
	return nil
}

func (c *engineOfPairs) Plan(*sql.Context, source.Table, source.Wanted) (source.Attempt, error) {
	return c, nil
}

func (c *engineOfPairs) Assign(context.Context, func(int, int)) error {
	return errors.Join(c.note("assign"), c.lost)
}
func (c *engineOfPairs) Verify(context.Context) ([]anonymize.Guarantee, error) {
	return append(c.found, anonymize.Guarantee{Name: "l", Achieved: 2, Holds: true}), c.note("verify")
}

func (c *engineOfPairs) Written(*sql.Context) (*source.Written, error) {
	return &source.Written{Rows: c.rows, Groups: c.rows / 2}, c.note("written")
}

func (c *engineOfPairs) Linked(context.Context, *source.Written) (*source.Linked, error) {
	return c.linked, errors.Join(c.note("linked"), c.refuse)
}

func (*engineOfPairs) Model(context.Context, contingency.Options) (*anonymize.Model, error) {
	return nil, errors.ErrUnsupported
}

func (c *engineOfPairs) Sample(context.Context, *source.Written) (*anonymize.Release, bool, error) {
	return nil, false, c.note("sample")
}
func (*engineOfPairs) Republisher(m anonymize.Method) anonymize.Method { return m }
func (*engineOfPairs) Complete(context.Context, *source.Written, *impute.Fitted, func(int, int)) error {
	return errors.ErrUnsupported
}
func (c *engineOfPairs) Publish(context.Context, *source.Written) error {
	if c.moved != nil {
		c.moved()
	}
	return c.note("publish")
}
func (c *engineOfPairs) Close(context.Context) error { return c.note("close") }
func (c *engineOfPairs) Discard(ctx context.Context) error {
	if _, bounded := ctx.Deadline(); !bounded {
		_ = c.note("unbounded")
	}
	return c.note("discard")
}
func (c *engineOfPairs) Done() { _ = c.note("done") }

// A sweptEngine is a relation store that records, with every sweep, the earlier requests of its attempt.
type sweptEngine struct {
	source.RelationStore
	attempt *engineOfPairs
	swept   chan string
}

func (s *sweptEngine) Engine() string { return "trino://db.example:8080/lake/published" }

func (s *sweptEngine) Sweep(context.Context, func(string) bool) ([]string, error) {
	s.swept <- strings.Join(s.attempt.asked, " ")
	return nil, nil
}

// A publication that ends without a release has its leftovers swept at the end: after losing the engine it could drop nothing.
func TestWhatEndsInTheEngineIsSwept(t *testing.T) {
	p, engine, ctx := pairsInEngine(t, 6000, asksAttacks{})
	engine.lost = errors.New("the engine is lost")
	s := &sweptEngine{attempt: engine, swept: make(chan string)}
	if err := p.environment.Releases.KeepIn(s); err != nil {
		t.Fatal(err)
	}
	go p.environment.Releases.SweepWhenAsked(t.Context(), func([]string, error) {})
	sweep := func() (asked string) {
		select {
		case asked = <-s.swept:
		case <-time.After(time.Minute):
			t.Fatal("nothing is swept")
		}
		return asked
	}
	sweep() // at first
	if _, err := p.publish(ctx); !errors.Is(err, engine.lost) {
		t.Errorf("%v", err)
	}
	if asked := sweep(); asked != "assign discard done" {
		t.Errorf("swept behind %q", asked)
	}
}

// pairsInEngine is a dry run of a publication of so many rows, of which those of [attacked] are a sample.
func pairsInEngine(t *testing.T, rows int, asks asksAttacks) (*enginePublication, *engineOfPairs, *sql.Context) {
	t.Helper()
	b := newBench(t)
	linked := &source.Linked{Records: &anonymize.Microdata{Rows: 2000}, Whole: rows == 2000}
	in := towns(2000)
	linked.Records.Columns = append(slices.Clone(in.QuasiIdentifiers), in.Sensitive...)
	linked.Alone = make([]bool, in.Rows)
	linked.Alone[7] = true // of 2000 records of 40 ages the table says that one is alone
	r := &run{method: pairs, seed: "1", environment: b.environment, roles: anonymize.Roles{QuasiIdentifiers: []string{"age"}, Sensitive: []string{"illness"}}}
	var err error
	if r.settings, err = pairs.Resolve(nil); err != nil {
		t.Fatal(err)
	}
	if in.Random, err = r.source(); err != nil {
		t.Fatal(err)
	}
	in.Assigned = func(gidOf []uint32) { linked.GroupOf = gidOf }
	ctx := b.context(context.Background(), "root", "")
	if linked.Release, err = pairs.Run(ctx, in, nil); err != nil {
		t.Fatal(err)
	}
	c := &engineOfPairs{rows: rows, linked: linked}
	r.table = countedTowns{}
	return &enginePublication{run: r, publisher: c, admission: new(catalog.Admission), trial: trial{dryRun: true}, asksAttacks: asks, fit: fit{when: "false"}}, c, ctx
}

const asks = "assign verify written linked close"

// A sample of a release in an engine is attacked as a release at hand: of all records the figures are the same; of fewer they say of how many, and by how much they
// may be off. Who is alone in the table the engine says. The link goes before, and the records after.
func TestAttackOfASample(t *testing.T) {
	usual, _ := attacked(t, nil)
	for _, rows := range []int{2000, 6000} {
		p, c, ctx := pairsInEngine(t, rows, asksAttacks{})
		if _, err := p.publish(ctx); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(c.asked, " "); got != asks+" discard done" {
			t.Errorf("the engine is asked %q", got)
		}
		for _, want := range usual {
			at := slices.IndexFunc(p.Record.Guarantees, func(g anonymize.Guarantee) bool { return g.Name == want.Name })
			if at < 0 {
				t.Fatalf("%s is not among %+v", want.Name, p.Record.Guarantees)
			}
			got, unique := p.Record.Guarantees[at], p.Record.Guarantees[at+1]
			const note = "; of 2000 of 6000 records, in whole groups at random, which leaves a standard error of 0.016 at most"
			if got.Achieved != want.Achieved || strings.Contains(got.Detail, note) != (rows == 6000) || unique.Name != got.Name+"_unique" || unique.Attack.Records != 1 ||
				strings.Contains(unique.Detail, "; of 2000 of 6000 records, in whole groups at random, which leaves a standard error of 0.500 at most") != (rows == 6000) {
				t.Errorf("of %d records: %+v and %+v, want %+v", rows, got, unique, want)
			}
		}
		if p.linked != nil || p.input != nil || p.gidOf != nil || p.alone != nil || p.release != nil {
			t.Error("records are kept")
		}
		if told := ctx.Session.Warnings(); !slices.ContainsFunc(told, func(w *sql.Warning) bool { return strings.Contains(w.Message, "guarantees: l 2; definetti 0.") }) {
			t.Errorf("a dry run tells %+v", told)
		}
	}
}

// max_attack refuses before completed tables are drawn, and the engine drops its tables; also if attacks cannot be measured.
func TestLimitOfASample(t *testing.T) {
	limit := anonymize.NewRatio(2, 5)
	tooMany := &anonymize.DataError{Reason: "groups are so large"}
	for _, c := range []struct {
		says   string
		asks   asksAttacks
		change func(*engineOfPairs)
		asked  string
	}{
		{"max_attack = 0.4 cannot be met", asksAttacks{"true", &limit}, func(*engineOfPairs) {}, asks + " discard done"},
		{"max_attack = 0.4 cannot be checked: groups are so large", asksAttacks{"true", &limit}, func(c *engineOfPairs) { c.refuse = tooMany }, asks + " discard done"},
		{"max_attack = 0.4 cannot be checked: the group of a record cannot be told", asksAttacks{"true", &limit}, func(c *engineOfPairs) { c.linked.Shared = true }, asks + " discard done"},
		{"", asksAttacks{}, func(c *engineOfPairs) { c.refuse = tooMany }, asks + " discard done"},
		{"", asksAttacks{}, func(c *engineOfPairs) { c.linked.Shared = true }, asks + " discard done"},
		{"a bad day", asksAttacks{}, func(c *engineOfPairs) { c.refuse = errors.New("a bad day") }, "assign verify written linked discard done"},
		{"", asksAttacks{attacks: "false"}, func(*engineOfPairs) {}, "assign verify written close discard done"},
		{"", asksAttacks{}, func(c *engineOfPairs) { c.rows = fewAttacked - 1 }, "assign verify written close discard done"},
	} {
		p, engine, ctx := pairsInEngine(t, 6000, c.asks)
		c.change(engine)
		_, err := p.publish(ctx)
		if (err != nil) != (c.says != "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want %q", c.asks, err, c.says)
		}
		if got := strings.Join(engine.asked, " "); got != c.asked {
			t.Errorf("%+v: the engine is asked %q, want %q", c.asks, got, c.asked)
		}
		told := slices.ContainsFunc(ctx.Session.Warnings(), func(w *sql.Warning) bool { return strings.Contains(w.Message, "are not measured: ") })
		if lacks := engine.refuse == tooMany || engine.linked.Shared; told != lacks {
			t.Errorf("%+v: that attacks are not measured is told: %v, want %v", c.asks, told, lacks)
		}
		if p.stored != (*catalog.ReleaseRecord)(nil) || p.linked != nil {
			t.Errorf("%+v: something is kept", c.asks)
		}
	}
}

// A limitedEngine keeps relations of releases, and lets none of more than two records be read.
type limitedEngine struct{ source.RelationStore }

func (limitedEngine) Engine() string                                              { return "trino://db.example:8080/lake/published" }
func (limitedEngine) Limit() int                                                  { return 2 }
func (limitedEngine) Keeps(source.Place) bool                                     { return true }
func (limitedEngine) Drop(context.Context, source.Place, []source.Fragment) error { return nil }

// inLimitedEngine is a bench with a public release "there" of hospital.people in an engine, too large to be read.
func inLimitedEngine(t *testing.T) (*bench, *catalog.Published) {
	t.Helper()
	b := newBench(t)
	b.people(9, 1)
	b.run("root", "CALL anonymize('hospital.people', 'in_order', 'records=3', 'seed=1', 'publish=here', 'private=true', 'fit=false', 'calibrate=false')")
	if err := b.environment.Releases.KeepIn(limitedEngine{}); err != nil {
		t.Fatal(err)
	}
	ctx := b.context(t.Context(), "root", "")
	here, err := b.environment.Releases.Find(ctx, "here")
	if err != nil {
		t.Fatal(err)
	}
	p := &catalog.Publication{Record: *b.environment.Releases.RecordFor(ctx, here)}
	p.Record.Name, p.Record.Private, p.Record.Place = "there", false, &source.Place{Engine: limitedEngine{}.Engine(), Name: "0f"}
	admission, err := b.environment.Releases.Admit(ctx, p)
	if err == nil {
		_, err = b.environment.Releases.Publish(ctx, admission)
	}
	if err != nil {
		t.Fatal(err)
	}
	there, err := b.environment.Releases.Find(ctx, "there")
	if err != nil || !there.IsLarge() {
		t.Fatalf("it can be read, %v", err)
	}
	return b, there
}

// Relations move when no rule refuses the release any more. If it is not stored then, they are dropped in the same turn, before others may publish.
func TestMovedRelationsAreTakenBack(t *testing.T) {
	for name, c := range map[string]struct {
		composes, killed bool
		asked            string
	}{
		"stored":  {true, false, "publish"},
		"refused": {false, false, ""},
		"killed":  {true, true, "publish discard done"},
	} {
		b, there := inLimitedEngine(t)
		inner, kill := context.WithCancel(t.Context())
		ctx, engine := b.context(inner, "root", ""), new(engineOfPairs)
		if c.killed {
			engine.moved = kill
		}
		p := &enginePublication{run: &run{environment: b.environment}, attempt: engine}
		p.Record, p.AllowComposition = *b.environment.Releases.RecordFor(ctx, there), true
		p.Record.Name, p.Record.Place = "again", &source.Place{Engine: limitedEngine{}.Engine(), Name: "0e"}
		var err error
		if p.admission, err = b.environment.Releases.Admit(ctx, &p.Publication); err != nil {
			t.Fatal(err)
		}
		p.AllowComposition = c.composes
		if err := p.store(ctx); (err == nil) != (name == "stored") || (p.stored != nil) != (err == nil) {
			t.Errorf("%s: %v", name, err)
		}
		if asked := strings.Join(engine.asked, " "); asked != c.asked {
			t.Errorf("%s: the engine is asked %q, want %q", name, asked, c.asked)
		}
		kill()
	}
}

// What a release reveals together with one in an engine that cannot be read is not measured, and its owner is told so.
func TestCompositionWithALargeRelease(t *testing.T) {
	b, _ := inLimitedEngine(t)
	told := strings.Join(b.run("root", "CALL anonymize('hospital.people', 'in_order', 'records=2', 'seed=1', 'publish=there', 'replace=true')").notes, "\n")
	if !strings.Contains(told, "not measured: what this release reveals together with release there") {
		t.Errorf("told is %s", told)
	}
	if n := b.number("SELECT COUNT(*) FROM ANON_PRIVACY('there') WHERE guarantee LIKE 'intersection%'"); n != 0 {
		t.Errorf("%v figures of a release that was not read", n)
	}
}

// A publication in an engine warns of records in groups with one value, and says that composition is not measured.
func TestWhatPublicationsInTheEngineTell(t *testing.T) {
	_, there := inLimitedEngine(t)
	for _, told := range []bool{false, true} {
		p, engine, ctx := pairsInEngine(t, 6000, asksAttacks{})
		if told {
			p.admission.Replaced = []*catalog.Published{there}
			engine.found = []anonymize.Guarantee{{Name: report.OneValue, Achieved: .2, WorstGroup: -1, Holds: true, Detail: "illness: 1200 of 6000 records are alike"}}
		}
		if _, err := p.publish(ctx); err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"illness: 1200 of 6000 records are alike. Ask for diversity", "compare this release with the other releases of the table that are or were public (1)"} {
			if slices.ContainsFunc(ctx.Session.Warnings(), func(w *sql.Warning) bool { return strings.Contains(w.Message, part) }) != told {
				t.Errorf("%s: told %v, among %+v", part, !told, ctx.Session.Warnings())
			}
		}
	}
}
