package progress

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
	"testing"
	"unsafe"
)

// terminal returns a terminal for programs, and its visible screen.
func terminal(t *testing.T) (screen, tty *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { screen.Close() })
	var number, unlock uint32
	for request, at := range map[uintptr]*uint32{syscall.TIOCGPTN: &number, syscall.TIOCSPTLCK: &unlock} {
		if _, _, failed := syscall.Syscall(syscall.SYS_IOCTL, screen.Fd(), request, uintptr(unsafe.Pointer(at))); failed != 0 {
			t.Fatal(failed)
		}
	}
	if tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tty.Close() })
	return screen, tty
}

// A phase without further reports keeps turning; its figures, if any, are its elapsed time.
func TestAPhaseIsSeenWithoutFigures(t *testing.T) {
	screen, tty := terminal(t)
	if !OnTerminal(tty) {
		t.Fatal("a terminal is none")
	}
	show, end := Phases(tty)
	defer end()
	show("checking", 0, 0)
	var seen []byte
	for part := make([]byte, 4096); bytes.Count(seen, []byte("checking")) < 3; {
		n, err := screen.Read(part)
		if err != nil {
			t.Fatalf("%v after %q", err, seen)
		}
		seen = append(seen, part[:n]...)
	}
	bar := Bytes(tty, "copying", 100)
	defer bar.Finish(true)
	if !bar.p.IsStarted() {
		t.Error("the clock of a bar stands: its first figure would come at any speed")
	}
}
