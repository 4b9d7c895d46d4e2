// Package version says which release the source belongs to. It imports the runtime alone, so that whoever imports
// it begins early.
package version

import "runtime"

// Number is that of the release, as in the CHANGELOG.
const Number = "1.0.0"

// Text is what the command anonsql says of itself: its name, the release, and the Go that built it.
func Text() string { return "anonsql " + Number + " (" + runtime.Version() + ")" }
