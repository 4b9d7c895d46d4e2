package segment

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

var (
	narrow = []uint8{1, 2, 3}
	wide   = []uint16{0, 65535}
	codes  = []uint32{7, 1 << 31, 9, 10, 11}
)

// build makes a segment of four arrays.
func build(t testing.TB) *os.File {
	t.Helper()
	b, err := New()
	if err != nil {
		t.Fatal(err)
	}
	Add(b, narrow)
	Add(b, codes)
	Add(b, []uint32{})
	Add(b, wide)
	f, err := b.Seal()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func array[T Number](t testing.TB, s *Segment, i int) []T {
	t.Helper()
	values, err := Array[T](s, i)
	if err != nil {
		t.Fatal(err)
	}
	if len(values) > 0 && uintptr(unsafe.Pointer(&values[0]))%alignment != 0 {
		t.Errorf("array %d is not aligned", i)
	}
	return values
}

// Added arrays are found in place, also after the file was closed; other arrays are refused.
func TestArrays(t *testing.T) {
	f := build(t)
	s, err := Map(f)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if s.Arrays() != 4 || !slices.Equal(array[uint8](t, s, 0), narrow) || !slices.Equal(array[uint32](t, s, 1), codes) ||
		len(array[uint32](t, s, 2)) != 0 || !slices.Equal(array[uint16](t, s, 3), wide) {
		t.Errorf("%d arrays: %v", s.Arrays(), s.data)
	}
	_, width := Array[uint16](s, 0)
	_, beyond := Array[uint8](s, 4)
	_, before := Array[uint8](s, -1)
	for _, err := range []error{width, beyond, before} {
		if !errors.Is(err, ErrNoSegment) {
			t.Errorf("%v", err)
		}
	}
	runtime.KeepAlive(s)
}

// Neither the maker nor a receiver can write: the descriptor is read-only, and a reopened one is sealed.
func TestSealed(t *testing.T) {
	f := build(t)
	if _, err := f.WriteAt([]byte{1}, 0); err == nil {
		t.Error("a segment is written")
	}
	again, err := os.OpenFile(path(f), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if _, err := again.WriteAt([]byte{1}, 0); !errors.Is(err, unix.EPERM) {
		t.Errorf("a write: %v", err)
	}
	if err := again.Truncate(0); !errors.Is(err, unix.EPERM) {
		t.Errorf("a shorter file: %v", err)
	}
	if err := again.Truncate(1 << 20); !errors.Is(err, unix.EPERM) {
		t.Errorf("a longer file: %v", err)
	}
	if _, err := unix.Mmap(int(again.Fd()), 0, 100, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); !errors.Is(err, unix.EPERM) {
		t.Errorf("a mapping for writing: %v", err)
	}
}

// path returns a path that reopens a file.
func path(f *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", f.Fd()) }

// A temporary file has no name, and is opened read-only for reading.
func TestUnlinked(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	write, read, err := newUnlinked()
	if err != nil {
		t.Fatal(err)
	}
	defer write.Close()
	defer read.Close()
	if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
		t.Errorf("%v, %v", names, err)
	}
	if err := seal(write); err != nil {
		t.Error(err)
	}
	if _, err := read.Write([]byte{1}); err == nil {
		t.Error("it is written through what is for reading")
	}
}

// A mapping lasts as long as its segment is reachable.
func TestUnmapped(t *testing.T) {
	f := build(t)
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	inode := fmt.Sprintf(" %d ", info.Sys().(*syscall.Stat_t).Ino)
	mapped := func() bool {
		maps, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(maps), inode)
	}
	s, err := Map(f)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	if !mapped() || array[uint8](t, s, 0)[2] != 3 {
		t.Error("a segment that is in use is not mapped")
	}
	runtime.KeepAlive(s)
	s = nil
	for mapped() {
		runtime.GC()
		runtime.Gosched()
	}
}

// FuzzMap: of a file that is no segment nothing is read.
func FuzzMap(f *testing.F) {
	file := build(f)
	good, err := os.ReadFile(path(file))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:len(good)-1])
	f.Add(good[:20])
	f.Add(append(slices.Clone(good), 0))
	f.Add(append(slices.Clone(good), make([]byte, 24)...))
	for _, at := range []int{0, 8, 16, 24, len(good) - 24, len(good) - 16, len(good) - 8} {
		for _, value := range []uint64{0, 1, 3, 1 << 20, 1<<63 + 1, ^uint64(0)} {
			wrong := slices.Clone(good)
			binary.NativeEndian.PutUint64(wrong[at:], value)
			f.Add(wrong)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		write, read, err := newFile()
		if err != nil {
			t.Fatal(err)
		}
		defer read.Close()
		defer write.Close()
		if _, err := write.Write(data); err != nil {
			t.Fatal(err)
		}
		s, err := Map(read)
		if err != nil {
			if !errors.Is(err, ErrNoSegment) || bytes.Equal(data, good) {
				t.Error(err)
			}
			return
		}
		if changed := len(data) == len(good) && !bytes.Equal(data[:headerBytes], good[:headerBytes]); changed || len(data)%8 != 0 {
			t.Errorf("%d bytes are taken for a segment", len(data))
		}
		for i, e := range s.entries {
			switch e.width {
			case 1:
				_ = slices.Max(append(array[uint8](t, s, i), 0)) // reads all
			case 2:
				_ = slices.Max(append(array[uint16](t, s, i), 0))
			default:
				_ = slices.Max(append(array[uint32](t, s, i), 0))
			}
		}
		runtime.KeepAlive(s)
	})
}
