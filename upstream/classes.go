package upstream

import (
	"fmt"
	"strconv"

	"github.com/dolthub/go-mysql-server/sql"
)

// classes asks which texts of a column are equal under its collation: two texts are if they have the same number. Upstream sorts
// the distinct texts. It needs window functions: MySQL 8, MariaDB 10.2.
func (t *table) classes(ctx *sql.Context, c *column) (map[string]int64, error) {
	name := quoted(c.name)
	query := fmt.Sprintf("SELECT b, DENSE_RANK() OVER (ORDER BY v) FROM (SELECT %s AS b, MIN(%s) AS v FROM %s.%s WHERE %s IS NOT NULL GROUP BY b) AS texts",
		c.ask, name, quoted(t.schema), quoted(t.Name()), name)
	classes := make(map[string]int64)
	err := t.home.Asker.Query(ctx, query, func(v [][]byte) error {
		if len(v) != 2 {
			return fmt.Errorf("a class of texts has %d values, must have 2", len(v))
		}
		class, err := strconv.ParseInt(string(v[1]), 10, 64)
		classes[string(v[0])] = class
		return err
	})
	return classes, err
}
