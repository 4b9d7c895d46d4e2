package catalog

import (
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
)

// onceLoaded returns a function that loads once and keeps the result. A failed
// load is tried again: the next caller's context may live longer.
func onceLoaded[T any](load func(*sql.Context) (T, error)) func(*sql.Context) (T, error) {
	var (
		mu     sync.Mutex
		loaded bool
		result T
	)
	return func(ctx *sql.Context) (T, error) {
		mu.Lock()
		defer mu.Unlock()
		if loaded {
			return result, nil
		}
		fresh, err := load(ctx)
		if err != nil {
			return fresh, err
		}
		result, loaded = fresh, true
		return result, nil
	}
}
