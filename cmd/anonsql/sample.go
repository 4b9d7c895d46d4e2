package main

import (
	"github.com/spf13/cobra"

	"github.com/anonsql/anonsql/cmd/anonsql/sample"
	"github.com/anonsql/anonsql/cmd/program"
)

func newSample() *cobra.Command {
	var rows int
	var seed uint64
	cmd := &cobra.Command{
		Use:     "sample > FILE.csv",
		Short:   "Print people who do not exist, as a CSV to try things with",
		Example: "  anonsql sample --rows 5000 > people.csv",
		RunE: func(cmd *cobra.Command, arguments []string) error {
			if len(arguments) > 0 {
				return program.Misused(cmd, "sample takes flags only, not %q", arguments[0])
			}
			if rows < 1 {
				return program.Misused(cmd, "--rows is %d, must be at least 1", rows)
			}
			return sample.WriteCSV(cmd.OutOrStdout(), rows, seed)
		},
	}
	cmd.Flags().IntVar(&rows, "rows", sample.Rows, "number of people")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "another seed, other people")
	return cmd
}
