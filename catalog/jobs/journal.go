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

// File is the journal's file in a data directory.
const File = "jobs.log"

const (
	// maxLines is how many lines the journal gets before it is written anew.
	maxLines = 20 * keptJobs
	// longestKept is how many bytes of a text the journal has.
	longestKept = 4 << 10
)

// noEnd is the error of a job that no end was noted of.
const noEnd = "the server ended while this ran: what it had stored by then is there (anonsql.releases), and nothing else of it"

// A journal has a line of JSON, a JobState, for every phase of a job and for its end. A line that was not written whole is not read.
type journal struct {
	path  string
	file  *os.File // open for appending
	lines int
}

// Open returns the jobs of a journal, and keeps in it what comes; it makes one where there is none. A job that runs in the journal, whose server was ended from
// outside, is interrupted now. With an error the list is a new one, and kept nowhere. trouble hears of what cannot be written later; the list has it
// all the same.
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

// readJournal returns the last state of every job, oldest first, of the last jobs that are remembered.
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

// rewrite puts a new file with a line a job in the place of the journal.
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

// writeLine writes a state in a line. It begins a line, too: the one before may not be whole.
func writeLine(to interface{ Write([]byte) (int, error) }, state JobState) error {
	state.Error = state.Error[:min(len(state.Error), longestKept)]
	line, err := json.Marshal(state)
	if err == nil {
		_, err = to.Write(append(append([]byte{'\n'}, line...), '\n'))
	}
	return err
}
