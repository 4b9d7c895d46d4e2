// Package membership makes completed tables of a release with units so that every row belongs to a unit, and says to which.
//
// It promises:
//
//  1. Every unit of a group has as many rows as the group has records per unit.
//  2. A table is a function of the release, the completed tables and the table's number; the unit of a row is a function of the release and that number.
//  3. In every fragment, each tuple is in the rows of as many units as the release says, and attributes that are constant in units stay constant, as far as a
//     search achieves it. It starts with equal rows side by side, or apart, and swaps rows of two units while the numbers of units come nearer.
//
// [Join] takes tables that match fragments row by row, as package impute draws them, and the odds of these draws. It assigns the rows of the first
// fragment to units. In every other fragment rows then exchange their matches, by these odds, until the numbers of units are the published ones
// (anneal). If that search ends far off, as it may if all records of a unit have one value, Join assigns records to units by that fragment alone.
// The more rows two units share, the more likely it matches them.
package membership
