package planner

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/planner/answer"
	"github.com/anonsql/anonsql/planner/pertable"
	"github.com/anonsql/anonsql/planner/plainsql"
)

// The server's names of the packages below: it sees one estimator, not its parts.

// An Estimate is the plan node that answers one SELECT's aggregates from a release.
type Estimate = answer.Estimate

// A PerTable is the plan node that answers a query from every completed table.
type PerTable = pertable.Query

// DescribePaths notes in every estimate of an explained plan how it will be answered.
func DescribePaths(ctx *sql.Context, node sql.Node) error { return answer.DescribePaths(ctx, node) }

// Variables are the system variables of the estimator, with their defaults. Every
// account may set them for its session.
func Variables() []sql.SystemVariable { return answer.Variables() }

// IgnoresCase holds for all collations that do not compare byte by byte.
func IgnoresCase(c sql.CollationID) bool { return plainsql.IgnoresCase(c) }
