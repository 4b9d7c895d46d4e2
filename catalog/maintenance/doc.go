// Package maintenance looks at a catalog from outside, with no server on it, or
// beside one.
//
//  1. A check ([CheckDirectory], [CheckFile]) reads everything and changes nothing.
//     What is wrong is in its report with what to do; an error is for what cannot be
//     looked at.
//  2. A backup ([Backup]) is of one moment, also while a server writes. It was checked
//     before it took its name: it is a whole catalog or not there.
//  3. A restore ([Restore]) is checked before and after the copy, and keeps what it
//     replaces under another name.
//  4. It sees no value that was overwritten by another one of its type: rows have no
//     checksums.
//
// Every room reads its own part of the file (raw.Inspection, catalog.InspectReleases):
// this one goes from the outside to the inside, and what is not there is not looked
// into. It may import every room of the catalog; none imports it.
package maintenance
