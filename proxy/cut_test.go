package proxy_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/mariadbtest"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// TestCutAnywhere: the connection to the upstream server breaks somewhere in CALL anonymize. Either the owner gets an error
// and nothing is published, or everything is.
func TestCutAnywhere(t *testing.T) {
	upstream, err := shared()
	mariadbtest.Need(t, err)
	started = true
	cutter := servertest.Lay(t, "", upstream.Address)
	f := startTowards(t, upstream, cutter.Addr().String())
	direct := connect(t, upstream.Address, "root", "", "")
	direct.exec("DROP DATABASE IF EXISTS cuts", "CREATE DATABASE cuts")
	owner := connect(t, f.owners, "root", "cuts", "")
	owner.people(2000)
	owner.exec("CALL set_attributes('people', 'ei=id', 'qi=age,sex,zip', 'sa=disease')", "SELECT 1")
	owner.db.SetMaxIdleConns(0) // every statement gets its own connection
	administrator := connect(t, f.server.Addr, "root", "", "")
	const publish = "CALL anonymize('people', 'anatomy', 'l=3', 'fit=false', 'allow_composition=true')"
	owner.exec(publish)
	whole := cutter.Passed.Load()
	if whole < 20_000 {
		t.Fatalf("%d bytes came while 2,000 records were read", whole)
	}
	administrator.exec("CALL drop_release('people')")
	random := rand.New(rand.NewPCG(1, 2))
	refused, published := 0, 0
	cuts := testsize.Levels(6, 12, 40)
	for range cuts {
		at := 200 + random.Int64N(whole) // after the greeting
		cutter.Most.Store(at)
		_, err := owner.tries(publish)
		cutter.Most.Store(0)
		releases := administrator.query("SELECT name FROM anonsql.releases")
		relations := administrator.query("SHOW TABLES FROM published")
		switch {
		case err != nil && len(releases) == 0 && len(relations) == 0:
			refused++
			if !strings.Contains(err.Error(), "upstream") && !strings.Contains(err.Error(), "bad connection") && !strings.Contains(err.Error(), "invalid connection") && !strings.Contains(err.Error(), "EOF") {
				t.Errorf("the owner is told %v", err)
			}
		case len(releases) == 1 && len(relations) > 0: // the cut came after the last byte that was read
			published++
			administrator.exec("CALL drop_release('people')")
		default:
			t.Fatalf("%d bytes: %v, and there are releases %q and relations %q", at, err, releases, relations)
		}
	}
	t.Logf("of %d bytes: %d refused, %d published", whole, refused, published)
	if refused < testsize.Levels(2, 4, 20) {
		t.Errorf("only %d of %d were refused: nothing was cut", refused, cuts)
	}
}
