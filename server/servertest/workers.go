package servertest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// WorkersOf returns the workers of a process's servers.
func WorkersOf(t testing.TB, process int) (list []int) {
	t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", process))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		children, _ := os.ReadFile(file) // the thread may have ended
		for _, child := range strings.Fields(string(children)) {
			if line, _ := os.ReadFile("/proc/" + child + "/cmdline"); bytes.HasSuffix(line, []byte("\x00worker\x00")) {
				pid, err := strconv.Atoi(child)
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, pid)
			}
		}
	}
	return list
}
