package worker

import (
	"fmt"
	"os"
)

// SetLimit is what the worker may have of its own, in bytes, 0 for no limit. A [Pool] ends the worker that has more.
func (p *Process) SetLimit(bytes int64) { p.limit.Store(bytes) }

// Exceeded is the limit of memory beyond which the worker was ended, in bytes, 0 where it was not ended for that.
func (p *Process) Exceeded() int64 { return p.exceeded.Load() }

func (p *Process) exceed(limit int64) {
	p.exceeded.Store(limit)
	p.Kill()
}

// Memory is what the worker has in memory that no other process has, in bytes: 0 where the system does not say, or the worker has ended.
func (p *Process) Memory() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.ID()))
	if err != nil {
		return 0
	}
	var size, resident, shared int64 // pages
	if _, err := fmt.Sscan(string(text), &size, &resident, &shared); err != nil {
		return 0
	}
	return (resident - shared) * int64(os.Getpagesize())
}
