package importer

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/anonsql/anonsql/catalog/delimited"
	"github.com/anonsql/anonsql/catalog/tabular"
	"github.com/anonsql/anonsql/quoting"
)

// A Policy decides what happens to an existing table.
type Policy int

const (
	Create  Policy = iota // fail
	Append                // add rows; columns match by name
	Replace               // replace the table; only its rows if dropping the table would lose something
)

// Options describe what to import, and where to.
type Options struct {
	// File is the path of delimited text, a workbook or a Parquet file (package tabular). Required. It is read twice.
	File string
	// Database and Table are the destination. Required. A missing database is created.
	Database, Table string
	// Server is the host:port of a running server; User and Password are an account there.
	// Required by ToServer.
	Server, User, Password string
	// TLS is in the driver's terms: "", "true", "skip-verify" or "preferred". Defaults to none.
	TLS string
	// DataDir is a data directory. Required by ToDataDir.
	DataDir string
	// Policy defaults to Create.
	Policy Policy
	// NullTokens are the texts that mean NULL, such as "?" and "". Defaults to none: an empty field is then NULL in
	// columns of numbers, dates and booleans, otherwise an empty string.
	NullTokens []string
	// KeepEmpty keeps empty fields as empty strings, which make their column text.
	KeepEmpty bool
	// Dates is "dmy" or "mdy": the order of dates such as 01/02/2017 in ambiguous columns. By
	// default such a column is text.
	Dates string
	// Decimal is "comma" or "point": the decimal sign of numbers such as 1,234 and 1.234 in
	// ambiguous columns. By default 1,234 is text, and 1.234 a decimal, with a note.
	Decimal string
	// Delimiter separates fields; \t and tab mean a tab. Recognised by default: a comma,
	// semicolon, tab or bar.
	Delimiter string
	// NoHeader means that the first line is data; Header means that it has names even if it looks like data.
	NoHeader, Header bool
	// Names are the columns' names; they replace those of a header.
	Names []string
	// NameEmpty names columns with an empty header: column_1 for the first.
	NameEmpty bool
	// Charset is the text's encoding: utf8, utf16, utf16le or latin1. Defaults to UTF-8, or a
	// recognised UTF-16.
	Charset string
	// Member selects the file of a zip archive, Sheet the sheet of a workbook. They default to
	// the only one.
	Member, Sheet string
	// Memory bounds what a workbook or a Parquet file takes (package tabular), in bytes. Defaults to 1 GiB.
	Memory int64
	// Progress receives a progress bar if it is a terminal. May be nil.
	Progress io.Writer
}

// A Result describes a finished import.
type Result struct {
	Rows    int64
	Bytes   int64 // of the file
	Columns []delimited.Column
	Renamed []Rename // headers that were not plain names
	Created bool     // the table is new
	Notes   []string // on what the user may not have intended
	Elapsed time.Duration
}

// A Rename is a header and its column's name.
type Rename struct{ Header, Column string }

// RowsPerSecond is the speed of the whole import, including the inference of types.
func (r *Result) RowsPerSecond() float64 {
	if r.Elapsed <= 0 {
		return 0
	}
	return float64(r.Rows) / r.Elapsed.Seconds()
}

func (o Options) check() error {
	switch {
	case o.File == "":
		return errors.New("no file to import is given")
	case o.Database == "" || o.Table == "":
		return errors.New("no table to import into is given: write it as database.table")
	case o.Dates != "" && o.Dates != "dmy" && o.Dates != "mdy":
		return fmt.Errorf("--dates is %q, must be dmy (31/12/2017) or mdy (12/31/2017)", o.Dates)
	case o.Decimal != "" && o.Decimal != "comma" && o.Decimal != "point":
		return fmt.Errorf("--decimal is %q, must be comma (1.234,50) or point (1,234.50)", o.Decimal)
	case o.Policy < Create || o.Policy > Replace:
		return fmt.Errorf("import policy %d is unknown", o.Policy)
	}
	return nil
}

// file returns the options for reading the file.
func (o Options) file() tabular.Options {
	t := tabular.Options{Delimiter: o.Delimiter, Charset: o.Charset, Member: o.Member, Sheet: o.Sheet, Memory: o.Memory}
	switch {
	case o.NoHeader:
		t.Header = tabular.Data
	case o.Header:
		t.Header = tabular.Names
	}
	return t
}

// dates returns Dates as a notation.
func (o Options) dates() delimited.Notation {
	return map[string]delimited.Notation{"dmy": delimited.DayFirst, "mdy": delimited.MonthFirst}[o.Dates]
}

// decimal returns Decimal as a notation.
func (o Options) decimal() delimited.Notation {
	return map[string]delimited.Notation{"comma": delimited.DecimalComma, "point": delimited.DecimalPoint}[o.Decimal]
}

// quoted returns the qualified, quoted name of a table of the database.
func (o Options) quoted(table string) string {
	return quoting.Name(o.Database, table)
}

// replaced is the old table's name during its replacement.
func (o Options) replaced() string { return o.Table + "__replaced" }

// mark is the comment of a table that an import creates.
func (o Options) mark() string { return "imported by anonsql as " + o.Table }

// lost returns a query for what replacing the table would lose: releases that follow it, and its owner's declarations; one line for each.
func (o Options) lost() string {
	// For an owner's server, a database's name follows the server's address.
	own := func(name string) string {
		return "LOWER(IF(" + name + " LIKE 'mysql://%', SUBSTRING_INDEX(" + name + ", '/', -1), " + name + "))"
	}
	of := fmt.Sprintf(" WHERE %s = LOWER(%s) AND LOWER(`table`) = LOWER(%s)", own("`database`"), quoting.Text(o.Database), quoting.Text(o.Table))
	// A release that no longer follows its table has a problem and no number of pending records.
	return "SELECT CONCAT('release ', name, ' follows it') FROM anonsql.releases WHERE updates IS NOT NULL AND status <> 'earlier version'" +
		" AND (pending IS NOT NULL OR refresh_problem IS NULL) AND " + own("source") + " = LOWER(" + quoting.Text(o.Database+"."+o.Table) + ")" +
		" UNION ALL SELECT DISTINCT 'its columns have roles' FROM anonsql.attributes" + of +
		" UNION ALL SELECT DISTINCT 'its columns have taxonomies' FROM anonsql.taxonomies" + of
}
