package regularexpression

import (
	"context"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// A machine runs a program over a text with one thread for each instruction that it may be at (Pike's algorithm).
// Threads are ordered as a backtracking matcher would try them, so both find the same first match.
type machine struct {
	pattern *Pattern
	text    string
	from    int // where the search started
	slots   int // the number of group positions to record: 0, 2 or more
	now     queue
	soon    queue
	idle    [][]int
	found   []int
	matched bool
}

// A queue is a sparse set of instructions in insertion order.
type queue struct {
	place   []uint32
	threads []thread
}

type thread struct {
	at    uint32
	slots []int
}

// stepsBetweenChecks is the number of threads between two checks of the context.
const stepsBetweenChecks = 1 << 16

// maxSlots bounds the group positions of all threads together.
const maxSlots = 4 << 20

func newMachine(p *Pattern) *machine {
	n := len(p.program.Inst)
	return &machine{pattern: p, now: queue{place: make([]uint32, n)}, soon: queue{place: make([]uint32, n)}}
}

func (q *queue) has(at uint32) bool {
	i := q.place[at]
	return int(i) < len(q.threads) && q.threads[i].at == at
}

// Match looks for the first match in text that starts at byte from or later. places are the start and end of the
// match and of its first groups (-1 for groups that took no part), nil if there is no match. With groups < 0, Match
// computes only found. Its only errors are the context's and an *Error for too many groups.
func (p *Pattern) Match(ctx context.Context, text string, from, groups int) (places []int, found bool, err error) {
	slots := 2 * (groups + 1)
	if slots*len(p.program.Inst) > maxSlots {
		return nil, false, wrong(TooBig, "its %d groups take too much memory; write (?: for groups that nobody refers to", p.groups)
	}
	if err := ctx.Err(); err != nil { // the only check of the context in a search with many short matches
		return nil, false, err
	}
	m := p.idle.Get().(*machine)
	defer p.idle.Put(m)
	if m.slots != slots {
		m.slots, m.idle = slots, nil
	}
	m.text, m.from, m.matched, m.found = text, from, false, nil
	err = m.run(ctx)
	places, found = m.found, m.matched
	m.text, m.found = "", nil
	m.now.clear()
	m.soon.clear()
	return places, found && err == nil, err
}

func (q *queue) clear() {
	clear(q.threads)
	q.threads = q.threads[:0]
}

func (m *machine) run(ctx context.Context) error {
	p := m.pattern
	if p.anchored && m.from > 0 {
		return nil
	}
	steps := 0
	for at := m.from; ; {
		if len(m.now.threads) == 0 {
			if m.matched || p.anchored && at > m.from {
				return nil
			}
			if p.prefix != "" && !p.anchored {
				skipped := strings.Index(m.text[at:], p.prefix)
				if skipped < 0 {
					return nil
				}
				at += skipped
			}
		}
		if !m.matched && (!p.anchored || at == m.from) {
			m.begin(at)
		}
		if steps += len(m.now.threads) + 1; steps > stepsBetweenChecks {
			steps = 0
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		r, width := utf8.DecodeRuneInString(m.text[at:])
		if width == 0 {
			r = noCharacter
		}
		m.step(at, at+width, r)
		if width == 0 || m.matched && m.slots == 0 {
			return nil
		}
		at += width
		m.now, m.soon = m.soon, m.now
		m.soon.threads = m.soon.threads[:0]
	}
}

// begin adds a thread for a match that starts here, with the lowest priority.
func (m *machine) begin(at int) {
	slots := m.fresh()
	for i := range slots {
		slots[i] = -1
	}
	if len(slots) > 0 {
		slots[0] = at
	}
	m.add(&m.now, uint32(m.pattern.program.Start), at, slots)
	m.release(slots)
}

func (m *machine) fresh() []int {
	if m.slots == 0 {
		return nil
	}
	if n := len(m.idle); n > 0 {
		slots := m.idle[n-1]
		m.idle = m.idle[:n-1]
		return slots
	}
	return make([]int, m.slots)
}

func (m *machine) release(slots []int) {
	if slots != nil {
		m.idle = append(m.idle, slots)
	}
}

// add follows instructions that take no character, and queues those that take one. The caller keeps slots.
func (m *machine) add(q *queue, pc uint32, at int, slots []int) {
	for !q.has(pc) {
		in := &m.pattern.program.Inst[pc]
		q.place[pc] = uint32(len(q.threads))
		q.threads = append(q.threads, thread{at: pc})
		switch in.Op {
		case syntax.InstNop:
			pc = in.Out
			continue
		case syntax.InstAlt, syntax.InstAltMatch:
			m.add(q, in.Out, at, slots)
			pc = in.Arg
			continue
		case syntax.InstCapture:
			if i := int(in.Arg); i < len(slots) {
				before := slots[i]
				slots[i] = at
				m.add(q, in.Out, at, slots)
				slots[i] = before
				return
			}
			pc = in.Out
			continue
		case syntax.InstRune1:
			if in.Rune[0] > firstAssertion {
				if !m.holds(in.Rune[0], at) {
					return
				}
				pc = in.Out
				continue
			}
		case syntax.InstFail:
			return
		}
		if m.slots > 0 {
			own := m.fresh()
			copy(own, slots)
			q.threads[q.place[pc]].slots = own
		}
		return
	}
}

// step advances every thread that takes character r. When a thread matches, step ends the less preferred ones after
// it.
func (m *machine) step(at, next int, r rune) {
	for i := range m.now.threads {
		t := &m.now.threads[i]
		in := &m.pattern.program.Inst[t.at]
		switch in.Op {
		case syntax.InstMatch:
			m.match(at, t.slots)
			for ; i < len(m.now.threads); i++ {
				m.release(m.now.threads[i].slots)
			}
			m.now.threads = m.now.threads[:0]
			return
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			if r != noCharacter && takes(in, r) {
				m.add(&m.soon, in.Out, next, t.slots)
			}
		}
		m.release(t.slots)
		t.slots = nil
	}
}

func takes(in *syntax.Inst, r rune) bool {
	switch in.Op {
	case syntax.InstRuneAny:
		return true
	case syntax.InstRuneAnyNotNL:
		return r != '\n'
	case syntax.InstRune1:
		return r == in.Rune[0]
	}
	return in.MatchRune(r)
}

func (m *machine) match(at int, slots []int) {
	m.matched = true
	if m.slots > 0 {
		m.found = append(m.found[:0], slots...)
		m.found[1] = at
	}
}
