package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/cmd/program"
	"github.com/anonsql/anonsql/experiments/evaluation"
	"github.com/anonsql/anonsql/experiments/peers"
)

// newBeside is the command to measure other tools (docs/peers.md): it writes the same files for all, makes our
// release in its own process, and scores all results alike.
func newBeside() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "beside",
		Short: "Measure other tools beside ours: the same files, and one scorer for all",
		Long: "Measure other tools beside ours. files writes a table and hierarchies for all tools, release writes the\n" +
			"records of a release of ours as other tools write theirs, and score judges files of generalized\n" +
			"records, whoever wrote them.",
	}
	cmd.AddCommand(newFiles(), newRelease(), newScore())
	return cmd
}

func newFiles() *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use:     "files DIRECTORY",
		Short:   "Write the complete records of UCI Adult, and hierarchies of its attributes",
		Example: "  experiments beside files beside-adult --csv adult.csv",
		RunE: func(cmd *cobra.Command, arguments []string) error {
			if len(arguments) != 1 || from == "" {
				return program.Misused(cmd, "one directory and --csv must be given")
			}
			table, err := peers.ReadAdult(cmd.Context(), from)
			if err != nil {
				return err
			}
			if err := table.WriteFiles(arguments[0]); err != nil {
				return err
			}
			_, err = fmt.Fprintf(
				cmd.OutOrStdout(),
				"written: %s, %d records, and %d hierarchies\n",
				filepath.Join(arguments[0], peers.TableFile),
				table.Rows,
				len(table.Hierarchies),
			)
			return err
		},
	}
	cmd.Flags().StringVar(&from, "csv", "", "UCI Adult, with or without a header")
	return cmd
}

func newRelease() *cobra.Command {
	var without bool
	var seed uint64
	cmd := &cobra.Command{
		Use:     "release DIRECTORY METHOD FILE [KEY=VALUE ...]",
		Short:   "Write the records of a release of the directory's table",
		Example: "  experiments beside release beside-adult mondrian mondrian.csv k=5 l=3",
		RunE: func(cmd *cobra.Command, arguments []string) error {
			if len(arguments) < 3 {
				return program.Misused(cmd, "a directory, a method and a file must be given")
			}
			parameters := anonymize.Arguments{}
			for _, text := range arguments[3:] {
				key, value, ok := strings.Cut(text, "=")
				if !ok {
					return program.Misused(cmd, "'%s' must be KEY=VALUE", text)
				}
				parameters[key] = value
			}
			table, err := readTable(cmd.Context(), arguments[0])
			if err != nil {
				return err
			}
			if without {
				table.Hierarchies = nil
			}
			r, err := table.Release(cmd.Context(), arguments[1], parameters, rand.NewPCG(seed, 1))
			if err != nil {
				return err
			}
			return toFile(arguments[2], func(w io.Writer) error { return peers.WriteRecords(w, r) })
		},
	}
	cmd.Flags().BoolVar(&without, "without-hierarchies", false, "leave the hierarchies out")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of everything random")
	return cmd
}

func newScore() *cobra.Command {
	var queries int
	var seed uint64
	cmd := &cobra.Command{
		Use:     "score DIRECTORY NAME=FILE ...",
		Short:   "Judge files of generalized records of the directory's table",
		Example: "  experiments beside score beside-adult mondrian=mondrian.csv ARX=arx.csv",
		RunE: func(cmd *cobra.Command, arguments []string) error {
			if len(arguments) < 2 {
				return program.Misused(cmd, "a directory and at least one NAME=FILE must be given")
			}
			table, err := readTable(cmd.Context(), arguments[0])
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), scoreHeader)
			for _, text := range arguments[1:] {
				name, path, ok := strings.Cut(text, "=")
				if !ok {
					return program.Misused(cmd, "'%s' must be NAME=FILE", text)
				}
				s, err := scoreFile(cmd.Context(), table, path, queries, seed)
				if err != nil {
					return fmt.Errorf("%s: %w", path, err)
				}
				fmt.Fprintln(cmd.OutOrStdout(), scoreLine(name, table.Rows, s))
			}
			return nil
		},
	}
	cmd.Flags().IntVar(&queries, "queries", 2000, "counts that are asked")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the counts")
	return cmd
}

const scoreHeader = "| name | k | greatest share | suppressed | classes | NCP | LM | C_DM | C_DM, suppressed at n | error of counts, mean | median |\n" +
	"|---|---|---|---|---|---|---|---|---|---|---|"

// scoreLine is a line of the table of docs/peers.md.
func scoreLine(name string, rows int, s *peers.Score) string {
	return fmt.Sprintf(
		"| %s | %d | %.3f | %.1f %% | %d | %.3f | %.3f | %.4g | %.4g | %.3f | %.3f |",
		name,
		s.K,
		s.Share,
		100*float64(s.Suppressed)/float64(rows),
		s.Classes,
		s.Penalty,
		s.Granularity,
		s.Discernibility,
		s.DiscernibilitySuppressed,
		s.Errors.Mean,
		s.Errors.Median,
	)
}

// readTable reads the files of a directory.
func readTable(ctx context.Context, directory string) (*peers.Table, error) {
	file, err := os.Open(filepath.Join(directory, peers.TableFile))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	source, err := evaluation.ReadTable(ctx, file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Name(), err)
	}
	return peers.WithHierarchies(source.Table, os.DirFS(directory))
}

func scoreFile(ctx context.Context, table *peers.Table, path string, queries int, seed uint64) (*peers.Score, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r, err := table.ReadRecords(ctx, file)
	if err != nil {
		return nil, err
	}
	return table.Score(ctx, r, peers.Counts(queries, seed))
}

func toFile(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}
