package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/anonsql/anonsql/catalog/maintenance"
	"github.com/anonsql/anonsql/cmd/program"
	"github.com/anonsql/anonsql/cmd/progress"
)

func newBackup() *cobra.Command {
	var dir string
	var force bool
	cmd := &cobra.Command{
		Use:   "backup FILE --data-dir DIR",
		Short: "Copy a data directory's catalog into a file, also while it is served",
		Long: "Copy the catalog of a data directory into a file, also while a server has it open: the copy\n" +
			"is of one moment, is checked, and has its name when it is whole. It has the raw tables and\n" +
			"the private sides of releases: keep it as safe as the directory. TLS keys are not in it.",
		Example: `  anonsql backup people.backup --data-dir ./anonsql-data
  anonsql restore people.backup --data-dir ./another-directory`,
		RunE: func(cmd *cobra.Command, arguments []string) error {
			if len(arguments) != 1 {
				return program.Misused(cmd, "%d files are given, must be one: anonsql backup FILE --data-dir DIR", len(arguments))
			}
			if dir == "" {
				return program.Misused(cmd, "--data-dir is missing: the directory of the catalog")
			}
			show, end := progress.Phases(cmd.ErrOrStderr(), maintenance.Copying)
			report, err := maintenance.Backup(cmd.Context(), dir, arguments[0], force, show)
			end()
			if err != nil {
				if report != nil {
					describe(cmd.OutOrStdout(), report)
				}
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), arguments[0], "is whole:", contents(report))
			return err
		},
	}
	cmd.Flags().StringVar(&dir, "data-dir", "", "directory of the catalog")
	cmd.Flags().BoolVar(&force, "force", false, "overwrite a file that exists")
	return cmd
}

func newRestore() *cobra.Command {
	var dir string
	var force bool
	cmd := &cobra.Command{
		Use:   "restore FILE --data-dir DIR",
		Short: "Put a backup into a data directory that no server has open",
		Long: "Put a backup into a data directory that no server has open. It is checked first. A directory\n" +
			"that has a catalog needs --force: the old catalog is kept beside the new one.",
		Example: `  anonsql restore people.backup --data-dir ./another-directory`,
		RunE: func(cmd *cobra.Command, arguments []string) error {
			if len(arguments) != 1 {
				return program.Misused(cmd, "%d files are given, must be one: anonsql restore FILE --data-dir DIR", len(arguments))
			}
			if dir == "" {
				return program.Misused(cmd, "--data-dir is missing: the directory to restore into")
			}
			show, end := progress.Phases(cmd.ErrOrStderr(), maintenance.Copying)
			report, err := maintenance.Restore(cmd.Context(), arguments[0], dir, force, show)
			end()
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			for _, note := range report.Narrowed {
				fmt.Fprintln(out, note)
			}
			if report.Replaced != "" {
				fmt.Fprintf(out, "the old catalog is kept as %s: it has data about people, remove it when it is of no use\n", report.Replaced)
			}
			_, err = fmt.Fprintf(out, "%s has the backup: %s\n", dir, contents(report.Catalog))
			return err
		},
	}
	cmd.Flags().StringVar(&dir, "data-dir", "", "directory to restore into")
	cmd.Flags().BoolVar(&force, "force", false, "replace the catalog of the directory")
	return cmd
}
