package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/anonsql/anonsql/cmd/version"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), versionText())
			return err
		},
	}
}

func versionText() string {
	built := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		built = " (" + info.GoVersion + ")"
	}
	return "anonsql " + version.Number + built
}
