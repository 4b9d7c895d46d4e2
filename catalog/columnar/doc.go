// Package columnar writes columns of releases, and of their private sides, as bytes: codes,
// dictionaries, cells and keys.
//
//  1. Decoding inverts encoding, in memory proportional to the bytes read.
//  2. Malformed bytes are fault.ErrDamaged, never a panic. The caller, who has both,
//     checks that codes belong to a dictionary.
//  3. The format never changes: catalogs of older programs have it.
//
// It knows neither SQLite nor releases, and may import anonymize, for values and cells,
// and fault.
package columnar
