package estimate

import "github.com/anonsql/anonsql/testsize"

// trials is n in full, a twelfth otherwise.
func trials(n int) int { return testsize.Of((n+11)/12, n) }

// atLeast is how many of what trials(...) tries must have been met: n in full, a thirtieth otherwise.
func atLeast(n int) int { return testsize.Of((n+29)/30, n) }
