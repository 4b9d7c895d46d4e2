package accounts

import (
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"net"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/server/trivial"
)

// Passwords verifies clients' passwords. It implements mysql.HashStorage,
// mysql.CachingStorage and mysql.PlainTextStorage.
type Passwords struct {
	accounts *Book
	sha2     *sha2Cache
}

// NewPasswords returns Passwords with an empty cache.
func NewPasswords(accounts *Book) Passwords {
	return Passwords{accounts, &sha2Cache{digests: map[mysql_db.UserPrimaryKey]sha2Digest{}}}
}

// A sha2Cache has the digests of caching_sha2_password passwords verified since the
// server started, so that the next login is fast and needs no encryption.
type sha2Cache struct {
	mu      sync.Mutex
	digests map[mysql_db.UserPrimaryKey]sha2Digest
}

// A sha2Digest is SHA256(SHA256(password)) of the password with the slow hash stored. A
// changed password has another slow hash, which invalidates the entry.
type sha2Digest struct {
	stored string
	digest [sha256.Size]byte
}

func keyOf(u *mysql_db.User) mysql_db.UserPrimaryKey {
	return mysql_db.UserPrimaryKey{User: u.User, Host: u.Host}
}

func wrongPassword(user string) error {
	return mysql.NewSQLError(mysql.ERAccessDeniedError, mysql.SSAccessDeniedError, "Access denied for user '%v'", user)
}

// isEmpty reports whether a client sent no password.
func isEmpty(reply []byte) bool { return len(reply) == 0 || len(reply) == 1 && reply[0] == 0 }

// UserEntryWithHash implements mysql.HashStorage.
func (p Passwords) UserEntryWithHash(_ []*x509.Certificate, salt []byte, user string, reply []byte, address net.Addr) (mysql.Getter, error) {
	account, ok := p.accounts.Connecting(user, address)
	if !ok || account.Plugin != string(mysql.MysqlNativePassword) {
		return nil, wrongPassword(user)
	}
	if account.AuthString == "" {
		if isEmpty(reply) {
			return loggedIn(&account), nil
		}
		return nil, wrongPassword(user)
	}
	const size = 20 // of SHA-1; the verification trusts the reply to have it
	stored, err := mysql.DecodeMysqlNativePasswordHex(account.AuthString)
	if err != nil || len(reply) != size || !mysql.VerifyHashedMysqlNativePassword(reply, salt, stored) {
		return nil, wrongPassword(user)
	}
	return loggedIn(&account), nil
}

// UserEntryWithCacheHash implements mysql.CachingStorage: the fast path. A password
// that is not cached, or is wrong, takes the slow path.
func (p Passwords) UserEntryWithCacheHash(
	_ []*x509.Certificate,
	salt []byte,
	user string,
	reply []byte,
	address net.Addr,
) (mysql.Getter, mysql.CacheState, error) {
	account, ok := p.accounts.Connecting(user, address)
	switch {
	case !ok || account.Plugin != string(mysql.CachingSha2Password):
		return nil, mysql.AuthRejected, nil
	case isEmpty(reply) && account.AuthString == "":
		return loggedIn(&account), mysql.AuthAccepted, nil
	case isEmpty(reply) || account.AuthString == "" || len(reply) != sha256.Size:
		return nil, mysql.AuthRejected, nil
	}
	p.sha2.mu.Lock()
	known, ok := p.sha2.digests[keyOf(&account)]
	p.sha2.mu.Unlock()
	if ok && known.stored == account.AuthString && mysql.VerifyHashedCachingSha2Password(reply, salt, known.digest[:]) {
		return loggedIn(&account), mysql.AuthAccepted, nil
	}
	return nil, mysql.AuthNeedMoreData, nil
}

// UserEntryWithPassword implements mysql.PlainTextStorage: the slow path of
// caching_sha2_password, over TLS.
func (p Passwords) UserEntryWithPassword(_ []*x509.Certificate, user string, password string, address net.Addr) (mysql.Getter, error) {
	account, ok := p.accounts.Connecting(user, address)
	if !ok || account.Plugin != string(mysql.CachingSha2Password) {
		return nil, wrongPassword(user)
	}
	shown, ok := trivial.Sha2(password, account.AuthString)
	if !ok || subtle.ConstantTimeCompare([]byte(shown), []byte(account.AuthString)) != 1 {
		return nil, wrongPassword(user)
	}
	once := sha256.Sum256([]byte(password))
	p.sha2.mu.Lock()
	p.sha2.digests[keyOf(&account)] = sha2Digest{stored: account.AuthString, digest: sha256.Sum256(once[:])}
	p.sha2.mu.Unlock()
	return loggedIn(&account), nil
}

// loggedIn is the account of a connection. It has the account's host, not the client's
// address, because privileges are looked up by it.
func loggedIn(account *mysql_db.User) mysql.Getter {
	return sql.MysqlConnectionUser{User: account.User, Host: account.Host}
}
