package planner_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/planner/plannertest"
	"github.com/anonsql/anonsql/testsize"
)

// A statement with more columns than there are ids is refused: a figure would have the id of another column, and its values.
func TestIdsAreNotUsedTwice(t *testing.T) {
	s := plannertest.Hospital(t)
	const width = 2800
	wide := func(item string, n int) string {
		items := make([]string, width)
		for i := range items {
			if items[i] = fmt.Sprintf("1 AS c%d", i); i < n {
				items[i] = fmt.Sprintf("%s AS c%d", item, i)
			}
		}
		return "SELECT " + strings.Join(items, ", ") + " FROM patients"
	}
	const query = "SELECT sex, ANON_LOW(COUNT(*)) FROM patients GROUP BY sex HAVING COUNT(*) > (SELECT SUM(c1) FROM (%s) x)"
	for inner, refused := range map[string]bool{
		wide("ANON_LOW(COUNT(*))", width): false,
		wide("ANON_LOW(COUNT(*))", width) + " UNION ALL " + wide("ANON_LOW(COUNT(*))", 5535-width):                  true,
		strings.Join(slices.Repeat([]string{strings.TrimSuffix(wide("", 0), " FROM patients")}, 22), " UNION ALL "): false, // the binder's ids reach the planner's
		strings.Join(slices.Repeat([]string{strings.TrimSuffix(wide("", 0), " FROM patients")}, 24), " UNION ALL "): true,
	} {
		if testsize.IsSmall() && strings.HasPrefix(inner, "SELECT 1 AS") {
			continue // takes seconds
		}
		_, _, err := s.Plan(fmt.Sprintf(query, inner))
		var known *mysql.SQLError
		if is := errors.As(err, &known) && known.Num == mysql.ERTooManyFields; is != refused || err != nil && !is {
			t.Errorf("%d characters: %v", len(inner), err)
		}
	}
}
