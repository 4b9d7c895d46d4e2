// Package attributes keeps what owners declare about the columns of their tables: roles (explicit
// identifier, unit, quasi-identifier, sensitive attribute, weight), scales, taxonomies and orders.
//
// Declarations follow their column through renames of column and table, disappear with
// the column, and change atomically. A declaration that no longer fits its column (a
// numeric scale of a column that is now a text) is an error that says what to call.
//
// It refuses unknown roles, scales and labels, by name. It stores its own tables in the
// file of package raw, and may import anonymize and the packages below catalog.
//
// # Where things are
//
//	attributes  roles; the book of all declarations
//	scales      scales, and the domains that methods are given
//	taxonomies  taxonomies and orders
//	epsilon     the privacy budgets of tables
package attributes
