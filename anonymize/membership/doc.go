// Package membership makes completed tables of a release with units whose rows are of units, and tells whose every row is.
//
// It promises:
//
//  1. Every unit of a group has as many rows as the group has records a unit.
//  2. What it makes is a function of the release, the completed tables and the number of the table; whose a row is, of the release and that number.
//  3. In every fragment, each tuple is in the rows of as many units as is published, and what is constant in units stays so, as far as a search
//     finds: it begins with rows that are alike side by side, or apart, and swaps rows of two units as long as numbers of units come nearer.
//
// [Join] takes tables that match fragments row by row, as package impute draws them, and the odds by which it drew them. It draws whose the rows of
// the first fragment are. In every other fragment rows then exchange their matches, by these odds, until the numbers of units are the published ones
// (anneal). Where that search ends far off, as where all records of a unit have one value, Join gives records to units by that fragment alone. It
// matches two units the likelier, the more of their rows are one.
package membership
