package accounts

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/anonsql/anonsql/server/gate"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// The hosts of accounts, as in MySQL: an address, a pattern ('10.%'), a network
// ('10.0.0.0/8', '10.0.0.0/255.0.0.0'), localhost for the loopback interface, % for
// everywhere. Host names are not resolved: whoever answers DNS queries for the name
// would decide who may log in. The engine itself supports only addresses, localhost and
// %.

// AccountOf is the key of an account; a missing host is '%'.
func AccountOf(n plan.UserName) mysql_db.UserPrimaryKey {
	if n.AnyHost || n.Host == "" {
		return mysql_db.UserPrimaryKey{User: n.Name, Host: "%"}
	}
	return mysql_db.UserPrimaryKey{User: n.Name, Host: n.Host}
}

// Quoted writes an account as SQL does: 'name'@'host'.
func Quoted(k mysql_db.UserPrimaryKey) string {
	name := plan.UserName{Name: k.User, Host: k.Host}
	return name.String("'")
}

// account returns a copy of the account with that key.
func (b *Book) account(k mysql_db.UserPrimaryKey) (mysql_db.User, bool) {
	reader := b.Engine.Reader()
	defer reader.Close()
	if found, ok := reader.GetUser(k); ok {
		return *found, true
	}
	return mysql_db.User{}, false
}

// Has reports whether an account or a role has that name, at any host.
func (b *Book) Has(name string) bool {
	reader := b.Engine.Reader()
	defer reader.Close()
	return len(reader.GetUsersByUsername(name)) > 0
}

// HasAt reports whether an account of that name and host exists, locked or not.
func (b *Book) HasAt(user, host string) bool {
	reader := b.Engine.Reader()
	defer reader.Close()
	return slices.ContainsFunc(reader.GetUsersByUsername(user), func(u *mysql_db.User) bool { return strings.EqualFold(u.Host, host) })
}

// NamedIn returns the words of a statement that are names of accounts or roles.
func (b *Book) NamedIn(text string) map[string]bool {
	reader := b.Engine.Reader()
	defer reader.Close()
	names := map[string]bool{}
	gate.Words(text, func(word string) {
		if len(reader.GetUsersByUsername(word)) > 0 {
			names[word] = true
		}
	})
	return names
}

// Connecting finds the account of a client: the one of its name, otherwise the
// anonymous one, with the best-fitting host. Roles cannot log in.
func (b *Book) Connecting(user string, from net.Addr) (account mysql_db.User, ok bool) {
	address, ok := AddressOf(from)
	if !ok {
		return mysql_db.User{}, false
	}
	reader := b.Engine.Reader()
	defer reader.Close()
	for _, name := range []string{user, ""} {
		best := NoFit
		for _, u := range reader.GetUsersByUsername(name) {
			if fit := HostFit(u.Host, address); fit > best && !u.IsRole && !u.Locked {
				best, account = fit, *u
			}
		}
		if best != NoFit {
			return account, true
		}
	}
	return mysql_db.User{}, false
}

// AddressOf is the address of a client; one on a Unix socket has 127.0.0.1.
func AddressOf(from net.Addr) (netip.Addr, bool) {
	if from == nil {
		return netip.Addr{}, false
	}
	if from.Network() == "unix" {
		return netip.AddrFrom4([4]byte{127, 0, 0, 1}), true
	}
	port, err := netip.ParseAddrPort(from.String())
	if err != nil {
		return netip.Addr{}, false
	}
	return port.Addr().Unmap().WithZone(""), true
}

// How well the host of an account fits: exact before localhost, before networks by
// prefix length, before patterns by the length of the fixed beginning.
const (
	NoFit        = -1
	anywhereFit  = 0
	patternFit   = 1   // + the length before the first wildcard
	networkFit   = 300 // + the length of the prefix
	localhostFit = 500
	exactFit     = 501
)

// HostFit rates how closely the host of an account fits an address, NoFit for not at all: a
// client gets the best-fitting account.
func HostFit(host string, address netip.Addr) int {
	switch {
	case host == "%" || host == "":
		return anywhereFit
	case strings.EqualFold(host, "localhost"):
		if address.IsLoopback() {
			return localhostFit
		}
		return NoFit
	case strings.ContainsAny(host, "%_"):
		if matchesPattern(strings.ToLower(host), address.String()) {
			return patternFit + strings.IndexAny(host, "%_")
		}
		return NoFit
	}
	if network, ok := hostNetwork(host); ok {
		if network.Contains(address) {
			return networkFit + network.Bits()
		}
		return NoFit
	}
	if exact, err := netip.ParseAddr(host); err == nil && exact.Unmap() == address {
		return exactFit
	}
	return NoFit
}

// hostNetwork reads 10.0.0.0/8 and 10.0.0.0/255.0.0.0.
func hostNetwork(host string) (netip.Prefix, bool) {
	base, mask, ok := strings.Cut(host, "/")
	if !ok {
		return netip.Prefix{}, false
	}
	if bits := net.ParseIP(mask).To4(); bits != nil {
		ones, size := net.IPMask(bits).Size()
		if size == 0 { // the ones are not leading
			return netip.Prefix{}, false
		}
		host = fmt.Sprintf("%s/%d", base, ones)
	}
	network, err := netip.ParsePrefix(host)
	return network.Masked(), err == nil
}

// matchesPattern is LIKE: % for any text, _ for one byte. It takes at most len(pattern)
// * len(text) steps: after a mismatch only the last % must take one more byte.
func matchesPattern(pattern, text string) bool {
	p, t := 0, 0
	retry, from := -1, 0 // after the last %, and where its match ended in text
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '%':
			p++
			retry, from = p, t
		case p < len(pattern) && (pattern[p] == '_' || pattern[p] == text[t]):
			p++
			t++
		case retry >= 0:
			from++
			p, t = retry, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "%") == ""
}

// CheckHost refuses names and hosts with which no client could ever connect.
func CheckHost(k mysql_db.UserPrimaryKey) error {
	refuse := func(why string) error {
		return sqlerror.New(sqlerror.NotSupported, fmt.Sprintf("account %s: %s; a host is an address ('10.1.2.3'), a pattern ('10.%%'), "+
			"a network ('10.0.0.0/8'), 'localhost' or '%%'", Quoted(k), why))
	}
	switch {
	case len(k.User) > 32:
		return sqlerror.New(sqlerror.TooLongName, fmt.Sprintf("String '%s' is too long for user name (should be no longer than 32)", k.User))
	case len(k.Host) > 255:
		return sqlerror.New(sqlerror.TooLongName, fmt.Sprintf("String '%s' is too long for host name (should be no longer than 255)", k.Host))
	case strings.ContainsAny(k.Host, "%_") || strings.EqualFold(k.Host, "localhost"):
		return nil
	}
	if _, ok := hostNetwork(k.Host); ok {
		return nil
	}
	address, err := netip.ParseAddr(k.Host)
	switch {
	case err != nil:
		return refuse("names of hosts are not looked up")
	case address.IsLoopback():
		return refuse("the loopback interface is 'localhost'")
	}
	return nil
}
