// Package membership draws which unit every row of a completed table is of, where a release has units.
//
// It promises:
//
//  1. Every unit of a group has as many rows as the group has records a unit.
//  2. A draw is a function of the release, its completed tables and the number of the table.
//  3. As far as rows allow, each tuple is in the rows of as many units as is published, and what is constant in units stays so.
//
// Which rows a completed table has is decided before; membership moves none. So the third is a search and no certainty: it starts with rows
// that are alike side by side, or apart, and swaps rows of two units as long as numbers of units come nearer.
//
// What is constant in units is not published. A column is taken for such where, in every group, the records of each of its values are those
// of whole units.
package membership
