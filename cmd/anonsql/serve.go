package main

import (
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/anonsql/anonsql/server"
)

func newServe() *cobra.Command {
	config := server.Config{Extend: server.Product}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve a data directory to MySQL clients",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config.Logger = slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
			return server.Run(cmd.Context(), config)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&config.DataDir, "data-dir", "./anonsql-data", "directory of the catalog; made when it is missing")
	flags.StringVar(&config.Listen, "listen", "127.0.0.1:3306", "host:port to listen on")
	flags.StringVar(&config.TLSCert, "tls-cert", "", "PEM file of the TLS certificate")
	flags.StringVar(&config.TLSKey, "tls-key", "", "PEM file of the certificate's key")
	flags.BoolVar(&config.RequireTLS, "require-tls", false, "refuse connections that are not encrypted")
	flags.IntVar(&config.MaxConnections, "max-connections", 151, "number of clients connected at once")
	flags.DurationVar(&config.ShutdownGrace, "shutdown-grace", 0, "how long running statements may finish on shutdown (default 5s)")
	return cmd
}
