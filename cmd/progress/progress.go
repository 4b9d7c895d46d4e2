// Package progress draws the progress of a command.
//
//  1. On a terminal it is a bar, which disappears at the end. Elsewhere nothing is
//     written, so that files and pipes get no control characters.
//  2. An error of drawing does not stop the command.
package progress

import (
	"io"
	"os"
	"slices"
	"time"

	"github.com/schollz/progressbar/v3"
)

// A Bar is a progress bar on a terminal, and nothing elsewhere.
type Bar struct {
	p     *progressbar.ProgressBar
	began time.Time
}

// settled is the time before which a rate is meaningless: it would measure a buffer, at gigabytes a second.
const settled = 300 * time.Millisecond

// Bytes starts a bar of total bytes on w. A total of -1 is unknown.
func Bytes(w io.Writer, what string, total int64) Bar { return draw(w, what, total, true) }

func draw(w io.Writer, what string, total int64, bytes bool) Bar {
	if !OnTerminal(w) {
		return Bar{}
	}
	b := Bar{began: time.Now(), p: progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(what),
		progressbar.OptionShowBytes(bytes),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)}
	// Start the clock now: started at the first figure, it would show terabytes a second. A spinner also starts to turn now.
	b.p.StartWithoutRender()
	return b
}

// OnTerminal reports whether w is a terminal.
func OnTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok || file == nil {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && info.Name() != os.DevNull
}

// Set sets how much is done. Repeating the value updates the clock, to show that a long step continues.
func (b Bar) Set(done int64) {
	if b.p == nil || time.Since(b.began) <= settled {
		return
	}
	// A bar that cannot be drawn stops nothing.
	if done == int64(b.p.State().CurrentBytes) {
		_ = b.p.RenderBlank()
		return
	}
	_ = b.p.Set64(done)
}

// Finish removes the bar. If done is false, it stays as it is.
func (b Bar) Finish(done bool) {
	switch {
	case b.p == nil:
	case done:
		_ = b.p.Finish()
	default:
		_ = b.p.Exit()
	}
}

// Phases returns a function that draws a bar for every phase of a long operation if w is a
// terminal, and one that removes the last bar. done and total are bytes in the phases in
// inBytes, steps in others. A total of 0 is unknown: such a phase shows a spinner until the
// next one.
func Phases(w io.Writer, inBytes ...string) (show func(phase string, done, total int64), end func()) {
	var current Bar
	shown := ""
	show = func(phase string, done, total int64) {
		if phase != shown {
			current.Finish(true)
			if total == 0 {
				total = -1 // a spinner
			}
			current, shown = draw(w, phase, total, slices.Contains(inBytes, phase)), phase
		}
		current.Set(done)
	}
	return show, func() { current.Finish(true) }
}
