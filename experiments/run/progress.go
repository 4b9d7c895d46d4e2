package main

import (
	"fmt"
	"io"

	"github.com/anonsql/anonsql/cmd/progress"
)

// steps shows the progress of an experiment: a bar on a terminal, otherwise a line for every step.
func steps(out io.Writer) (show func(phase string, done, total int), end func()) {
	if progress.OnTerminal(out) {
		draw, end := progress.Phases(out)
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
