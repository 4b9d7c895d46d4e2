package server

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	runtimemetrics "runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/anonsql/anonsql/catalog"
)

// A memoryGuard keeps what the process holds below Config.MemoryLimit. The
// collector works harder when the limit comes near (debug.SetMemoryLimit); what
// is over it nevertheless is met in three steps: the cache of releases and
// tables is emptied; new statements are refused; and of those that run, the one
// to which most was put down ends, then the next. Memory is looked at every
// memoryCheck, so a statement may be over the limit by what it allocates in
// that time. SQLite's own memory, which is bounded by its settings, is not
// counted.
//
// The runtime does not say whose memory is whose. What the process allocates
// between two looks is put down, in equal parts, to the statements that run.
type memoryGuard struct {
	limit       uint64 // bytes, 0 for none
	over        atomic.Bool
	connections *connections
	store       *catalog.Catalog
	logger      *slog.Logger

	allocated uint64 // of the last look
	collected time.Time
	cancelled time.Time
}

const (
	memoryCheck = 20 * time.Millisecond
	// memoryPatience is how long a cancelled statement may take to let go of its
	// memory before the next one ends.
	memoryPatience = time.Second
	// collectPause is the least time between two collections that the guard asks for.
	collectPause = 250 * time.Millisecond
)

func (g *memoryGuard) refusal(what string) error {
	return newError(numberCapacity, fmt.Sprintf("Memory capacity of %d bytes for 'server' exceeded. %s", g.limit, what))
}

// admit refuses new work while the memory is used up. What gives memory back,
// or looks for who has it, is not refused.
func (g *memoryGuard) admit(kind string) error {
	if !g.over.Load() {
		return nil
	}
	switch kind {
	case "kill", "transaction", "set", "show":
		return nil
	}
	return g.refusal("The statement was not begun; try again later.")
}

// start watches until stop is called. Without a limit there is nothing to do.
func (g *memoryGuard) start() (stop func()) {
	if g.limit == 0 {
		return func() {}
	}
	before := debug.SetMemoryLimit(int64(g.limit))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(memoryCheck)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				g.look()
			}
		}
	}()
	return func() {
		cancel()
		<-done
		debug.SetMemoryLimit(before)
	}
}

// look does one step.
func (g *memoryGuard) look() {
	used, allocated := memoryUsed()
	running := g.connections.running()
	if grown := allocated - g.allocated; g.allocated > 0 && len(running) > 0 {
		for _, st := range running {
			st.share += grown / uint64(len(running))
		}
	}
	g.allocated = allocated
	if used <= g.limit && !g.over.Load() || time.Since(g.collected) < collectPause {
		return
	}
	switch used = g.collect(); {
	case used > g.limit:
		if !g.over.Swap(true) {
			g.logger.Warn("out of memory: new statements are refused", "used", used, "limit", g.limit)
		}
		g.relieve(running)
	case used <= g.limit-g.limit/10:
		if g.over.Swap(false) {
			g.logger.Info("memory is available again", "used", used, "limit", g.limit)
		}
	}
}

// collect returns what is used when the garbage is gone and, if that is too
// much, the cache.
func (g *memoryGuard) collect() (used uint64) {
	runtime.GC()
	if used, _ = memoryUsed(); used > g.limit && g.store.DropCache() > 0 {
		runtime.GC()
		used, _ = memoryUsed()
	}
	g.collected = time.Now()
	return used
}

// relieve ends the statement that has most.
func (g *memoryGuard) relieve(running []*statement) {
	if time.Since(g.cancelled) < memoryPatience {
		return
	}
	var most *statement
	for _, st := range running {
		if most == nil || st.share > most.share {
			most = st
		}
	}
	if most == nil {
		return
	}
	g.cancelled = time.Now()
	g.logger.Warn("out of memory: a statement was ended", "statement", loggable(most.text), "allocated", most.share)
	most.share = 0 // if it does not end, the next one is another
	most.cancel(g.refusal("The statement was ended, since it seemed to hold most of it."))
}

// memoryUsed returns what the program's objects and stacks take, live or not
// yet collected, and what was ever allocated, in bytes.
func memoryUsed() (used, allocated uint64) {
	samples := []runtimemetrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}, {Name: "/gc/heap/allocs:bytes"}}
	runtimemetrics.Read(samples)
	return samples[0].Value.Uint64() + samples[1].Value.Uint64(), samples[2].Value.Uint64()
}
