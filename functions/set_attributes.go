package functions

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog"
)

var setAttributesSchema = sql.Schema{
	{Name: "column", Type: types.LongText},
	{Name: "role", Type: types.LongText},
}

// roleNames are the options of set_attributes.
var roleNames = []string{"ei", "qi", "sa", "other"}

// CALL set_attributes('census.adult', 'qi=age,workclass', 'sa=occupation',
// 'ei=name') stores the roles of a raw table's columns, in the place of those
// it had. Columns that are not named are "other". Returns column and role.
func (e *Environment) setAttributes(ctx *sql.Context, table string, arguments ...string) (sql.RowIter, error) {
	name, err := parseTableName(ctx, table)
	if err != nil {
		return nil, err
	}
	raw, err := e.table(ctx, name)
	if err != nil {
		return nil, err
	}
	given, err := parseOptions(arguments)
	if err != nil {
		return nil, err
	}
	roles, err := readRoles(raw, given)
	if err != nil {
		return nil, err
	}
	if err := e.Catalog.SetAttributes(ctx, raw.Database(), raw.Name(), roles); err != nil {
		return nil, err
	}
	var rows []sql.Row
	for _, c := range raw.Schema() {
		rows = append(rows, sql.Row{c.Name, string(roles[c.Name])})
	}
	return sql.RowsToRowIter(rows...), nil
}

// readRoles returns a role for every column of the table.
func readRoles(raw *catalog.Table, given options) (map[string]catalog.Role, error) {
	roles := make(map[string]catalog.Role)
	if err := given.refuseUnknown(roleNames...); err != nil {
		return nil, err
	}
	for _, role := range roleNames {
		columns, _ := given.takeList(role)
		for _, column := range columns {
			exact, err := columnName(raw, column, role)
			if err != nil {
				return nil, err
			}
			if before, twice := roles[exact]; twice {
				return nil, &anonymize.ParameterError{Parameter: role, Value: "'" + column + "'", Rule: fmt.Sprintf("but that column is %s already: a column has one role", before)}
			}
			roles[exact] = catalog.Role(role)
		}
	}
	if len(roles) == 0 {
		return nil, &anonymize.ParameterError{Parameter: "option", Value: "missing", Rule: "say which columns are what: 'qi=age,zipcode', 'sa=disease', 'ei=name'"}
	}
	for _, c := range raw.Schema() {
		if _, named := roles[c.Name]; !named {
			roles[c.Name] = "other"
		}
	}
	return roles, nil
}

// columnName returns a column's name as the table spells it.
func columnName(raw *catalog.Table, column, option string) (string, error) {
	var names []string
	for _, c := range raw.Schema() {
		if strings.EqualFold(c.Name, column) {
			return c.Name, nil
		}
		names = append(names, c.Name)
	}
	return "", &anonymize.ParameterError{Parameter: option, Value: "'" + column + "'",
		Rule: fmt.Sprintf("which is no column of %s.%s; it has %s", raw.Database(), raw.Name(), strings.Join(names, ", "))}
}
