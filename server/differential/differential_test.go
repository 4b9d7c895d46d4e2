package differential

import (
	"cmp"
	dbsql "database/sql"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// The number of questions of a run, and its seed.
var (
	askedQueries = flag.Uint64("queries", 0, "random queries, or cells of the matrix; 0 is each test's own number")
	seed         = flag.Uint64("seed", 1, "seed of random queries")
	suite        = flag.String("suite", "testdata/suite", "folder of files of statements")
)

// queriesOr returns the number of a test's queries.
func queriesOr(small, full uint64) uint64 {
	return cmp.Or(*askedQueries, testsize.Levels(small/2, small, full))
}

// A pair is the two servers, with the same tables.
type pair struct{ own, other *dbsql.DB }

func newPair(t *testing.T, arguments ...string) pair {
	t.Helper()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	p := pair{own: connect(t, "tcp", s.Addr, "root"), other: startMariaDB(t, arguments...)}
	// Bare texts are compared bytewise on both, and MariaDB does not know some keys again.
	servertest.Exec(t, p.own, "SET NAMES utf8mb4 COLLATE utf8mb4_bin")
	servertest.Exec(t, p.other, "SET NAMES utf8mb4 COLLATE utf8mb4_bin", "SET sql_mode = 'STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE'")
	for _, db := range []*dbsql.DB{p.own, p.other} {
		servertest.Exec(t, db, tables...)
	}
	return p
}

// averaged recognises figures that MariaDB rounds to four decimals.
var averaged = regexp.MustCompile(`AVG\(|STD|VARIANCE|VAR_SAMP|/|PERCENT_RANK|ROWS`)

type outcome int

const (
	agree outcome = iota
	differ
	differInType
	refused
	failed // both
	otherFailed
)

func (p pair) compare(t *testing.T, q query) (outcome, result, result) {
	text := q.String()
	own, other := ask(t, p.own, text), ask(t, p.other, text)
	switch {
	case own.err != nil && other.err != nil:
		return failed, own, other
	case own.err != nil:
		return refused, own, other
	case other.err != nil:
		return otherFailed, own, other
	case !equal(own, other, q.ordered, averaged.MatchString(text)):
		return differ, own, other
	case otherTypes(own, other, text):
		return differInType, own, other
	}
	return agree, own, other
}

// shrink is the smallest query that differs still in the same way.
func (p pair) shrink(t *testing.T, q query, way outcome) query {
	for _, less := range q.smaller() {
		if found, _, _ := p.compare(t, less); found == way {
			return p.shrink(t, less, way)
		}
	}
	return q
}

// If both servers answer, the answers and their types are equal.
func TestQueries(t *testing.T) {
	queries, seed := queriesOr(500, 2000), *seed
	t.Logf("seed %d, %d queries", seed, queries)
	p := newPair(t)
	count, reasons := map[outcome]int{}, map[string]int{}
	shown := 0
	for at := range queries {
		q := newGrammar(seed, at).query()
		found, own, other := p.compare(t, q)
		if named(q.String()) && found != agree {
			continue
		}
		count[found]++
		switch found {
		case differ, differInType:
			if shown++; shown <= 40 {
				q = p.shrink(t, q, found)
				_, own, other = p.compare(t, q)
				t.Errorf("query %d differs: %s\n  own   %v\n  other %v", at, q, own, other)
			}
		case refused:
			if n := servertest.Number(own.err); n == 1105 || n == 1111 { // of the engine, and of what the grammar does not make
				t.Errorf("query %d: %s\n  own   %v\n  other %v", at, q, own, other)
			}
			if servertest.Number(own.err) == 1064 || servertest.Number(own.err) == 0 {
				t.Logf("query %d: %s\n  own   %v", at, q, own)
			}
			reasons[fmt.Sprintf("%d %.60s", servertest.Number(own.err), own.err)]++
		case otherFailed:
			if servertest.Number(other.err) == 1690 { // of unsigned numbers, of which a difference below 0 is one here
				continue
			}
			if shown++; shown <= 40 {
				t.Errorf("query %d: %s\n  own   %v\n  other %v", at, q, own, other)
			}
		}
	}
	t.Logf("agree %d, differ %d, in type %d, refused %d, refused by both %d, by the other %d", count[agree], count[differ], count[differInType], count[refused], count[failed], count[otherFailed])
	var list []string
	for reason, n := range reasons {
		list = append(list, fmt.Sprintf("%6d %s", n, reason))
	}
	slices.Sort(list)
	slices.Reverse(list)
	for _, line := range list[:min(len(list), 30)] {
		t.Log(line)
	}
	if count[refused] > int(queries/20) {
		t.Errorf("%d of %d queries are refused", count[refused], queries)
	}
}
