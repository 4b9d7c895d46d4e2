package functions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/attributes"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/functions/options"
)

var setAttributesSchema = sql.Schema{
	{Name: "column", Type: types.LongText},
	{Name: "role", Type: types.LongText},
	{Name: "scale", Type: types.LongText},
}

// Roles and scales, which are options with their names. A semantic attribute is one with a taxonomy: set_taxonomy.
var (
	roleOptions  = []anonymize.Param[[]string]{options.EI, options.QI, options.SA, options.OtherRole, options.Unit, options.Weight}
	scaleOptions = []anonymize.Param[[]string]{options.Numeric, options.Ordinal, options.Nominal}
)

// CALL set_attributes('census.adult', 'qi=age,workclass', 'sa=occupation', 'ei=name', 'unit=patient', 'weight=pweight') replaces the roles of a raw
// table's columns; columns that are not named are "other". 'nominal=zip', 'ordinal=grade' and 'numeric=age' replace the scales; those of columns that are
// not named are inferred. Without any role, or any scale, the stored ones stay. 'epsilon_limit=3' sets the privacy budget of the table's releases.
func (e *Environment) setAttributes(ctx *sql.Context, table string, arguments ...string) (sql.RowIter, error) {
	raw, _, err := e.tableFor(ctx, "set_attributes", table)
	if err != nil {
		return nil, err
	}
	given, err := options.SetAttributes.Read(arguments)
	if err != nil {
		return nil, err
	}
	roles, scales, err := readAttributes(raw, given)
	if err != nil {
		return nil, err
	}
	if err := e.Catalog.SetAttributes(ctx, raw.Database(), raw.Name(), roles, scales); err != nil {
		return nil, err
	}
	if _, ok := options.EpsilonLimit.Given(given); ok {
		if err := e.Catalog.SetEpsilonLimit(ctx, raw.Database(), raw.Name(), options.EpsilonLimit.Read(given)); err != nil {
			return nil, err
		}
	}
	stored, err := e.Catalog.AttributesSeen(ctx, raw.Database(), raw.Name())
	var rows []sql.Row
	for _, a := range stored {
		rows = append(rows, sql.Row{a.Column, string(a.Role), string(a.Scale)})
	}
	return sql.RowsToRowIter(rows...), err
}

// readAttributes returns a role for every column of the table, and the given scales; nil for either if no option names one.
func readAttributes(raw source.Table, given anonymize.Settings) (map[string]attributes.Role, map[string]anonymize.Scale, error) {
	scaleGiven := slices.ContainsFunc(scaleOptions, func(scale anonymize.Param[[]string]) bool { _, ok := scale.Given(given); return ok })
	roles, err := readColumns[attributes.Role](raw, given, roleOptions, "role")
	if err != nil {
		return nil, nil, err
	}
	if _, err := (&unitReading{table: raw}).weightNamed(options.Weight.Read(given)); err != nil {
		return nil, nil, err
	}
	scales, err := readColumns[anonymize.Scale](raw, given, scaleOptions, "scale")
	if err != nil {
		return nil, nil, err
	}
	if !scaleGiven {
		scales = nil
	}
	if len(roles) == 0 {
		if _, limited := options.EpsilonLimit.Given(given); !scaleGiven && !limited {
			return nil, nil, &anonymize.ParameterError{
				Parameter: "option",
				Value:     "missing",
				Rule:      "say which columns are what: 'qi=age,zipcode', 'sa=disease', 'ei=name'",
			}
		}
		return nil, scales, nil
	}
	for _, c := range raw.Schema() {
		if _, named := roles[c.Name]; !named {
			roles[c.Name] = attributes.OtherAttribute
		}
	}
	return roles, scales, nil
}

// readColumns reads options that are lists of columns, each of which may be in one of them.
func readColumns[Kind ~string](raw source.Table, given anonymize.Settings, kinds []anonymize.Param[[]string], of string) (map[string]Kind, error) {
	found := make(map[string]Kind)
	for _, option := range kinds {
		kind := option.Name()
		columns := option.Read(given)
		if kind == options.Unit.Name() && namesEachRow(columns) {
			found[attributes.EachRow] = Kind(kind)
			continue
		}
		for _, column := range columns {
			exact, err := columnName(raw, column, kind)
			if err != nil {
				return nil, err
			}
			if before, twice := found[exact]; twice {
				return nil, &anonymize.ParameterError{
					Parameter: kind,
					Value:     "'" + column + "'",
					Rule:      fmt.Sprintf("but that column is %s already: a column has one %s", before, of),
				}
			}
			found[exact] = Kind(kind)
		}
	}
	return found, nil
}

// columnName returns a column's name as the table spells it.
func columnName(raw source.Table, column, option string) (string, error) {
	var names []string
	for _, c := range raw.Schema() {
		if strings.EqualFold(c.Name, column) {
			return c.Name, nil
		}
		names = append(names, c.Name)
	}
	imported := strings.ReplaceAll(column, " ", "_") // the importer's form of a header's name
	isImported := func(name string) bool { return strings.EqualFold(name, imported) }
	if strings.ContainsAny(imported, ";|/()[]{}'\"\t") || imported != column && !slices.ContainsFunc(names, isImported) {
		return "", &anonymize.ParameterError{Parameter: option, Value: "'" + column + "'", Rule: fmt.Sprintf(
			"which is no column of %s.%s: names are separated by commas, without brackets and quotes, as in '%s=%s'",
			raw.Database(), raw.Name(), option, strings.Join(names[:min(2, len(names))], ","))}
	}
	return "", &anonymize.ParameterError{Parameter: option, Value: "'" + column + "'", Rule: fmt.Sprintf("which is no column of %s.%s%s; it has %s",
		raw.Database(), raw.Name(), anonymize.DidYouMean(imported, names), strings.Join(names, ", "))}
}
