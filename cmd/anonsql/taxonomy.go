package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/anonsql/anonsql/cmd/anonsql/importer"
	"github.com/anonsql/anonsql/cmd/program"
)

func newTaxonomy() *cobra.Command {
	var (
		options        importer.Options
		target, column string
	)
	cmd := &cobra.Command{
		Use:   "taxonomy FILE.csv --table db.name --column name --server host:port",
		Short: "Send the taxonomies of columns from files, as ARX writes hierarchies",
		Long: "Send the taxonomy of a column from a file to a running server. Each line is a value of\n" +
			"the column and what stands above it, level by level: 16;16-17;young;*\n" +
			"The last level is the root and the same on all lines. CALL set_taxonomy says it in SQL.\n" +
			"Several columns are column=FILE each, without --column; the first that does not fit ends it.",
		Example: `  anonsql taxonomy education.csv --table census.people --column education --server 127.0.0.1:3306
  anonsql taxonomy age=age.csv education=education.csv --table census.people --server 127.0.0.1:3306`,
		RunE: func(cmd *cobra.Command, arguments []string) error {
			var err error
			if options.Database, options.Table, err = splitTable(cmd, target); err != nil {
				return err
			}
			columns, files, err := filesOfColumns(cmd, arguments, column)
			if err != nil {
				return err
			}
			switch {
			case options.Server == "":
				return program.Misused(cmd, "--server is missing: host:port of a running server")
			case len([]rune(options.Delimiter)) != 1:
				return program.Misused(cmd, "--delimiter is %q, must be one character", options.Delimiter)
			}
			for i, column := range columns {
				options.File = files[i]
				sent, err := importer.SendTaxonomy(cmd.Context(), options, column)
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s.%s has a taxonomy of %d nodes, %d of them values, %d levels below '%s'\n",
					target, column, sent.Nodes, sent.Leaves, sent.Height, sent.Root)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&target, "table", "", "database.table of the column")
	flags.StringVar(&column, "column", "", "the column that the taxonomy is of, where one file is given")
	accountFlags(flags, &options.Server, &options.User, &options.Password, &options.TLS)
	flags.StringVar(&options.Delimiter, "delimiter", ";", "what separates the levels")
	return cmd
}

// filesOfColumns parses a file with its column's name, or several column=FILE.
func filesOfColumns(cmd *cobra.Command, arguments []string, column string) (columns, files []string, err error) {
	if column != "" || len(arguments) == 0 {
		if len(arguments) != 1 {
			return nil, nil, program.Misused(cmd, "%d files are given, must be one: anonsql taxonomy FILE.csv --table database.table --column name; "+
				"of several columns, column=FILE.csv each without --column", len(arguments))
		}
		return []string{column}, arguments, nil
	}
	for _, argument := range arguments {
		name, file, ok := strings.Cut(argument, "=")
		if !ok || name == "" || file == "" {
			return nil, nil, program.Misused(cmd, "--column is missing: the column that the taxonomy in %s is of; or write column=FILE.csv", argument)
		}
		columns, files = append(columns, name), append(files, file)
	}
	return columns, files, nil
}
