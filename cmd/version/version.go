// Package version has the release number of the source. It imports only runtime, so that
// packages that import it initialize early.
package version

import "runtime"

// Number is the release's, as in the CHANGELOG.
const Number = "1.0.0"

// Text returns the output of anonsql version: name, release, and Go version.
func Text() string { return "anonsql " + Number + " (" + runtime.Version() + ")" }
