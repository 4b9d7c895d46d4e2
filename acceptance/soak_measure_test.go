package acceptance

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// A soakState measures the process while nothing runs.
type soakState struct {
	goroutines, sockets, files int
	heap, objects              uint64
}

func (s soakState) String() string {
	return fmt.Sprintf("%d goroutines, %d sockets, %d other files, heap %.1f MB, %d objects", s.goroutines, s.sockets, s.files, float64(s.heap)/1e6, s.objects)
}

// soakStateNow polls until the numbers of goroutines and sockets are at most the wanted ones, or have not changed for five seconds (half a
// second if nothing is wanted): connections close after their clients have left.
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
	// Twice: the second run frees memory that finalizers and cleanups release.
	runtime.GC()
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	state.heap, state.objects = memory.HeapAlloc, memory.HeapObjects
	return state
}

// openFiles counts the process's open sockets and other files, 0 if the system does not tell.
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
