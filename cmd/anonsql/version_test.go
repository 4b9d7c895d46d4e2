package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

// ownMemory is the most that a process may have of its own which says its version, in kilobytes.
// What packages do before main is in it, and each command of a script pays it again.
const ownMemory = 30 << 10

var anonymous = regexp.MustCompile(`RssAnon:\s+(\d+) kB`)

// TestVersionProcessIsSmall starts a process with all that the server links. Pages of the program
// file, which the kernel shares among processes and takes back, do not count.
func TestVersionProcessIsSmall(t *testing.T) {
	if os.Getenv("ANONSQL_TEST_VERSION_PROCESS") != "" {
		play(t, "version")
		status, err := os.ReadFile("/proc/self/status")
		fmt.Printf("%s %v\n", status, err)
		return
	}
	if testing.Short() {
		t.Skip("the race detector runs with -short, and has memory of its own for every byte")
	}
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Logf("memory of a process is read from /proc, as Linux has it: %v", err)
		return
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestVersionProcessIsSmall$")
	child.Env = append(os.Environ(), "ANONSQL_TEST_VERSION_PROCESS=1")
	out, err := child.CombinedOutput()
	parts := anonymous.FindSubmatch(out)
	if err != nil || parts == nil {
		t.Fatalf("%v\n%s", err, out)
	}
	own, err := strconv.Atoi(string(parts[1]))
	t.Logf("%d kB", own)
	if err != nil || own < 1000 || own > ownMemory {
		t.Errorf("the process has %d kB of its own, may have %d", own, ownMemory)
	}
}
