// Package utility measures what a release is worth: the papers' workloads of
// random queries, and their relative error against the raw table; and what is
// lost of the connection between quasi-identifiers and sensitive attributes.
//
// It sees the release and the raw table, and belongs to the owner's side: what
// it returns may be shown to the owner only, but for what [LossShown] and the other
// functions return that take a release alone, and for the widths of a Calibration
// (see package interval).
package utility
