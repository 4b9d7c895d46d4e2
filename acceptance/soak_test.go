package acceptance

import (
	"context"
	dbsql "database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"weak"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/cmd/anonsql/importer"
	"github.com/anonsql/anonsql/cmd/anonsql/sample"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// soakTime is the duration of TestSoak.
var soakTime = flag.Duration("soak", testsize.Levels(time.Second, 2*time.Second, 30*time.Second), "how long TestSoak takes")

// A soak is a server with its releases, and the findings of its clients.
type soak struct {
	t       *testing.T
	server  *servertest.Server
	root    *dbsql.DB
	pools   map[string]*dbsql.DB
	people  int
	wrong   sync.Map // the beginnings of reported errors
	victims sync.Map // a client's number and its connection

	// fixed never changes; turning is replaced; patients follows its table.
	fixed, turning, patients *soakHistory
	previews, greetings      []soakAnswer

	store     *catalog.Catalog
	published sql.Database
	mu        sync.Mutex
	seen      []weak.Pointer[catalog.Published]
}

// A soakAnswer is a query with one right answer; "" is not compared.
type soakAnswer struct{ text, want string }

// TestSoak lets 64 clients do everything at once for a while: they ask for
// estimates, previews and metadata, publish, replace, refresh a release whose
// table changes, define and drop tables, kill each other's statements, vanish
// and err. Every answer must be right at some moment while it was asked for, and
// when all have gone nothing may be left of them.
func TestSoak(t *testing.T) {
	s := newSoak(t)
	whole := *soakTime
	// What is made once and kept, pools of connections to the file among it, is
	// there after the warm-up.
	s.phase(1, whole/4)
	warm := s.rest(soakState{})
	s.phase(2, whole-whole/4)
	end := s.rest(warm)
	t.Logf("%d people, 64 clients\nafter the warm-up: %v\nat the end:        %v", s.people, warm, end)
	s.checkGrowth(warm, end)
	s.checkNothingRuns()
	s.checkFreed()
}

func newSoak(t *testing.T) *soak {
	s := &soak{t: t, people: 2000}
	if !testsize.All() {
		s.people = 600
	}
	s.server = servertest.Start(t, server.Config{MaxConnections: 80, Extend: func(host server.Host) (server.Extensions, error) {
		extensions, err := server.Product(host)
		s.store, s.published = host.Catalog, extensions.SystemDatabases[0]
		return extensions, err
	}})
	s.root = s.pool(servertest.Root)
	s.define()
	bi := servertest.Account{User: "bi", Password: "a long password", Database: "published", Variables: servertest.ListsRelations}
	text, root := bi, servertest.Root
	text.Interpolate, root.Interpolate, root.Variables = true, true, servertest.ListsRelations
	s.pools = map[string]*dbsql.DB{"bi": s.pool(text), "prepared": s.pool(bi), "root": s.pool(root)}
	s.learn()
	return s
}

// pool keeps no idle connections: a client that leaves closes its own.
func (s *soak) pool(a servertest.Account) *dbsql.DB {
	db := s.server.Open(s.t, a)
	db.SetMaxIdleConns(-1)
	return db
}

// define fills the raw tables and publishes the first releases.
func (s *soak) define() {
	for i, table := range []string{"fixed", "turning", "contended", "roaming"} {
		file := filepath.Join(s.t.TempDir(), table+".csv")
		f, err := os.Create(file)
		if err != nil {
			s.t.Fatal(err)
		}
		if err := sample.WriteCSV(f, s.people, uint64(i+1)); err != nil {
			s.t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			s.t.Fatal(err)
		}
		if _, err := importer.ToServer(context.Background(), importer.Options{File: file, Database: "census", Table: table, Server: s.server.Addr, User: "root"}); err != nil {
			s.t.Fatal(err)
		}
	}
	servertest.Exec(s.t, s.root, "CREATE DATABASE ward", "CALL create_analyst('bi', 'a long password', 'max_connections=200')",
		soakPublish("fixed", "slppa", "'beta=0.25', 'tables=2'"), soakPublish("turning", "slppa", "'beta=0.25', 'tables=2'"), soakPublish("contended", "anatomy", "'l=3'"))
	random := rand.New(rand.NewPCG(3, 3))
	for _, table := range []string{"patients", "visits"} {
		var values []string
		for range 200 {
			values = append(values, fmt.Sprintf("(0, %d, '%s', '%s')", 20+random.IntN(50), []string{"F", "M"}[random.IntN(2)], liveDiseases[random.IntN(len(liveDiseases))]))
		}
		servertest.Exec(s.t, s.root, "CREATE TABLE ward."+table+" (id INT PRIMARY KEY AUTO_INCREMENT, client INT, age INT, sex VARCHAR(6), disease VARCHAR(20))",
			"INSERT INTO ward."+table+" (client, age, sex, disease) VALUES "+strings.Join(values, ","))
	}
	servertest.Exec(s.t, s.root, soakFollow("patients", ""), soakFollow("visits", ", 'auto_refresh=30'"))
	for n := range 64 {
		servertest.Exec(s.t, s.root, fmt.Sprintf("CREATE DATABASE soak%d", n))
	}
}

// learn runs every question once, while no other client runs.
func (s *soak) learn() {
	first := soakClients(s, context.Background(), 0)[0]
	defer first.leave()
	s.fixed, s.turning = newSoakHistory("fixed", soakQuestions), newSoakHistory("turning", soakQuestions)
	s.patients = newSoakHistory("patients", soakLiveQuestions)
	for _, h := range []*soakHistory{s.fixed, s.turning, s.patients} {
		h.change(func() {}, func() []string { return first.answers(h) })
	}
	for _, text := range []string{"SELECT * FROM published.fixed", "SELECT age, disease FROM published.fixed LIMIT 7", "SELECT * FROM published.fixed_qi1 ORDER BY 1, 2 LIMIT 50",
		"SELECT g.gid, s.disease FROM published.fixed_gid g JOIN published.fixed_sa s ON g.gid = s.gid ORDER BY 1, 2 LIMIT 20", "SELECT * FROM ANON_PRIVACY(published.fixed)"} {
		answer, _ := first.ask("preview", text, nil)
		s.previews = append(s.previews, soakAnswer{text, answer})
	}
	for _, text := range soakGreetings {
		answer := soakAnswer{text: strings.TrimPrefix(text, "= ")}
		if answer.text != text {
			answer.want, _ = first.ask("tool's question", answer.text, nil)
		}
		s.greetings = append(s.greetings, answer)
	}
}

// soakClients makes the clients of a phase.
func soakClients(s *soak, ctx context.Context, phase int) []*soakClient {
	var clients []*soakClient
	for _, role := range soakRoles {
		for range role.clients {
			n := len(clients)
			clients = append(clients, &soakClient{soak: s, act: role.act, ctx: ctx, pool: s.pools[role.pool], number: n,
				random: rand.New(rand.NewPCG(uint64(phase), uint64(n))), rows: make(map[int]bool)})
		}
	}
	return clients
}

// phase lets all clients act for a while and waits for their end.
func (s *soak) phase(number int, d time.Duration) {
	servertest.Exec(s.t, s.root, "DELETE FROM ward.patients WHERE client > 0") // of an earlier phase
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	var wait sync.WaitGroup
	clients := soakClients(s, ctx, number)
	ended := make(chan struct{})
	for _, c := range clients {
		wait.Go(func() {
			defer c.leave()
			for ctx.Err() == nil {
				c.act(c)
			}
		})
	}
	go func() { wait.Wait(); close(ended) }()
	<-ctx.Done()
	for over := false; !over; { // nothing kills the long statements any more
		select {
		case <-ended:
			over = true
		case <-time.After(100 * time.Millisecond):
			s.victims.Range(func(_, id any) bool {
				_, _ = s.root.Exec(fmt.Sprintf("KILL QUERY %d", id)) // it may have ended
				return true
			})
		}
	}
}

// unexpected fails the test. It reports only one error of those with the same beginning.
func (s *soak) unexpected(format string, args ...any) {
	s.t.Helper()
	text := fmt.Sprintf(format, args...)
	if _, told := s.wrong.LoadOrStore(text[:min(len(text), 80)], true); told {
		s.t.Fail()
		return
	}
	s.t.Error(text)
}

// note remembers a version of a release without keeping it in memory.
func (s *soak) note(name string) {
	table, ok, err := s.published.GetTableInsensitive(sql.NewEmptyContext(), name)
	if err != nil || !ok {
		s.unexpected("release %s is not there: %v", name, err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, weak.Make(table.(*catalog.PublishedView).Published()))
}

// rest measures the state when nothing runs. It excludes the cache, which has its own limit.
func (s *soak) rest(wanted soakState) soakState {
	s.store.DropCache()
	return soakStateNow(wanted)
}

// checkGrowth compares two states without running statements. Goroutines and sockets must be as many as after the warm-up: each client has both, so
// that one client in a thousand that was left would show. There may be more other files: while a connection reads, SQLite keeps the descriptors of a
// closed reader for the next one. So there are two for each of the most concurrent readers: of two tables that a statement joins, for each of 80
// connections. A busy machine has more of them at work. The heap may grow by a tenth, and by 8 MB for what is kept on purpose and bounded: versions
// that the test remembers, the last 200 jobs, the server's log in memory, statistics.
func (s *soak) checkGrowth(warm, end soakState) {
	const goroutines, sockets, files, heap = 4, 2, 4 * 80, 8 << 20
	if end.goroutines > warm.goroutines+goroutines {
		s.t.Errorf("%d goroutines after the warm-up, %d at the end", warm.goroutines, end.goroutines)
	}
	if end.sockets > warm.sockets+sockets {
		s.t.Errorf("%d sockets after the warm-up, %d at the end", warm.sockets, end.sockets)
	}
	if end.files > files {
		s.t.Errorf("%d files after the warm-up, %d at the end", warm.files, end.files)
	}
	if end.heap > warm.heap+warm.heap/10+heap {
		s.t.Errorf("a heap of %d bytes after the warm-up, of %d at the end", warm.heap, end.heap)
	}
}

// checkNothingRuns looks for anything that still runs for the clients.
func (s *soak) checkNothingRuns() {
	for what, want := range map[string]string{
		"SELECT COUNT(*) FROM anonsql.jobs WHERE status = 'running'":                                                                   "0|\n",
		"SELECT COUNT(*) FROM information_schema.processlist":                                                                          "1|\n",
		"SELECT COUNT(*) FROM information_schema.tables WHERE table_schema LIKE 'soak%' OR table_name = 'never'":                       "0|\n",
		"SELECT COUNT(*) FROM anonsql.releases WHERE name IN ('fixed', 'turning', 'contended', 'patients', 'visits')":                  "5|\n",
		"SELECT COUNT(*) FROM anonsql.audit WHERE account = 'bi' AND kind NOT IN ('estimate', 'denied', 'refused')":                    "0|\n",
		"SELECT COUNT(*) FROM anonsql.audit WHERE account = 'bi' AND kind = 'refused' AND outcome NOT IN ('error 1064', 'error 1235')": "0|\n",
		"SELECT COUNT(*) FROM ward.visits WHERE client IS NULL AND disease NOT IN ('" + strings.Join(liveDiseases, "', '") + "')":      "0|\n",
	} {
		got, err := answerText(context.Background(), s.root, what)
		for range 100 { // a connection ends some time after its client has left
			if err != nil || got == want {
				break
			}
			time.Sleep(50 * time.Millisecond)
			got, err = answerText(context.Background(), s.root, what)
		}
		if err != nil || got != want {
			s.t.Errorf("at the end, %s\n%s, want %s, error %v", what, got, want, err)
		}
	}
	for _, line := range strings.Split(s.server.Log(), "\n") {
		// An overloaded machine writes the entry late.
		late := strings.Contains(line, "an entry of the audit is not on the disk") && strings.Contains(line, "deadline exceeded")
		if !late && (strings.Contains(line, "panic") || strings.Contains(line, "level=ERROR")) {
			s.t.Errorf("the log has\n%.1000s", line)
		}
	}
}

// checkFreed drops everything. Then no version of a release is in memory, and the cache is empty.
func (s *soak) checkFreed() {
	servertest.Exec(s.t, s.root, "CALL drop_release('turning')", "CALL drop_release('patients')", "CALL drop_release('visits')", "CALL drop_release('contended')", "CALL drop_release('fixed')",
		"DROP DATABASE census", "DROP DATABASE ward")
	if used, _ := s.store.CacheBytes(); used != 0 {
		s.t.Errorf("the cache holds %d bytes of what was dropped", used)
	}
	soakStateNow(soakState{})
	held := 0
	for _, p := range s.seen {
		if p.Value() != nil {
			held++
		}
	}
	if held > 0 {
		s.t.Errorf("%d versions of %d are in memory after they were dropped", held, len(s.seen))
	}
}
