package estimate

import "github.com/anonsql/anonsql/testsize"

// trials is n in full, a twelfth in CI, and a thirtieth otherwise, but at least 16 of CI's, so that releases of one to four fragments are drawn.
func trials(n int) int { return testsize.Levels(max((n+29)/30, min((n+11)/12, 16)), (n+11)/12, n) }

// atLeast is how many of what trials(...) tries must have been met: n in full, and few otherwise.
func atLeast(n int) int { return testsize.Levels((n+89)/90, (n+29)/30, n) }
