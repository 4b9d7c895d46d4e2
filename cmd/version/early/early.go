// Package early answers `anonsql version` before the rest of the program begins.
//
// Packages that the server links fill tables and compile patterns before main, and a
// script that only asks for the version would pay for them; docs/peers.md says how much.
// Go initializes packages in the order of their import paths
// as soon as what they import is initialized (The Go Programming Language Specification,
// "Program initialization"). This one imports os and the version alone, and its path
// comes before those of the engine and of the client libraries, so that none of them has
// begun when it answers.
//
// A program imports it for this effect. It answers when `version` is the only argument,
// and leaves every other command line to main. It may import nothing but version and os.
package early

import (
	"os"

	"github.com/anonsql/anonsql/cmd/version"
)

func init() {
	if len(os.Args) != 2 || os.Args[1] != "version" {
		return
	}
	if _, err := os.Stdout.WriteString(version.Text() + "\n"); err != nil {
		os.Stderr.WriteString("anonsql: " + err.Error() + "\n")
		os.Exit(1)
	}
	os.Exit(0)
}
