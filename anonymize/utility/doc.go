// Package utility measures the utility of a release: the relative errors of the papers'
// workloads of random queries against the raw table, and the lost association between
// quasi-identifiers and sensitive attributes.
//
// It reads the release and the raw table, so its results are for the owner only.
// Exceptions are [LossShown] and the other functions that take only a release, and the
// widths of a Calibration (see package interval).
package utility
