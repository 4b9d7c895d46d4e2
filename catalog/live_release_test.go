package catalog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
)

// A grouping is a minimal method for tests: groups of k records in their order,
// sealed updates.
type grouping struct{ k int }

// start groups the records of a table; the last ones wait.
func (g grouping) start(columns []*anonymize.Column, keys []int64) *anonymize.Live {
	l := &anonymize.Live{Columns: columns, Key: keys, Group: make([]uint32, len(keys)), Kind: make([]anonymize.RecordKind, len(keys))}
	for i := range keys {
		if l.Group[i] = uint32(i / g.k); i/g.k == len(keys)/g.k {
			l.Group[i] = anonymize.Waiting
		}
	}
	return l
}

type liveRow struct {
	key    int64
	group  uint32
	kind   anonymize.RecordKind
	values [2]anonymize.Value
}

// next applies changes.
func (g grouping) next(l *anonymize.Live, ch *anonymize.Changed) *anonymize.Live {
	var rows []liveRow
	touched := make(map[int64]int)
	for i, key := range ch.Key {
		touched[key] = i
	}
	for i, key := range l.Key {
		row := liveRow{key, l.Group[i], l.Kind[i], [2]anonymize.Value{l.Columns[0].Value(i), l.Columns[1].Value(i)}}
		at, ok := touched[key]
		if ok && key != 0 {
			if r := ch.Row[at]; r >= 0 && ch.Columns[0].Value(r) == row.values[0] && ch.Columns[1].Value(r) == row.values[1] {
				delete(touched, key) // no change
			} else if row.group == anonymize.Waiting {
				continue
			} else {
				row.key, row.kind = 0, anonymize.ForgedByDeletion
			}
		}
		rows = append(rows, row)
	}
	for _, key := range slices.Sorted(maps.Keys(touched)) {
		if r := ch.Row[touched[key]]; r >= 0 {
			rows = append(rows, liveRow{key, anonymize.Waiting, anonymize.Person, [2]anonymize.Value{ch.Columns[0].Value(r), ch.Columns[1].Value(r)}})
		}
	}
	return g.settle(rows, l.Columns)
}

// settle drops groups without a person, makes groups of waiting records and
// numbers the groups.
func (g grouping) settle(rows []liveRow, columns []*anonymize.Column) *anonymize.Live {
	alive := make(map[uint32]bool)
	var waiting []int
	for i, row := range rows {
		alive[row.group] = alive[row.group] || row.kind == anonymize.Person
		if row.group == anonymize.Waiting {
			waiting = append(waiting, i)
		}
	}
	for n, i := range waiting[:len(waiting)/g.k*g.k] {
		rows[i].group = uint32(1<<20 + n/g.k)
		alive[rows[i].group] = true
	}
	number := map[uint32]uint32{anonymize.Waiting: anonymize.Waiting}
	l := &anonymize.Live{}
	var values [2][]anonymize.Value
	for _, row := range rows {
		if !alive[row.group] {
			continue
		}
		gid, ok := number[row.group]
		if !ok {
			gid = uint32(len(number) - 1)
			number[row.group] = gid
		}
		l.Key, l.Group, l.Kind = append(l.Key, row.key), append(l.Group, gid), append(l.Kind, row.kind)
		for j := range values {
			values[j] = append(values[j], row.values[j])
		}
	}
	for j, c := range columns {
		l.Columns = append(l.Columns, anonymize.NewColumn(c.Name, c.Type, values[j]))
	}
	return l
}

// release publishes the groups: every column a fragment.
func (g grouping) release(l *anonymize.Live) *anonymize.Release {
	r := &anonymize.Release{Method: "test"}
	_, r.Forged = l.Count()
	for _, gid := range l.Group {
		if gid == anonymize.Waiting {
			continue
		}
		for int(gid) >= len(r.GroupSizes) {
			r.GroupSizes = append(r.GroupSizes, 0)
		}
		r.GroupSizes[gid]++
		r.Rows++
	}
	for j, c := range l.Columns {
		counts := make(map[[2]uint32]uint32)
		for i, gid := range l.Group {
			if gid != anonymize.Waiting {
				counts[[2]uint32{gid, c.Codes[i]}]++
			}
		}
		f := &anonymize.Fragment{Name: fmt.Sprint("f", j), Role: []anonymize.FragmentRole{anonymize.QuasiIdentifying, anonymize.Sensitive}[j], GroupStart: make([]uint32, len(r.GroupSizes)+1)}
		column := &anonymize.FragmentColumn{Name: c.Name, Type: c.Type, Dictionary: c.Dictionary}
		tuples := slices.SortedFunc(maps.Keys(counts), func(a, b [2]uint32) int { return slices.Compare(a[:], b[:]) })
		for _, tuple := range tuples {
			f.GroupStart[tuple[0]+1]++
			f.Count = append(f.Count, counts[tuple])
			column.Codes = append(column.Codes, tuple[1])
		}
		for gid := range r.GroupSizes {
			f.GroupStart[gid+1] += f.GroupStart[gid]
		}
		f.Columns = []*anonymize.FragmentColumn{column}
		r.Fragments = append(r.Fragments, f)
	}
	return r
}

// publish stores a live release of table t (q, s).
func (c *client) publish(r *Releases, g grouping, name string, change func(*Publication)) (*ReleaseRecord, error) {
	c.t.Helper()
	id := c.follow(r, "t", "q", "s")
	table := c.table("t")
	data, keys, err := table.MicrodataWithKeys(c.context(), []string{"q", "s"}, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	l := g.start(data.Columns, keys)
	p := &Publication{Release: g.release(l), Live: l, History: []byte("history 1")}
	p.Record = ReleaseRecord{Name: name, SourceTable: table.ID(), Database: "d", Table: "t", SourceVersion: table.Version(), Columns: []string{"q", "s"},
		QuasiIdentifiers: []string{"q"}, Sensitive: []string{"s"}, Parameters: map[string]string{}, Live: &LiveRecord{Lineage: id, Updates: "sealed", K: g.k}}
	if change != nil {
		change(p)
	}
	record, err := r.Publish(c.context(), p)
	if err != nil || record.Live == nil {
		if err := r.Unfollow(c.context(), id); err != nil {
			c.t.Fatal(err)
		}
	}
	return record, err
}

// refreshed makes the next version of a release from what is pending.
func (c *client) refreshed(r *Releases, g grouping, pending *Pending) (*ReleaseRecord, error) {
	l := g.next(pending.Live, pending.Changed)
	p := &Publication{Record: *pending.Record, Release: g.release(l), Live: l, History: []byte(fmt.Sprint("history ", pending.Record.Version+1))}
	p.Record.SourceVersion = pending.SourceVersion
	return r.Refresh(c.context(), pending, p)
}

func (c *client) refresh(r *Releases, g grouping, name string) *ReleaseRecord {
	c.t.Helper()
	pending, err := r.Changes(c.context(), name)
	if err != nil {
		c.t.Fatal(err)
	}
	record, err := c.refreshed(r, g, pending)
	if err != nil {
		c.t.Fatal(err)
	}
	return record
}

// persons lists the persons of the private side as key:value,value.
func persons(l *anonymize.Live) []string {
	var list []string
	for i, key := range l.Key {
		if l.Kind[i] == anonymize.Person {
			list = append(list, fmt.Sprintf("%d:%s,%s", key, l.Columns[0].Value(i), l.Columns[1].Value(i)))
		}
	}
	slices.Sort(list)
	return list
}

// rows lists the rows of t in the same way.
func (c *client) rows() []string {
	c.t.Helper()
	data, keys, err := c.table("t").MicrodataWithKeys(c.context(), []string{"q", "s"}, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	c.session.SessionEnd()
	var list []string
	for i, key := range keys {
		list = append(list, fmt.Sprintf("%d:%s,%s", key, data.Columns[0].Value(i), data.Columns[1].Value(i)))
	}
	slices.Sort(list)
	return list
}

func (c *client) serve(r *Releases) {
	c.catalog.Provider().AddSystemDatabase(r.PublishedDatabase())
	c.catalog.Provider().AddSystemDatabase(r.SystemDatabase(&Jobs{}))
}

const shownLive = "SELECT name, version, status, `rows`, refresh_recommended, pending, waiting, forged, updates, auto_refresh, versions, IF(refreshed_at IS NULL, 1, 0), refresh_problem FROM anonsql.releases"

// The life of a release that follows its table, as its owner sees it.
func TestRefreshKeepsVersions(t *testing.T) {
	b := newBench(t)
	r, c, g := b.releases(), b.owner(), grouping{3}
	c.serve(r)
	c.run("CREATE TABLE t (id INT PRIMARY KEY, q INT, s VARCHAR(9) COLLATE utf8mb4_0900_ai_ci)",
		"INSERT INTO t VALUES (1, 10, 'flu'), (2, 11, 'cold'), (3, 12, 'flu'), (4, 20, 'gout'), (5, 21, 'flu'), (6, 22, 'cold'), (7, 30, 'flu')")
	if _, err := c.publish(r, g, "p", nil); err != nil {
		t.Fatal(err)
	}
	c.want(shownLive, "p|1|public|6|0|0|1|0|sealed|0|1|1|NULL")
	if err := r.Unfollow(c.context(), 1); err != nil || b.triggers() != 3 {
		t.Errorf("Unfollow ended the following of a release (%v)", err)
	}
	c.run("DELETE FROM t WHERE id = 2", "INSERT INTO t VALUES (8, 31, 'FLU'), (9, 32, NULL)", "UPDATE t SET q = 23 WHERE id = 6", "UPDATE t SET q = 10 WHERE id = 1")
	c.want(shownLive, "p|1|public|6|1|4|1|0|sealed|0|1|1|NULL")
	pending, err := r.Changes(c.context(), "P")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(pending.Changed.Key, pending.Changed.Row, pending.Changed.Columns[1].Dictionary); got != "[2 6 8 9] [-1 0 1 2] [NULL cold flu]" {
		t.Errorf("changed: %s", got) // FLU is what the release calls flu
	}
	if pending.Changed.Columns[0].Name != "q" || pending.Changed.Columns[0].Type != "int" || string(pending.History) != "history 1" {
		t.Errorf("columns %v, history %q", pending.Changed.Columns[0], pending.History)
	}
	view, err := r.View(c.context(), "p") // in the hands of a statement
	if err != nil {
		t.Fatal(err)
	}
	c.run("UPDATE t SET q = 24 WHERE id = 6") // once more, after it was read
	record, err := c.refreshed(r, g, pending)
	if err != nil {
		t.Fatal(err)
	}
	if record.Version != 2 || record.Rows != 9 || record.Forged != 2 || record.Live.Waiting != 1 || record.Live.ForgedByDeletion != 2 {
		t.Errorf("the record of version 2: %+v %+v", record, record.Live)
	}
	c.want(shownLive+" ORDER BY version", "p_v1|1|earlier version|6|NULL|NULL|1|0|sealed|NULL|NULL|1|NULL p|2|public|9|1|1|1|2|sealed|0|2|0|NULL")
	c.want("SELECT COUNT(*) FROM (SELECT q FROM published.p) x", "7") // without counterfeits
	c.want("SELECT f1.s, SUM(f1.count) FROM published.p_v1_f1 f1 GROUP BY s ORDER BY s", "cold|2 flu|3 gout|1")
	if old, err := view.Release(c.context()); err != nil || old.Rows != 6 {
		t.Errorf("the statement that was working has %v %v", old, err)
	}
	if _, err := c.refreshed(r, g, pending); err == nil || !strings.Contains(err.Error(), "meanwhile") {
		t.Errorf("the same refresh once more: %v", err)
	}
	c.refresh(r, g, "p")
	pending, err = r.Changes(c.context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := persons(pending.Live), c.rows(); len(pending.Changed.Key) != 0 || !strings.EqualFold(fmt.Sprint(got), fmt.Sprint(want)) {
		t.Errorf("persons %s, rows %s", got, want)
	}
	if string(pending.History) != "history 3" {
		t.Errorf("history %q", pending.History)
	}
	// All is there after a start.
	b.reopenWith(c)
	r = b.releases()
	c.serve(r)
	c.want(shownLive+" ORDER BY version", "p_v1|1|earlier version|6|NULL|NULL|1|0|sealed|NULL|NULL|1|NULL p_v2|2|earlier version|9|NULL|NULL|1|2|sealed|NULL|NULL|0|NULL p|3|public|9|0|0|2|3|sealed|0|3|0|NULL")
	again, err := r.Changes(c.context(), "p")
	if err != nil || fmt.Sprint(persons(again.Live)) != fmt.Sprint(persons(pending.Live)) || again.Release.Forged != 3 {
		t.Errorf("after the start: %v %v", again, err)
	}
	var states int
	if err := b.catalog.writer.QueryRowContext(noCancel, "SELECT count(DISTINCT release_id) FROM live_state").Scan(&states); err != nil || states != 1 {
		t.Errorf("%d versions have a private side (%v)", states, err)
	}
	if _, err := r.Drop(c.context(), "p_v1"); err != nil {
		t.Fatal(err)
	}
	c.want("SELECT name, versions FROM anonsql.releases ORDER BY version", "p_v2|NULL p|2")
	if _, err := r.Drop(c.context(), "p"); err != nil {
		t.Fatal(err)
	}
	c.want("SELECT COUNT(*) FROM anonsql.releases", "0")
	if b.triggers() != 0 {
		t.Error("triggers are left")
	}
}

func TestRefreshIsRefusedByName(t *testing.T) {
	b := newBench(t)
	r, c, g := b.releases(), b.owner(), grouping{2}
	c.serve(r)
	refused := func(part string) {
		t.Helper()
		_, err := r.Changes(c.context(), "p")
		var data *anonymize.DataError
		if !errors.As(err, &data) || !strings.Contains(err.Error(), part) {
			t.Errorf("got %v, want an error with %q", err, part)
		}
	}
	publish := func(name string, change func(*Publication)) error {
		_, err := c.publish(r, g, name, change)
		return err
	}
	refuses := func(err error, part string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("got %v, want an error with %q", err, part)
		}
	}
	c.run("CREATE TABLE t (q INT, s INT)", "INSERT INTO t VALUES (1, 1), (2, 2), (3, 3), (4, 4)")
	refused("no release")
	if err := publish("p", nil); err != nil {
		t.Fatal(err)
	}
	private := func(p *Publication) { p.Record.Private = true }
	replace := func(p *Publication) { p.Replace = true }
	refuses(publish("p", nil), "already has")
	for _, name := range []string{"p_v1", "P_V22", "p_v3_f0"} {
		refuses(publish(name, private), "taken")
	}
	if err := publish("p_vx", private); err != nil {
		t.Error(err)
	}
	refuses(publish(strings.Repeat("x", 50), private), "at most 48")
	// The name of the earlier version is taken: by what was there before the rule.
	plain := func(p *Publication) { p.Record.Private, p.Live, p.Record.Live = true, nil, nil }
	if err := publish("w_v1", plain); err != nil {
		t.Fatal(err)
	}
	refuses(publish("w", private), "published.w_v1 and so on")
	pending, err := r.Changes(c.context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Changes(c.context(), "w_v1"); err == nil || !strings.Contains(err.Error(), "does not follow") {
		t.Errorf("changes of a release that follows nothing: %v", err)
	}
	c.run("START TRANSACTION", "INSERT INTO t VALUES (9, 9)")
	_, err = c.refreshed(r, g, pending)
	refuses(err, "COMMIT")
	c.run("ROLLBACK")
	if _, err := c.refreshed(r, g, pending); err != nil {
		t.Fatal(err)
	}
	refuses(publish("p_v1", func(p *Publication) { p.Replace, p.Record.Private = true, true }), "earlier version")
	c.run("INSERT INTO t VALUES (5, 5)")
	// replace=true ends the lineage with its versions.
	if err := publish("p", replace); err != nil {
		t.Fatal(err)
	}
	c.want("SELECT name, version, versions, pending FROM anonsql.releases WHERE name LIKE 'p%' ORDER BY name", "p|3|1|0 p_vx|1|1|1")
	if b.triggers() != 6 {
		t.Errorf("%d triggers for two followers", b.triggers())
	}
	c.run("ALTER TABLE t DROP COLUMN q")
	refused(`column "q", which it publishes, was dropped`)
	c.want("SELECT pending, refresh_recommended, IF(refresh_problem LIKE '%does not follow its table any more: column%', 1, 0) FROM anonsql.releases WHERE name = 'p'", "NULL|1|1")
	c.run("DROP TABLE t")
	refused("raw table was dropped")
	c.want("SELECT pending, refresh_recommended, source FROM anonsql.releases WHERE name = 'p'", "NULL|NULL|d.t")
	if _, err := r.Drop(c.context(), "p"); err != nil {
		t.Error(err)
	}
}

// An account that may not read the raw table sees the newest version and the
// number of counterfeits, and nothing else of all this.
func TestWhoSeesVersions(t *testing.T) {
	b := newBench(t)
	c, g := b.owner(), grouping{2}
	r, err := OpenReleases(b.catalog, func(ctx *sql.Context, database, _ string) bool {
		return ctx.Session.Client().User == "root" || database == PublishedDatabaseName
	})
	if err != nil {
		t.Fatal(err)
	}
	c.serve(r)
	c.run("CREATE TABLE t (q INT, s INT)", "INSERT INTO t VALUES (1, 1), (2, 2), (3, 3), (4, 4)")
	if _, err := c.publish(r, g, "p", nil); err != nil {
		t.Fatal(err)
	}
	c.run("DELETE FROM t WHERE q = 1")
	c.refresh(r, g, "p")
	analyst := &client{b, NewSession(sql.NewBaseSessionWithClientServer("test", sql.Client{User: "ann", Address: "localhost"}, connections.Add(1)), b.catalog)}
	analyst.want(shownLive, "p|2|public|4|NULL|NULL|NULL|1|NULL|NULL|NULL|1|NULL")
	analyst.fails("SELECT * FROM published.p_v1", "not found")
	if _, err := r.Changes(analyst.context(), "p"); err == nil || !strings.Contains(err.Error(), "denied") {
		t.Errorf("changes for an analyst: %v", err)
	}
	if _, err := r.Changes(analyst.context(), "p_v1"); err == nil || !strings.Contains(err.Error(), "no release") {
		t.Errorf("changes of an earlier version for an analyst: %v", err)
	}
	if _, err := r.Changes(sql.NewContext(noCancel), "p"); err != nil {
		t.Errorf("changes for the server itself: %v", err)
	}
}

// Several sessions write while one refreshes again and again: at the end the
// persons of the release are the rows of the table.
func TestNoChangeIsLostBetweenRefreshes(t *testing.T) {
	b := newBench(t)
	b.catalog.SetLockWait(time.Minute)
	r, c, g := b.releases(), b.owner(), grouping{4}
	c.run("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, q INT, s INT)", "INSERT INTO t (q, s) VALUES (1, 1), (2, 2), (3, 3), (4, 4), (5, 5)")
	if _, err := c.publish(r, g, "p", nil); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for worker := range 3 {
		w := b.client()
		w.session.SetCurrentDatabase("d")
		random := rand.New(rand.NewPCG(uint64(worker), 5))
		wg.Go(func() {
			defer w.session.SessionEnd()
			for i := range 60 {
				statement := fmt.Sprintf("INSERT INTO t (q, s) VALUES (%d, %d), (%d, %d)", i, worker, i, random.IntN(5))
				switch random.IntN(3) {
				case 0:
					statement = fmt.Sprintf("DELETE FROM t WHERE id %% 7 = %d", random.IntN(7))
				case 1:
					statement = fmt.Sprintf("UPDATE t SET q = q + 1 WHERE id %% 5 = %d", random.IntN(5))
				}
				for _, s := range []string{"START TRANSACTION", statement, []string{"COMMIT", "COMMIT", "ROLLBACK"}[i%3]} {
					if _, err := w.try(s); err != nil {
						t.Errorf("%s: %v", s, err)
						return
					}
				}
			}
		})
	}
	for range 12 {
		c.refresh(r, g, "p")
	}
	wg.Wait()
	c.refresh(r, g, "p")
	pending, err := r.Changes(c.context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := persons(pending.Live), c.rows(); !slices.Equal(got, want) || len(pending.Changed.Key) != 0 {
		t.Errorf("persons\n%s\nrows\n%s", got, want)
	}
	if pending.Record.Version != 14 || len(pending.Live.Key) == 0 {
		t.Errorf("version %d", pending.Record.Version)
	}
}

func TestOnPending(t *testing.T) {
	b := newBench(t)
	r, c, g := b.releases(), b.owner(), grouping{2}
	called := make(chan string, 100)
	next := func() string {
		select {
		case name := <-called:
			return name
		case <-time.After(20 * time.Second):
			return "nothing"
		}
	}
	r.OnPending(func(name string) { called <- name })
	c.run("CREATE TABLE t (q INT, s INT)", "CREATE TABLE u (q INT)", "INSERT INTO t VALUES (1, 1), (2, 2), (3, 3), (4, 4)")
	if _, err := c.publish(r, g, "p", func(p *Publication) { p.Record.Live.AutoRefresh = 3 }); err != nil {
		t.Fatal(err)
	}
	if _, err := c.publish(r, g, "never", func(p *Publication) { p.Record.Private = true }); err != nil {
		t.Fatal(err)
	}
	c.run("INSERT INTO t VALUES (5, 5)", "INSERT INTO u VALUES (5)", "UPDATE t SET q = 9 WHERE q = 5", "START TRANSACTION", "INSERT INTO t VALUES (6, 5), (7, 5)", "ROLLBACK", "INSERT INTO t VALUES (6, 5)")
	if len(called) != 0 {
		t.Errorf("called for 2 changes")
	}
	c.run("INSERT INTO t VALUES (7, 5)")
	if got := next(); got != "p" {
		t.Fatalf("called for %s", got)
	}
	// The next start finds it too.
	if err := r.NoteProblem(c.context(), "P", "the disk is full"); err != nil {
		t.Error(err)
	}
	b.reopenWith(c)
	r = b.releases()
	c.serve(r)
	c.want("SELECT name, pending, refresh_problem FROM anonsql.releases WHERE auto_refresh > 0", "p|3|the disk is full")
	called = make(chan string, 100)
	r.OnPending(func(name string) { called <- name })
	if got := next(); got != "p" {
		t.Fatalf("called for %s after the start", got)
	}
	c.refresh(r, g, "p")
	c.want("SELECT name, pending, refresh_problem FROM anonsql.releases WHERE auto_refresh > 0", "p|0|NULL")
}

// Random private sides come back as they were.
func TestLiveRoundTrip(t *testing.T) {
	b := newBench(t)
	random := rand.New(rand.NewPCG(8, 9))
	values := []func() anonymize.Value{
		func() anonymize.Value { return anonymize.NullValue },
		func() anonymize.Value { return anonymize.IntegerValue(int64(random.Uint64())) },
		func() anonymize.Value {
			return anonymize.RealValue(random.NormFloat64() * math.Pow(10, float64(random.IntN(300))))
		},
		func() anonymize.Value {
			return anonymize.DecimalValue(fmt.Sprintf("%d.%02d", random.IntN(99), random.IntN(99)))
		},
		func() anonymize.Value { return anonymize.InstantValue(random.Int64() - random.Int64()) },
		func() anonymize.Value { return anonymize.TextValue(strings.Repeat("ä\x00", random.IntN(4))) },
	}
	for round := range 60 {
		n := []int{0, 1, 5, 300, 70_000}[max(0, round%12-7)]
		l := &anonymize.Live{Key: make([]int64, n), Group: make([]uint32, n), Kind: make([]anonymize.RecordKind, n)}
		for i := range n {
			l.Key[i] = []int64{0, int64(i), random.Int64(), math.MaxInt64}[random.IntN(4)]
			l.Group[i] = []uint32{anonymize.Waiting, uint32(i), anonymize.Waiting - 1}[random.IntN(3)]
			l.Kind[i] = anonymize.RecordKind(random.IntN(4))
		}
		for j := range random.IntN(4) {
			column := make([]anonymize.Value, n)
			for i := range column {
				column[i] = values[(random.IntN(1+round%2)+j+round)%len(values)]()
			}
			l.Columns = append(l.Columns, anonymize.NewColumn(fmt.Sprint("c", j), "decimal(4,2)", column))
		}
		history := []byte(strings.Repeat("h", random.IntN(3)))
		err := b.catalog.write(noCancel, func(w *work) error { return insertLive(noCancel, w.conn, int64(round), l, history) })
		if err != nil {
			t.Fatal(err)
		}
		back, kept, err := readLive(noCancel, b.catalog.writer, int64(round))
		if err != nil || string(kept) != string(history) || !slices.Equal(back.Key, l.Key) || !slices.Equal(back.Group, l.Group) ||
			!slices.Equal(back.Kind, l.Kind) || len(back.Columns) != len(l.Columns) {
			t.Fatalf("round %d: %v", round, err)
		}
		for j, c := range l.Columns {
			d := back.Columns[j]
			if d.Name != c.Name || d.Type != c.Type || !slices.Equal(d.Dictionary, c.Dictionary) || !slices.Equal(d.Codes, c.Codes) {
				t.Fatalf("round %d: column %d is another", round, j)
			}
		}
	}
}

// Damaged bytes are an error, never a panic or a wrong private side of another
// length.
func TestDamagedLive(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := anonymize.NewColumn("q", "int", []anonymize.Value{anonymize.TextValue("a"), anonymize.IntegerValue(7), anonymize.NullValue})
	l := &anonymize.Live{Columns: []*anonymize.Column{text}, Key: []int64{3, 900, 0}, Group: []uint32{0, anonymize.Waiting, 0}, Kind: []anonymize.RecordKind{0, 0, 2}}
	for range 3000 {
		parts, err := encodeLive(l)
		if err != nil {
			t.Fatal(err)
		}
		part := slices.Sorted(maps.Keys(parts))[random.IntN(len(parts))]
		data := slices.Clone(parts[part])
		if at := random.IntN(len(data)); random.IntN(2) == 0 {
			data = data[:at]
		} else {
			data[at] ^= byte(1 + random.IntN(255))
		}
		parts[part] = data
		back, err := decodeLive(parts)
		if err != nil {
			continue
		}
		for _, c := range back.Columns {
			if len(back.Key) != 3 || len(c.Codes) != len(back.Key) || slices.Max(c.Codes) >= uint32(len(c.Dictionary)) {
				t.Fatalf("damaged %s: %v", part, back)
			}
		}
	}
}

// A file from before releases could follow their tables opens, with its releases.
func TestOldFileOpens(t *testing.T) {
	b := newBench(t)
	r, c, g := b.releases(), b.owner(), grouping{2}
	c.run("CREATE TABLE t (q INT, s INT)", "INSERT INTO t VALUES (1, 1), (2, 2), (3, 3), (4, 4)")
	if _, err := c.publish(r, g, "p", func(p *Publication) { p.Live, p.Record.Live = nil, nil }); err != nil {
		t.Fatal(err)
	}
	c.session.SessionEnd()
	for _, statement := range []string{"DROP TABLE live_lineages", "DROP TABLE live_state", "DROP TABLE publications", "PRAGMA user_version = 6"} {
		if _, err := execute(b.catalog.writer, statement); err != nil {
			t.Fatal(err)
		}
	}
	b.reopenWith(c)
	r = b.releases()
	c.serve(r)
	c.want(shownLive, "p|1|public|4|0|NULL|NULL|0|NULL|NULL|NULL|1|NULL")
	c.run("INSERT INTO t VALUES (5, 5)")
	c.want(shownLive, "p|1|public|4|1|NULL|NULL|0|NULL|NULL|NULL|1|NULL")
	c.want("SELECT COUNT(*) FROM (SELECT q FROM published.p) x", "4")
	if _, err := c.publish(r, g, "p", func(p *Publication) { p.Replace = true }); err != nil {
		t.Error(err)
	}
}

// A refresh that fails leaves the version, and what is pending, as they were.
func TestFailedRefreshChangesNothing(t *testing.T) {
	b := newBench(t)
	r, c, g := b.releases(), b.owner(), grouping{2}
	c.serve(r)
	c.run("CREATE TABLE t (q INT, s INT)", "INSERT INTO t VALUES (1, 1), (2, 2), (3, 3), (4, 4)")
	if _, err := c.publish(r, g, "p", nil); err != nil {
		t.Fatal(err)
	}
	c.run("DELETE FROM t WHERE q = 1")
	pending, err := r.Changes(c.context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	l := g.next(pending.Live, pending.Changed)
	good := Publication{Record: *pending.Record, Release: g.release(l), Live: l}
	for _, x := range []struct {
		what, part string
		change     func(ctx *sql.Context, p *Publication) *sql.Context
	}{
		{"no private side", "private side", func(ctx *sql.Context, p *Publication) *sql.Context { p.Live = nil; return ctx }},
		{"another number of counterfeits", "1 records are counterfeits, its private side has 0", func(ctx *sql.Context, p *Publication) *sql.Context {
			p.Live = pending.Live
			return ctx
		}},
		{"a column that is not followed", `does not follow its column "z"`, func(ctx *sql.Context, p *Publication) *sql.Context {
			renamed, other := *l, *l.Columns[0]
			other.Name = "z"
			renamed.Columns = []*anonymize.Column{&other, l.Columns[1]}
			p.Live = &renamed
			return ctx
		}},
		{"a client that left", "canceled", func(ctx *sql.Context, _ *Publication) *sql.Context {
			left, cancel := context.WithCancel(ctx)
			cancel()
			return ctx.WithContext(left)
		}},
	} {
		p := good
		ctx := x.change(c.context(), &p)
		if _, err := r.Refresh(ctx, pending, &p); err == nil || !strings.Contains(err.Error(), x.part) {
			t.Errorf("%s: %v", x.what, err)
		}
		c.want("SELECT name, version, pending, versions FROM anonsql.releases", "p|1|1|1")
	}
	c.run("DROP TABLE t")
	if _, err := r.Refresh(c.context(), pending, &good); err == nil || !strings.Contains(err.Error(), "dropped") {
		t.Errorf("after DROP TABLE: %v", err)
	}
	c.want("SELECT name, version, pending, versions FROM anonsql.releases", "p|1|NULL|1")
}
