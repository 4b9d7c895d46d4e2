package functions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/detection"
	"github.com/anonsql/anonsql/anonymize/weights"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/functions/options"
	"github.com/anonsql/anonsql/functions/texts"
)

// A unit is the person or household that the promises protect, named by the owner's columns together. Without columns every row is a unit.
type unit struct {
	columns []string
	said    bool
}

// readUnit reads the option, or keeps the stored unit. Its columns are not released.
func (r *run) readUnit(given anonymize.Settings) (err error) {
	if _, own := options.Unit.Given(given); !own {
		return nil
	}
	if r.unit, err = unitNamed(r.table, options.Unit.Read(given)); err != nil {
		return err
	}
	for _, column := range r.unit.columns {
		if slices.Contains(r.roles.QuasiIdentifiers, column) || slices.Contains(r.roles.Sensitive, column) {
			return &anonymize.ParameterError{Parameter: options.Unit.Name(), Value: "'" + column + "'",
				Rule: "but that column is released, as qi or sa, and values of a unit never are: leave it out of both"}
		}
	}
	return nil
}

// unitNamed reads the value of the option: columns, or rows.
func unitNamed(table source.Table, columns []string) (unit, error) {
	u := unit{said: true}
	if namesEachRow(columns) {
		return u, nil
	}
	for _, column := range columns {
		exact, err := columnName(table, column, options.Unit.Name())
		if err != nil {
			return u, err
		}
		if slices.Contains(u.columns, exact) {
			return u, &anonymize.ParameterError{Parameter: options.Unit.Name(), Value: "'" + texts.JoinNames(columns) + "'", Rule: "must name every column once"}
		}
		u.columns = append(u.columns, exact)
	}
	if len(u.columns) == 0 {
		return u, &anonymize.ParameterError{Parameter: options.Unit.Name(), Value: "''",
			Rule: "must name the columns whose values tell persons apart, or be " + options.EachRow}
	}
	return u, nil
}

func namesEachRow(columns []string) bool {
	return len(columns) == 1 && strings.EqualFold(columns[0], options.EachRow)
}

// A unitReading finds the units of a table's records: the owner's, or otherwise whether there may be some. The columns that identify units are read
// beside those of the release, and then dropped.
type unitReading struct {
	table source.Table
	unit  unit
	// identifiers are columns that the owner has declared as such, suspects those of all columns that may name units.
	identifiers, suspects []string
	// follows also asks for units if every record still is one, and for the columns that name them: named.
	follows bool
	named   []*anonymize.Column
	// repeated warns of what may be persons with several rows, if that is not sure enough to refuse the table.
	repeated []anonymize.Fact
	// weight is the column that says how many persons of the population a record stands for, "" for none: a quasi-identifier of what is published, in
	// classes. weightSaid: the run's option names it, or none. beside is the column of an account that reads weights unclassed.
	weight, beside string
	weightSaid     bool
	classes        *weights.Classes // of the table that was read
}

// columnsToRead lists the columns to read for the release's columns.
func (u *unitReading) columnsToRead(released []string) []string {
	if !u.unit.said {
		u.suspects = nil
		for _, c := range u.table.Schema() {
			suspect := slices.Contains(u.identifiers, c.Name) || detection.MayNameUnits(c.Name)
			if suspect && !slices.Contains(released, c.Name) && source.Readable(u.table, c.Name) {
				u.suspects = append(u.suspects, c.Name)
			}
		}
	}
	return distinct(slices.Concat(released, u.unit.columns, u.suspects))
}

// separateUnits removes the columns that identify units, and numbers the units: nil if every record is one. Without a declared unit, it refuses a table in
// which persons seem to have several rows.
func (u *unitReading) separateUnits(whole *anonymize.Microdata, released []string) (*anonymize.Microdata, []uint32, error) {
	if found, repeated := u.findRepeated(whole); repeated {
		return nil, nil, u.refuseRepeated(found.Column, found.String())
	}
	columns, err := whole.Select(u.unit.columns...)
	if err != nil {
		return nil, nil, err
	}
	units, err := u.numberUnits(columns)
	if err != nil {
		return nil, nil, err
	}
	if u.follows {
		u.named = columns
	}
	columns, err = whole.Select(released...)
	if err != nil {
		return nil, nil, err
	}
	table, err := anonymize.NewMicrodata(columns...)
	return table, units, err
}

// findRepeated looks for persons with several rows if no unit is said. If it is not sure, it leaves a warning.
func (u *unitReading) findRepeated(whole *anonymize.Microdata) (found detection.Repetition, repeated bool) {
	if u.repeated = nil; u.unit.said {
		return found, false
	}
	if found, repeated = detection.RepeatedUnit(whole, u.suspects, u.identifiers); repeated {
		return found, true
	}
	if doubtful, found := detection.RepeatedRows(whole, u.suspects, u.identifiers); found {
		u.warnOfRepeated(doubtful)
	}
	return found, false
}

func (u *unitReading) warnOfRepeated(doubtful detection.Repetition) {
	u.repeated = append(u.repeated, anonymize.Fact{Name: "warning", Value: fmt.Sprintf("column %s has %s: who has several rows is counted as several persons, by k and l, too. "+
		"Take the repeated rows out, or say 'unit=%s', or 'unit=%s' if every row is a person of its own",
		doubtful.Column, doubtful, texts.JoinNames([]string{doubtful.Column}), options.EachRow)})
}

// refuseRepeated refuses a table without declared units in which a column seems to name units several times.
func (u *unitReading) refuseRepeated(column, repeated string) error {
	return &anonymize.DataError{Reason: fmt.Sprintf("column %s of %s.%s has %s: a person may have several rows, and promises of rows would not protect persons. "+
		"Say 'unit=%s', or 'unit=%s' if every row is a person of its own, here or in CALL set_attributes",
		column, u.table.Database(), u.table.Name(), repeated, texts.JoinNames([]string{column}), options.EachRow)}
}

// numberUnits numbers the units of the records in order of first occurrence, with one pass per column. It returns nil if every record has a unit of its
// own, unless the release follows its table.
func (u *unitReading) numberUnits(columns []*anonymize.Column) (units []uint32, err error) {
	for i, c := range columns {
		if err := u.refuseNull(c); err != nil {
			return nil, err
		}
		numbers := make(map[[2]uint32]uint32)
		numbered := make([]uint32, len(c.Codes))
		for row, code := range c.Codes {
			key := [2]uint32{0, code}
			if i > 0 {
				key[0] = units[row]
			}
			n, known := numbers[key]
			if !known {
				n = uint32(len(numbers))
				numbers[key] = n
			}
			numbered[row] = n
		}
		if units = numbered; len(numbers) == len(c.Codes) && !u.follows {
			return nil, u.refuseNull(columns[i:]...)
		}
	}
	return units, nil
}

// refuseNull refuses a NULL unit: a row whose person is unknown may be anybody's.
func (u *unitReading) refuseNull(columns ...*anonymize.Column) error {
	for _, c := range columns {
		unknown := 0
		for code, rows := range c.Histogram() {
			if c.Dictionary[code].IsNull() {
				unknown += rows
			}
		}
		if unknown > 0 {
			return &anonymize.DataError{Reason: fmt.Sprintf("column %s names the unit and is NULL in %d of %d rows, which may be anybody's: "+
				"UPDATE %s.%s gives them a value, DELETE takes them out", c.Name, unknown, len(c.Codes), u.table.Database(), u.table.Name())}
		}
	}
	return nil
}

// refuseUnit refuses units for a name that counts rows.
func (u *unitReading) refuseUnit(why, wayOut string) error {
	if len(u.unit.columns) == 0 {
		return nil
	}
	return &anonymize.ParameterError{Parameter: options.Unit.Name(), Value: "'" + texts.JoinNames(u.unit.columns) + "'", Rule: "but " + why + ": " + wayOut}
}
