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
)

type askView struct {
	frame
	Statement string
	Names     []string // that the script completes
	Name      string   // of the question, where it is saved
	Saved     []saved
	Keeps     bool // whether the console saves questions
	Said      string
	Answer    *answer
}

// An answer is a result with all that the server says about it.
type answer struct {
	Result   *table
	Chart    *intervals
	Notes    *table
	Plan     *table
	Problem  *problem
	Duration string
}

// askForm has the statement of a link, or a saved one, in its field; only the button asks it.
func (c *console) askForm(w http.ResponseWriter, r *http.Request, s *session) {
	c.showAsk(w, r, s, askView{Statement: r.URL.Query().Get("statement"), Name: r.URL.Query().Get("question")})
}

func (c *console) ask(w http.ResponseWriter, r *http.Request, s *session) {
	view := askView{Statement: r.PostForm.Get("statement"), Name: r.PostForm.Get("name")}
	select {
	case s.asking <- struct{}{}:
		view.Answer = s.ask(r.Context(), view.Statement, s.runs)
		<-s.asking
	default:
		view.Said = fmt.Sprintf("%d questions of this session run already: wait for them, or stop them.", maxAsked)
	}
	c.showAsk(w, r, s, view)
}

// stop ends the questions of the session, by KILL QUERY on a connection of the same account.
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

// ask asks on a connection of its own. runs is told which, and what it returns is called at the end.
func (s *session) ask(ctx context.Context, statement string, runs func(connection int64) (ended func())) *answer {
	conn, err := s.db.Conn(ctx)
	s.note(err)
	if err != nil {
		return &answer{Problem: problemOf(err)}
	}
	defer discard(conn)
	var id int64
	if err := conn.QueryRowContext(ctx, "SELECT CONNECTION_ID()").Scan(&id); err != nil {
		return &answer{Problem: problemOf(err)}
	}
	// Without published, as it is for an account that may not read it, statements name their databases.
	_, _ = conn.ExecContext(ctx, "USE published")
	defer runs(id)()
	return answerOf(ctx, conn, statement)
}

// runs notes a connection that answers a question, until ended.
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

// explainable are statements that EXPLAIN takes and that change nothing.
var explainable = regexp.MustCompile(`(?i)^[\s(]*(SELECT|WITH)\b`)

func answerOf(ctx context.Context, conn *sql.Conn, statement string) *answer {
	began := time.Now()
	result, err := read(ctx, conn, statement)
	a := &answer{Result: result, Problem: problemOf(err), Duration: time.Since(began).Round(100 * time.Microsecond).String()}
	if err != nil || result.Cut { // whose connection has ended
		return a
	}
	a.Chart = newIntervals(result)
	if a.Notes, err = read(ctx, conn, "SHOW WARNINGS"); err != nil {
		a.Notes = nil // the answer stands without them
	}
	if explainable.MatchString(statement) {
		if a.Plan, err = read(ctx, conn, "EXPLAIN "+statement); err != nil {
			a.Plan = nil // likewise
		}
	}
	return a
}

// discard closes the connection itself: what a statement set, began or locked must not reach the next one.
func discard(conn *sql.Conn) {
	_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	_ = conn.Close() // it is closed
}

// functionNames are what we add to SQL, and the usual aggregates.
var functionNames = []string{
	"ANON_ACTUAL",
	"ANON_DETECT",
	"ANON_HIGH",
	"ANON_INTERVAL_HIGH",
	"ANON_INTERVAL_LOW",
	"ANON_LOW",
	"ANON_PRIVACY",
	"ANON_RELATIVE_ERROR",
	"ANON_STDERR",
	"ANON_UTILITY",
	"AVG",
	"COUNT",
	"GROUP BY",
	"MAX",
	"MEDIAN",
	"MIN",
	"ORDER BY",
	"SELECT",
	"SUM",
	"WHERE",
}

func (c *console) showAsk(w http.ResponseWriter, r *http.Request, s *session, view askView) {
	view.frame = s.frame("Ask", "ask")
	view.recall(c.book, s.who)
	view.Names = slices.Clone(functionNames)
	listed, failed := s.read(r.Context(), "SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'published' "+
		"UNION SELECT column_name FROM information_schema.columns WHERE table_schema = 'published'")
	if failed == nil { // the page works without names
		for _, c := range listed.column("name") {
			view.Names = append(view.Names, c.Value)
		}
	}
	status := http.StatusOK
	if view.Answer != nil && view.Answer.Problem != nil {
		status = http.StatusUnprocessableEntity
	}
	show(w, status, "ask.html", view)
}

// recall lists what the account has saved, and puts the question of a link into the field.
func (v *askView) recall(b *book, account string) {
	questions, err := b.questionsOf(account)
	v.Saved, v.Keeps = questions, b != nil
	if err != nil {
		v.Said = err.Error()
	}
	for _, q := range questions {
		if v.Statement == "" && q.Name == v.Name {
			v.Statement = q.Statement
		}
	}
}
