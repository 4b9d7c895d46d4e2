package accounts

import (
	"net/netip"
	"testing"

	"github.com/dolthub/go-mysql-server/sql/plan"
)

// The hosts of MySQL's manual, and the order in which they are tried.
func TestHostFit(t *testing.T) {
	for _, c := range []struct {
		host, address string
		fits          bool
	}{
		{"%", "10.1.2.3", true}, {"", "::2", true},
		{"10.1.2.3", "10.1.2.3", true}, {"10.1.2.3", "10.1.2.4", false},
		{"10.%", "10.1.2.3", true}, {"10.%", "110.1.2.3", false}, {"%.3", "10.1.2.3", true}, {"10.1.2._", "10.1.2.3", true}, {"10.1.2._", "10.1.2.33", false},
		{"1%2%3", "10.1.2.3", true}, {"%1%1%1%1%", "10.1.2.3", false}, {"fe80::%", "fe80::1", true}, {"FE80::%", "fe80::1", true},
		{"10.0.0.0/8", "10.255.0.1", true}, {"10.0.0.0/8", "11.0.0.1", false}, {"198.51.100.0/255.255.255.0", "198.51.100.7", true},
		{"198.51.100.0/255.255.255.0", "198.51.101.7", false}, {"10.0.0.0/255.0.255.0", "10.0.0.1", false}, {"2001:db8::/32", "2001:db8::1", true},
		{"localhost", "127.0.0.1", true}, {"localhost", "::1", true}, {"localhost", "10.1.2.3", false}, {"some.host", "10.1.2.3", false},
	} {
		if got := HostFit(c.host, netip.MustParseAddr(c.address)) != NoFit; got != c.fits {
			t.Errorf("%q fits %s: %v, want %v", c.host, c.address, got, c.fits)
		}
	}
	order := []string{"%", "1%", "127.%", "127.0.0.0/8", "127.0.0.0/16", "localhost", "127.0.0.1"}
	for i := range order[1:] {
		address := netip.MustParseAddr("127.0.0.1")
		if HostFit(order[i], address) >= HostFit(order[i+1], address) {
			t.Errorf("%q fits as well as %q", order[i], order[i+1])
		}
	}
}

// An account without a host is at '%', however the statement leaves it out.
func TestAccountOf(t *testing.T) {
	for _, c := range []struct {
		name plan.UserName
		want string
	}{
		{plan.UserName{Name: "ana"}, "'ana'@'%'"},
		{plan.UserName{Name: "ana", AnyHost: true}, "'ana'@'%'"},
		{plan.UserName{Name: "ana", Host: "%", AnyHost: true}, "'ana'@'%'"},
		{plan.UserName{Name: "an'a", Host: "10.%"}, "'an''a'@'10.%'"},
		{plan.UserName{Host: "localhost"}, "''@'localhost'"},
	} {
		if got := Quoted(AccountOf(c.name)); got != c.want {
			t.Errorf("%+v is %s, want %s", c.name, got, c.want)
		}
	}
}
