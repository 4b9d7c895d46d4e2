package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is the release that the source belongs to.
const version = "0.1.0"

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			built := ""
			if info, ok := debug.ReadBuildInfo(); ok {
				built = " (" + info.GoVersion + ")"
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "anonsql %s%s\n", version, built)
			return err
		},
	}
}
