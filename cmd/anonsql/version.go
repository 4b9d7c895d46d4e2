package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/anonsql/anonsql/cmd/version"
	_ "github.com/anonsql/anonsql/cmd/version/early" // answers the command line `version` without flags
)

// newVersion serves help, completion, the manual, and command lines with flags.
func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), version.Text())
			return err
		},
	}
}
