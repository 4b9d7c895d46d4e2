package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/anonsql/anonsql/cmd/anonsql/client"
	"github.com/anonsql/anonsql/cmd/program"
	"github.com/anonsql/anonsql/experiments/frontier"
)

// A frontierRequest has the flags of the command.
type frontierRequest struct {
	account           client.Account
	table, sa, out    string
	qi                []string
	releases, foreign []string
}

// newFrontier measures releases of a table of a running server (docs/attacks.md).
func newFrontier() *cobra.Command {
	var r frontierRequest
	cmd := &cobra.Command{
		Use:   "frontier",
		Short: "Measure releases of a server's table: the error of answers against attacks",
		Long: "Measure releases of a table that a running server has: each is published as a private one, asked, and\n" +
			"dropped. Records must be complete. Numbers are asked for in bands of the width behind their names.\n" +
			"Another tool's records are asked the same questions.",
		Example: "  experiments frontier --server 127.0.0.1:3306 --table census.adult --qi age:8,sex,hours_per_week:8 --sa occupation \\\n" +
			"    --release 'anatomy l=5' --release 'anatomy l=5 size=50 model=counts' --synthetic MST=mst.csv",
		RunE: func(cmd *cobra.Command, arguments []string) error {
			if len(arguments) > 0 || r.table == "" || r.sa == "" || len(r.qi) == 0 {
				return program.Misused(cmd, "--table, --qi and --sa must be given, and nothing beside flags")
			}
			return r.run(cmd)
		},
	}
	cmd.AddCommand(newFrontierPlot())
	flags := cmd.Flags()
	flags.StringVar(&r.account.Server, "server", "127.0.0.1:3306", "host:port of a running server")
	flags.StringVar(&r.account.User, "user", "root", "account that may read the table")
	flags.StringVar(&r.account.Password, "password", "", "password of the account")
	flags.StringVar(&r.table, "table", "", "database.table")
	flags.StringSliceVar(&r.qi, "qi", nil, "quasi-identifiers, numbers with the width of their bands: age:8,sex")
	flags.StringVar(&r.sa, "sa", "", "sensitive attribute")
	flags.StringArrayVar(&r.releases, "release", nil, "method and options, such as 'anatomy l=5 size=50 model=counts'; several times for several")
	flags.StringArrayVar(&r.foreign, "synthetic", nil, "NAME=FILE.csv, another tool's records; several times for several")
	flags.StringVar(&r.out, "out", "", "file for all figures, as JSON lines, added to what it has")
	return cmd
}

func (r *frontierRequest) run(cmd *cobra.Command) error {
	var attributes []frontier.Attribute
	for _, text := range append(r.qi, r.sa) {
		a, err := frontier.ParseAttribute(text)
		if err != nil {
			return err
		}
		attributes = append(attributes, a)
	}
	server, err := r.account.Open(cmd.Context())
	if err != nil {
		return err
	}
	defer server.Close()
	bench, err := frontier.NewBench(cmd.Context(), server, r.table, attributes)
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s, %d records\n\n%s\n", r.table, bench.Table.Rows, frontier.Header)
	for _, statement := range r.releases {
		p, err := bench.Release(cmd.Context(), statement)
		if err := r.report(cmd.OutOrStdout(), p, err); err != nil {
			return err
		}
	}
	for _, text := range r.foreign {
		tool, path, _ := strings.Cut(text, "=")
		records, err := readForeign(path, attributes)
		if err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
		p, err := bench.Synthetic(cmd.Context(), tool, records)
		if err := r.report(cmd.OutOrStdout(), p, err); err != nil {
			return err
		}
	}
	return nil
}

// measured is a line of the file.
type measured struct {
	Table string
	*frontier.Point
}

// newFrontierPlot draws the points of a file.
func newFrontierPlot() *cobra.Command {
	return &cobra.Command{
		Use:     "plot FIGURES TABLE FILE.svg|FILE.png",
		Short:   "Draw the figures of a table from a file that --out has written",
		Example: "  experiments frontier plot figures.jsonl census.adult adult.svg",
		RunE: func(cmd *cobra.Command, arguments []string) error {
			if len(arguments) != 3 {
				return program.Misused(cmd, "a file of figures, a table and a file to write must be given")
			}
			file, err := os.Open(arguments[0])
			if err != nil {
				return err
			}
			defer file.Close()
			points, err := readPoints(file, arguments[1])
			if err != nil {
				return fmt.Errorf("%s: %w", arguments[0], err)
			}
			_, name, _ := strings.Cut(arguments[1], ".")
			figure := frontier.Plot(name, points)
			if strings.HasSuffix(arguments[2], ".png") {
				return toFile(arguments[2], figure.WritePNG)
			}
			return toFile(arguments[2], figure.WriteSVG)
		},
	}
}

// readPoints reads the points of a table, at least one.
func readPoints(from io.Reader, table string) (points []*frontier.Point, err error) {
	for lines := json.NewDecoder(from); ; {
		var m measured
		if err := lines.Decode(&m); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		if m.Table == table {
			points = append(points, m.Point)
		}
	}
	if len(points) == 0 {
		return nil, fmt.Errorf("there are no figures of %s", table)
	}
	return points, nil
}

func readForeign(path string, attributes []frontier.Attribute) (*frontier.Table, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return frontier.ReadCSV(file, attributes)
}

// report prints a point, and adds it to the file.
func (r *frontierRequest) report(out io.Writer, p *frontier.Point, err error) error {
	if err != nil {
		return err
	}
	fmt.Fprintln(out, p.Line())
	if r.out == "" {
		return nil
	}
	line, err := json.Marshal(measured{r.table, p})
	if err != nil {
		return err
	}
	file, err := os.OpenFile(r.out, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(append(line, '\n'))
	return errors.Join(err, file.Close())
}
