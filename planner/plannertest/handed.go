package plannertest

import (
	"bytes"
	"context"
	"encoding/gob"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/catalog"
)

// handedOver returns an engine that has only what the analyst may know of the releases of e. It gets this as bytes.
func (e *Engine) handedOver(t testing.TB) *Engine {
	t.Helper()
	c, err := catalog.InMemory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	ctx := e.Session(Analyst).statement("")
	var sent bytes.Buffer
	if err := gob.NewEncoder(&sent).Encode(e.releases.Hand(ctx, func(string) bool { return true })); err != nil {
		t.Fatal(err)
	}
	var handed []catalog.Handed
	if err := gob.NewDecoder(&sent).Decode(&handed); err != nil {
		t.Fatal(err)
	}
	received := catalog.ReceivedReleases(c, canRead, func(_ context.Context, part catalog.Part, pass func(*os.File) error) error {
		return e.releases.HandPart(sql.NewContext(context.Background()), part, pass)
	})
	if err := received.Receive(handed); err != nil {
		t.Fatal(err)
	}
	return newEngine(c, received)
}

// sameHandedOver asks the analyst's question here and of an engine with the published releases only. It fails if the answers differ, and
// reports whether both have answered. That engine has no tables of the owner, so a statement that names one may fail there alone.
func (s *script) sameHandedOver(t *testing.T, query string, bindings []sqlparser.Expr) (answered bool) {
	t.Helper()
	if s.handed == nil {
		s.handed = s.engine.handedOver(t).Session(Analyst)
	}
	here, failed := s.engine.Session(Analyst).Query(query, bindings...)
	there, failedThere := s.handed.Query(query, bindings...)
	switch {
	case failedThere != nil && strings.Contains(failedThere.Error(), "not found"):
		return false
	case (failed == nil) != (failedThere == nil), failed != nil && failed.Error() != failedThere.Error():
		t.Errorf("%s\nhere: %v\nhanded over: %v", query, failed, failedThere)
	case failed == nil && !slices.Equal(here.lines(), there.lines()):
		t.Errorf("%s\nhere: %q\nhanded over: %q", query, here.lines(), there.lines())
	}
	return failed == nil
}

// lines returns the columns, the rows and the notes.
func (r *Result) lines() []string {
	lines := []string{columns(r.Schema)}
	for _, row := range r.Rows {
		lines = append(lines, rowText(row))
	}
	return append(lines, r.Notes...)
}
