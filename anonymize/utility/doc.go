// Package utility measures what a release is worth: the papers' workloads of
// random queries, and their relative error against the raw table.
//
// It sees the release and the raw table, and belongs to the owner's side: what
// it returns may be shown to the owner only, but for a Calibration, which is made
// to be published.
package utility
