package console

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"
)

// A work runs the statements of a form, one after the other, for up to minutes: it publishes, compares methods,
// or measures. It continues without the browser until it is done, is stopped, or its session ends.
type work struct {
	ID, Title  string
	statements []string
	fields     url.Values // of the form, to show it again
	began      time.Time
	done       chan struct{} // closed at the end

	mu         sync.Mutex
	connection int64 // 0 until it has one
	stopped    bool
	answers    []*answer // of the ended statements
	answer     *answer   // the last one, at the end
}

// Bounds of works.
const (
	keptWorks = 5                      // ended works of a session
	atOnce    = 400 * time.Millisecond // a work that ends within it needs no progress page
)

// begin starts a work; false if the session already runs as much as it may.
func (s *session) begin(w *work) bool {
	select {
	case s.asking <- struct{}{}:
	default:
		return false
	}
	w.ID, w.began, w.done = token(), time.Now(), make(chan struct{})
	s.mu.Lock()
	s.works = append(s.works, w)
	s.mu.Unlock()
	used := s.beginRequest()
	go func() {
		defer used()
		defer func() { <-s.asking }()
		for _, statement := range w.statements {
			a := s.ask(s.life, statement, w.connected)
			w.add(a)
			if w.isStopped() || a.Problem.isStop() || s.life.Err() != nil {
				break
			}
		}
		s.settle(w)
	}()
	return true
}

// settle ends a work. The session keeps the last ended works, in the order of their ends.
func (s *session) settle(w *work) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.end()
	s.works = append(slices.DeleteFunc(s.works, func(other *work) bool { return other == w }), w)
	if ended := slices.DeleteFunc(slices.Clone(s.works), (*work).running); len(ended) > keptWorks {
		s.works = slices.DeleteFunc(s.works, func(other *work) bool { return other == ended[0] })
	}
}

// connected records the connection, which KILL needs.
func (w *work) connected(id int64) (ended func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.connection = id
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.connection = 0
	}
}

// add adds the answer of a statement.
func (w *work) add(a *answer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answers = append(w.answers, a)
}

func (w *work) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answer = w.answers[len(w.answers)-1]
	close(w.done)
}

func (w *work) isStopped() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stopped
}

// soFar returns the answers so far.
func (w *work) soFar() []*answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.answers)
}

func (w *work) running() bool {
	select {
	case <-w.done:
		return false
	default:
		return true
	}
}

// Published returns the release that the work made, "" for none.
func (w *work) Published() string {
	if w.running() || w.answer.Result == nil || len(w.answer.Result.Rows) != 1 || w.fields.Get("action") != "publish" {
		return ""
	}
	if release := w.answer.Result.column("release"); len(release) == 1 {
		return release[0].Value
	}
	return ""
}

// Page returns the page of the work, or of the release that it made.
func (w *work) Page() string {
	query := url.Values{"work": {w.ID}}
	if name := w.Published(); name != "" {
		query.Set("name", name)
		return "/release?" + query.Encode()
	}
	return "/work?" + query.Encode()
}

// Fills reports whether the work came from a form with a table's columns.
func (w *work) Fills() bool { return w.fields.Get("table") != "" }

// Said returns the state of the work in a word or two.
func (w *work) Said() string {
	switch {
	case w.running():
		return "under way for " + time.Since(w.began).Round(time.Second).String()
	case w.answer.Problem != nil:
		return "not done"
	}
	return "done in " + w.answer.Duration
}

// Duration returns that of its answer, once it has one.
func (w *work) Duration() string { return w.answer.Duration }

// Notes returns the server's notes on the answer; nil for none.
func (w *work) Notes() *table { return w.answer.Notes }

// A stage is the progress of a work, from the server's list of processes.
type stage struct {
	Phase   string `json:"phase"`
	Of      string `json:"of"`    // such as "545 of 695"
	Share   int    `json:"share"` // percent of the phase, -1 if unknown
	Seconds int    `json:"seconds"`
	Ended   bool   `json:"ended"`
	Done    int    `json:"done"` // ended statements
}

// state matches a procedure's state in the list of processes: phase and progress.
var state = regexp.MustCompile(`^(.*): (\d+)% \((.*)\)$`)

// stage reads a work's progress over another connection of the account. It repeats a KILL that arrived before the statement had begun.
func (s *session) stage(ctx context.Context, w *work) (at stage) {
	w.mu.Lock()
	connection, stopped, done := w.connection, w.stopped, len(w.answers)
	w.mu.Unlock()
	at = stage{Phase: "begins", Share: -1, Seconds: int(time.Since(w.began).Seconds()), Ended: !w.running(), Done: done}
	defer func() {
		if n := len(w.statements); n > 1 && !at.Ended {
			at.Phase = fmt.Sprintf("%d of %d: %s", min(done+1, n), n, at.Phase)
		}
	}()
	switch {
	case at.Ended || connection == 0:
		return at
	case stopped:
		at.Phase = "is being stopped"
		_, _ = s.db.ExecContext(ctx, fmt.Sprintf("KILL QUERY %d", connection)) // an ended statement cannot be killed
		return at
	}
	listed, failed := s.read(ctx, "SELECT state FROM information_schema.processlist WHERE id = ?", connection)
	if failed != nil || len(listed.Rows) == 0 {
		return at
	}
	if found := state.FindStringSubmatch(listed.Rows[0][0].Value); found != nil {
		at.Phase, at.Of = found[1], found[3]
		at.Share, _ = strconv.Atoi(found[2]) // only digits
	}
	return at
}

// stopWork sends KILL QUERY on another connection of the account. What was published before stays.
func (s *session) stopWork(ctx context.Context, w *work) {
	w.mu.Lock()
	w.stopped = true
	w.mu.Unlock()
	s.stage(ctx, w)
}

type workView struct {
	frame
	Work       *work
	Statements []string
	Stage      stage
	Answer     *answer
	Again      string // link to the form as it was, "" for other forms
	Tuned      *tuned
	Tried      *tried
	Proposals  []proposal
}

// findWork finds a work of the account, even one that an earlier session began.
func (c *console) findWork(r *http.Request, s *session) *work {
	for _, w := range c.sessions.worksOf(s) {
		if w.ID == r.FormValue("work") {
			return w
		}
	}
	return nil
}

// showWork shows a work's progress or result, or leads to the release that it made.
func (c *console) showWork(w http.ResponseWriter, r *http.Request, s *session) {
	found := c.findWork(r, s)
	if found == nil {
		fail(
			w,
			http.StatusNotFound,
			"There is no such publication of your account any more: it is forgotten when its session ends. What was published is under Releases.",
		)
		return
	}
	if found.Published() != "" {
		http.Redirect(w, r, found.Page(), http.StatusSeeOther)
		return
	}
	view := workView{frame: s.frame(found.Title, "publish"), Work: found, Statements: found.statements, Stage: s.stage(r.Context(), found)}
	if found.Fills() {
		view.Again = fillLink(found.fields, "", "")
	}
	if !found.running() { // checked after its stage, so that a page without an answer keeps refreshing
		view.Answer, view.Stage.Ended = found.answer, true
		view.Tried, view.Proposals = newTried(found), newProposals(found)
	} else {
		view.Refresh = 2
	}
	view.Tuned = newTuned(found)
	show(w, http.StatusOK, "work.html", view)
}

// showStage sends a work's progress to the script of its page.
func (c *console) showStage(w http.ResponseWriter, r *http.Request, s *session) {
	at := stage{Ended: true}
	if found := c.findWork(r, s); found != nil {
		at = s.stage(r.Context(), found)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime))
	_ = json.NewEncoder(w).Encode(at) // a client that has left needs no state
}

func (c *console) endWork(w http.ResponseWriter, r *http.Request, s *session) {
	if found := c.findWork(r, s); found != nil && found.running() {
		s.stopWork(r.Context(), found)
		found.await(r.Context())
	}
	http.Redirect(w, r, "/work?work="+url.QueryEscape(r.PostForm.Get("work")), http.StatusSeeOther)
}

// await waits for a work, for the time in which most works end.
func (w *work) await(ctx context.Context) {
	timer := time.NewTimer(atOnce)
	defer timer.Stop()
	select {
	case <-w.done:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// startWork starts the statements of a form and leads to its page.
func startWork(w http.ResponseWriter, r *http.Request, s *session, title string, statements ...string) {
	began := &work{Title: title, statements: statements, fields: maps.Clone(r.PostForm)}
	began.fields.Del("token")
	if !s.begin(began) {
		showProblem(w, r, s, &problem{Text: fmt.Sprintf("%d statements of this session run already: wait for them, or stop them.", maxAsked)})
		return
	}
	began.await(r.Context())
	http.Redirect(w, r, began.Page(), http.StatusSeeOther)
}
