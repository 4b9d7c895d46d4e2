package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/shown"
)

// Tools see the views of the database published and their columns, with comments. They see the
// relations behind the views only if the session asks for them.

// relationsVariable makes lists of tables include the relations behind the views. Their names
// always work.
const relationsVariable = "anon_list_relations"

// Variables are the system variables of this package with their defaults. Every account may set
// them for its session.
func Variables() []sql.SystemVariable {
	return []sql.SystemVariable{&sql.MysqlSystemVariable{
		Name: relationsVariable, Scope: sql.GetMysqlScope(sql.SystemVariableScope_Both), Dynamic: true,
		Type: types.NewSystemBoolType(relationsVariable), Default: int8(0),
	}}
}

// listsRelations reports whether the session's lists include relations.
func listsRelations(ctx *sql.Context) bool {
	value, err := ctx.GetSessionVariable(ctx, relationsVariable)
	if err != nil {
		return false
	}
	on, err := sql.ConvertToBool(ctx, value)
	return err == nil && on
}

// GetTableNames lists the views that the session may see, and with anon_list_relations the
// relations behind them.
func (d publishedDatabase) GetTableNames(ctx *sql.Context) ([]string, error) {
	var names []string
	all := listsRelations(ctx)
	for _, p := range d.releases.All(ctx) {
		if all {
			names = append(names, p.record.RelationNames()...)
		} else {
			names = append(names, p.record.Name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Comment implements sql.CommentedTable.
func (r *Relation) Comment() string { return r.comment }

// comment returns the comment of a release's view.
func (r *ReleaseRecord) comment() string {
	rows := "its rows are one table drawn from the release"
	if r.Completion != nil && (r.Place == nil || r.Place.Tables == 0) {
		rows = "its rows are completed table 1"
	}
	return fmt.Sprintf("release, method %s: aggregates are estimates from the published relations; %s", r.Method, rows)
}

// roles describe the attributes that fragments publish, for comments.
var roles = map[anonymize.FragmentRole]string{
	anonymize.QuasiIdentifying: "quasi-identifiers",
	anonymize.Sensitive:        "sensitive attributes",
	anonymize.Mixed:            "quasi-identifiers and sensitive attributes",
}

// columnComment describes a column of a release's view.
func (r *ReleaseRecord) columnComment(name string) string {
	if name == r.Weight.Name() {
		return "weight: how many persons of the population a record stands for, the mean of a class; " + r.origin(name)
	}
	return r.origin(name)
}

// origin says which relation has a column of the view.
func (r *ReleaseRecord) origin(name string) string {
	for _, f := range r.Fragments {
		for _, c := range f.Columns {
			switch {
			case c.Name != name:
			case !c.Point:
				return fmt.Sprintf("from %s_%s, %s, generalized: figures over it are estimates", r.Name, f.Name, roles[f.Role])
			case len(r.Fragments) == 1:
				return fmt.Sprintf("from %s_%s, %s", r.Name, f.Name, roles[f.Role])
			default:
				return fmt.Sprintf("from %s_%s, %s: figures that combine it with columns of other relations are estimates", r.Name, f.Name, roles[f.Role])
			}
		}
	}
	return ""
}

// cellComment describes a column of a fragment's relation.
func (c *FragmentColumnRecord) cellComment(role anonymize.FragmentRole) string {
	switch {
	case c.hasEnds():
		return fmt.Sprintf("one of its %s, generalized: %s and %s are the ends", roles[role], c.Name+lowSuffix, c.Name+highSuffix)
	case !c.Point:
		return fmt.Sprintf("one of its %s, generalized", roles[role])
	}
	return "one of its " + roles[role]
}

// The columns that name the units are in a release's view, so that queries can count units; package planner refuses their other
// uses. The view has no values of them. A completed table has numbers that distinguish its units and mean nothing outside it.

// unitColumns describes the unit's columns in a view.
func (r *ReleaseRecord) unitColumns() sql.Schema {
	var schema sql.Schema
	for _, name := range r.Unit {
		column := integerColumn(name, r.Name, fmt.Sprintf("who is protected: COUNT(DISTINCT %s) counts them, and nothing else is told", strings.Join(r.Unit, ", ")))
		column.Nullable = true
		schema = append(schema, column)
	}
	return schema
}

// withUnits returns the columns of a view, without values in the unit's columns.
func (v *PublishedView) withUnits(ctx *sql.Context) ([]shown.Column, error) {
	columns, err := v.attributes(ctx)
	for range v.published.record.Unit {
		columns = append(columns[:len(columns):len(columns)], shown.Column{Boxed: []any{nil}})
	}
	return columns, err
}

// IsUnit reports whether a column of the view identifies the units.
func (v *PublishedView) IsUnit(column string) bool {
	for _, name := range v.Record().Unit {
		if strings.EqualFold(name, column) {
			return true
		}
	}
	return false
}
