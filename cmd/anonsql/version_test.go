package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/cmd/version"
)

// ownMemory is the greatest private memory, in kilobytes, of a process that prints its version. It includes the
// initialization of packages, which each command of a script repeats.
const ownMemory = 30 << 10

var anonymous = regexp.MustCompile(`RssAnon:\s+(\d+) kB`)

// Printing the version initializes no package of the engine or of the libraries.
func TestVersionComesBeforeTheRest(t *testing.T) {
	child := exec.CommandContext(t.Context(), os.Args[0], "version")
	child.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var begun strings.Builder
	child.Stderr = &begun
	out, err := child.Output()
	if want := version.Text() + "\n"; err != nil || string(out) != want {
		t.Fatalf("%q, %v; want %q", out, err, want)
	}
	if !strings.Contains(begun.String(), "init os @") {
		t.Fatalf("the runtime does not say what was initialized: %s", begun.String())
	}
	for _, path := range []string{"github.com/dolthub/", "github.com/spf13/", "google.golang.org/", "gonum.org/"} {
		if strings.Contains(begun.String(), "init "+path) {
			t.Errorf("packages of %s were initialized before the answer: %s", path, begun.String())
		}
	}
}

// TestVersionProcessIsSmall starts a process with everything that the server links. Pages of the program file do not
// count: the kernel shares them among processes and can drop them.
func TestVersionProcessIsSmall(t *testing.T) {
	if os.Getenv("ANONSQL_TEST_VERSION_PROCESS") != "" {
		play(t, "version")
		status, err := os.ReadFile("/proc/self/status")
		fmt.Printf("%s %v\n", status, err)
		return
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
