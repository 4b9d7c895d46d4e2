// Package attributes keeps what owners say of the columns of their tables: roles (explicit
// identifier, unit, quasi-identifier, sensitive attribute, weight), scales, taxonomies and orders.
//
// It promises that what is said follows its column through renames of column and table,
// goes with it when it is dropped, and changes whole or not at all. What no longer fits
// its column (a numeric scale of what is a text now) is an error that says what to call.
//
// It refuses a role, a scale or a label that is none, by name. It stores its own tables in
// the file of room raw, and may import anonymize and the rooms below catalog.
//
// # Where things are
//
//	attributes  roles; the book of all that is said
//	scales      scales, and the domains that methods are given
//	taxonomies  taxonomies and orders
//	epsilon     what releases may spend of a table's privacy
package attributes
