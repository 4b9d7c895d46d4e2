package trivial

import (
	"fmt"

	"github.com/dolthub/vitess/go/mysql"
)

// LongestPassword is the greatest length of a password, in bytes, as in MySQL: hashing takes memory that grows with
// its square.
const LongestPassword = 256

// Hashes of caching_sha2_password take 1,000 to 4,095,000 rounds, in thousands, and say how many. A login repeats them. MySQL
// makes hashes of 5,000 rounds unless its owner says otherwise.
const minRounds, maxRounds = 1, 20

// IsSha2 reports whether stored is a hash of caching_sha2_password that a login may cost: $A$, the rounds in thousands,
// $, 20 bytes of salt, and 43 of digest.
func IsSha2(stored string) bool {
	_, _, ok := roundsAndSalt(stored)
	return ok
}

// Sha2 returns the hash of a password with the rounds and the salt of another. ok is false where that is none, or the
// password is too long.
func Sha2(password, other string) (hash string, ok bool) {
	rounds, salt, ok := roundsAndSalt(other)
	if !ok || len(password) > LongestPassword {
		return "", false
	}
	made, err := mysql.SerializeCachingSha2PasswordAuthString(password, salt, rounds)
	return string(made), err == nil
}

func roundsAndSalt(stored string) (rounds int, salt []byte, ok bool) {
	const length = 7 + 20 + 43
	if len(stored) != length {
		return 0, nil, false
	}
	_, rounds, salt, _, err := mysql.DeserializeCachingSha2PasswordAuthString([]byte(stored))
	written := err == nil && fmt.Sprintf("%03X", rounds) == stored[3:6] // as hashes are compared
	return rounds, salt, written && minRounds <= rounds && rounds <= maxRounds
}
