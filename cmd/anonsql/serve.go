package main

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/anonsql/anonsql/cmd/program"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/machine"
)

func newServe() *cobra.Command {
	config := server.Config{Extend: server.Product}
	var format string
	var upstream upstreamFlags
	var distributed engineFlags
	var browser consoleFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve a data directory to MySQL clients",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch format {
			case "text":
				config.Logger = slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
			case "json":
				config.Logger = slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), nil))
			default:
				return program.Misused(cmd, "--log-format is %q, must be text or json", format)
			}
			if err := refuseOrphans(cmd.Flags()); err != nil {
				return program.Misused(cmd, "%v", err)
			}
			if err := upstream.configure(&config); err != nil {
				return program.Misused(cmd, "%v", err)
			}
			if err := browser.configure(&config); err != nil {
				return program.Misused(cmd, "%v", err)
			}
			client, err := distributed.configure(&config)
			if err != nil {
				return program.Misused(cmd, "%v", err)
			}
			defer client.Close()
			return server.Run(cmd.Context(), config)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&config.DataDir, "data-dir", "./anonsql-data", "directory of the catalog; made when it is missing")
	flags.StringVar(&config.ExportDir, "export-dir", "", "directory below which CALL export_release writes and CALL import_release reads (default none: both are refused)")
	flags.StringVar(&config.Listen, "listen", "127.0.0.1:3306", "host:port to listen on")
	flags.StringVar(&config.TLSCert, "tls-cert", "", "PEM file of the TLS certificate")
	flags.StringVar(&config.TLSKey, "tls-key", "", "PEM file of the certificate's key")
	flags.BoolVar(&config.TLSSelfSigned, "tls-self-signed", false, "make a TLS certificate in the data directory once, and use it; its fingerprint is logged (default on an address other than loopback)")
	flags.BoolVar(&config.RequireTLS, "require-tls", false, "refuse connections that are not encrypted (default on an address other than loopback)")
	flags.BoolVar(&config.AllowPlaintext, "allow-plaintext", false, "let clients log in without TLS on an address other than loopback")
	flags.IntVar(&config.MaxConnections, "max-connections", 151, "number of clients logged in at once; administrators may be three more")
	flags.IntVar(&config.MaxAddressConnections, "max-address-connections", 0, "of these, from one address (default three quarters of --max-connections, and no limit for the loopback interface)")
	flags.IntVar(&config.MaxUserConnections, "max-user-connections", 0, "of these, of one account, beside the account's own limit (default no limit)")
	flags.DurationVar(&config.ConnectTimeout, "connect-timeout", 10*time.Second, "time for logging in; what takes longer is closed")
	flags.BoolVar(&config.InProcess, "in-process", false,
		"run statements of accounts that read releases only in the server's process, where nothing can end some of them, instead of in processes of their own")
	flags.DurationVar(&config.StatementTimeout, "statement-timeout", 0,
		"time for a statement of any account that reads published data only, such as 30s, beside the account's own limit (default none)")
	flags.IntVar(&config.MaxResultRows, "max-result-rows", 0, "rows of a result of any such account, beside its own limit (default none)")
	flags.Var((*bytesFlag)(&config.MaxResultBytes), "max-result-bytes", "size of a result of any such account, such as 8MiB, beside its own limit (default none)")
	config.MemoryLimit = machine.DefaultMemoryLimit()
	flags.Var((*bytesFlag)(&config.MemoryLimit), "memory-limit",
		"memory that the server may hold before it ends the session that holds the most, such as 4GiB; 0 for no limit (default three quarters of the machine's, or of the control group's)")
	flags.Lookup("memory-limit").DefValue = "" // the help describes it, since it depends on the machine
	flags.IntVar(&config.AuditDays, "audit-days", 90, "days for which entries of anonsql.audit are kept; -1 for ever")
	flags.DurationVar(&config.ShutdownGrace, "shutdown-grace", 0, "how long running statements may finish on shutdown (default 5s)")
	flags.StringVar(&config.MetricsListen, "metrics-listen", "", "host:port for /metrics (Prometheus), /healthz and /readyz, without authentication; :9104 is the loopback interface")
	upstream.define(cmd)
	distributed.define(cmd)
	browser.define(cmd)
	flags.StringVar(&format, "log-format", "text", "text or json, on standard error")
	return cmd
}

// refuseOrphans refuses flags of a neighbour that is not configured: they would have no effect.
func refuseOrphans(flags *pflag.FlagSet) (err error) {
	neighbours := map[string]string{"owners": "upstream", "upstream": "upstream", "engine": "engine", "console": "console"}
	flags.Visit(func(given *pflag.Flag) {
		first, _, several := strings.Cut(given.Name, "-")
		neighbour := neighbours[first]
		if several && neighbour != "" && flags.Lookup(neighbour).Value.String() == "" {
			err = fmt.Errorf("--%s has no effect without --%s: name it (--%s), or leave the flag out", given.Name, neighbour, neighbour)
		}
	})
	return err
}
