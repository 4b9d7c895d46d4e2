package segment

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ErrNoSegment means that a file is no complete segment, or that an array has another type or length.
var ErrNoSegment = errors.New("what another process has shared is no segment")

// A Segment is a mapped segment. The mapping lasts while it is reachable.
type Segment struct {
	data    []byte
	entries []entry
}

// Map maps the segment in a file, which the caller may close afterwards.
func Map(f *os.File) (*Segment, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := info.Size()
	if size < int64(headerBytes) || int64(int(size)) != size {
		return nil, fmt.Errorf("%w: it has %d bytes", ErrNoSegment, size)
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	entries, err := directory(data)
	if err != nil {
		_ = unix.Munmap(data)
		return nil, err
	}
	s := &Segment{data, slices.Clone(entries)}
	runtime.AddCleanup(s, func(data []byte) { _ = unix.Munmap(data) }, data)
	return s, nil
}

// directory returns the arrays of a segment and checks that each lies inside. data is aligned.
func directory(data []byte) ([]entry, error) {
	size := uint64(len(data))
	if size < headerBytes {
		return nil, fmt.Errorf("%w: it has %d bytes", ErrNoSegment, size)
	}
	begin := valuesAt[header](data, 0, 1)[0]
	switch {
	case begin.magic != magic:
		return nil, fmt.Errorf("%w: it begins with %x", ErrNoSegment, begin.magic)
	case begin.size != size:
		return nil, fmt.Errorf("%w: it has %d bytes of %d", ErrNoSegment, size, begin.size)
	case begin.directory < headerBytes, begin.directory%alignment != 0, begin.directory > size,
		begin.arrays != (size-begin.directory)/entryBytes, (size-begin.directory)%entryBytes != 0:
		return nil, fmt.Errorf("%w: its directory of %d arrays begins at %d of %d bytes", ErrNoSegment, begin.arrays, begin.directory, size)
	}
	entries := valuesAt[entry](data, begin.directory, begin.arrays)
	for i, e := range entries {
		isWidth := e.width == 1 || e.width == 2 || e.width == 4
		if !isWidth || e.offset < headerBytes || e.offset%alignment != 0 || e.offset > begin.directory || e.length > (begin.directory-e.offset)/e.width {
			return nil, fmt.Errorf("%w: array %d has %d numbers of %d bytes from %d on", ErrNoSegment, i, e.length, e.width, e.offset)
		}
	}
	return entries, nil
}

// Arrays returns the number of arrays.
func (s *Segment) Arrays() int { return len(s.entries) }

// Array returns the i-th added array, in place.
func Array[T Number](s *Segment, i int) ([]T, error) {
	if i < 0 || i >= len(s.entries) {
		return nil, fmt.Errorf("%w: it has %d arrays, and number %d is read", ErrNoSegment, len(s.entries), i)
	}
	e := s.entries[i]
	if width := uint64(unsafe.Sizeof(*new(T))); e.width != width {
		return nil, fmt.Errorf("%w: array %d has numbers of %d bytes, and %d are read", ErrNoSegment, i, e.width, width)
	}
	return valuesAt[T](s.data, e.offset, e.length), nil
}

// valuesAt returns pointer-free values at an offset, in place. The caller has checked bounds and alignment.
func valuesAt[T any](data []byte, offset, length uint64) []T {
	if length == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&data[offset])), length)
}
