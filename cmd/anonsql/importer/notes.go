package importer

import (
	"fmt"
	"strings"

	"github.com/anonsql/anonsql/catalog/delimited"
)

// whyText explains why a column is text although nearly all its values are something else, "" for other columns.
func whyText(c delimited.Column) string {
	switch c.Doubt {
	case delimited.DayOrMonth:
		return fmt.Sprintf("column %s is %s because its dates do not tell which number is the day: "+
			"with --dates dmy (31/12/2017) or --dates mdy (12/31/2017) it is DATE", c.Name, c.Type)
	case delimited.BothOrders:
		return fmt.Sprintf("column %s is %s because some of its dates begin with the day and others with the month: write all in one order, best as 2017-12-31", c.Name, c.Type)
	case delimited.ShortYears:
		return fmt.Sprintf("column %s is %s because the years of its dates have two digits, which do not tell the century: write them with four", c.Name, c.Type)
	case delimited.CommaGroups:
		return fmt.Sprintf("column %s is %s because the commas of its numbers, such as 1,234, may be decimal commas or may group thousands: "+
			"with --decimal comma or --decimal point it is a number", c.Name, c.Type)
	case delimited.LongNumbers:
		return fmt.Sprintf("column %s is %s because its numbers have more digits than a DECIMAL, 65 and 30 of them behind the point, and a DOUBLE would round them",
			c.Name, c.Type)
	case delimited.PointGroups:
		return fmt.Sprintf("column %s is %s because its digits stand in groups, such as 1.234.567 or 1 234, as those of numbers and of identifiers do: "+
			"with --decimal comma it is a number, or with --decimal point where points do not group", c.Name, c.Type)
	case delimited.Zoned:
		return fmt.Sprintf("column %s is %s because its times have a zone, such as Z or +01:00, and a DATETIME has none: write the times of one zone, without it", c.Name, c.Type)
	}
	if c.IfNull == "" {
		return ""
	}
	var fields, flags []string
	if c.Empty > 0 {
		fields = append(fields, fmt.Sprintf("%d of its fields are empty", c.Empty))
	}
	for _, odd := range c.Odd {
		fields = append(fields, fmt.Sprintf("%d are %q", odd.Fields, odd.Text))
		flags = append(flags, "--null '"+strings.ReplaceAll(odd.Text, "'", `'\''`)+"'")
	}
	remedy := "with " + strings.Join(flags, " ") + " they are NULL"
	if flags == nil {
		remedy = "without --keep-empty they are NULL"
	}
	return fmt.Sprintf("column %s is %s because %s: %s and it is %s", c.Name, c.Type, strings.Join(fields, " and "), remedy, c.IfNull)
}

// notationNotes tell how ambiguous fields were read. The columns of a table that was there keep their types, whatever the flags.
func notationNotes(columns []delimited.Column, created bool) (notes []string) {
	empty := "empty fields are NULL in %s"
	if created {
		empty += ": --keep-empty keeps them as texts"
	}
	for _, kind := range []struct {
		says string
		is   func(c delimited.Column) bool
	}{
		{empty, func(c delimited.Column) bool { return c.EmptyNull }},
		{"texts begin or end with blanks in %s: those that differ in blanks alone are two values; UPDATE with TRIM makes them one", func(c delimited.Column) bool { return c.Blanks > 0 }},
		{"numbers are read with a decimal comma in %s", func(c delimited.Column) bool { return c.Notation == delimited.DecimalComma }},
		{"numbers are read with a decimal point, and what stands between groups of digits is left out, in %s", func(c delimited.Column) bool { return c.Notation == delimited.DecimalPoint }},
		{"points are read as decimal points, and all of them may group thousands as in 1.234, in %s: --decimal comma leaves them out, --decimal point keeps them",
			func(c delimited.Column) bool { return c.Doubt == delimited.Thousands }},
		{"dates are read as day, month, year in %s", func(c delimited.Column) bool { return c.Notation == delimited.DayFirst }},
		{"dates are read as month, day, year in %s", func(c delimited.Column) bool { return c.Notation == delimited.MonthFirst }},
		{"dates are read as year, month, day in %s", func(c delimited.Column) bool { return c.Notation == delimited.YearFirst }},
	} {
		var names []string
		for _, c := range columns {
			if kind.is(c) {
				names = append(names, c.Name)
			}
		}
		if len(names) > 0 {
			notes = append(notes, fmt.Sprintf(kind.says, strings.Join(names, ", ")))
		}
	}
	return notes
}
