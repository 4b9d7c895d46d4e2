package acceptance

import (
	"slices"
	"sync"
	"time"
)

// A soakQuestion is asked of a release that changes: {T} is its name.
type soakQuestion struct {
	text string
	args []any
}

// A soakHistory is the versions of one release, and what each answers. One
// client at a time changes the release.
type soakHistory struct {
	name      string
	questions []soakQuestion
	turn      sync.Mutex // of those who change

	mu       sync.Mutex
	told     *sync.Cond
	changing bool
	versions []soakVersion
}

// A soakVersion was public at some moment not before from and at none after
// until, zero for the present one.
type soakVersion struct {
	from, until time.Time
	answers     []string
}

// soakRemembered is how many versions are kept: more than are published while
// one statement runs.
const soakRemembered = 64

func newSoakHistory(name string, questions []soakQuestion) *soakHistory {
	h := &soakHistory{name: name, questions: questions}
	h.told = sync.NewCond(&h.mu)
	return h
}

// change does what may make a new version; answers asks all questions of
// whichever version is there then.
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

// right reports whether an answer is that of a version which was public at some
// moment between asked and answered. An answer of a version that is just being
// made waits until it is.
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
