package trivial

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dolthub/vitess/go/mysql"
)

// Stored is the stored form of an account's password.
type Stored struct {
	// Account is the account's name, without its host.
	Account string
	// Plugin is mysql_native_password or caching_sha2_password.
	Plugin string
	// Hash is the hash that a login is compared with; "" means no password.
	Hash string
}

// slowTried is the number of common passwords to try on a slow hash: they take a quarter of a second on one core.
const slowTried = 60

// A Judge tries guesses on stored hashes, and caches its verdicts. The zero value is ready. It is safe for concurrent
// use.
type Judge struct {
	mu       sync.Mutex
	verdicts map[Stored]string

	once   sync.Once
	native map[[sha1.Size]byte]struct{} // hashes of all guesses
}

// Weak describes the weakness of a stored password, "" if no guess matches. It stops with the context, and calls the password untried then.
func (j *Judge) Weak(ctx context.Context, s Stored) string {
	if s.Hash == "" {
		return "has no password"
	}
	j.mu.Lock()
	verdict, known := j.verdicts[s]
	j.mu.Unlock()
	if known {
		return verdict
	}
	switch mysql.AuthMethodDescription(s.Plugin) {
	case mysql.MysqlNativePassword:
		verdict = j.tryNative(s)
	case mysql.CachingSha2Password:
		verdict = trySlow(ctx, s)
	}
	if ctx.Err() != nil {
		return "has a password that was not tried, since the statement has been ended"
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.verdicts == nil || len(j.verdicts) > 10_000 {
		j.verdicts = map[Stored]string{}
	}
	j.verdicts[s] = verdict
	return verdict
}

const guessed = "has a password that everybody tries first"

// tryNative looks up the hash among the hashes of all guesses. Since the method has no salt, these are computed only
// once.
func (j *Judge) tryNative(s Stored) string {
	decoded, err := hex.DecodeString(strings.TrimPrefix(s.Hash, "*"))
	if err != nil || len(decoded) != sha1.Size {
		return "" // no login succeeds with it
	}
	j.once.Do(func() { j.native = nativeHashes() })
	hash := [sha1.Size]byte(decoded)
	if _, found := j.native[hash]; found {
		return guessed
	}
	for _, guess := range named(s.Account) {
		if nativeHash(guess) == hash {
			return "has its own name as its password"
		}
	}
	return ""
}

func nativeHash(password string) [sha1.Size]byte {
	once := sha1.Sum([]byte(password))
	return sha1.Sum(once[:])
}

func nativeHashes() map[[sha1.Size]byte]struct{} {
	all := map[[sha1.Size]byte]struct{}{}
	try := func(password string) { all[nativeHash(password)] = struct{}{} }
	for _, c := range common {
		for _, form := range forms(c) {
			try(form)
		}
	}
	for a := ' '; a <= '~'; a++ {
		try(string(a))
		for b := ' '; b <= '~'; b++ {
			try(string(a) + string(b))
		}
	}
	for digits := 3; digits <= 4; digits++ {
		most := map[int]int{3: 1000, 4: 10_000}[digits]
		for n := range most {
			try(fmt.Sprintf("%0*d", digits, n))
		}
	}
	return all
}

// trySlow tries guesses on all cores.
func trySlow(ctx context.Context, s Stored) string {
	if !IsSha2(s.Hash) {
		return "" // no login succeeds with it
	}
	names := named(s.Account)
	guesses := append(names, common[:slowTried]...)
	var next, found atomic.Int64
	found.Store(-1)
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(guesses)) {
		wait.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(guesses)) && found.Load() < 0 && ctx.Err() == nil; i = next.Add(1) - 1 {
				if shown, ok := Sha2(guesses[i], s.Hash); ok && shown == s.Hash {
					found.Store(i)
				}
			}
		})
	}
	wait.Wait()
	switch i := found.Load(); {
	case i < 0:
		return ""
	case i < int64(len(names)):
		return "has its own name as its password"
	}
	return guessed
}

// named returns passwords made of the account's name.
func named(account string) []string {
	if account == "" {
		return nil
	}
	var list []string
	for _, form := range forms(account) {
		list = append(list, form, form+"1", form+"123", form+"1234", form+form)
	}
	return list
}

// forms returns a word as it is, in lower case and with a capital first letter.
func forms(word string) []string {
	list := []string{word}
	lower := strings.ToLower(word)
	for _, form := range []string{lower, strings.ToUpper(lower[:1]) + lower[1:]} {
		if form != list[0] && form != list[len(list)-1] {
			list = append(list, form)
		}
	}
	return list
}
