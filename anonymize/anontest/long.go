package anontest

import "os"

// Long tells whether the longest tests run in full, with ANONSQL_LONG=1. Without it they
// try less of the same, as CONTRIBUTING.md says; with -short less again.
func Long() bool {
	return os.Getenv("ANONSQL_LONG") == "1"
}
