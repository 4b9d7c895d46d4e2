// Package version says which release the source belongs to.
package version

// Number is that of the release, as in the CHANGELOG.
const Number = "0.1.0"
