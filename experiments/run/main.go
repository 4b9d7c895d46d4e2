// Command experiments repeats the papers' evaluations. It is separate from anonsql, which would otherwise link the
// packages that draw figures.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/anonsql/anonsql/cmd/anonsql/sample"
	"github.com/anonsql/anonsql/cmd/program"
	"github.com/anonsql/anonsql/cmd/version"
	"github.com/anonsql/anonsql/experiments"
	"github.com/anonsql/anonsql/experiments/evaluation"
)

func main() { program.Main(newCommand()) }

// A request has the flags of the command.
type request struct {
	csv, out string
	quick    bool
	seed     uint64
}

func newCommand() *cobra.Command {
	var r request
	cmd := &cobra.Command{
		Use:   "experiments NAME|all",
		Short: "Run the papers' evaluations again, and write figures and a report",
		Long: "Run the papers' evaluations again, on a CSV of UCI Adult or on the bundled sample: every figure as\n" +
			"CSV, SVG and PNG, and RESULTS.md, which says of each whether it agrees with the paper and, if not,\n" +
			"why. A paper is named by the method that it proposes; imputation and peers are our own. Each\n" +
			"part replaces the one that the directory has, the others stay. Ctrl-C keeps those that are finished.\n\n" + papers(),
		Example: `  experiments slppa --csv adult.csv --out .
  experiments all --quick`,
		Version:           version.Number,
		Args:              cobra.ArbitraryArgs, // the subcommand beside is not a paper
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		RunE: func(cmd *cobra.Command, arguments []string) error {
			if len(arguments) != 1 {
				return program.Misused(cmd, "%d names are given, must be one, or all:\n%s", len(arguments), papers())
			}
			chosen := experiments.All()
			if arguments[0] != "all" {
				one, err := experiments.ByName(arguments[0])
				if err != nil {
					return program.Misused(cmd, "%v, must be all or one of:\n%s", err, papers())
				}
				chosen = []evaluation.Experiment{one}
			}
			return r.run(cmd.Context(), chosen, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.AddCommand(newBeside(), newFrontier())
	flags := cmd.Flags()
	flags.StringVar(&r.csv, "csv", "", "UCI Adult, with or without a header (default the bundled sample, people who do not exist)")
	flags.StringVar(&r.out, "out", "experiments-results", "directory to write to")
	flags.BoolVar(&r.quick, "quick", false, "fewer records, settings and repetitions: seconds in the place of minutes")
	flags.Uint64Var(&r.seed, "seed", 1, "seed of everything random: the same seed, the same figures, but for times")
	return cmd
}

func papers() string {
	text := "Names:"
	for _, e := range experiments.All() {
		text += fmt.Sprintf("\n  %-11s  %s", e.Name, e.Title)
	}
	return text
}

// run executes experiments one after the other, and writes each result at once.
func (r *request) run(ctx context.Context, chosen []evaluation.Experiment, out, errs io.Writer) error {
	source, name, err := r.read(ctx)
	if err != nil {
		return err
	}
	if source.Incomplete > 0 {
		fmt.Fprintf(out, "%s: %d complete records, %d others are left out\n", name, source.Table.Rows, source.Incomplete)
	}
	// Find out before the measurements whether the directory is writable.
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	for _, experiment := range chosen {
		show, end := steps(errs)
		part, failure := evaluation.Execute(ctx, experiment, &evaluation.Run{
			Table: source.Table, Source: name, Quick: r.quick, Seed: r.seed, Progress: show,
		}, version.Number)
		end()
		if failure != nil && part == nil {
			return failure
		}
		written, err := part.Write(r.out, experiments.Names())
		if err != nil {
			return errors.Join(failure, err)
		}
		r.printVerdicts(out, part, written)
		if failure != nil {
			return failure
		}
	}
	_, err = fmt.Fprintln(out, "written:", filepath.Join(r.out, evaluation.Report))
	return err
}

// printVerdicts prints the verdicts of a paper.
func (r *request) printVerdicts(out io.Writer, part *evaluation.Part, written bool) {
	fmt.Fprintf(out, "%s  %s\n", part.Name, part.Title)
	for _, f := range part.Figures {
		fmt.Fprintf(out, "  %-26s %-24s %s\n", f.Printed, f.Verdict, f.Title)
	}
	switch {
	case !written && part.Interrupted:
		fmt.Fprintf(out, "  interrupted: %d figures were finished; nothing was written of this paper\n", len(part.Figures))
	case part.Interrupted:
		fmt.Fprintf(out, "  interrupted: the %d figures that were finished are written\n", len(part.Figures))
	default:
		fmt.Fprintf(out, "  took %s\n", (time.Duration(part.Seconds * float64(time.Second))).Round(100*time.Millisecond))
	}
}

// sampleSeed is the seed of the demonstration.
const sampleSeed = 1

// read returns the user's table, or the sample, and its name for the report.
func (r *request) read(ctx context.Context) (*evaluation.Source, string, error) {
	if r.csv == "" {
		text, into := io.Pipe()
		go func() { into.CloseWithError(sample.WriteCSV(into, sample.Rows, sampleSeed)) }()
		source, err := evaluation.ReadTable(ctx, text)
		text.CloseWithError(err) // an error ends the generator, nil a finished one
		return source, "the bundled sample (people who do not exist)", err
	}
	file, err := os.Open(r.csv)
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	source, err := evaluation.ReadTable(ctx, file)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", r.csv, err)
	}
	return source, nameOf(source), nil
}

// nameOf recognises UCI Adult by its columns. The report does not say whose file another table is.
func nameOf(source *evaluation.Source) string {
	for _, name := range []string{"age", "workclass", "education", "occupation", "relationship", "race", "native_country"} {
		if source.Table.Column(name) == nil {
			return "a table of the user's"
		}
	}
	return "UCI Adult"
}
