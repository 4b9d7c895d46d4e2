module github.com/dolthub/go-icu-regex

go 1.26.0

require github.com/anonsql/anonsql v0.0.0

// This module is a part of the one around it.
replace github.com/anonsql/anonsql => ../..
