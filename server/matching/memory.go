package matching

import (
	"sync"

	"github.com/anonsql/anonsql/server/regularexpression"
)

// Bounds of the caches. Statements may have thousands of calls, so a call keeps only a small pattern. All calls of a
// server share a library of patterns.
const (
	ownInstructions = 200     // of the pattern that a call keeps
	maxPatterns     = 256     // of the library
	maxInstructions = 300_000 // of all patterns in it, some 50 MB
	maxAnswers      = 512     // of a call
	maxAnswerBytes  = 32 << 10
	maxAnswerText   = 256 // answers about longer texts are not cached
)

type patternKey struct {
	text  string
	flags regularexpression.Flags
}

// A library has the patterns that all calls compiled last.
type library struct {
	mu           sync.Mutex
	compiled     map[patternKey]*regularexpression.Pattern
	instructions int
}

func (l *library) get(key patternKey) *regularexpression.Pattern {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.compiled[key]
}

// put first empties a full library.
func (l *library) put(key patternKey, p *regularexpression.Pattern) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.compiled[key] != nil {
		return
	}
	if l.compiled == nil || len(l.compiled) >= maxPatterns || l.instructions+p.Instructions() > maxInstructions {
		l.compiled, l.instructions = map[patternKey]*regularexpression.Pattern{}, 0
	}
	l.compiled[key] = p
	l.instructions += p.Instructions()
}

// A compiler compiles the patterns of a call, unless it or the library still has them.
type compiler struct {
	shared *library
	mu     sync.Mutex
	key    patternKey
	own    *regularexpression.Pattern
}

func (c *compiler) compile(text string, flags regularexpression.Flags) (*regularexpression.Pattern, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := patternKey{text, flags}
	if c.own != nil && c.key == key {
		return c.own, nil
	}
	if known := c.shared.get(key); known != nil {
		return known, nil
	}
	compiled, err := regularexpression.Compile(text, flags)
	if err != nil {
		return nil, err
	}
	if compiled.Instructions() <= ownInstructions {
		c.key, c.own = key, compiled
	}
	c.shared.put(key, compiled)
	return compiled, nil
}

// answers caches answers by text, for one question.
type answers struct {
	mu    sync.Mutex
	about question
	known map[string]any
	bytes int
}

func (a *answers) get(q *question, text string) (any, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.about != *q {
		return nil, false
	}
	answer, ok := a.known[text]
	return answer, ok
}

// put caches an answer if there is room. For another question it only forgets the old answers.
func (a *answers) put(q *question, text string, answer any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.about != *q {
		a.about, a.known, a.bytes = *q, nil, 0
		return
	}
	size := len(text) + sizeOf(answer)
	if len(text) > maxAnswerText || size > 2*maxAnswerText || len(a.known) >= maxAnswers || a.bytes+size > maxAnswerBytes {
		return
	}
	if a.known == nil {
		a.known = map[string]any{}
	}
	a.known[text] = answer
	a.bytes += size
}

func sizeOf(answer any) int {
	switch answer := answer.(type) {
	case string:
		return len(answer)
	case []byte:
		return len(answer)
	}
	return 0
}
