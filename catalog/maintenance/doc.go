// Package maintenance checks, backs up and restores a catalog from outside, without a
// server or beside one.
//
//  1. A check ([CheckDirectory], [CheckFile]) reads everything and changes nothing. Its
//     report has all findings with their remedies; an error means that the check could
//     not read something.
//  2. A backup ([Backup]) is a snapshot, even while a server writes. It is checked
//     before it gets its name, so it is a complete catalog or absent.
//  3. A restore ([Restore]) is checked before and after the copy, and renames what it
//     replaces.
//  4. It does not notice a value overwritten by another of the same type: rows have no
//     checksums.
//
// Every package checks its own part of the file (raw.Inspection,
// catalog.InspectReleases); this one calls them from the outside to the inside, and skips
// what does not exist. It may import every package of the catalog; none imports it.
package maintenance
