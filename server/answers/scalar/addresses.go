package scalar

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
)

// addresses are the functions of IP addresses. As in MySQL, the numbers of an IPv4 address may begin with zeros, and ::1 is not IPv4-compatible.
func addresses() []*builtin.Definition {
	return []*builtin.Definition{
		{Name: "is_ipv4", Least: 1, Most: 1, Type: builtin.Constant(types.Int64), Value: truthOf(isIPv4)},
		{Name: "is_ipv6", Least: 1, Most: 1, Type: builtin.Constant(types.Int64), Value: truthOf(func(s string) bool { return bytesOfIPv6(s) != nil })},
		{Name: "inet6_aton", Least: 1, Most: 1, Type: builtin.Constant(types.LongBlob), Value: bytesOfAddress},
		{Name: "is_ipv4_compat", Least: 1, Most: 1, Type: builtin.Constant(types.Int64), Value: truthOf(isIPv4Compatible)},
	}
}

func truthOf(is func(string) bool) func(*builtin.Call, *sql.Context, []any) (any, error) {
	return func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
		s, err := coercion.Text(ctx, v[0], c.OperandType(0))
		if err != nil || !is(s) {
			return int64(0), err
		}
		return int64(1), nil
	}
}

// isIPv4 recognises four numbers up to 255, of one to three digits each.
func isIPv4(s string) bool {
	parts := strings.Split(s, ".")
	for _, part := range parts {
		if n, err := strconv.ParseUint(part, 10, 16); err != nil || len(part) > 3 || n > 255 {
			return false
		}
	}
	return len(parts) == 4
}

// bytesOfAddress returns the 4 bytes of an IPv4 address or the 16 of an IPv6 address, else NULL.
func bytesOfAddress(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	s, err := coercion.Text(ctx, v[0], c.OperandType(0))
	if err != nil {
		return nil, err
	}
	found := bytesOfIPv6(s)
	if isIPv4(s) {
		found = bytesOfIPv4(s)
	}
	if found == nil {
		ctx.Warn(wrongText, "Incorrect string value: '%s' for function inet6_aton", s)
		return nil, nil
	}
	return found, nil
}

// wrongText is MySQL's ER_WRONG_VALUE_FOR_TYPE.
const wrongText = 1411

func bytesOfIPv4(s string) (bytes []byte) {
	for part := range strings.SplitSeq(s, ".") {
		n, _ := strconv.Atoi(part) // isIPv4 has seen it
		bytes = append(bytes, byte(n))
	}
	return bytes
}

// bytesOfIPv6 returns the bytes of an IPv6 address, or nil. Its last four bytes may be written as an IPv4 address.
func bytesOfIPv6(s string) []byte {
	if at := strings.LastIndexByte(s, ':') + 1; isIPv4(s[at:]) {
		s = s[:at] + netip.AddrFrom4([4]byte(bytesOfIPv4(s[at:]))).String()
	}
	if address, err := netip.ParseAddr(s); err == nil && address.Is6() && address.Zone() == "" {
		return address.AsSlice()
	}
	return nil
}

// isIPv4Compatible recognises the 16 bytes of an IPv6 address that is twelve zeros and an IPv4 address, except :: and ::1.
func isIPv4Compatible(s string) bool {
	return len(s) == 16 && s[:12] == strings.Repeat("\x00", 12) && s[12:] != "\x00\x00\x00\x00" && s[12:] != "\x00\x00\x00\x01"
}
