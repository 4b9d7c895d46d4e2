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

func newBar(w io.Writer, what string, bytes int64) bar { return drawBar(w, what, bytes, true) }

func drawBar(w io.Writer, what string, total int64, bytes bool) bar {
	if !isTerminal(w) {
		return bar{}
	}
	return bar{progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(what),
		progressbar.OptionShowBytes(bytes),
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
// bytes. A total of 0 is not known.
func Phases(w io.Writer) (show func(phase string, done, total int64), end func()) {
	return phases(w, true)
}

// Steps is Phases for what is counted in steps.
func Steps(w io.Writer) (show func(phase string, done, total int64), end func()) {
	return phases(w, false)
}

func phases(w io.Writer, bytes bool) (show func(phase string, done, total int64), end func()) {
	var current bar
	shown := ""
	show = func(phase string, done, total int64) {
		if phase != shown {
			current.finish(true)
			if total == 0 {
				total = -1 // a spinner
			}
			current, shown = drawBar(w, phase, total, bytes), phase
		}
		current.set(done)
	}
	return show, func() { current.finish(true) }
}

func errChanged(file string) error {
	return fmt.Errorf("%s changed while it was imported", file)
}
