package main

import (
	"fmt"
	"io"
	"os"

	"github.com/anonsql/anonsql/cmd/anonsql/importer"
)

// steps shows the progress of an experiment: a bar on a terminal, elsewhere a
// line for every step.
func steps(out io.Writer) (show func(phase string, done, total int), end func()) {
	if onTerminal(out) {
		draw, end := importer.Steps(out)
		return func(phase string, done, total int) { draw(phase, int64(done), int64(total)) }, end
	}
	last := ""
	return func(phase string, done, total int) {
		line := fmt.Sprintf("%s: %d of %d", phase, done, total)
		if line != last {
			fmt.Fprintln(out, line)
		}
		last = line
	}, func() {}
}

func onTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	if !ok || file == nil {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
