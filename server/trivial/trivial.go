// Package trivial knows the passwords that everybody tries first.
//
// Principles:
//
//  1. A plain-text password must satisfy one rule (Rule): its length, not the account's
//     name, not one character repeated, none of the most common passwords.
//  2. The rule cannot check a stored hash, so a Judge tries guesses: no
//     password, the account's name in several forms, the list, and for
//     mysql_native_password also all texts of one and two characters and all numbers of
//     up to four digits.
//  3. caching_sha2_password is slow by design: a Judge tries only the first part of the
//     list, and caches its verdict for the life of the process. What one hash may cost is
//     bounded (IsSha2, LongestPassword), for logins too.
//
// A password that passes need not be a good one.
package trivial

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// MinLength is the least length of a password, in characters.
const MinLength = 8

// Rule returns the requirement that a password violates, "" if there is none.
func Rule(account, password string) string {
	lower := strings.ToLower(password)
	switch {
	case password == "":
		return fmt.Sprintf("it must have at least %d characters, and none is given", MinLength)
	case utf8.RuneCountInString(password) < MinLength:
		return fmt.Sprintf("it must have at least %d characters", MinLength)
	case account != "" && strings.Contains(lower, strings.ToLower(account)):
		return "it must not have the account's name in it"
	case repeats(password):
		return "it must not be one character again and again"
	case slices.Contains(common, lower):
		return "it must not be one of the passwords that everybody tries first"
	}
	return ""
}

func repeats(password string) bool {
	first, size := utf8.DecodeRuneInString(password)
	return strings.Trim(password[size:], string(first)) == ""
}
