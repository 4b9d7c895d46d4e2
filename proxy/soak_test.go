package proxy_test

import (
	"fmt"
	"os"
	"sync"
	"testing"
	"time"
)

// TestManyOwners: owners at the same time ask both servers in turn, on connections of their own, and each gets its own answers. ANONSQL_SOAK says for how
// long; 3 s otherwise.
func TestManyOwners(t *testing.T) {
	f, owner := publishedPeople(t)
	lasts := 3 * time.Second
	if asked := os.Getenv("ANONSQL_SOAK"); asked != "" {
		var err error
		if lasts, err = time.ParseDuration(asked); err != nil {
			t.Fatal(err)
		}
	}
	young := owner.query("SELECT COUNT(*) FROM people WHERE age < 40")[0]
	const owners = 64
	var all sync.WaitGroup
	failures := make(chan string, owners)
	ends := time.Now().Add(lasts)
	for i := range owners {
		c := connect(t, f.owners, "root", "testmanyowners", "multiStatements=true")
		all.Go(func() {
			for n := 0; time.Now().Before(ends); n++ {
				mine := fmt.Sprint(i*1_000_000 + n)
				for _, q := range []struct{ text, want string }{
					{"SET @mine = " + mine, ""},
					{"SELECT COUNT(*) FROM published.people WHERE age < 40", young},
					{"SELECT @mine", mine},
					{"SELECT COUNT(*) FROM people WHERE age < 40", young},
					{"SELECT COUNT(*) FROM ANON_PRIVACY(people) WHERE guarantee = 'l'", "1"},
				} {
					rows, err := c.tries(q.text)
					if err != nil || q.want != "" && (len(rows) != 1 || rows[0] != q.want) {
						failures <- fmt.Sprintf("owner %d, %s: %q, %v, want %s", i, q.text, rows, err, q.want)
						return
					}
				}
			}
		})
	}
	all.Wait()
	close(failures)
	for failure := range failures {
		t.Error(failure)
	}
}
