package acceptance

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// Latencies are counted in classes that are 2 percent wide, so that an hour of
// statements takes no more memory than a second.
const (
	soakStep    = 1.02
	soakClasses = 1200 // 1.02^1200 microseconds are six hours
)

// soakFigures are the latencies and expected errors of a soak, by kind.
type soakFigures struct {
	mu     sync.Mutex
	kinds  map[string]*soakKind
	errors map[string]int
}

type soakKind struct {
	count   int
	longest time.Duration
	classes [soakClasses]int
}

func newSoakFigures() *soakFigures {
	return &soakFigures{kinds: make(map[string]*soakKind), errors: make(map[string]int)}
}

func (f *soakFigures) took(kind string, d time.Duration) {
	class := int(math.Log(max(1, float64(d.Microseconds()))) / math.Log(soakStep))
	f.mu.Lock()
	defer f.mu.Unlock()
	k := f.kinds[kind]
	if k == nil {
		k = &soakKind{}
		f.kinds[kind] = k
	}
	k.count++
	k.longest = max(k.longest, d)
	k.classes[min(class, soakClasses-1)]++
}

func (f *soakFigures) failed(what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.errors[what]++
}

// quantile is the upper end of the class in which the q-quantile is.
func (k *soakKind) quantile(q float64) time.Duration {
	below := 0
	for class, n := range k.classes {
		if below += n; float64(below) >= q*float64(k.count) {
			return min(k.longest, time.Duration(math.Pow(soakStep, float64(class+1)))*time.Microsecond)
		}
	}
	return k.longest
}

// table prints a line for every kind, and the expected errors.
func (f *soakFigures) table(d time.Duration) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out strings.Builder
	total := 0
	fmt.Fprintf(&out, "%-24s%10s%10s%12s%12s%12s\n", "kind", "number", "per s", "p50", "p99", "max")
	for _, name := range sortedKeys(f.kinds) {
		k := f.kinds[name]
		total += k.count
		fmt.Fprintf(&out, "%-24s%10d%10.1f%12v%12v%12v\n", name, k.count, float64(k.count)/d.Seconds(),
			k.quantile(.5).Round(10*time.Microsecond), k.quantile(.99).Round(10*time.Microsecond), k.longest.Round(10*time.Microsecond))
	}
	fmt.Fprintf(&out, "%-24s%10d%10.1f\n", "all", total, float64(total)/d.Seconds())
	for _, name := range sortedKeys(f.errors) {
		fmt.Fprintf(&out, "expected: %-60s%8d\n", name, f.errors[name])
	}
	return out.String()
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// A soakState is what the process holds while nothing runs.
type soakState struct {
	goroutines, sockets, files int
	heap, objects              uint64
}

func (s soakState) String() string {
	return fmt.Sprintf("%d goroutines, %d sockets, %d other files, heap %.1f MB, %d objects", s.goroutines, s.sockets, s.files, float64(s.heap)/1e6, s.objects)
}

// soakStateNow looks again until the numbers of goroutines and sockets are at most those wanted, or have not changed for five seconds, or for
// half a second when nothing is wanted: connections close behind their client's back.
func soakStateNow(wanted soakState) soakState {
	var state soakState
	looks := 100
	if wanted == (soakState{}) {
		looks = 10
	}
	for alike := 0; alike < looks; alike++ {
		before := state
		state.goroutines = runtime.NumGoroutine()
		state.sockets, state.files = openFiles()
		if state.goroutines <= wanted.goroutines && state.sockets <= wanted.sockets {
			break
		}
		if state != before {
			alike = 0
		}
		time.Sleep(50 * time.Millisecond)
	}
	// Twice: what finalizers and cleanups let go of is free at the second.
	runtime.GC()
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	state.heap, state.objects = memory.HeapAlloc, memory.HeapObjects
	return state
}

// openFiles counts the process's open sockets and other files, 0 where the
// system does not tell.
func openFiles() (sockets, files int) {
	const list = "/proc/self/fd"
	entries, err := os.ReadDir(list)
	if err != nil {
		return 0, 0
	}
	for _, entry := range entries {
		if target, err := os.Readlink(filepath.Join(list, entry.Name())); err == nil && strings.HasPrefix(target, "socket:") {
			sockets++
		} else {
			files++
		}
	}
	return sockets, files
}
