// Package segment lays the numbers of releases out in memory that processes share and nobody can write: columns of codes, and places of completed
// tables, lie in memory once, however many processes read them.
//
// One process makes a segment ([New], [AddRelease] or others, [Builder.Seal]) and passes its file on, as a descriptor. Others map it ([Map]) and use its
// arrays in place ([Array], [ReadRelease]); then they may close the file.
//
//  1. A sealed segment does not change: on Linux it is a memory file whose size and bytes are sealed, elsewhere, and where the kernel has no memory
//     files, an unlinked temporary file that is open for reading only.
//  2. A file that is no whole segment, or has other bytes behind it, is refused ([ErrNoSegment]), and so is an array of another width or length than is
//     read. What the numbers mean is for who made the segment.
//  3. The mapping lasts as long as its [Segment] is reachable. An array alone does not keep it: who uses one keeps the segment.
//
// The layout is that of the machine's bytes, since it never leaves the machine: a header, arrays at multiples of 64 bytes, and a directory of them at
// the end. Values of dictionaries have pointers: they are decoded by every process for itself.
//
// It may import anonymize, and columnar, for the bytes of dictionaries and cells. It knows neither SQLite nor who may read a release.
package segment
