package acceptance

import (
	"slices"
	"sync"
	"time"
)

// A soakQuestion is a query of a changing release: {T} is its name.
type soakQuestion struct {
	text string
	args []any
}

// A soakHistory has the versions of one release, with their answers. Only one client at a time changes the release.
type soakHistory struct {
	name      string
	questions []soakQuestion
	turn      sync.Mutex // held by the client that changes the release

	mu       sync.Mutex
	told     *sync.Cond
	changing bool
	versions []soakVersion
}

// A soakVersion was public at some moment between from and until, which is zero for the current one.
type soakVersion struct {
	from, until time.Time
	answers     []string
}

// soakRemembered is the number of versions to keep: more than are published while one statement runs.
const soakRemembered = 64

func newSoakHistory(name string, questions []soakQuestion) *soakHistory {
	h := &soakHistory{name: name, questions: questions}
	h.told = sync.NewCond(&h.mu)
	return h
}

// change runs an action that may make a new version. answers then runs all questions on the current version.
func (h *soakHistory) change(do func(), answers func() []string) {
	h.turn.Lock()
	defer h.turn.Unlock()
	h.mu.Lock()
	h.changing = true
	h.mu.Unlock()
	begun := time.Now()
	do()
	done := time.Now()
	next := soakVersion{from: begun, answers: answers()}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.changing = false
	defer h.told.Broadcast()
	if n := len(h.versions); n > 0 {
		if slices.Equal(h.versions[n-1].answers, next.answers) {
			return // the same version
		}
		h.versions[n-1].until = done
	}
	h.versions = append(h.versions, next)
	if extra := len(h.versions) - soakRemembered; extra > 0 {
		h.versions = slices.Delete(h.versions, 0, extra)
	}
}

// right reports whether an answer is right for a version that was public at some moment between asked and answered.
// It waits for a version that is being made.
func (h *soakHistory) right(question int, answer string, asked, answered time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for {
		for _, v := range slices.Backward(h.versions) {
			if v.answers[question] == answer && !v.from.After(answered) && (v.until.IsZero() || !v.until.Before(asked)) {
				return true
			}
		}
		if !h.changing {
			return false
		}
		h.told.Wait()
	}
}
