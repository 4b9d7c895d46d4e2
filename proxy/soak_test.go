package proxy_test

import (
	"flag"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anonsql/anonsql/testsize"
)

// A load is many concurrent owners, each with its own connection.
type load struct {
	t           *testing.T
	front       *front
	young, rows string // right answers
	asked       atomic.Int64
}

var soakTime = flag.Duration("soak", testsize.Levels(time.Second, 2*time.Second, 30*time.Second), "how long TestManyOwners takes")

// TestManyOwners: concurrent owners query both servers in turn, read many rows, publish, leave and return. Each gets its own
// answers, and nothing of them remains.
func TestManyOwners(t *testing.T) {
	f, owner := publishedPeople(t)
	lasts := *soakTime
	l := &load{t: t, front: f, young: owner.query("SELECT COUNT(*) FROM people WHERE age < 40")[0], rows: owner.query("SELECT COUNT(*) FROM people a JOIN people b")[0]}
	before := l.run(lasts / 4) // warms up what is created once
	after := l.run(lasts - lasts/4)
	t.Logf("%d statements; the heap has %d MB after a quarter of them, %d at the end", l.asked.Load(), before>>20, after>>20)
	if after > before+32<<20 {
		t.Errorf("the heap grows from %d to %d bytes", before, after)
	}
}

// run lets 64 owners ask for a while, and returns the bytes of the heap when they have gone.
func (l *load) run(lasts time.Duration) uint64 {
	const owners = 64
	var all sync.WaitGroup
	failures := make(chan error, owners)
	ends := time.Now().Add(lasts)
	for i := range owners {
		c := connect(l.t, l.front.owners, "root", "testmanyowners", "multiStatements=true")
		all.Go(func() {
			defer c.db.Close()
			for n := 0; time.Now().Before(ends); n++ {
				if err := l.round(i, n, c); err != nil {
					failures <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(failures)
	for err := range failures {
		l.t.Error(err)
	}
	var memory runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	return memory.HeapAlloc
}

// round sends the statements of owner i in turn n.
func (l *load) round(i, n int, c *client) error {
	mine := fmt.Sprint(i*1_000_000 + n)
	questions := [][2]string{
		{"SET @mine = " + mine, ""},
		{"SELECT COUNT(*) FROM published.people WHERE age < 40", l.young},
		{"SELECT @mine", mine},
		{"SELECT COUNT(*) FROM people WHERE age < 40", l.young},
		{"SELECT COUNT(*) FROM ANON_PRIVACY(people) WHERE guarantee = 'l'", "1"},
	}
	if n%8 == 1 {
		switch i % 16 {
		case 0:
			questions = append(questions, [2]string{"SELECT a.id, b.disease FROM people a JOIN people b", l.rows + " rows"})
		case 1:
			if i == 1 { // the others would wait for it
				questions = append(questions, [2]string{"CALL anonymize('people', 'anatomy', 'l=3', 'fit=false', 'replace=true', 'publish=people')", ""})
			}
		case 2: // the connection ends, and the next statement opens another
			c.db.SetMaxIdleConns(0)
			if _, err := c.tries("SELECT 1"); err != nil {
				return err
			}
			c.db.SetMaxIdleConns(1)
		}
	}
	for _, q := range questions {
		found, err := c.tries(q[0])
		l.asked.Add(1)
		got := fmt.Sprintf("%d rows", len(found))
		if !strings.HasSuffix(q[1], " rows") && len(found) == 1 {
			got = found[0]
		}
		if err != nil || q[1] != "" && got != q[1] {
			return fmt.Errorf("owner %d, %s: %q, %w, want %s", i, q[0], got, err, q[1])
		}
	}
	return nil
}
