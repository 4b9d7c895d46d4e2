package wire

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	runtimemetrics "runtime/metrics"
	"slices"
	"sync/atomic"
	"time"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// A MemoryGuard keeps the memory of the process below Config.MemoryLimit. Near the limit the garbage collector works harder
// (debug.SetMemoryLimit). Above it the guard empties the cache of releases and tables, then ends the session whose statement allocates the
// most, then the next. It refuses no other statement. It checks every memoryCheck, so the process may exceed the limit by what it allocates in
// that time. SQLite's own memory, bounded by its settings, is not counted.
//
// Allocations between two checks are attributed in equal parts to the statements that
// run in the process. Analysts' statements run in worker processes.
type MemoryGuard struct {
	Limit       uint64 // bytes, 0 for none
	over        atomic.Bool
	Connections *Connections
	Store       *catalog.Catalog
	Logger      *slog.Logger

	allocated uint64 // at the last check
	collected time.Time
	cancelled time.Time
}

const (
	memoryCheck = 20 * time.Millisecond
	// memoryPatience is how long a cancelled statement may take to release its memory before the next one is ended.
	memoryPatience = time.Second
	// collectPause is the least time between two garbage collections by the guard.
	collectPause = 250 * time.Millisecond
)

func (g *MemoryGuard) refusal() error {
	return sqlerror.New(
		sqlerror.Capacity,
		fmt.Sprintf("Memory capacity of %d bytes for 'server' exceeded: the session was ended, since its statement took the most of it; "+
			"connect again, and ask for less at a time", g.Limit),
	)
}

// Start watches until stop is called. Without a limit it does nothing.
func (g *MemoryGuard) Start() (stop func()) {
	if g.Limit == 0 {
		return func() {}
	}
	before := debug.SetMemoryLimit(int64(g.Limit))
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
func (g *MemoryGuard) look() {
	used, allocated := memoryUsed()
	statements := slices.DeleteFunc(g.Connections.running(), func(st *running.Statement) bool { return st.Elsewhere.Load() })
	if grown := allocated - g.allocated; g.allocated > 0 && len(statements) > 0 {
		for _, st := range statements {
			st.Share += grown / uint64(len(statements))
		}
	}
	g.allocated = allocated
	if used <= g.Limit && !g.over.Load() || time.Since(g.collected) < collectPause {
		return
	}
	switch used = g.collect(); {
	case used > g.Limit:
		if !g.over.Swap(true) {
			g.Logger.Warn("out of memory: the session whose statement takes the most ends", "used", used, "limit", g.Limit)
		}
		g.relieve()
	case used <= g.Limit-g.Limit/10:
		if g.over.Swap(false) {
			g.Logger.Info("memory is available again", "used", used, "limit", g.Limit)
		}
	}
}

// collect returns the memory in use after a garbage collection and, if that is too much, without the cache.
func (g *MemoryGuard) collect() (used uint64) {
	runtime.GC()
	if used, _ = memoryUsed(); used > g.Limit && g.Store.DropCache() > 0 {
		runtime.GC()
		used, _ = memoryUsed()
	}
	g.collected = time.Now()
	return used
}

// relieve ends the session with the largest share.
func (g *MemoryGuard) relieve() {
	if time.Since(g.cancelled) < memoryPatience {
		return
	}
	if account, found := g.Connections.endBusiest(g.refusal()); found {
		g.cancelled = time.Now()
		g.Logger.Warn("out of memory: a session was ended", "account", account)
	}
}

// endBusiest ends the statement with the largest share, and its connection. A settled statement finishes first.
func (c *Connections) endBusiest(why error) (account string, found bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var busiest *connection
	for _, client := range c.clients {
		st := client.running
		if st != nil && !client.ended && !st.Elsewhere.Load() && (busiest == nil || st.Share > busiest.running.Share) {
			busiest = client
		}
	}
	if busiest == nil {
		return "", false
	}
	busiest.ended = true
	busiest.cancel(why, memoryPatience)
	return busiest.account, true
}

// memoryUsed returns the memory of objects and stacks, live or not yet collected, and all allocations so far, in bytes.
func memoryUsed() (used, allocated uint64) {
	samples := []runtimemetrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/stacks:bytes"},
		{Name: "/gc/heap/allocs:bytes"},
	}
	runtimemetrics.Read(samples)
	return samples[0].Value.Uint64() + samples[1].Value.Uint64(), samples[2].Value.Uint64()
}
