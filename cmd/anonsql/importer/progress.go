package importer

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
)

// A bar is a progress bar on a terminal, and nothing elsewhere.
type bar struct{ p *progressbar.ProgressBar }

func newBar(w io.Writer, what string, bytes int64) bar {
	if !isTerminal(w) {
		return bar{}
	}
	return bar{progressbar.NewOptions64(bytes,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(what),
		progressbar.OptionShowBytes(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)}
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok || file == nil {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && info.Name() != os.DevNull
}

func (b bar) set(bytes int64) {
	if b.p != nil {
		// A bar that cannot be drawn is no reason to stop.
		_ = b.p.Set64(bytes)
	}
}

func (b bar) finish(done bool) {
	switch {
	case b.p == nil:
	case done:
		_ = b.p.Finish()
	default:
		_ = b.p.Exit()
	}
}

// Phases returns a function that draws a bar for every phase of a long operation
// when w is a terminal, and one that takes the last away. done and total are
// bytes; steps are counted the same way. A total of 0 is not known.
func Phases(w io.Writer) (show func(phase string, done, total int64), end func()) {
	var current bar
	shown := ""
	show = func(phase string, done, total int64) {
		if phase != shown {
			current.finish(true)
			if total == 0 {
				total = -1 // a spinner
			}
			current, shown = newBar(w, phase, total), phase
		}
		current.set(done)
	}
	return show, func() { current.finish(true) }
}

func errChanged(file string) error {
	return fmt.Errorf("%s changed while it was imported", file)
}
