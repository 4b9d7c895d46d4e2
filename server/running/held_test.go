package running

import (
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/ledger"
)

// keepers are statements over the 100 rows of t, how many rows they give, and how many
// they keep at most at a time.
var keepers = []struct {
	name, text string
	rows       int
	keeps      int64
	still      int64 // what is kept when the rows are closed
}{
	{"a sort", "SELECT n FROM t ORDER BY k, n", 100, 100, 0},
	{"groups", "SELECT k, COUNT(*) FROM t GROUP BY k", 10, 10, 0},
	{"the first of a sort", "SELECT * FROM t ORDER BY k, n LIMIT 7", 7, 7, 0},
	{"a window", "SELECT ROW_NUMBER() OVER (ORDER BY n) FROM t", 100, 100, 0},
	{"a recursion", "WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 50) SELECT i FROM c", 50, 50, 0},
	{"a join by hash", "SELECT /*+ HASH_JOIN(a, b) */ a.n FROM t a JOIN t b ON a.n = b.n", 100, 100, 100},
}

// What a statement keeps is bounded in rows: with the bound it runs, with one row less it
// is refused. What sorts, groups, windows and recursions keep they give back.
func TestRowsThatAreKept(t *testing.T) {
	a := newAsked(t)
	for _, k := range keepers {
		st := keeping(k.text, 1_000_000, 0, 0)
		rows, err := a.run(t, st, nil)
		if err != nil || rows != k.rows {
			t.Fatalf("%s: %d rows, %v", k.name, rows, err)
		}
		if got := st.Held.rows.Load(); got != k.still {
			t.Errorf("%s keeps %d rows when it has ended, want %d", k.name, got, k.still)
		}
		if k.still == 0 && st.Held.bytes.Load() != 0 {
			t.Errorf("%s keeps %d bytes when it has ended", k.name, st.Held.bytes.Load())
		}
		if rows, err := a.run(t, keeping(k.text, k.keeps, 0, 0), nil); err != nil || rows != k.rows {
			t.Errorf("%s, of at most %d rows: %d rows, %v", k.name, k.keeps, rows, err)
		}
		if _, err := a.run(t, keeping(k.text, k.keeps-1, 0, 0), nil); !refusesMemory(err) {
			t.Errorf("%s, of at most %d rows: %v", k.name, k.keeps-1, err)
		}
	}
}

// refusesMemory tells of the engine's error, which joins may have written into a text.
func refusesMemory(err error) bool {
	return err != nil && strings.Contains(err.Error(), "no memory available")
}

// The bytes of what is kept are bounded likewise.
func TestBytesThatAreKept(t *testing.T) {
	a := newAsked(t)
	row := RowMemory(sql.NewRow(int32(1), int32(1), "some text"))
	const text = "SELECT * FROM t ORDER BY k, n"
	if rows, err := a.run(t, keeping(text, 0, 100*row, 0), nil); err != nil || rows != 100 {
		t.Errorf("%d rows, %v", rows, err)
	}
	if _, err := a.run(t, keeping(text, 0, 100*row-1, 0), nil); !refusesMemory(err) {
		t.Errorf("a byte less: %v", err)
	}
}

// What is kept is taken from the session's ledger, and what that refuses is remembered
// with its reason.
func TestSessionsBoundWhatIsKept(t *testing.T) {
	a := newAsked(t)
	const text = "SELECT a.n FROM t a, t b ORDER BY a.n, b.n" // 10,000 rows
	st := keeping(text, 0, 0, 1<<20)
	if _, err := a.run(t, st, nil); !refusesMemory(err) {
		t.Errorf("in a session of 1 MiB: %v", err)
	}
	if beyond := st.Held.Refused.Load(); beyond == nil || beyond.Of != "session" || beyond.Limit != 1<<20 {
		t.Errorf("refused by %+v", beyond)
	}
	st.Tally.End()
	if held := st.Ledger.Held(); held != 0 {
		t.Errorf("at its end the statement holds %d bytes", held)
	}
	st = keeping(text, 0, 0, 64<<20)
	if rows, err := a.run(t, st, nil); err != nil || rows != 10_000 {
		t.Errorf("in a session of 64 MiB: %d rows, %v", rows, err)
	}
	if st.Held.Refused.Load() != nil {
		t.Errorf("refused by %+v", st.Held.Refused.Load())
	}
}

// A subquery that sorts for every row gives back what it kept, so that it is not counted
// again and again.
func TestSubqueriesGiveBack(t *testing.T) {
	a := newAsked(t)
	const text = "SELECT n, (SELECT b.n FROM t b WHERE b.k = a.k ORDER BY b.n DESC LIMIT 1) FROM t a"
	if rows, err := a.run(t, keeping(text, 10, 0, 0), nil); err != nil || rows != 100 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

// Without a bound nothing is counted; with one of the process, or of the session, it is.
func TestWhatIsCounted(t *testing.T) {
	for _, c := range []struct {
		rows, bytes int64
		counted     bool
		session     int64
		held        bool
	}{
		{0, 0, false, 0, false}, {-1, -1, false, 0, false}, {1, 0, false, 0, true}, {0, 1, false, 0, true}, {0, 0, true, 0, true}, {0, 0, false, 1, true},
	} {
		st := New("select", "SELECT 1")
		st.Ledger = new(ledger.Book).Open()
		st.Ledger.Of("ana", c.session)
		if st.KeepsAtMost(c.rows, c.bytes, c.counted); (st.Held != nil) != c.held {
			t.Errorf("%+v: counted is %t", c, st.Held != nil)
		}
	}
	a := newAsked(t)
	st := New("select", "SELECT n FROM t ORDER BY k")
	if rows, err := a.run(t, st, nil); err != nil || rows != 100 || len(*a.built) != 0 {
		t.Errorf("%d rows, %v; the room built %d nodes", rows, err, len(*a.built))
	}
}

// incomparable is a node that == cannot compare.
type incomparable struct {
	*plan.ResolvedTable
	_ []int
}

// Work that no client asked for, and nodes that == cannot tell apart, are the engine's.
func TestWhatTheRoomDoesNotBuild(t *testing.T) {
	below := func(Builder) sql.NodeExecBuilder { t.Error("a node is built"); return nil }
	st := keeping("SELECT 1", 1, 1, 1)
	ctx, cancel := st.With(t.Context())
	defer cancel(nil)
	sort := plan.NewSort(nil, plan.NewResolvedTable(nil, nil, nil))
	for _, c := range []struct {
		name string
		ctx  *sql.Context
		node sql.Node
	}{
		{"no statement", sql.NewContext(t.Context()), sort},
		{"incomparable", sql.NewContext(ctx), incomparable{ResolvedTable: plan.NewResolvedTable(nil, nil, nil)}},
		{"a node that keeps nothing", sql.NewContext(ctx), plan.NewUse(nil)},
	} {
		if rows, ok, err := (Builder{}).Build(c.ctx, c.node, nil, below); rows != nil || ok || err != nil {
			t.Errorf("%s: %v, %t, %v", c.name, rows, ok, err)
		}
	}
	(*Rows)(nil).GiveBack() // who kept nothing gives nothing back
}

// refusing builds nothing.
type refusing struct{ why error }

// Build implements sql.NodeExecBuilder.
func (r refusing) Build(*sql.Context, sql.Node, sql.Row) (sql.RowIter, error) { return nil, r.why }

// The error of a node below is that of the keeper, whether the keeper or its child has it.
func TestErrorsBelowKeepers(t *testing.T) {
	st := keeping("SELECT 1", 1, 1, 1)
	ctx, cancel := st.With(t.Context())
	defer cancel(nil)
	why := sql.ErrNoMemoryAvailable.New()
	child := plan.NewResolvedTable(nil, nil, nil)
	sort := plan.NewSort(nil, child)
	below := func(Builder) sql.NodeExecBuilder { return refusing{why} }
	for name, c := range map[string]struct {
		b    Builder
		node sql.Node
	}{
		"keeper": {Builder{}, sort},
		"child":  {Builder{keeper: &keeper{node: sort, child: child}}, child},
		"table":  {Builder{}, child},
	} {
		if rows, ok, err := c.b.Build(sql.NewContext(ctx), c.node, nil, below); rows != nil || !ok || err != why {
			t.Errorf("%s: %v, %t, %v", name, rows, ok, err)
		}
	}
}

// A cache of rows keeps them after it is closed, until its statement ends. The engine puts
// one over what a join reads again and again. Where there is no room for a row, the engine
// asks twice for it, then no more, and reads again.
func TestCachedRows(t *testing.T) {
	a := newAsked(t)
	for most, kept := range map[int64]int64{200: 100, 100: 100, 50: 52} {
		st := keeping("", most, 0, 0)
		parent, cancel := st.With(t.Context())
		defer cancel(nil)
		ctx := sql.NewContext(parent, sql.WithSession(memory.NewSession(sql.NewBaseSession(), a.databases)))
		ctx.Memory = sql.NewMemoryManager(st.Held)
		database, err := a.databases.Database(ctx, "d")
		if err != nil {
			t.Fatal(err)
		}
		table, ok, err := database.GetTableInsensitive(ctx, "t")
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		cached := plan.NewCachedResults(plan.NewResolvedTable(table, database, nil))
		rows, err := rowexec.NewOverrideBuilder(executing{built: a.built}).Build(ctx, cached, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := sql.RowIterToRows(ctx, rows); err != nil || len(got) != 100 {
			t.Fatalf("of at most %d rows: %d rows, %v", most, len(got), err)
		}
		if got := st.Held.rows.Load(); got != kept {
			t.Errorf("of at most %d rows %d are counted, want %d", most, got, kept)
		}
	}
}

// A limit that has no value is the engine's to refuse.
func TestLimitWithoutAValue(t *testing.T) {
	limit := expression.NewGetField(7, types.Int64, "x", false)
	if k := keeperOf(sql.NewContext(t.Context()), plan.NewTopN(nil, limit, plan.NewUse(nil))); k != nil {
		t.Errorf("%+v keeps rows", k)
	}
}

// What is kept to save time leaves half of the room to what must be kept.
func TestSpareRows(t *testing.T) {
	for _, bounds := range []struct{ rows, bytes int64 }{{10, 0}, {0, 10 * RowMemory(sql.Row{"x"})}} {
		held := keeping("", bounds.rows, bounds.bytes, 0).Held
		spare, sorted := &Rows{Held: held}, &Rows{Held: held}
		kept := 0
		for spare.KeepSpare(sql.Row{"x"}) {
			kept++
		}
		for range 5 {
			if !sorted.Keep(sql.Row{"x"}) {
				t.Errorf("of %v, nothing is left after %d", bounds, kept)
			}
		}
		if kept != 5 || sorted.Keep(sql.Row{"x"}) {
			t.Errorf("of %v, %d are kept to save time, want 5, and 5 else", bounds, kept)
		}
		spare.GiveBack()
		if got := held.rows.Load(); got != sorted.rows {
			t.Errorf("of %v, %d rows are counted when the spare ones are given back, want %d", bounds, got, sorted.rows)
		}
	}
}
