package console

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"time"

	"github.com/anonsql/anonsql/console/asking"
	"github.com/anonsql/anonsql/console/book"
)

type askView struct {
	frame
	Statement string
	Builder   *builder // nil if no release may be read
	Names     []string // names for the script to complete, quoted as in statements
	Name      string   // of the question, if it is saved
	composes  bool     // use the fields' statement, even if one is saved under the name
	Saved     []book.Question
	Keeps     bool // whether the console can save questions
	Running   bool // whether a question of the session is running
	Said      string
	Answer    *answer
}

// An answer is a result with all that the server says about it.
type answer struct {
	Result   *table
	Drawn    []drawn
	Legend   string // what the marks of figures mean; "" for no marks
	Notes    *table
	Plan     *table
	Problem  *problem
	Duration string
	unknown  bool // whether figures may have an unknown interval
}

// askForm shows the statement of a link, or a saved one, in its field. Only the button runs it.
func (c *console) askForm(w http.ResponseWriter, r *http.Request, s *session) {
	c.showAsk(w, r, s, askView{Statement: r.URL.Query().Get("statement"), Name: r.URL.Query().Get("question")})
}

// compose shows the statement of the builder's fields.
func (c *console) compose(w http.ResponseWriter, r *http.Request, s *session) {
	c.showAsk(w, r, s, askView{Name: r.PostForm.Get("name"), composes: true})
}

func (c *console) ask(w http.ResponseWriter, r *http.Request, s *session) {
	view := askView{Statement: r.PostForm.Get("statement"), Name: r.PostForm.Get("name")}
	if !s.inTurn(func() { view.Answer = s.ask(r.Context(), view.Statement, s.runs) }) {
		view.Said = fmt.Sprintf("%d questions of this session run already: wait for them, or stop them.", maxAsked)
	}
	c.showAsk(w, r, s, view)
}

// inTurn calls use as one of the session's questions; it returns false if the greatest number is running. It frees the place even if use panics.
func (s *session) inTurn(use func()) bool {
	select {
	case s.asking <- struct{}{}:
	default:
		return false
	}
	defer func() { <-s.asking }()
	use()
	return true
}

// stop ends the session's questions by KILL QUERY on a connection of the same account.
func (c *console) stop(w http.ResponseWriter, r *http.Request, s *session) {
	view := askView{Statement: r.PostForm.Get("statement"), Name: r.PostForm.Get("name")}
	stopped, err := s.stop(r.Context())
	switch {
	case err != nil:
		view.Answer = &answer{Problem: problemOf(err)}
	case stopped == 0:
		view.Said = "No question of this session runs."
	default:
		view.Said = fmt.Sprintf("Questions that were stopped: %d.", stopped)
	}
	c.showAsk(w, r, s, view)
}

func (s *session) stop(ctx context.Context) (stopped int, err error) {
	s.mu.Lock()
	var ids []int64
	for id := range s.running {
		ids = append(ids, id)
	}
	s.mu.Unlock()
	for _, id := range ids {
		if _, err := s.db.ExecContext(ctx, fmt.Sprintf("KILL QUERY %d", id)); err != nil {
			s.note(err)
			return stopped, err
		}
		stopped++
	}
	return stopped, nil
}

// ask runs a statement on a separate connection. It calls runs with the connection's number, and ended at the end.
func (s *session) ask(ctx context.Context, statement string, runs func(connection int64) (ended func())) *answer {
	a := &answer{}
	err := s.withConnection(ctx, runs, func(conn *sql.Conn) { a = answerOf(ctx, conn, statement) })
	if err != nil {
		a.Problem = problemOf(err)
	}
	return a
}

// withConnection calls use with a separate connection whose database is published.
func (s *session) withConnection(ctx context.Context, runs func(connection int64) (ended func()), use func(*sql.Conn)) error {
	conn, err := s.db.Conn(ctx)
	s.note(err)
	if err != nil {
		return err
	}
	defer discard(conn)
	var id int64
	if err := conn.QueryRowContext(ctx, "SELECT CONNECTION_ID()").Scan(&id); err != nil {
		return err
	}
	// If the account may not read published, statements must name their databases.
	_, _ = conn.ExecContext(ctx, "USE published")
	defer runs(id)()
	use(conn)
	return nil
}

// runs registers a connection that answers a question, until ended.
func (s *session) runs(id int64) (ended func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[id] = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.running, id)
	}
}

// explainable matches statements that EXPLAIN accepts and that change nothing.
var explainable = regexp.MustCompile(`(?i)^[\s(]*(SELECT|WITH)\b`)

func answerOf(ctx context.Context, conn *sql.Conn, statement string) *answer {
	began := time.Now()
	result, items, err := readWidest(ctx, statement, func(way string) (*table, error) { return read(ctx, conn, way) })
	a := &answer{Result: result, Problem: problemOf(err), Duration: inDigits(time.Since(began)).String()}
	if err != nil {
		return a
	}
	a.draw(items)
	if result.Cut { // its connection is closed
		a.markUnknown()
		return a
	}
	if a.Notes, err = read(ctx, conn, "SHOW WARNINGS"); err != nil {
		a.Notes = nil // show the answer without them
	}
	a.markUnknown()
	if explainable.MatchString(statement) {
		if a.Plan, err = read(ctx, conn, "EXPLAIN "+statement); err != nil {
			a.Plan = nil // show the answer without it
		}
	}
	return a
}

// readWidest runs a statement with the errors of its figures if it has any. It falls back to a form that the server accepts; an error is that of the
// original statement. Items are nil if the answer has other columns than expected: then the server reads the statement differently.
func readWidest(ctx context.Context, statement string, read func(way string) (*table, error)) (t *table, items []asking.Item, err error) {
	for _, way := range asking.Widen(statement) {
		t, err = read(way.Statement)
		if err == nil && len(t.Columns) == way.Columns {
			return t, way.Items, nil
		}
		if err == nil && t.Cut || err != nil && ended(err) || ctx.Err() != nil { // the connection of a cut answer has ended
			break
		}
	}
	return t, nil, err
}

// ended reports whether a statement ran and would run as long again: it was stopped, or exceeded its time (3024) or memory (3170).
func ended(err error) bool {
	p := problemOf(err)
	return p != nil && slices.Contains([]uint16{interrupted, 3024, 3170, accessDenied}, p.Number)
}

// discard closes the connection: what a statement set, began or locked must not affect the next one.
func discard(conn *sql.Conn) {
	_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	_ = conn.Close() // it is closed
}

func (c *console) showAsk(w http.ResponseWriter, r *http.Request, s *session, view askView) {
	view.frame = s.frame("Ask", "ask")
	view.recall(c.book, s.who)
	view.Names = slices.Clone(asking.FunctionNames)
	view.build(r, s)
	if b := view.Builder; b != nil { // the page works without names
		for _, release := range b.Releases {
			view.Names = append(view.Names, asking.Name(release.Name))
			for _, column := range release.Columns {
				view.Names = append(view.Names, asking.Name(column.Name))
			}
		}
		slices.Sort(view.Names)
		view.Names = slices.Compact(view.Names)
	}
	s.mu.Lock()
	view.Running = len(s.running) > 0
	s.mu.Unlock()
	status := http.StatusOK
	if view.Answer != nil && view.Answer.Problem != nil {
		status = http.StatusUnprocessableEntity
	}
	show(w, status, "ask.html", view)
}

// recall lists the account's saved questions and fills in the question of a link.
func (v *askView) recall(b *book.Book, account string) {
	questions, err := b.Questions(account)
	v.Saved, v.Keeps = questions, b != nil
	if err != nil {
		v.Said = err.Error()
	}
	for _, q := range questions {
		if v.Statement == "" && !v.composes && q.Name == v.Name {
			v.Statement = q.Statement
		}
	}
}

// inDigits rounds durations to tenths of a second, below a second to tenths of a millisecond.
func inDigits(d time.Duration) time.Duration {
	if d >= time.Second {
		return d.Round(time.Second / 10)
	}
	return d.Round(time.Millisecond / 10)
}
