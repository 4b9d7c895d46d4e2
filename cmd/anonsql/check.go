package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/maintenance"
	"github.com/anonsql/anonsql/cmd/program"
	"github.com/anonsql/anonsql/cmd/progress"
)

func newCheck() *cobra.Command {
	var dir, file string
	cmd := &cobra.Command{
		Use:   "check (--data-dir DIR | --file BACKUP)",
		Short: "Read everything in a data directory, or a backup, and say what is damaged",
		Long: "Read everything in a data directory that no server has open, or in a backup, and say what is\n" +
			"damaged and what to do. Nothing is changed. The exit code is 1 when something is damaged.",
		Example: `  anonsql check --data-dir ./anonsql-data
  anonsql check --file people.backup`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if (dir == "") == (file == "") {
				return program.Misused(cmd, "say what to check, one of: --data-dir with a directory that no server has open, or --file with a backup")
			}
			check, of := maintenance.CheckDirectory, dir
			if file != "" {
				check, of = maintenance.CheckFile, file
			}
			show, end := progress.Phases(cmd.ErrOrStderr())
			report, err := check(cmd.Context(), of, show)
			end()
			if err != nil {
				return err
			}
			describe(cmd.OutOrStdout(), report)
			if n := len(report.Findings); n > 0 {
				return fmt.Errorf("%s is damaged: %s", of, fault.Counted(int64(n), "finding"))
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), of, "is whole:", contents(report))
			return err
		},
	}
	cmd.Flags().StringVar(&dir, "data-dir", "", "directory of the catalog")
	cmd.Flags().StringVar(&file, "file", "", "a backup")
	return cmd
}

// describe lists the findings with their remedies.
func describe(out io.Writer, report *fault.Report) {
	for _, f := range report.Findings {
		fmt.Fprintf(out, "%s\n  -> %s\n", f.What, f.Do)
	}
	for _, note := range report.Notes {
		fmt.Fprintln(out, "note:", note)
	}
}

func contents(report *fault.Report) string {
	return fmt.Sprintf("%s with %s, %s", fault.Counted(report.Tables, "table"), fault.Counted(report.Rows, "row"), fault.Counted(report.Releases, "release"))
}
