package main

import (
	"bytes"
	"io"

	"github.com/spf13/cobra"

	"github.com/anonsql/anonsql/cmd/anonsql/sample"
	"github.com/anonsql/anonsql/cmd/program"
	"github.com/anonsql/anonsql/cmd/progress"
)

func newSample() *cobra.Command {
	var rows int
	var seed uint64
	var visits bool
	cmd := &cobra.Command{
		Use:     "sample > FILE.csv",
		Short:   "Print people who do not exist, as a CSV to try things with",
		Example: "  anonsql sample --rows 5000 > people.csv\n  anonsql sample --visits > visits.csv",
		RunE: func(cmd *cobra.Command, arguments []string) error {
			if len(arguments) > 0 {
				return program.Misused(cmd, "sample takes flags only, not %q", arguments[0])
			}
			if rows < 1 {
				return program.Misused(cmd, "--rows is %d, must be at least 1", rows)
			}
			out := &countedLines{w: cmd.OutOrStdout()}
			if terminal := cmd.ErrOrStderr(); !progress.OnTerminal(out.w) { // else the user sees the lines themselves
				show, end := progress.Phases(terminal)
				defer end()
				out.written = func(lines int64) { show("rows", lines, int64(rows)) }
			}
			if visits {
				return sample.WriteVisitsCSV(out, rows, seed)
			}
			return sample.WriteCSV(out, rows, seed)
		},
	}
	cmd.Flags().IntVar(&rows, "rows", sample.Rows, "number of people, or of visits")
	cmd.Flags().BoolVar(&visits, "visits", false, "a table of visits: 1 to 10 rows a patient")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "another seed, other people")
	return cmd
}

// countedLines reports the number of written lines to written, unless that is nil.
type countedLines struct {
	w       io.Writer
	written func(lines int64)
	lines   int64
}

// Write implements io.Writer.
func (c *countedLines) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	if c.written != nil {
		c.lines += int64(bytes.Count(b[:n], []byte("\n")))
		c.written(c.lines)
	}
	return n, err
}
