// Package completed reads the rows of completed tables of a release
// ([anonymize.Completion]) as codes, some thousand rows at a time, in the order of the
// groups: for what shows or writes them row by row. Nothing is kept but the rows at
// hand. Questions about all tables at once are answered by package estimate.
//
// It refuses a column that the release does not have, and cells that are no points.
//
// It may import package anonymize only.
package completed
