// Package columnar writes columns of releases, and of their private sides, as bytes: codes,
// dictionaries, cells and keys.
//
//  1. What was written is read alike, and in memory that grows with its bytes.
//  2. Bytes that nobody wrote are fault.ErrDamaged, never a panic. Whether codes are
//     those of a dictionary is for who has both.
//  3. The form does not change: catalogs of older programs have it.
//
// It knows neither SQLite nor releases, and may import anonymize, for values and cells,
// and fault.
package columnar
