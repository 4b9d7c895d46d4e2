package faults_test

import (
	"encoding/binary"
	"os"
	"strings"
	"syscall"
	"testing"
)

// A watch counts the writes to the database and its log in a data directory.
type watch struct{ events *os.File }

func watchWrites(t *testing.T, dir string) *watch {
	t.Helper()
	fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := syscall.InotifyAddWatch(fd, dir, syscall.IN_MODIFY); err != nil {
		t.Fatal(err)
	}
	return &watch{os.NewFile(uintptr(fd), "inotify")}
}

func (w *watch) close() { w.events.Close() }

// await returns when n writes were noticed, or the watch is closed. Writes that
// follow each other faster than they are read count as one.
func (w *watch) await(n int) (noticed int) {
	buffer := make([]byte, 64*(syscall.SizeofInotifyEvent+syscall.NAME_MAX+1))
	for noticed < n {
		read, err := w.events.Read(buffer)
		if err != nil {
			return noticed
		}
		for at := 0; at+syscall.SizeofInotifyEvent <= read; {
			length := int(binary.NativeEndian.Uint32(buffer[at+12:]))
			name := strings.TrimRight(string(buffer[at+syscall.SizeofInotifyEvent:at+syscall.SizeofInotifyEvent+length]), "\x00")
			if strings.HasPrefix(name, "anonsql.db") {
				noticed++
			}
			at += syscall.SizeofInotifyEvent + length
		}
	}
	return noticed
}
