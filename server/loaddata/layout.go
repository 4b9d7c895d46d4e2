package loaddata

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/catalog/delimited"
)

// A layout maps the fields of a record to columns and user variables.
type layout struct {
	format    delimited.Format
	schema    sql.Schema
	fields    []target
	variables []string // names of the user variables, in the order of their fields
	sets      []step   // SET, in its order
	filled    []bool   // columns that a field fills
	listed    []bool   // columns that a field or SET fills
}

// A target is the column or user variable that one field fills.
type target struct {
	column   int // index of the table's column; -1: a user variable
	variable int // index in layout.variables
	convert  converter
}

func newLayout(insert *plan.InsertInto, load *plan.LoadData) (*layout, error) {
	schema := insert.Destination.Schema()
	l := &layout{
		format: formatOf(load),
		schema: schema,
		filled: make([]bool, len(schema)),
		listed: make([]bool, len(schema)),
	}
	if _, ok := insert.Source.(*plan.TriggerExecutor); ok {
		return nil, notSupported("LOAD DATA into a table with triggers is not supported")
	}
	var err error
	if l.sets, err = ordered(load.SetExprs); err != nil {
		return nil, err
	}
	for _, s := range l.sets {
		if schema[s.column].Generated != nil {
			return nil, sql.ErrGeneratedColumnValue.New(schema[s.column].Name, schema[s.column].Source)
		}
		l.listed[s.column] = true
	}
	names, fields := fieldsOf(load, len(schema))
	for i := range fields {
		if v := variableAt(load, i); v != "" {
			l.fields = append(l.fields, target{column: -1, variable: len(l.variables)})
			l.variables = append(l.variables, v)
			continue
		}
		if len(names) == 0 {
			return nil, notSupported("LOAD DATA: this list of columns and user variables is not supported")
		}
		if err := l.addColumn(names[0]); err != nil {
			return nil, err
		}
		names = names[1:]
	}
	return l, nil
}

func (l *layout) addColumn(name string) error {
	i := indexOf(l.schema, name)
	if i < 0 {
		return sql.ErrUnknownColumn.New(name, l.schema[0].Source)
	}
	if l.schema[i].Generated != nil {
		return sql.ErrGeneratedColumnValue.New(name, l.schema[i].Source)
	}
	l.listed[i], l.filled[i] = true, true
	l.fields = append(l.fields, target{column: i, convert: newConverter(l.schema[i].Type)})
	return nil
}

// fieldsOf returns the columns that fields of the text fill, in order, and the number of fields, user variables
// included.
//
// The planner appends the columns of SET that were not listed to ColNames, and as many nils to UserVars. Before,
// UserVars was as long as the greater of the numbers of columns and of fields. With more fields than columns, these
// numbers do not tell how many columns were appended: fieldsOf then takes all columns of SET at the end for appended
// ones.
func fieldsOf(load *plan.LoadData, columns int) (names []string, fields int) {
	variables := 0
	for _, v := range load.UserVars {
		if v != nil {
			variables++
		}
	}
	if len(load.ColNames) == 0 {
		if variables > 0 {
			return nil, variables
		}
		for _, c := range load.DestSch {
			names = append(names, c.Name)
		}
		return names, columns
	}
	names = load.ColNames
	set := setAtEnd(load)
	appended := len(load.UserVars) - columns
	if n := len(names) - appended + variables; appended > set || n > columns {
		appended = set
	}
	names = names[:len(names)-appended]
	return names, len(names) + variables
}

// setAtEnd counts the columns at the end of ColNames that SET assigns.
func setAtEnd(load *plan.LoadData) int {
	n := 0
	for i := len(load.ColNames) - 1; i >= 0; i-- {
		c := indexOf(load.DestSch, load.ColNames[i])
		if c < 0 || c >= len(load.SetExprs) || load.SetExprs[c] == nil {
			break
		}
		n++
	}
	return n
}

// variableAt returns the name of the user variable that field i fills, "" if there is none.
func variableAt(load *plan.LoadData, i int) string {
	if i >= len(load.UserVars) || load.UserVars[i] == nil {
		return ""
	}
	if set, ok := load.UserVars[i].(*expression.SetField); ok {
		if v, ok := set.LeftChild.(*expression.UserVar); ok {
			return v.Name
		}
	}
	return ""
}

func indexOf(schema sql.Schema, name string) int {
	return slices.IndexFunc(schema, func(c *sql.Column) bool { return strings.EqualFold(c.Name, name) })
}

func formatOf(load *plan.LoadData) delimited.Format {
	f := delimited.Format{
		FieldsTerminatedBy: load.FieldsTerminatedBy,
		LinesStartingBy:    load.LinesStartingBy,
		LinesTerminatedBy:  load.LinesTerminatedBy,
	}
	if load.FieldsEnclosedBy != "" {
		f.EnclosedBy = load.FieldsEnclosedBy[0]
		f.NullWord = true
	}
	if load.FieldsEscapedBy != "" {
		f.EscapedBy = load.FieldsEscapedBy[0]
	}
	return f
}

// columnNames returns the names of the fields, for errors, and which of them are binary.
func (l *layout) columnNames() (names []string, binary []bool) {
	for _, f := range l.fields {
		if f.column < 0 {
			names, binary = append(names, "@"+l.variables[f.variable]), append(binary, false)
			continue
		}
		c := l.schema[f.column]
		names, binary = append(names, c.Name), append(binary, types.IsBinaryType(c.Type) || types.IsBit(c.Type))
	}
	return names, binary
}
