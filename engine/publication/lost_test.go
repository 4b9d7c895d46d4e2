package publication

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/engine"
	"github.com/anonsql/anonsql/engine/dialect"
)

// A silent engine answers nothing: every statement ends with its context.
type silent struct {
	engine.Conn
	endless []string
	dropped int
}

func (s *silent) Exec(ctx context.Context, text string) (int64, error) {
	if strings.HasPrefix(text, "DROP TABLE") {
		s.dropped++
		if _, bounded := ctx.Deadline(); !bounded || ctx.Err() != nil {
			s.endless = append(s.endless, text)
		}
	}
	return 0, errors.New("the engine does not answer")
}

// An attempt that was ended waits for an engine that does not answer, but not for ever.
func TestAnEngineThatDoesNotAnswer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	conn := new(silent)
	e := &Engine{Conn: conn, Dialect: dialect.Trino, Catalog: "lake", Private: "private", Published: "published"}
	if a, err := e.Assign(ctx, new(Plan), "a", nil); a != nil || err == nil {
		t.Errorf("%+v, %v", a, err)
	}
	if conn.dropped == 0 || len(conn.endless) > 0 {
		t.Errorf("%d tables are dropped, of these without end %q", conn.dropped, conn.endless)
	}
}
