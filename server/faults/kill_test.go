package faults_test

import (
	"bufio"
	"context"
	dbsql "database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/anonsql/anonsql/catalog/maintenance"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

const (
	// chains are sequences of kills of one data directory, each of all operations
	// once, of two starts and of a stop: 7 * 29 = 203 kills.
	chains, fewChains = 7, 1
)

var onlyChain = flag.Int("chain", -1, "the one chain that TestKills runs, from 0")

// How much of an operation a killed server had done.
const (
	absent = iota // nothing, and it had not acknowledged
	untold        // everything, without an acknowledgement
	told          // everything, with an acknowledgement
)

// A tally counts outcomes by operation, and knows how long operations take.
type tally struct {
	mu       sync.Mutex
	outcomes map[string]*[3]int
	duration map[string]time.Duration // of the last one without a kill
	kills    int
}

func (y *tally) add(operation string, outcome int) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.outcomes[operation] == nil {
		y.outcomes[operation] = new([3]int)
	}
	y.outcomes[operation][outcome]++
	y.kills++
}

func (y *tally) took(operation string, d time.Duration) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.duration[operation] = d
}

func (y *tally) typical(operation string) time.Duration {
	y.mu.Lock()
	defer y.mu.Unlock()
	if o := y.outcomes[operation]; o != nil && o[told] > 1 && o[absent]+o[untold] == 0 {
		return 0 // it was always faster than the kill: at once, then
	}
	if d, ok := y.duration[operation]; ok {
		return d
	}
	return 4 * time.Millisecond
}

// After kill -9 at any moment, a restarted server has everything that it acknowledged, and either nothing or
// everything of the interrupted operation. The oracle is a twin that nobody kills, with the same operations.
// Everything visible must be equal: tables, releases with every relation, private sides by their later refreshes,
// roles, taxonomies, accounts. Guarantees are recomputed, the file is checked before and after the start, and earlier
// public releases stay remembered.
//
// -chain n runs only chain n, with the same operations and the same intended moments.
func TestKills(t *testing.T) {
	t.Parallel()
	y := &tally{outcomes: make(map[string]*[3]int), duration: make(map[string]time.Duration)}
	seeds := make([]uint64, testsize.Of(fewChains, chains))
	for i := range seeds {
		seeds[i] = uint64(i)
	}
	if *onlyChain >= 0 {
		seeds = []uint64{uint64(*onlyChain)}
	}
	t.Run("chains", func(t *testing.T) {
		for _, seed := range seeds {
			t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
				t.Parallel()
				newChain(t, seed, y).run()
			})
		}
	})
	y.report(t, len(seeds) == chains)
}

// report wants that operations were really interrupted, before and after the
// moment that counts.
func (y *tally) report(t *testing.T, whole bool) {
	var sum [3]int
	names := make([]string, 0, len(y.outcomes))
	for name := range y.outcomes {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		o := y.outcomes[name]
		t.Logf("%-16s %3d absent, %3d whole and untold, %3d whole and told", name, o[absent], o[untold], o[told])
		for i, n := range o {
			sum[i] += n
		}
		if whole && o[absent]+o[untold] == 0 {
			t.Errorf("%s was never interrupted", name)
		}
	}
	t.Logf("%d kills: %d absent, %d whole and untold, %d whole and told", y.kills, sum[absent], sum[untold], sum[told])
	if whole && !t.Failed() && (y.kills < 200 || sum[absent] < 20 || sum[untold] == 0) {
		t.Errorf("%d kills, must be 200, with 20 of them before the operation counted and some after it", y.kills)
	}
}

// A chain is one data directory whose server is killed repeatedly.
type chain struct {
	t      *testing.T
	seed   uint64
	random *rand.Rand
	tally  *tally
	dir    string
	child  *servertest.Child
	twin   *dbsql.DB
	where  string // address of the twin
	next   int    // ids given
	pairs  pairs
	told   map[string]int // audited statements that were acknowledged, by kind
	tried  map[string]int // and those that were sent
	past   map[string]bool
}

func newChain(t *testing.T, seed uint64, y *tally) *chain {
	s := servertest.Start(t, server.Config{Extend: server.Product})
	c := &chain{t: t, seed: seed, random: rand.New(rand.NewPCG(seed, 8)), tally: y, dir: filepath.Join(t.TempDir(), "data"),
		twin: s.Open(t, servertest.Account{User: "root", Variables: servertest.ListsRelations}), where: s.Addr, told: make(map[string]int), tried: make(map[string]int), past: make(map[string]bool)}
	c.child = servertest.StartChild(t, c.dir)
	const columns = " (id INT PRIMARY KEY, age INT, sex VARCHAR(1), disease VARCHAR(20), KEY by_age (age))"
	c.both("CREATE DATABASE k", "CREATE DATABASE z", "CREATE TABLE z.pairs (n INT, part INT, PRIMARY KEY (n, part))",
		"CREATE TABLE k.people"+columns, "CREATE TABLE k.live"+columns, "CREATE TABLE k.scratch"+columns)
	for _, table := range []string{"people", "live", "scratch"} {
		c.both("INSERT INTO k."+table+" VALUES "+c.people(150), "CALL set_attributes('k."+table+"', 'qi=age,sex', 'sa=disease')")
	}
	return c
}

// run kills the server once in every operation, or in some, in any order, and now and then
// while it starts or stops.
func (c *chain) run() {
	all := len(operations) + 2
	for _, i := range c.random.Perm(all)[:testsize.Levels(all/3, all, all)] {
		switch {
		case i < len(operations):
			c.interrupt(operations[i])
		case i == len(operations):
			c.killStart()
		default:
			c.killStop()
		}
		if c.t.Failed() {
			c.t.Logf("again: -chain %d", c.seed)
			return
		}
	}
	c.child.Stop(c.t)
	report, err := maintenance.CheckDirectory(context.Background(), c.dir, nil)
	if err != nil || len(report.Findings)+len(report.Notes) > 0 {
		c.t.Errorf("after all: %v %+v", err, report)
	}
}

// interrupt kills the server during an operation and judges the result.
func (c *chain) interrupt(o operation) {
	do := o.prepare(c)
	if c.random.IntN(3) == 0 {
		c.pairs.write(c.child.DB)
	}
	ended := make(chan error, 1)
	kill := c.aim(c.tally.typical(o.name))
	go func(db *dbsql.DB, address string) { ended <- do(db, address) }(c.child.DB, c.child.Address)
	kill(ended)
	err := <-ended
	c.pairs.wait()
	c.child.DB.Close()
	if known := servertest.Number(err); known != 0 && known != 1053 {
		c.t.Fatalf("%s: %v", o.name, err)
	}
	kinds := auditKinds(o.name)
	for _, kind := range kinds {
		c.tried[kind]++
		if err == nil {
			c.told[kind]++
		}
	}
	c.tally.add(o.name, c.judge(o.name, do, err == nil))
}

// aim chooses a moment, up to a little after the usual end, or one of the writes to
// the files. The result waits for it, and kills.
func (c *chain) aim(typical time.Duration) (kill func(ended chan error)) {
	byTime, part, n := c.random.IntN(2) == 0, c.random.Float64(), 1+c.random.IntN(15)
	if byTime || typical == 0 {
		after := time.Duration(part * 1.1 * float64(typical))
		return func(chan error) {
			time.Sleep(after) // the subject: the moment of the kill
			c.child.End()
		}
	}
	w := watchWrites(c.t, c.dir)
	return func(ended chan error) {
		killed := make(chan struct{})
		go func() {
			defer close(killed)
			w.await(n)
			c.child.End()
		}()
		err := <-ended // killed, or done with fewer writes
		w.close()
		<-killed
		ended <- err
	}
}

// judge compares the result with the twin before and after the same operation.
func (c *chain) judge(name string, do act, acknowledged bool) int {
	c.t.Helper()
	got := c.restart(name)
	outcome := told
	if !acknowledged {
		outcome = untold
		before := c.look(c.twin)
		if do == nil || len(before.unlike(got)) == 0 {
			c.compare(name, before, got)
			c.remember(name)
			return absent
		}
	}
	if do == nil {
		c.compare(name, c.look(c.twin), got)
		return outcome
	}
	c.apply(name, do)
	c.compare(name, c.look(c.twin), got)
	c.remember(name)
	return outcome
}

// apply repeats on the twin what happened.
func (c *chain) apply(name string, do act) {
	c.t.Helper()
	started := time.Now()
	if err := do(c.twin, c.where); err != nil {
		c.t.Fatalf("%s on the twin: %v", name, err)
	}
	c.tally.took(name, time.Since(started))
}

// compare expects that the server equals the twin.
func (c *chain) compare(name string, want, got sight) {
	c.t.Helper()
	for _, subject := range want.unlike(got) {
		c.t.Errorf("killed in %s: %s\n%s", name, subject, difference(want[subject], got[subject]))
	}
}

// difference lists lines that only one of two texts has.
func difference(want, got string) string {
	var out []string
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for _, line := range a {
		if !slices.Contains(b, line) {
			out = append(out, "  missing "+line)
		}
	}
	for _, line := range b {
		if !slices.Contains(a, line) {
			out = append(out, "  more    "+line)
		}
	}
	if len(out) > 20 {
		out = append(out[:20], fmt.Sprintf("  and %d more lines", len(out)-20))
	}
	return strings.Join(out, "\n")
}

// restart checks the files that the kill left, starts the server, and sees.
func (c *chain) restart(name string) sight {
	c.t.Helper()
	report, err := maintenance.CheckDirectory(context.Background(), c.dir, nil)
	if err != nil || len(report.Findings) > 0 {
		c.t.Fatalf("killed in %s, before the start: %v %+v", name, err, report)
	}
	c.child = servertest.StartChild(c.t, c.dir)
	if name == "import" { // it fills another table until that is complete; the next import starts over
		run(c.t, c.child.DB, "DROP TABLE IF EXISTS k.imported__importing")
	}
	got := c.look(c.child.DB)
	c.pairs.check(c.t, c.child.DB)
	if running := servertest.Query(c.t, c.child.DB, "SELECT id FROM anonsql.jobs WHERE status = 'running'"); len(running) > 0 {
		c.t.Errorf("killed in %s: jobs %v still run", name, running)
	}
	c.audited(name)
	if c.random.IntN(4) == 0 { // a backup is checked, and unowned data are noted
		file := filepath.Join(c.t.TempDir(), "backup")
		report, err := maintenance.Backup(context.Background(), c.dir, file, false, nil)
		if err != nil || len(report.Findings)+len(report.Notes) > 0 {
			c.t.Errorf("killed in %s, after the start: %v %+v", name, err, report)
		}
	}
	return got
}

func (c *chain) look(db *dbsql.DB) sight {
	c.t.Helper()
	s, problems, err := look(db)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, problem := range problems {
		c.t.Error(problem)
	}
	return s
}

// remember tries a second public release of a table that has or had one.
func (c *chain) remember(name string) {
	c.t.Helper()
	for _, table := range []string{"people", "live"} {
		c.past[table] = c.past[table] || c.published(table)
		if !c.past[table] {
			continue
		}
		_, err := c.child.DB.Exec("CALL anonymize('k." + table + "', 'anatomy', 'l=2', 'publish=another')")
		if servertest.Number(err) != 30001 || !strings.Contains(err.Error(), "public release") {
			c.t.Errorf("killed in %s: a second public release of k.%s: %v", name, table, err)
		}
	}
}

// both executes statements that must end well.
func (c *chain) both(list ...string) {
	c.t.Helper()
	for _, statement := range list {
		c.bothDo(statements(statement))
		for _, kind := range auditKinds(statement) {
			c.tried[kind]++
			c.told[kind]++
		}
	}
}

func (c *chain) bothDo(do act) {
	c.t.Helper()
	for _, err := range []error{do(c.child.DB, c.child.Address), do(c.twin, c.where)} {
		if err != nil {
			c.t.Fatal(err)
		}
	}
}

func (c *chain) ask(statement string) []string {
	c.t.Helper()
	return servertest.Query(c.t, c.twin, "%s", statement)
}

// auditKinds are the kinds of entries to count.
func auditKinds(name string) []string {
	for _, kind := range []string{"drop_release", "refresh", "evaluate", "create_analyst"} {
		if name == kind || strings.HasPrefix(name, "CALL "+kind) {
			return []string{strings.TrimSuffix(kind, "_release")}
		}
	}
	return nil
}

// audited expects an entry for everything acknowledged, and at most for everything sent.
func (c *chain) audited(name string) {
	c.t.Helper()
	for _, kind := range []string{"drop", "refresh", "evaluate", "create_analyst"} {
		n, _ := strconv.Atoi(servertest.Query(c.t, c.child.DB, "%s", "SELECT COUNT(*) FROM anonsql.audit WHERE outcome = 'ok' AND kind = '"+kind+"'")[0])
		if n < c.told[kind] || n > c.tried[kind] {
			c.t.Errorf("killed in %s: the audit has %d entries of kind %s, of %d acknowledged and %d sent", name, n, kind, c.told[kind], c.tried[kind])
		}
	}
}

// killStart kills a server that starts after a kill, and reads the log that the
// other one left.
func (c *chain) killStart() {
	c.both("INSERT INTO k.scratch (id, age, sex, disease) VALUES "+c.people(200), "DROP TABLE IF EXISTS k.twice", "CREATE TABLE k.twice AS SELECT * FROM k.people", "DROP TABLE k.twice")
	c.child.Kill()
	for range 2 {
		started := servertest.Launch(c.t, c.dir)
		if c.random.IntN(2) == 0 {
			c.child = started
			ended := make(chan error, 1)
			go func() { // ready, or dead
				_, err := bufio.NewReader(started.Output).ReadString('\n')
				ended <- err
			}()
			c.aim(200 * time.Millisecond)(ended)
		} else {
			time.Sleep(time.Duration(c.random.IntN(300)) * time.Millisecond) // the subject: the moment of the kill
			started.Kill()
		}
		c.tally.add("start", c.judge("start", nil, false))
		c.child.Kill()
	}
	c.child = servertest.StartChild(c.t, c.dir)
}

// killStop kills a server that stops.
func (c *chain) killStop() {
	c.both("INSERT INTO k.scratch (id, age, sex, disease) VALUES " + c.people(200))
	if err := c.child.Process.Process.Signal(syscall.SIGTERM); err != nil {
		c.t.Fatal(err)
	}
	ended := make(chan error, 1)
	child, kill := c.child, c.aim(20*time.Millisecond)
	go func() {
		var nothing [1]byte
		_, err := child.Output.Read(nothing[:]) // the end of the process
		ended <- err
	}()
	kill(ended)
	c.child.DB.Close()
	c.tally.add("stop", c.judge("stop", nil, false))
}

// pairs are concurrent transactions of two rows each.
type pairs struct {
	acknowledged int
	running      sync.WaitGroup
}

// write adds pairs until the server is gone.
func (p *pairs) write(db *dbsql.DB) {
	p.running.Go(func() {
		for {
			n := p.acknowledged + 1
			err := statements("START TRANSACTION", fmt.Sprintf("INSERT INTO z.pairs VALUES (%d, 1)", n), fmt.Sprintf("INSERT INTO z.pairs VALUES (%d, 2)", n), "COMMIT")(db, "")
			if err != nil {
				return
			}
			p.acknowledged = n
		}
	})
}

func (p *pairs) wait() { p.running.Wait() }

// check wants all pairs that were acknowledged, and none by halves.
func (p *pairs) check(t *testing.T, db *dbsql.DB) {
	t.Helper()
	got := servertest.Query(t, db, "SELECT COUNT(*), COUNT(DISTINCT n), COALESCE(MAX(n), 0) FROM z.pairs")[0]
	for _, n := range []int{p.acknowledged, p.acknowledged + 1} {
		if got == fmt.Sprintf("%d|%d|%d", 2*n, n, n) {
			p.acknowledged = n
			return
		}
	}
	t.Errorf("rows, pairs and the last pair are %s, of %d acknowledged", got, p.acknowledged)
}
