// Package segment stores the numbers of releases in read-only memory that processes share: columns of codes, and places of completed tables, are
// in memory once, however many processes read them.
//
// One process makes a segment ([New], [AddRelease] and others, [Builder.Seal]) and passes on its file descriptor. Others map the file ([Map]), after
// which they may close it, and use its arrays in place ([Array], [ReadRelease]).
//
//  1. A sealed segment does not change. On Linux it is a memory file with sealed size and bytes; without kernel support for memory files it is an
//     unlinked temporary file, open for reading only.
//  2. A file that is not exactly one complete segment is refused ([ErrNoSegment]), and so is a read of an array with the wrong width or length. Only
//     the maker of a segment knows what its numbers mean.
//  3. The mapping lasts as long as its [Segment] is reachable. An array alone does not keep it alive: keep the segment while using one.
//
// The layout uses the machine's byte order, since it never leaves the machine: a header, arrays at multiples of 64 bytes, and their directory at the
// end. Values of dictionaries have pointers, so every process decodes them for itself.
//
// It may import anonymize, and columnar, for the bytes of dictionaries and cells. It knows neither SQLite nor who may read a release.
package segment
