package catalogtest

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// A Process runs one test of this binary in its own process.
type Process struct {
	t     *testing.T
	child *exec.Cmd
	lines *bufio.Scanner // its standard output
	kill  sync.Once
}

// StartProcess runs one test of this binary in its own process. The test finds the data directory in an environment
// variable. It works until Kill, or the end of t, kills it.
func StartProcess(t *testing.T, test, variable, dir string) *Process {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^"+test+"$")
	child.Env = append(os.Environ(), variable+"="+dir)
	output, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	p := &Process{t: t, child: child, lines: bufio.NewScanner(output)}
	t.Cleanup(p.Kill)
	return p
}

// patience is how long Await waits for a line. No passing test needs it.
const patience = time.Minute

// Await reads up to the next line that begins with prefix and returns the rest of that line. The test fails if the
// process ends first, or prints no such line in a minute.
func (p *Process) Await(prefix string) string {
	p.t.Helper()
	late := time.AfterFunc(patience, func() { _ = p.child.Process.Kill() })
	defer late.Stop()
	var others []string
	for p.lines.Scan() {
		if rest, ok := strings.CutPrefix(p.lines.Text(), prefix); ok {
			return rest
		}
		others = append(others, p.lines.Text())
	}
	p.t.Fatalf("%q did not come: %v ended, or took more than %v; it printed\n%s", prefix, p.child.Args[1:], patience, strings.Join(others, "\n"))
	return ""
}

// Kill kills the process and waits for its end. The test fails if the process had already ended by itself. Any
// goroutine may call Kill, several times.
func (p *Process) Kill() {
	p.kill.Do(func() {
		_ = p.child.Process.Kill()
		_ = p.child.Wait()
		if state := p.child.ProcessState; state.ExitCode() != -1 {
			p.t.Errorf("%v, which goes on until it is killed, ended with %v", p.child.Args[1:], state)
		}
	})
}
