// Package completed reads the rows of completed tables of a release
// ([anonymize.Completion]) as codes, some thousand rows at a time, in the order of the
// groups: for callers that show or write them row by row. It keeps only the current
// rows in memory. Package estimate answers questions about all tables at once.
//
// It refuses columns that the release does not have, and cells that are not points.
//
// It may import package anonymize only.
package completed
