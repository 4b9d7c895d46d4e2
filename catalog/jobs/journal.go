package jobs

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"
)

// File is the name of the journal in a data directory.
const File = "jobs.log"

const (
	// maxLines is the number of lines after which the journal is rewritten.
	maxLines = 20 * keptJobs
	// longestKept is the number of bytes of a text that the journal keeps.
	longestKept = 4 << 10
)

// noEnd is the error of a job whose end the journal lacks.
const noEnd = "the server ended while this ran: what it had stored by then is there (anonsql.releases), and nothing else of it"

// A journal has a JSON line, a JobState, for every phase of a job and for its end. Readers skip incomplete lines.
type journal struct {
	path  string
	file  *os.File // open for appending
	lines int
}

// Open reads the journal at path, or creates it, and appends later changes. It marks jobs that still
// run in the journal as interrupted now: their server was killed. On an error it returns a new list
// without a journal. It passes later write errors to trouble; the list stays complete.
func Open(path string, now time.Time, trouble func(error)) (*Jobs, error) {
	j := &Jobs{trouble: trouble}
	kept, err := readJournal(path)
	if err != nil {
		return j, err
	}
	for _, state := range kept {
		if state.Status == running {
			state.Status, state.Error, state.Ended = interrupted, noEnd, now
		}
		j.next = max(j.next, state.ID)
		j.list = append(j.list, &Job{jobs: j, JobState: state})
	}
	j.journal = &journal{path: path}
	if err := j.journal.rewrite(j.list); err != nil {
		j.journal = nil
		return j, err
	}
	return j, nil
}

// readJournal returns the last state of each of the last keptJobs jobs, oldest first.
func readJournal(path string) ([]JobState, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the list of jobs: %w", err)
	}
	var states []JobState
	for line := range bytes.Lines(text) {
		var state JobState
		if json.Unmarshal(line, &state) != nil || state.ID <= 0 {
			continue
		}
		if at := slices.IndexFunc(states, func(s JobState) bool { return s.ID == state.ID }); at >= 0 {
			states[at] = state
			continue
		}
		if states = append(states, state); len(states) > keptJobs {
			states = states[1:]
		}
	}
	return states, nil
}

// rewrite replaces the journal by a new file with one line per job.
func (g *journal) rewrite(list []*Job) error {
	partial := g.path + ".new"
	file, err := os.OpenFile(partial, os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("cannot write the list of jobs: %w", err)
	}
	buffer := bufio.NewWriter(file)
	for _, job := range list {
		err = errors.Join(err, writeLine(buffer, job.JobState))
	}
	if err = errors.Join(err, buffer.Flush()); err == nil {
		err = os.Rename(partial, g.path)
	}
	if err != nil {
		file.Close()
		return fmt.Errorf("cannot write the list of jobs: %w", err)
	}
	if g.file != nil {
		g.file.Close()
	}
	g.file, g.lines = file, len(list)
	return nil
}

// note appends the state of a job.
func (g *journal) note(state JobState, list []*Job) error {
	if g.lines >= maxLines {
		return g.rewrite(list)
	}
	g.lines++
	var line bytes.Buffer
	if err := writeLine(&line, state); err != nil {
		return err
	}
	if _, err := g.file.Write(line.Bytes()); err != nil {
		return fmt.Errorf("cannot write the list of jobs: %w", err)
	}
	return nil
}

// writeLine writes a state as a line. It first ends the previous line, which may be incomplete.
func writeLine(to interface{ Write([]byte) (int, error) }, state JobState) error {
	state.Error = state.Error[:min(len(state.Error), longestKept)]
	line, err := json.Marshal(state)
	if err == nil {
		_, err = to.Write(append(append([]byte{'\n'}, line...), '\n'))
	}
	return err
}
