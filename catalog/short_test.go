package catalog

import "testing"

// fewerSeeds is n, or with -short a tenth: under the race detector, which runs
// so, what one session does after the other shows the same after a few.
func fewerSeeds(n uint64) uint64 {
	if testing.Short() {
		return (n + 9) / 10
	}
	return n
}
