package worker

import (
	"errors"
	"sync"
	"time"
)

const (
	// idle is how long a worker without a session stays.
	idle = 5 * time.Minute
	// look is the time between two checks of the workers.
	look = 100 * time.Millisecond
)

// A Pool has a worker for each account that has requested one, and a spare one, so that the first statement of an account need not wait. It ends a
// worker above its memory limit, the largest one if all together use too much, and idle ones. K is data kept beside each worker.
type Pool[K any] struct {
	start  func() (*Process, K, error)
	failed func(error)
	most   int64

	mu      sync.Mutex
	members map[string]*Member[K]
	spare   chan *Member[K]
	closed  bool
	stop    chan struct{}

	starting sync.WaitGroup // spare workers
}

// A Member is a worker of a pool.
type Member[K any] struct {
	*Process
	Kept K

	used time.Time // when it last had a session; guarded by Pool.mu
}

// NewPool starts the spare worker by start; failed gets the errors of start. All workers together may use most bytes, 0 for no limit.
func NewPool[K any](start func() (*Process, K, error), failed func(error), most int64) *Pool[K] {
	p := &Pool[K]{start: start, failed: failed, most: most, members: map[string]*Member[K]{}, spare: make(chan *Member[K], 1), stop: make(chan struct{})}
	p.starting.Go(p.prepare)
	go p.watch()
	return p
}

// prepare starts the next spare worker.
func (p *Pool[K]) prepare() {
	process, kept, err := p.start()
	if err != nil {
		p.failed(err)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		select {
		case p.spare <- &Member[K]{Process: process, Kept: kept}:
			return
		default:
		}
	}
	process.Kill()
}

// Assign returns the worker of an account. It first calls begin with a newly assigned worker.
func (p *Pool[K]) Assign(account string, begin func(*Member[K])) (*Member[K], error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m := p.members[account]; m != nil && !m.hasEnded() {
		return m, nil
	}
	if p.closed {
		return nil, errors.New("the server stops")
	}
	var m *Member[K]
	select {
	case m = <-p.spare:
	default:
	}
	if m == nil || m.hasEnded() {
		process, kept, err := p.start()
		if err != nil {
			return nil, err
		}
		m = &Member[K]{Process: process, Kept: kept}
	}
	p.starting.Go(p.prepare)
	m.used = time.Now()
	begin(m)
	p.members[account] = m
	return m, nil
}

func (p *Process) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// watch checks the workers until the pool is closed.
func (p *Pool[K]) watch() {
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		select {
		case <-p.stop:
			return
		case now := <-tick.C:
			p.look(now)
		}
	}
}

// look ends workers that use too much memory, and idle ones.
func (p *Pool[K]) look(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all, largest int64
	var greatest *Member[K]
	for account, m := range p.members {
		if m.sessions.Load() > 0 {
			m.used = now
		}
		if m.hasEnded() || now.Sub(m.used) > idle {
			delete(p.members, account)
			m.Kill()
			continue
		}
		held := m.Memory()
		if limit := m.limit.Load(); limit > 0 && held > limit {
			m.exceed(limit)
			continue
		}
		if all += held; held > largest {
			largest, greatest = held, m
		}
	}
	if p.most > 0 && all > p.most && greatest != nil {
		greatest.exceed(p.most)
	}
}

// Usage returns the number of accounts' workers, and their private memory in bytes.
func (p *Pool[K]) Usage() (workers int, bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.members {
		bytes += m.Memory()
	}
	return len(p.members), bytes
}

// Close ends all workers, and waits for a starting one, which holds files of this process until then.
func (p *Pool[K]) Close() {
	defer p.starting.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.closed = true
	close(p.stop)
	for _, m := range p.members {
		m.Kill()
	}
	select {
	case m := <-p.spare:
		m.Kill()
	default:
	}
}
