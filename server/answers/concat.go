package answers

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/server/answers/groupconcat"
	"github.com/anonsql/anonsql/server/answers/grouping"
	"github.com/anonsql/anonsql/server/answers/percentile"
)

// Markers are functions that stand for constructs that the binder lacks. Rewrites find them
// by type, so they must not be wrapped.
func Markers() []sql.Function {
	return slices.Concat(percentile.Markers(), grouping.Markers(), []sql.Function{groupconcat.Marker()})
}
