package catalogtest

import (
	"bufio"
	"os"
	"os/exec"
	"testing"
)

// StartProcess runs one test of this binary in a process of its own, which finds
// the data directory in a variable and does its work until it is killed. lines is
// what it prints.
func StartProcess(t *testing.T, test, variable, dir string) (child *exec.Cmd, lines *bufio.Scanner) {
	t.Helper()
	child = exec.Command(os.Args[0], "-test.run=^"+test+"$")
	child.Env = append(os.Environ(), variable+"="+dir)
	output, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	return child, bufio.NewScanner(output)
}

// FewerSeeds is n, or with -short a tenth: under the race detector, which runs
// so, what one session does after the other shows the same after a few.
func FewerSeeds(n uint64) uint64 {
	if testing.Short() {
		return (n + 9) / 10
	}
	return n
}
