package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/anonsql/anonsql/cmd/anonsql/tuner"
	"github.com/anonsql/anonsql/cmd/program"
	"github.com/anonsql/anonsql/cmd/progress"
)

func newTune() *cobra.Command {
	var (
		options             tuner.Options
		methods, guarantees []string
		qi, sa              string
		values              []string
		sample, queries     int
		seed                string
	)
	cmd := &cobra.Command{
		Use:   "tune DATABASE.TABLE --server host:port",
		Short: "Try methods and parameters on a table; print the risk-utility frontier",
		Long: "Try methods with several parameters on a table of a running server, or on a sample of it, under\n" +
			"guarantees that every choice must meet. Prints the choices that no other one beats in risk and\n" +
			"in utility, each with the statement that publishes it. Nothing is stored.",
		Example: `  anonsql tune census.people --guarantee l=3 --server 127.0.0.1:3306
  anonsql tune census.people --methods slppa,arp,cross_bucket --target relative_error --server 127.0.0.1:3306
  anonsql tune census.people --methods mondrian --guarantee k=5 --try 'mondrian.k=5|10|20|40' --all --server 127.0.0.1:3306`,
		RunE: func(cmd *cobra.Command, arguments []string) error {
			if len(arguments) != 1 {
				return program.Misused(cmd, "%d tables are given, must be one: anonsql tune database.table", len(arguments))
			}
			if options.Server == "" {
				return program.Misused(cmd, "--server is missing: host:port of a running server")
			}
			options.Table = arguments[0]
			for _, pair := range slices.Concat(guarantees, values) {
				if !strings.Contains(pair, "=") {
					return program.Misused(cmd, "%q must be name=value", pair)
				}
				options.Arguments = append(options.Arguments, pair)
			}
			for _, option := range [][2]string{{"qi", qi}, {"sa", sa}, {"methods", strings.Join(methods, ",")}, {"seed", seed}} {
				if cmd.Flags().Changed(option[0]) {
					options.Arguments = append(options.Arguments, option[0]+"="+option[1])
				}
			}
			options.Arguments = append(options.Arguments, "target="+options.Target, "risk="+options.Risk,
				fmt.Sprintf("sample=%d", sample), fmt.Sprintf("queries=%d", queries))
			options.Progress, options.Drawn = progress.Phases(cmd.ErrOrStderr())
			return tuner.Run(cmd.Context(), cmd.OutOrStdout(), options)
		},
	}
	flags := cmd.Flags()
	accountFlags(flags, &options.Server, &options.User, &options.Password, &options.TLS)
	flags.Lookup("user").Usage += "; it must be allowed to read the table"
	program.ListVar(flags, &methods, "methods", "methods to try (default all)")
	program.ListVar(flags, &guarantees, "guarantee", "what every choice must meet, such as l=3, k=5, breach=0.4")
	flags.StringArrayVar(&values, "try", nil, "values of a parameter, such as 'slppa.tables=1|2|4'")
	flags.StringVar(&qi, "qi", "", "quasi-identifiers, where set_attributes has not said them or others are meant")
	flags.StringVar(&sa, "sa", "", "sensitive attributes, likewise")
	flags.StringVar(&options.Target, "target", "relative_error", "loss that is to be small: relative_error, median_relative_error, p95_relative_error, glp, imputed_error")
	flags.StringVar(&options.Risk, "risk", "breach", "risk that is to be small: breach, definetti, learned")
	flags.IntVar(&sample, "sample", 50_000, "records that are tried")
	flags.IntVar(&queries, "queries", 500, "random queries in every trial")
	flags.StringVar(&seed, "seed", "", "makes the run repeatable")
	flags.BoolVar(&options.All, "all", false, "print also dominated choices and what fails, with the reason")
	return cmd
}
