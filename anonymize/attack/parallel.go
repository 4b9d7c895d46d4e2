package attack

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// share runs work for 0 .. shards-1 on all cores. The number of shards must not
// depend on the cores, so that sums do not either. The error is the context's.
func share(ctx context.Context, shards int, work func(shard int)) error {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(shards, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for ctx.Err() == nil {
				shard := int(next.Add(1)) - 1
				if shard >= shards {
					return
				}
				work(shard)
			}
		})
	}
	workers.Wait()
	return ctx.Err()
}

// part returns the classes of a shard.
func (w *worlds) part(shard, shards int) (first, end int) {
	return shard * w.classes() / shards, (shard + 1) * w.classes() / shards
}

// checkEvery is how many classes go by between looks at the context.
const checkEvery = 1 << 10
