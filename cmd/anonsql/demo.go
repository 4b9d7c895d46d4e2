package main

import (
	"github.com/spf13/cobra"

	"github.com/anonsql/anonsql/cmd/anonsql/demo"
	"github.com/anonsql/anonsql/cmd/program"
)

func newDemo() *cobra.Command {
	var options demo.Options
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Load sample people, publish them, query them, and stay up to be queried",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if options.CSV == "" && (options.Sensitive != "" || len(options.QuasiIdentifiers) > 0) {
				return program.Misused(cmd, "--sa and --qi are about the columns of --csv, which is not given: the sample's are known")
			}
			options.Output, options.Progress = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return demo.Run(cmd.Context(), options)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&options.CSV, "csv", "", "use this CSV file with a header instead of the sample")
	flags.StringVar(&options.Sensitive, "sa", "", "the sensitive attribute of --csv (default: chosen by its values)")
	program.ListVar(flags, &options.QuasiIdentifiers, "qi", "the quasi-identifiers of --csv (default: chosen by their values)")
	flags.StringVar(&options.DataDir, "data-dir", "", "directory of the catalog (default: a temporary one, removed at the end)")
	flags.StringVar(&options.Listen, "listen", "127.0.0.1:3306", "host:port to listen on; a free port when it is taken")
	flags.StringVar(&options.Console, "console", "127.0.0.1:8080", "host:port for the console in the browser, on the loopback interface; a free port when it is taken; none when it is empty, or with --exit")
	flags.BoolVar(&options.Exit, "exit", false, "end after the session instead of serving on")
	return cmd
}
