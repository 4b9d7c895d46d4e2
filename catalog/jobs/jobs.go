// Package jobs lists the long statements of a server: running ones with their phase, and the last ended ones. A
// journal in the data directory keeps them beyond the process (Open) and marks those whose server ended, even
// by kill -9, as interrupted. The package writes it without the catalog's locks, so it does not say what was
// stored. After a power failure its last entries may be missing. The package imports nothing of this project.
package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Jobs are the running long statements of the server and the last ended ones. The zero value
// keeps nothing beyond the process.
type Jobs struct {
	mu      sync.Mutex
	next    int64
	list    []*Job
	journal *journal // nil for none
	trouble func(error)
	failing bool // the last write failed
}

// keptJobs is the number of remembered jobs.
const keptJobs = 200

// A Job is one long statement. Its methods may be called from any goroutine.
type Job struct {
	jobs  *Jobs
	since time.Time // when the phase began
	JobState
}

// A JobState is the state of a job at one moment.
type JobState struct {
	ID       int64
	User     string
	Kind     string // "anonymize"
	Subject  string // the raw table
	Phase    string
	Done     int // of Total units of the phase
	Total    int
	Phases   []PhaseTime // ended ones, in the order of their beginnings
	Status   string      // running, done, failed, interrupted
	Error    string
	Started  time.Time
	Ended    time.Time // zero while it runs
	Database string
	Table    string
}

// A PhaseTime is the total time of a phase, over all its turns.
type PhaseTime struct {
	Phase string
	Took  time.Duration
}

// Duration returns a job's running time so far; known is false if its server ended while it ran.
func (s JobState) Duration() (took time.Duration, known bool) {
	if s.Ended.IsZero() {
		return time.Since(s.Started), true
	}
	return s.Ended.Sub(s.Started), s.Status != interrupted
}

// PhaseSeconds writes the times of the ended phases: "read the table 0.31, form groups 1.20".
func (s JobState) PhaseSeconds() string {
	var phases []string
	for _, p := range s.Phases {
		phases = append(phases, fmt.Sprintf("%s %.2f", p.Phase, p.Took.Seconds()))
	}
	return strings.Join(phases, ", ")
}

const (
	running     = "running"     // the status of a job that has not ended
	interrupted = "interrupted" // of one whose server ended while it ran: its Ended is when the next one started
)

// keep writes a change of a job to the journal. The caller holds the lock.
func (job *Job) keep() {
	j := job.jobs
	if j.journal == nil {
		return
	}
	err := j.journal.note(job.JobState, j.list)
	if err != nil && !j.failing && j.trouble != nil {
		j.trouble(err)
	}
	j.failing = err != nil
}

// Start adds a running job on a raw table.
func (j *Jobs) Start(user, kind, database, table string) *Job {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.next++
	now := time.Now()
	job := &Job{jobs: j, since: now, JobState: JobState{ID: j.next, User: user, Kind: kind, Subject: database + "." + table,
		Database: database, Table: table, Status: running, Started: now}}
	j.list = append(j.list, job)
	if len(j.list) > keptJobs {
		j.list = j.list[1:]
	}
	job.keep()
	return job
}

// Progress sets the job's phase and progress.
func (job *Job) Progress(phase string, done, total int) {
	job.jobs.mu.Lock()
	defer job.jobs.mu.Unlock()
	begins := phase != job.Phase
	if begins {
		job.endPhase(time.Now())
	}
	if job.Phase, job.Done, job.Total = phase, done, total; begins {
		job.keep()
	}
}

// endPhase adds the time since the phase began. The caller holds the lock.
func (job *Job) endPhase(now time.Time) {
	took := now.Sub(job.since)
	job.since = now
	if job.Phase == "" {
		return
	}
	phases := slices.Clone(job.Phases) // states share it
	if at := slices.IndexFunc(phases, func(p PhaseTime) bool { return p.Phase == job.Phase }); at >= 0 {
		phases[at].Took += took
	} else {
		phases = append(phases, PhaseTime{job.Phase, took})
	}
	job.Phases = phases
}

// End ends the job; err is nil on success.
func (job *Job) End(err error) {
	job.jobs.mu.Lock()
	defer job.jobs.mu.Unlock()
	job.Ended, job.Status = time.Now(), "done"
	job.endPhase(job.Ended)
	switch {
	case errors.Is(err, context.Canceled):
		job.Status, job.Error = "failed", "Query execution was interrupted" // its client got this message
	case err != nil:
		job.Status, job.Error = "failed", err.Error()
	}
	job.keep()
}

// All returns the jobs, oldest first.
func (j *Jobs) All() []JobState {
	j.mu.Lock()
	defer j.mu.Unlock()
	states := make([]JobState, len(j.list))
	for i, job := range j.list {
		states[i] = job.JobState
	}
	return states
}
