// Package utility measures what a release is worth: the papers' workloads of
// random queries, and their relative error against the raw table; and what is
// lost of the connection between quasi-identifiers and sensitive attributes.
//
// It sees the release and the raw table, and belongs to the owner's side: what
// it returns may be shown to the owner only, but for a Calibration and an encoded
// LossReport of many records, which are made to be published.
package utility
