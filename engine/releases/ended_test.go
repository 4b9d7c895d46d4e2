package releases_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/anonsql/anonsql/catalog/catalogtest"
	"github.com/anonsql/anonsql/enginetest"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// TestKilledInTheEngine: KILL, and an engine that fails, end a publication at any of its parts; nothing is left, and nothing is listed.
func TestKilledInTheEngine(t *testing.T) {
	c := enginetest.Need(t)
	schema := schemas(t, c)
	people(t, c, schema, 1000)
	f := serve(t, c.URL, schema, 0)
	f.owner.SetMaxOpenConns(1)
	for _, of := range []struct {
		call string
		at   map[string]string
	}{
		{publish, map[string]string{`SELECT "disease", count(*)`: "KILL", `_key" AS`: "failure", `_assigned" AS`: "KILL", `_qi1" WITH`: "failure", `_sa" WITH`: "KILL",
			"FULL JOIN": "failure", "GROUP BY records": "KILL", "DROP TABLE": "failure", `_sa" RENAME`: "KILL"}},
		{classes, map[string]string{`_blocks" AS`: "failure", `_qi1v2" WITH`: "KILL", "min_by": "KILL", "LEFT JOIN": "failure"}},
	} {
		for _, at := range testsize.Some(len(of.at)/2, slices.Sorted(maps.Keys(of.at))) {
			f.ends(t, c, schema, of.call, at, of.at[at])
		}
	}
	if listed := query(t, f.owner, "SELECT name FROM anonsql.releases"); len(listed) > 0 {
		t.Errorf("listed are %v", listed)
	}
	for _, call := range []string{classes, publish} {
		query(t, f.owner, call, schema, ", 'dry_run=true'")
		if again := left(t, c, schema); len(again) > 0 {
			t.Errorf("a dry run has left %v", again)
		}
	}
	query(t, f.owner, publish, schema, "")
}

// ends has a publication killed, or its engine fail, at the first statement with a text: "KILL" before the engine has it, "KILL inside" while it runs there.
func (f *front) ends(t *testing.T, c *enginetest.Cluster, schema, call, at, how string) {
	t.Helper()
	id := query(t, f.owner, "SELECT CONNECTION_ID()")[0]
	killer := f.Open(t, servertest.Root)
	failed := errors.New("the engine has a bad day")
	var once sync.Once
	f.gate.set(func(text string) (err error) {
		if strings.Contains(text, at) {
			once.Do(func() {
				if shown := query(t, killer, "SHOW PROCESSLIST"); at == `_assigned" AS` && !strings.Contains(strings.Join(shown, "\n"), "form groups in the engine") {
					t.Errorf("the list of processes is %q", shown)
				}
				switch err = failed; how {
				case "KILL":
					_, err = killer.Exec("KILL QUERY " + id)
				case "KILL inside":
					err = nil
					go func() {
						servertest.Eventually(t, at+" runs in the engine", func() bool { return slices.Equal(statesOf(c, schema, at), []string{"RUNNING"}) })
						query(t, killer, "KILL QUERY %s", id)
					}()
				}
			})
		}
		return err
	})
	_, err := tries(f.owner, fmt.Sprintf(call, schema, ""))
	f.gate.set(nil)
	if err == nil || how != "failure" && servertest.Number(err) != 1317 || how == "failure" && !strings.Contains(err.Error(), failed.Error()) {
		t.Fatalf("%s at %s: %v", how, at, err)
	}
	if how == "KILL inside" {
		servertest.Eventually(t, at+" has ended in the engine", func() bool { return slices.Equal(statesOf(c, schema, at), []string{"FAILED"}) })
	}
	servertest.Eventually(t, how+" at "+at+": nothing is left", func() bool { return len(left(t, c, schema)) == 0 })
}

// TestQuestionEndsWithItsWorker: the engine works no longer for a process of an analyst's that was killed, and the next process is answered.
func TestQuestionEndsWithItsWorker(t *testing.T) {
	c := enginetest.Need(t)
	schema := schemas(t, c)
	people(t, c, schema, 1000)
	f := serve(t, c.URL, schema, 500)
	query(t, f.owner, publish, schema, "")
	reader := f.analyst(t)
	const question = "SELECT COUNT(*) FROM published.people WHERE age < 30 AND disease = 'd3'"
	answered := query(t, reader, question)
	var once sync.Once
	ended := make(chan bool, 1)
	f.gate.mu.Lock()
	f.gate.asks = func(ctx context.Context, text string) {
		once.Do(func() {
			for _, process := range servertest.WorkersOf(t, os.Getpid()) {
				if err := syscall.Kill(process, syscall.SIGKILL); err != nil {
					t.Error(err)
				}
			}
			select {
			case <-ctx.Done():
				ended <- true
			case <-time.After(20 * time.Second):
				ended <- false
			}
		})
	}
	f.gate.mu.Unlock()
	if _, err := tries(reader, question); err == nil {
		t.Error("a process that was killed has answered")
	}
	if !<-ended {
		t.Error("the engine is asked on behalf of a process that has ended")
	}
	servertest.Eventually(t, "another process answers the same", func() bool { // the spare one was killed, too
		again, err := tries(reader, question)
		return err == nil && slices.Equal(again, answered)
	})
}

// statesOf are the states of the engine's statements about a schema that have a text.
func statesOf(c *enginetest.Cluster, schema, text string) (states []string) {
	_ = c.Client.Query(context.Background(), fmt.Sprintf("SELECT state FROM system.runtime.queries WHERE strpos(query, '%s') > 0 AND strpos(query, '%s') > 0 AND strpos(query, 'strpos(') = 0", schema, text),
		func(row []any) error {
			states = append(states, fmt.Sprint(row[0]))
			return nil
		})
	return states
}

// servingChild has what the child of TestKilledServer needs: its directory, the engine's URL, the schemas' name, and the statement at which it stays.
const servingChild = "ANONSQL_TEST_SERVING_CHILD"

// TestServingChild publishes, and stays where the engine is told to drop the key, to draw completed tables, or to move a second relation: the relations are written, and no record names them.
func TestServingChild(t *testing.T) {
	words := strings.Fields(os.Getenv(servingChild))
	if len(words) != 4 {
		return // nothing to do but as the child of TestKilledServer
	}
	call, limit, at := publish, 0, "DROP TABLE"
	switch words[3] {
	case "imputed":
		call, limit, at = completes, 500, `_imputed" AS`
	case "moved":
		at = `_sa" RENAME`
	}
	config, g := configured(t, words[1], words[2], limit)
	config.DataDir = words[0]
	g.set(func(text string) error {
		if strings.Contains(text, at) {
			fmt.Println("stays")
			select {}
		}
		return nil
	})
	owner := servertest.Start(t, config).Open(t, servertest.Root)
	_, err := tries(owner, fmt.Sprintf(call, words[2], ""))
	t.Fatalf("the publication ended: %v", err)
}

// TestKilledServer: the server is killed with the relations written and not committed. The next one drops them, and lists nothing.
func TestKilledServer(t *testing.T) {
	c := enginetest.Need(t)
	schema := schemas(t, c)
	people(t, c, schema, 1000)
	for at, tables := range map[string]int{
		"relations": 6, // and four tables that lead to them
		"imputed":   3, // and the weights of the model
		"moved":     2, // one of them where others may read
	} {
		sweeps(t, c, schema, at, tables)
	}
}

// sweeps kills a server after it has written this many tables; another server must drop them.
func sweeps(t *testing.T, c *enginetest.Cluster, schema, at string, tables int) {
	t.Helper()
	dir := t.TempDir()
	child := catalogtest.StartProcess(t, "TestServingChild", servingChild, dir+" "+c.URL+" "+schema+" "+at)
	child.Await("stays")
	child.Kill()
	if written := left(t, c, schema); len(written) != tables {
		t.Fatalf("the server killed at %s has left %v, want two relations and others, %d tables", at, written, tables)
	}
	config, g := configured(t, c.URL, schema, 0)
	config.DataDir = dir
	f := &front{Server: servertest.Start(t, config), gate: g}
	f.owner = f.Open(t, servertest.Root)
	servertest.Eventually(t, "what was left is dropped", func() bool { return len(left(t, c, schema)) == 0 })
	if listed := query(t, f.owner, "SELECT name FROM anonsql.releases"); len(listed) > 0 {
		t.Errorf("listed are %v", listed)
	}
	query(t, f.owner, publish, schema, "")
	query(t, f.owner, "CALL drop_release('people')")
}

// shows expects a text on a page for operators.
func (f *front) shows(t *testing.T, page, want string) {
	t.Helper()
	found := regexp.MustCompile(`msg=metrics address=(\S+)`).FindStringSubmatch(f.Log())
	if found == nil {
		t.Fatalf("the log has no address:\n%s", f.Log())
	}
	servertest.Eventually(t, page+" has "+want, func() bool {
		answer, err := http.Get("http://" + found[1] + page)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		return err == nil && answer.StatusCode == http.StatusOK && strings.Contains(string(body), want)
	})
}

// restart starts the server again, with the same directory and engine.
func (f *front) restart(t *testing.T, url, name string, limit int) {
	t.Helper()
	f.Stop(t)
	config, g := configured(t, url, name, limit)
	config.DataDir = f.Config.DataDir
	f.Server, f.gate = servertest.Start(t, config), g
	f.owner = f.Open(t, servertest.Root)
}

// TestEngineDown: a server starts without its engine, lists its releases, names the engine that is down, and retries it.
func TestEngineDown(t *testing.T) {
	c := enginetest.Need(t)
	schema := schemas(t, c)
	people(t, c, schema, 1000)
	to := strings.TrimSuffix(strings.TrimPrefix(c.URL, "trino://anonsql@"), "/iceberg")
	w := servertest.Lay(t, "", to)
	address := w.Addr().String()
	url := strings.Replace(c.URL, to, address, 1)
	f := serve(t, url, schema, 0)
	query(t, f.owner, publish, schema, "")
	f.shows(t, "/healthz", "engine "+address+": ok")
	f.shows(t, "/readyz", "analysts: ok\nengine: ok\n")
	f.shows(t, "/metrics", "anonsql_engine_reached 1")
	w.Cut()
	f.restart(t, url, schema, 0)
	for _, statement := range []string{"SELECT name FROM anonsql.releases", "DESCRIBE published.people", "SELECT guarantee FROM anonsql.guarantees"} {
		if found, err := tries(f.owner, statement); err != nil || len(found) == 0 {
			t.Errorf("%s: %q, %v", statement, found, err)
		}
	}
	refused(t, f.owner, 1429, address, "SELECT COUNT(*) FROM published.people")
	f.shows(t, "/healthz", "Can't connect to the engine at "+address)
	f.shows(t, "/metrics", "anonsql_engine_reached 0")
	query(t, f.owner, "CALL drop_release('people')")
	if warned := query(t, f.owner, "SHOW WARNINGS"); len(warned) == 0 && len(left(t, c, schema)) != 2 {
		t.Errorf("relations that cannot be dropped: warned is %q", warned)
	}
	servertest.Lay(t, address, to)
	servertest.Eventually(t, "what could not be dropped is", func() bool { return len(left(t, c, schema)) == 0 })
	found, err := tries(f.owner, "SELECT COUNT(*) FROM published.people")
	if servertest.Number(err) != 1146 {
		t.Errorf("a release that was dropped answers %q, %v", found, err)
	}
}

// TestKilledWhileAnotherReads: KILL ends a session that waits for a release that another one reads; the other continues.
func TestKilledWhileAnotherReads(t *testing.T) {
	c := enginetest.Need(t)
	schema := schemas(t, c)
	people(t, c, schema, 1000)
	f := serve(t, c.URL, schema, 0)
	query(t, f.owner, publish, schema, "")
	reading, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	f.gate.set(func(text string) error {
		if strings.HasPrefix(text, "SELECT gid") {
			once.Do(func() { close(reading) })
			<-goOn
		}
		return nil
	})
	const question = "SELECT COUNT(*) FROM published.people WHERE age < 30"
	first, second := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := tries(f.owner, question)
		first <- err
	}()
	<-reading
	waiting := f.Open(t, servertest.Root)
	waiting.SetMaxOpenConns(1)
	id := query(t, waiting, "SELECT CONNECTION_ID()")[0]
	go func() {
		_, err := tries(waiting, question)
		second <- err
	}()
	killer := f.Open(t, servertest.Root)
	servertest.Eventually(t, "the second statement runs", func() bool {
		return query(t, killer, "SELECT COUNT(*) FROM information_schema.processlist WHERE id = %s AND info LIKE '%%age%%'", id)[0] == "1"
	})
	query(t, killer, "KILL QUERY %s", id)
	if err := <-second; servertest.Number(err) != 1317 {
		t.Errorf("the second is told %v", err)
	}
	close(goOn)
	if err := <-first; err != nil {
		t.Errorf("the first is told %v", err)
	}
}
