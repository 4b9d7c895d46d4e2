package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/anonsql/anonsql/cmd/anonsql/importer"
	"github.com/anonsql/anonsql/cmd/program"
)

func newImport() *cobra.Command {
	var (
		options          importer.Options
		target           string
		appends, replace bool
	)
	cmd := &cobra.Command{
		Use:   "import FILE --table db.name (--server host:port | --data-dir DIR)",
		Short: "Load a file (CSV, Excel's .xlsx, Parquet) into a table, its column types inferred",
		Long: "Load a file into a table, its column types inferred. All rows arrive or none.\n" +
			"The file is delimited text, as it is or compressed (gzip, bzip2, Zstandard, zip), a sheet of an Excel workbook (.xlsx), or Parquet;\n" +
			"what it is, and what separates its fields, is recognised.\n" +
			"--server loads into a running server, --data-dir into a directory that no server has open.",
		Example: `  anonsql import people.csv --table census.people --server 127.0.0.1:3306
  anonsql import people.csv --table census.people --data-dir ./anonsql-data --null '?' --null 'n/a, unknown'`,
		RunE: func(cmd *cobra.Command, arguments []string) error {
			if len(arguments) != 1 {
				return program.Misused(cmd, "%d files are given, must be one: anonsql import FILE --table database.table", len(arguments))
			}
			database, table, err := splitTable(cmd, target)
			if err != nil {
				return err
			}
			if (options.Server == "") == (options.DataDir == "") {
				return program.Misused(
					cmd,
					"say where to, one of: --server host:port of a running server, or --data-dir with a directory that no server has open",
				)
			}
			switch {
			case appends && replace:
				return program.Misused(cmd, "--append and --replace are given, must be one: --append keeps the table's rows, --replace does not")
			case options.Header && options.NoHeader:
				return program.Misused(cmd, "--header and --no-header are given, must be one: the first line has names, or is data")
			}
			options.File, options.Database, options.Table = arguments[0], database, table
			options.Progress = cmd.ErrOrStderr()
			switch {
			case appends:
				options.Policy = importer.Append
			case replace:
				options.Policy = importer.Replace
			}
			load := importer.ToDataDir
			if options.Server != "" {
				load = importer.ToServer
			}
			result, err := load(cmd.Context(), options)
			if err != nil {
				return err
			}
			return report(cmd, target, result)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&target, "table", "", "database.table to load into; made when missing")
	accountFlags(flags, &options.Server, &options.User, &options.Password, &options.TLS)
	flags.StringVar(&options.DataDir, "data-dir", "", "directory of the catalog")
	flags.StringArrayVar(&options.NullTokens, "null", nil, `a text that means NULL, such as --null '?'; several times for several`)
	flags.BoolVar(&options.KeepEmpty, "keep-empty", false, "empty fields among numbers or dates are no NULL: their column is text")
	flags.StringVar(&options.Dates, "dates", "", "dmy (31/12/2017) or mdy (12/31/2017), where a column's dates do not tell which")
	flags.StringVar(&options.Decimal, "decimal", "", "comma (1.234,50) or point (1,234.50), where a column's numbers do not tell which")
	flags.StringVar(&options.Delimiter, "delimiter", "", `what separates fields, such as ';' or '\t' (default: recognised)`)
	flags.StringVar(&options.Charset, "charset", "", "the text's character set: utf8, utf16, utf16le or latin1 (default utf8; UTF-16 is recognised)")
	flags.BoolVar(&options.NoHeader, "no-header", false, "the first line is data")
	flags.BoolVar(&options.Header, "header", false, "the first line has the columns' names, even if it looks like data")
	program.ListVar(flags, &options.Names, "names", "the columns' names, separated by commas, in place of the header's")
	flags.BoolVar(&options.NameEmpty, "name-empty", false, "columns with an empty name are called column_1 and so on")
	flags.StringVar(&options.Member, "member", "", "the file of a zip archive with several")
	flags.StringVar(&options.Sheet, "sheet", "", "the sheet of a workbook with several")
	flags.BoolVar(&appends, "append", false, "add rows to a table that exists")
	flags.BoolVar(&replace, "replace", false, "put a new table in the place of one that exists, or new rows into one that releases follow or that has roles")
	return cmd
}

// accountFlags declares the flags for a server and an account on it.
func accountFlags(flags *pflag.FlagSet, server, user, password, tls *string) {
	flags.StringVar(server, "server", "", "host:port of a running server")
	flags.StringVar(user, "user", "root", "account on the server")
	flags.StringVar(password, "password", "", "password of the account")
	flags.StringVar(tls, "tls", "", "encryption to the server: true, skip-verify or preferred (default none)")
}

// splitTable splits database.table, each optionally in backticks.
func splitTable(cmd *cobra.Command, target string) (database, table string, err error) {
	switch database, table, ok := strings.Cut(target, "."); {
	case target == "":
		return "", "", program.Misused(cmd, "--table is missing: database.table to load into")
	case !ok || database == "" || table == "" || strings.Contains(table, "."):
		return "", "", program.Misused(cmd, "--table is %q, must be database.table", target)
	default:
		return strings.Trim(database, "`"), strings.Trim(table, "`"), nil
	}
}

// report prints what was loaded, as a table of columns and types.
func report(cmd *cobra.Command, target string, result *importer.Result) error {
	out := cmd.OutOrStdout()
	for _, r := range result.Renamed {
		fmt.Fprintf(out, "column %q is called %s\n", r.Header, r.Column)
	}
	for _, c := range result.Columns {
		fmt.Fprintf(out, "  %-24s %s\n", c.Name, c.Type)
	}
	for _, note := range result.Notes {
		fmt.Fprintln(out, "note:", note)
	}
	_, err := fmt.Fprintf(out, "%d rows into %s in %v (%.0f rows/s)\n", result.Rows, target, result.Elapsed.Round(time.Millisecond), result.RowsPerSecond())
	return err
}
