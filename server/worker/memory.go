package worker

import (
	"fmt"
	"os"
)

// SetLimit sets the limit of the worker's private memory, in bytes, 0 for none. A [Pool] ends a worker above its limit.
func (p *Process) SetLimit(bytes int64) { p.limit.Store(bytes) }

// Exceeded is the memory limit for which the worker was ended, in bytes, 0 if it was not ended for that.
func (p *Process) Exceeded() int64 { return p.exceeded.Load() }

func (p *Process) exceed(limit int64) {
	p.exceeded.Store(limit)
	p.Kill()
}

// Memory is the worker's resident private memory, in bytes: 0 if the system does not tell, or the worker has ended.
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
