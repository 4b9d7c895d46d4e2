package console

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/anonsql/anonsql/console/chart"
)

type jobsView struct {
	frame
	Running []runningJob
	Ended   []endedJob
	Problem *problem
	Said    string
}

// A runningJob is a procedure that a connection is running.
type runningJob struct {
	Connection, User, Statement, Phase, Of, Took string
	Share                                        int // percent of its phase, -1 if unknown
}

// An endedJob is one of the server's long statements.
type endedJob struct {
	Kind, Subject, User, Status, Began, Took, Error string
	Left                                            string // the release that it made, "" for none
	Without                                         string // why a finished job made none
}

// jobKinds are procedures in words.
var jobKinds = map[string]string{"anonymize": "Publish", "dry_run": "Try", "tune": "Compare methods", "advise": "Propose statements", "evaluate": "Measure answers", "classify": "Measure predictions",
	"fit": "Complete tables", "fit_release": "Complete tables", "refresh": "Refresh", "refresh_release": "Refresh", "import_release": "Take in a release"}

// jobs lists the running and ended long statements that the account may see.
func jobs(w http.ResponseWriter, r *http.Request, s *session) { s.showJobs(w, r, jobsView{}) }

// stopJob ends a form's statement by KILL QUERY for its connection, if the connection still
// runs it. The server decides whose statements the account may stop.
func stopJob(w http.ResponseWriter, r *http.Request, s *session) {
	var view jobsView
	statement := r.PostForm.Get("statement")
	connection, err := strconv.ParseUint(r.PostForm.Get("connection"), 10, 63)
	if err == nil {
		var running *table
		running, view.Problem = s.read(r.Context(), "SELECT info FROM information_schema.processlist WHERE id = ?", connection)
		if view.Problem == nil && (len(running.Rows) == 0 || (runningJob{Statement: running.Rows[0][0].Value}).Digest() != statement) {
			view.Problem = &problem{Text: "That statement has ended: nothing was stopped."}
		}
	}
	if err == nil && view.Problem == nil {
		_, err = s.db.ExecContext(r.Context(), fmt.Sprintf("KILL QUERY %d", connection))
		s.note(err)
	}
	switch {
	case err != nil:
		view.Problem = problemOf(err)
	case view.Problem == nil:
		view.Said = "It is being stopped; what it had not stored is gone."
		time.Sleep(atOnce)
	}
	s.showJobs(w, r, view)
}

// Digest represents the statement in a form.
func (j runningJob) Digest() string {
	sum := sha256.Sum256([]byte(j.Statement))
	return hex.EncodeToString(sum[:])
}

func (s *session) showJobs(w http.ResponseWriter, r *http.Request, view jobsView) {
	view.frame = s.frame("Jobs", "jobs")
	running, failed := s.read(r.Context(), "SELECT id, user, info, state, time FROM information_schema.processlist WHERE UPPER(LTRIM(info)) LIKE 'CALL %' ORDER BY id")
	if failed == nil {
		for _, row := range running.Rows {
			job := runningJob{row[0].Value, row[1].Value, row[2].Value, row[3].Value, "", row[4].Value, -1}
			if found := state.FindStringSubmatch(job.Phase); found != nil {
				job.Phase, job.Of = found[1], found[3]
				job.Share, _ = strconv.Atoi(found[2]) // only digits
			}
			view.Running = append(view.Running, job)
		}
	}
	ended, failed := s.list(r.Context(), "SELECT j.kind, j.subject, j.user, j.status, DATE_FORMAT(j.started_at, '%Y-%m-%d %H:%i') AS began, "+
		"TIMESTAMPDIFF(SECOND, j.started_at, j.ended_at) AS took, j.error, r.name, j.id FROM "+
		"(SELECT * FROM anonsql.jobs WHERE status <> 'running' ORDER BY id DESC LIMIT 50) j LEFT JOIN anonsql.releases r ON r.source = j.subject "+
		"AND j.kind = 'anonymize' AND j.status = 'done' AND r.published_at BETWEEN DATE_SUB(j.started_at, INTERVAL 1 SECOND) AND j.ended_at "+
		"ORDER BY j.id DESC, r.published_at DESC, r.name DESC")
	if failed != nil && view.Problem == nil {
		view.Problem = failed
	} else if failed == nil {
		view.end(ended)
	}
	status := http.StatusOK
	if view.Problem != nil {
		status = http.StatusUnprocessableEntity
	}
	show(w, status, "jobs.html", view)
}

// showCount writes a count with commas between thousands.
func showCount(n float64) string { return chart.Number(n) }

// end lists the ended jobs, newest first. A job has a row for every release that it may have
// made, since times are in whole seconds: it made the newest of them that no newer job made.
func (v *jobsView) end(t *table) {
	made := make(map[string]bool)
	last := ""
	for _, row := range t.Rows {
		if row[8].Value != last {
			last, v.Ended = row[8].Value, append(v.Ended, endedJob{})
			v.Ended[len(v.Ended)-1].read(row)
		}
		job := &v.Ended[len(v.Ended)-1]
		if name := row[7].Value; !row[7].Null && !made[name] && job.Left == "" {
			made[name], job.Left = true, name
		}
	}
}

func (job *endedJob) read(row []cell) {
	*job = endedJob{Kind: row[0].Value, Subject: row[1].Text, User: row[2].Text, Status: row[3].Value, Began: row[4].Value}
	if !row[5].Null {
		job.Took = row[5].Value + "\u00a0s"
	}
	switch job.Kind {
	case "anonymize":
		job.Without = "it left no release"
	case "dry_run":
		job.Without = "nothing is stored of a trial run"
	}
	job.Kind = cmp.Or(jobKinds[job.Kind], job.Kind)
	if !row[6].Null {
		job.Error = row[6].Text
	}
}
