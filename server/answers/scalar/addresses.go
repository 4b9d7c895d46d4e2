package scalar

import (
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
)

// addresses are what texts and bytes are as addresses of the internet protocol: a number of IPv4 may begin with zeros, and ::1 is no IPv4 in IPv6.
func addresses() []*builtin.Definition {
	return []*builtin.Definition{
		{Name: "is_ipv4", Least: 1, Most: 1, Type: builtin.Constant(types.Int64), Value: truthOf(isIPv4)},
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

// isIPv4 tells of four numbers of one to three digits, up to 255.
func isIPv4(s string) bool {
	parts := strings.Split(s, ".")
	for _, part := range parts {
		if n, err := strconv.ParseUint(part, 10, 16); err != nil || len(part) > 3 || n > 255 {
			return false
		}
	}
	return len(parts) == 4
}

// isIPv4Compatible tells of the 16 bytes of an IPv6 address that is an IPv4 one behind twelve zeros, and neither :: nor ::1.
func isIPv4Compatible(s string) bool {
	return len(s) == 16 && s[:12] == strings.Repeat("\x00", 12) && s[12:] != "\x00\x00\x00\x00" && s[12:] != "\x00\x00\x00\x01"
}
