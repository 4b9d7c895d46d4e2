// Package progress draws how far a command is.
//
//  1. On a terminal it is a bar, which goes when it is done. Elsewhere nothing is
//     written, so that files and pipes have no control characters.
//  2. A bar that cannot be drawn stops nothing.
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

// settled is when a rate can be told: before, a bar would say gigabytes a second of what was in a buffer.
const settled = 300 * time.Millisecond

// Bytes begins a bar of total bytes on w. A total of -1 is not known.
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
	// The clock begins now, not with the first figure, which would have come at terabytes a second. And what has no figures turns from now on.
	b.p.StartWithoutRender()
	return b
}

// OnTerminal tells whether somebody looks at w.
func OnTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok || file == nil {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && info.Name() != os.DevNull
}

// Set says how much is done. The same as before moves the clock: a long step shows that it goes on.
func (b Bar) Set(done int64) {
	if b.p == nil || time.Since(b.began) <= settled {
		return
	}
	// A bar that cannot be drawn is no reason to stop.
	if done == int64(b.p.State().CurrentBytes) {
		_ = b.p.RenderBlank()
		return
	}
	_ = b.p.Set64(done)
}

// Finish takes the bar away. Without done it stays as far as it came.
func (b Bar) Finish(done bool) {
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
// bytes in the phases that inBytes names, and steps in the others. A total of 0 is
// not known: such a phase turns until the next one, whether it tells more or not.
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
