package segment

import (
	"bufio"
	"fmt"
	"os"
	"unsafe"
)

// A Number is an array's element type.
type Number interface{ ~uint8 | ~uint16 | ~uint32 }

// alignment aligns every array to a cache line, in bytes.
const alignment = 64

// magic is the first word of a segment: "anonseg" and the layout's version.
const magic = uint64('a') | 'n'<<8 | 'o'<<16 | 'n'<<24 | 's'<<32 | 'e'<<40 | 'g'<<48 | 1<<56

// A header begins a segment.
type header struct {
	magic     uint64
	size      uint64 // of the file, in bytes
	arrays    uint64 // number of arrays
	directory uint64 // its offset; it extends to the end
}

// An entry of the directory describes an array.
type entry struct{ offset, width, length uint64 }

const (
	headerBytes = uint64(unsafe.Sizeof(header{}))
	entryBytes  = uint64(unsafe.Sizeof(entry{}))
)

// A Builder writes a segment. Its first error sticks.
type Builder struct {
	write, read *os.File
	out         *bufio.Writer
	at          uint64
	entries     []entry
	err         error
}

// New begins a segment.
func New() (*Builder, error) {
	write, read, err := newFile()
	if err != nil {
		return nil, fmt.Errorf("cannot make memory that processes share: %w", err)
	}
	b := &Builder{write: write, read: read, out: bufio.NewWriterSize(write, 1<<16)}
	b.append(make([]byte, headerBytes))
	return b, nil
}

// Add appends an array.
func Add[T Number](b *Builder, values []T) {
	b.append(make([]byte, -b.at%alignment))
	b.entries = append(b.entries, entry{b.at, uint64(unsafe.Sizeof(*new(T))), uint64(len(values))})
	b.append(bytesOf(values))
}

func (b *Builder) append(data []byte) {
	if b.err == nil {
		_, b.err = b.out.Write(data)
	}
	b.at += uint64(len(data))
}

// Seal completes the segment and returns its file, open for reading only.
func (b *Builder) Seal() (*os.File, error) {
	defer b.write.Close()
	b.append(make([]byte, -b.at%alignment))
	begin := header{magic: magic, arrays: uint64(len(b.entries)), directory: b.at}
	b.append(bytesOf(b.entries))
	begin.size = b.at
	if b.err == nil {
		b.err = b.out.Flush()
	}
	if b.err == nil {
		_, b.err = b.write.WriteAt(bytesOf([]header{begin}), 0)
	}
	if b.err == nil {
		b.err = seal(b.write)
	}
	if b.err != nil {
		b.read.Close()
		return nil, fmt.Errorf("cannot write memory that processes share: %w", b.err)
	}
	return b.read, nil
}

// Discard drops an unfinished segment.
func (b *Builder) Discard() {
	b.write.Close()
	b.read.Close()
}

// bytesOf returns the bytes of pointer-free values, in place.
func bytesOf[T any](values []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(*new(T))))
}
