package main

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/anonsql/anonsql/cmd/anonsql/importer"
	"github.com/anonsql/anonsql/cmd/program"
	"github.com/anonsql/anonsql/console"
	"github.com/anonsql/anonsql/server"
)

// consoleFlags say where the browser console listens.
type consoleFlags struct {
	listen string
	hosts  []string
	ready  func(net.Addr) // for tests; may be nil
}

func (f *consoleFlags) define(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.listen, "console", "", "host:port for the console in the browser, such as 127.0.0.1:8080; who uses it signs in with a MySQL account; on an address other than loopback by TLS (default none)")
	program.ListVar(cmd.Flags(), &f.hosts, "console-host", "names by which browsers may ask for the console, beside its addresses and the names in the certificate")
}

// configure adds the console to the server's neighbours.
func (f *consoleFlags) configure(config *server.Config) error {
	if f.listen == "" {
		return nil
	}
	if slices.Contains(f.hosts, "") {
		return errors.New("a name of --console-host is empty: write --console-host data.example.org")
	}
	address, err := console.Address(f.listen)
	if err != nil {
		return err
	}
	config.BesideListen = address
	directory := filepath.Join(config.DataDir, "console")
	other := config.Beside
	config.Beside = func(ctx context.Context, inside server.Inside) error {
		serve := func(ctx context.Context) error {
			return console.Serve(ctx, console.Config{Listen: f.listen, Hosts: f.hosts, Dial: inside.Dial, TLS: inside.TLS,
				Data: directory, Import: importer.LoadFile,
				HasAccount: inside.HasAccount, Logger: inside.Logger, Ready: f.ready})
		}
		if other == nil {
			return serve(ctx)
		}
		return runBoth(ctx, serve, func(ctx context.Context) error { return other(ctx, inside) })
	}
	return nil
}

// runBoth runs two parts until ctx ends. When one ends, it ends the other and returns the first error.
func runBoth(ctx context.Context, a, b func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 2)
	for _, part := range []func(context.Context) error{a, b} {
		go func() { ended <- part(ctx) }()
	}
	first := <-ended
	cancel()
	if second := <-ended; first == nil {
		return second
	}
	return first
}
