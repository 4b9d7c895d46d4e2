package releases_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/engine"
	"github.com/anonsql/anonsql/engine/releases"
	"github.com/anonsql/anonsql/enginetest"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// TestRefusedInTheEngine: options without meaning there are refused by name, with an alternative, and leave nothing.
func TestRefusedInTheEngine(t *testing.T) {
	c := enginetest.Need(t)
	schema := schemas(t, c)
	people(t, c, schema, 1000)
	run(t, c, "CREATE VIEW "+schema+".padded AS SELECT CAST(town AS char(9)) AS town, disease FROM "+schema+".people")
	f := serve(t, c.URL, schema, 0)
	servertest.Exec(t, f.owner, "CREATE DATABASE d", "CREATE TABLE d.t (q INT, s INT)")
	for _, r := range []struct {
		number            int
		says, options     string
		table, qi, method string
	}{
		{number: 1210, says: "a key that nobody knows", options: "'seed=hunter2'"},
		{number: 1210, says: "errors are not measured in the engine", options: "'calibrate=true'"},
		{number: 1210, says: "needs the attacks", options: "'attacks=false', 'max_attack=0.4'"},
		{number: 1210, says: "are drawn before it is stored", options: "'fit=async'"},
		{number: 1210, says: "mondrian publishes ranges, which are not completed", method: "mondrian", options: "'k=5', 'fit=true'"},
		{number: 1210, says: "does not say which of its rows change", options: "'updates=sealed'"},
		{number: 1210, says: "recomputes what the method promises, and size", options: "'distinct=3'"},
		{number: 30002, says: "size = 1001 cannot be met: the table has 1000 records", options: "'size=1001'"},
		{number: 1210, says: "groups in the engine are of rows", options: "'unit=town'", qi: "age"},
		{number: 1210, says: "every row is a person of its own in the engine", options: "'max_records=3'"},
		{number: 1210, says: "must be left out beside model=none", options: "'model=none', 'model_epsilon=1'"},
		{number: 1210, says: "not compared with a population", options: "'population=d.t', 'k_map=2'"},
		{number: 1210, says: "must be one of", options: "'homogeneous=maybe'"},
		{number: 1210, says: "which the engine does not form groups by", options: "'homogeneous=score'"},
		{number: 1210, says: "which anatomy does not have in the engine", options: "'threshold=3'"},
		{number: 1210, says: "there it must be anatomy, slppa, slicing, mondrian", method: "fulldomain", options: "'k=5'"},
		{number: 1210, says: "which mondrian does not have in the engine: leave it out. It has k, l there", method: "mondrian", options: "'k=5', 't=0.3'"},
		{number: 30002, says: "k = 1001 cannot be met: the table has 1000 records", method: "mondrian", options: "'k=1001'"},
		{number: 1210, says: "must be one column in the engine", options: "'sa=disease,married'", qi: "age"},
		{number: 1210, says: "must name every column once", qi: "age,disease"},
		{number: 30001, says: "casts it to VARCHAR", table: "padded", qi: "town"},
		{number: 30002, says: "has 83 of 1000 records; the largest feasible l is 12", options: "'l=500'"},
		{number: 1210, says: "which is no column", qi: "height"},
	} {
		table, qi, method := r.table, r.qi, r.method
		if table == "" {
			table = "people"
		}
		if qi == "" {
			qi = "age,town"
		}
		if method == "" {
			method = "anatomy"
		}
		refused(t, f.owner, r.number, r.says, "CALL anonymize('trino.%s.%s', '%s', %s)", schema, table, method, withOthers(r.options, method, qi))
	}
	refused(t, f.owner, 1210, "is in no engine", "CALL anonymize('d.t', 'anatomy', 'l=2', 'qi=q', 'sa=s', 'store=engine')")
	refused(t, f.owner, 30001, "has no raw tables", "SELECT * FROM ANON_DETECT('trino.%s_private.people')", schema)
	refused(t, f.owner, 30001, "has no raw tables", "CALL anonymize('trino.%s_published.people', 'anatomy', 'l=2')", schema)
	if again := left(t, c, schema); len(again) > 0 {
		t.Errorf("left are %v", again)
	}
	if strings.Contains(f.Log(), "hunter2") {
		t.Error("the seed is in the log")
	}
}

// withOthers adds the options that a call needs to those that it has.
func withOthers(given, method, qi string) string {
	options := []string{"'qi=" + qi + "'", "'store=engine'"}
	for name, value := range map[string]string{"l=": "'l=5'", "sa=": "'sa=disease'"} {
		if !strings.Contains(given, "'"+name) && (name != "l=" || method == "anatomy") {
			options = append(options, value)
		}
	}
	if given != "" {
		options = append(options, given)
	}
	return strings.Join(options, ", ")
}

// startOverStandIn starts a server over an engine whose tables have two columns.
func startOverStandIn(t *testing.T, name string) (on *servertest.Server, s *enginetest.StandIn, g *gate, home *releases.Home) {
	t.Helper()
	s = enginetest.NewStandIn(func(string) enginetest.Answer {
		return enginetest.Answer{Columns: []string{"column_name varchar", "data_type varchar", "is_nullable varchar"}, Rows: [][]any{{"age", "integer", "YES"}, {"ill", "integer", "YES"}}}
	})
	t.Cleanup(s.Close)
	config, g := configured(t, "trino://anonsql@"+s.Address()+"/lake", name, 0)
	made := config.Distributed
	config.Distributed = func(host server.DistributedHost) source.Beside {
		home = made(host).(*releases.Home)
		return home
	}
	return servertest.Start(t, config), s, g, home
}

// TestOwnSchemasAreClosed: the schemas of releases have no raw tables, under any name of them, nor by the number of a table that was opened once.
func TestOwnSchemasAreClosed(t *testing.T) {
	on, s, _, home := startOverStandIn(t, "own")
	owner := on.Open(t, servertest.Root)
	for _, schema := range []string{"own_private", "own_published", "Own_Private"} {
		for _, database := range []string{"trino." + schema, "trino://" + s.Address() + "/lake/" + schema} {
			refused(t, owner, 30001, "has no raw tables", "CALL set_attributes('`%s`.people', 'sa=age')", database)
		}
	}
	if heard := strings.Join(s.Statements(), "; "); strings.Contains(heard, "'own_") {
		t.Errorf("the engine was told %q", heard)
	}
	ctx := sql.NewEmptyContext()
	once, err := home.Open(ctx, "trino.own_private", "people")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := home.TableByID(ctx, once.ID()); err == nil || !strings.Contains(err.Error(), "schema own_private of the engine is anonsql's own") {
		t.Errorf("by its number: %v", err)
	}
	other, err := home.Table(ctx, "trino.sales", "people")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := home.TableByID(ctx, other.ID()); err != nil || again.ID() != other.ID() {
		t.Errorf("a raw table by its number: %v", err)
	}
}

// TestPlansEnd: a plan that fails or panics is no running attempt any more.
func TestPlansEnd(t *testing.T) {
	_, _, g, home := startOverStandIn(t, "ends")
	ctx := sql.NewEmptyContext()
	table, err := home.Table(ctx, "trino.sales", "people")
	if err != nil {
		t.Fatal(err)
	}
	running := 0
	for _, ends := range []func() error{func() error { return errors.New("the engine has a bad day") }, func() error { panic("a bad day") }} {
		g.set(func(string) error { running = home.Kept.Running(); return ends() })
		func() {
			defer func() { _ = recover() }()
			wanted := source.Wanted{Method: "anatomy", QuasiIdentifiers: []string{"age"}, Sensitive: []string{"ill"}, Parameters: anonymize.Arguments{"l": "2"}}
			if a, err := home.Plan(ctx, table, wanted); err == nil {
				t.Errorf("it is planned: %+v", a)
			}
		}()
		if left := home.Kept.Running(); running != 1 || left != 0 {
			t.Errorf("%d attempts run while it plans, %d after", running, left)
		}
	}
	g.set(nil)
}

// TestReaderReadsRelationsOnly: whatever a place says, the reader only sends SELECTs on relations of its schema.
func TestReaderReadsRelationsOnly(t *testing.T) {
	s := enginetest.NewStandIn(func(text string) enginetest.Answer {
		switch {
		case strings.Contains(text, "qi9v1"):
			return enginetest.Answer{Columns: []string{"value bigint"}, Rows: [][]any{{40}, {nil}, {30}, {35}}}
		case strings.Contains(text, "qi9"):
			return enginetest.Answer{Columns: []string{"gid bigint", "age_low bigint", "age_high bigint", "age_null boolean", "count bigint"},
				Rows: [][]any{{7, 35, 40, true, 2}, {3, 30, 35, false, 1}, {5, 35, 40, true, 4}, {6, nil, nil, true, 1}}}
		}
		return enginetest.Answer{Columns: []string{"gid bigint", "age bigint", "count bigint"}, Rows: [][]any{{7, 30, 2}, {3, 40, 1}}}
	})
	defer s.Close()
	target, err := engine.ParseURL("trino://anonsql@" + s.Address() + "/lake")
	if err != nil {
		t.Fatal(err)
	}
	client, err := engine.Open(target)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	store := releases.NewStore(releases.Options{Conn: client, Address: s.Address(), Catalog: "lake", Private: "private", Published: "published", Identity: "0123456789ab"})
	age := []source.Fragment{{Name: "qi1", Role: anonymize.QuasiIdentifying, Columns: []source.FragmentColumn{{Name: `a"ge`, Type: "bigint"}}}}
	at := source.Place{Engine: store.Engine(), Name: "0123456789abff"}
	release, err := store.Read(t.Context(), at, age, 1)
	if err != nil || release.Rows != 3 || release.Groups() != 2 || release.GroupSizes[0] != 1 {
		t.Fatalf("%+v, %v", release, err)
	}
	if heard := s.Statements(); len(heard) != 1 || heard[0] != `SELECT gid, "a""ge", "count" FROM "lake"."published"."anonsql_0123456789abff_qi1"` {
		t.Errorf("the engine was told %q", heard)
	}
	readsRanges(t, store, s, at)
	for _, wrong := range []struct{ engine, name, fragment string }{
		{at.Engine, `x"; DROP TABLE y`, "qi1"}, {at.Engine, at.Name, "qi1 JOIN raw.people"}, {at.Engine, "", "qi1"}, {at.Engine, at.Name, "QI1"},
		{"trino://other:1/lake/published", at.Name, "qi1"}, {strings.Replace(at.Engine, "published", "private", 1), at.Name, "qi1"},
	} {
		p, fragments := source.Place{Engine: wrong.engine, Name: wrong.name}, []source.Fragment{{Name: wrong.fragment}}
		if _, err := store.Read(t.Context(), p, fragments, 1); err == nil {
			t.Errorf("%+v is read", wrong)
		}
		if err := store.Drop(t.Context(), p, fragments); err == nil {
			t.Errorf("%+v is dropped", wrong)
		}
	}
	if err := store.Drop(t.Context(), source.Place{Engine: at.Engine, Name: "ffffffffffff01"}, age); err == nil {
		t.Error("another directory's relations are dropped")
	}
	if heard := s.Statements(); len(heard) != 3 {
		t.Errorf("the engine was told %q", heard[3:])
	}
}

// readsRanges reads a relation of ranges: they are cells over the values of the table beside it.
func readsRanges(t *testing.T, store *releases.Store, s *enginetest.StandIn, at source.Place) {
	t.Helper()
	ages := []source.Fragment{{Name: "qi9", Role: anonymize.QuasiIdentifying, Columns: []source.FragmentColumn{{Name: "age", Type: "bigint", Ranges: true}}}}
	release, err := store.Read(t.Context(), at, ages, 1)
	if err != nil {
		t.Fatal(err)
	}
	column := release.Fragments[0].Columns[0]
	want := []anonymize.Cell{{Label: "NULL", Members: []uint32{0}}, {Label: "{NULL,[35-40]}", Members: []uint32{0, 2, 3}}, {Label: "[30-35]", Members: []uint32{1, 2}}}
	if release.Rows != 8 || !slices.Equal(column.Codes, []uint32{2, 1, 0, 1}) || !reflect.DeepEqual(column.Cells, want) || len(column.Dictionary) != 4 {
		t.Errorf("%d records, %v over %v: %v", release.Rows, column.Cells, column.Dictionary, column.Codes)
	}
	heard := s.Statements()[1:]
	if len(heard) != 2 || heard[0] != `SELECT gid, "age_low", "age_high", "age_null", "count" FROM "lake"."published"."anonsql_0123456789abff_qi9"` ||
		heard[1] != `SELECT "value" FROM "lake"."published"."anonsql_0123456789abff_qi9v1"` {
		t.Errorf("the engine was told %q", heard)
	}
}
