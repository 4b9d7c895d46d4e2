package main

import (
	"errors"

	"github.com/spf13/cobra"
)

// newMoved answers for the command `experiments` of former releases. Without it
// cobra would say that the command is unknown, and not where it went.
func newMoved() *cobra.Command {
	return &cobra.Command{
		Use:                "experiments",
		Hidden:             true,
		DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			return errors.New("experiments is a program of its own: go run ./cmd/experiments, with the same flags")
		},
	}
}
