package sqlite

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/mattn/go-sqlite3"
)

// CollationName returns the SQLite collation that compares like the engine's. The _bin
// collations order by code point, which is the bytewise order of UTF-8, so they need no
// callback.
func CollationName(id sql.CollationID) string {
	name := id.Name()
	if name == "binary" || strings.HasSuffix(name, "_bin") || id.Sorter() == nil {
		return "BINARY"
	}
	return "mysql_" + name
}

func registerCollations(conn *sqlite3.SQLiteConn) error {
	all := sql.NewCollationsIterator()
	for c, ok := all.Next(); ok; c, ok = all.Next() {
		name := CollationName(c.ID)
		if name == "BINARY" {
			continue
		}
		if err := conn.RegisterCollation(name, Comparison(c.ID)); err != nil {
			return fmt.Errorf("collation %s: %w", c.Name, err)
		}
	}
	return nil
}

// Comparison compares runes by the collation's weights, as the engine's string type does. The
// strings are UTF-8 whatever their character set, as inside the engine. Invalid bytes weigh
// like the replacement character; only length distinguishes them.
func Comparison(id sql.CollationID) func(a, b string) int {
	weight := id.Sorter()
	return func(a, b string) int {
		same := commonPrefix(a, b)
		a, b = a[same:], b[same:]
		for len(a) > 0 && len(b) > 0 {
			x, n := utf8.DecodeRuneInString(a)
			y, m := utf8.DecodeRuneInString(b)
			if v, w := weight(x), weight(y); v != w {
				if v < w {
					return -1
				}
				return 1
			}
			a, b = a[n:], b[m:]
		}
		return len(a) - len(b)
	}
}

// commonPrefix returns the length of the common prefix in bytes, without an incomplete rune:
// weighing equal runes would dominate a comparison's cost.
func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	if i == len(a) && i == len(b) {
		return i
	}
	for i > 0 && (i < len(a) && !utf8.RuneStart(a[i]) || i < len(b) && !utf8.RuneStart(b[i])) {
		i--
	}
	return i
}
