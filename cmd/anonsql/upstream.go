package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/anonsql/anonsql/engine"
	"github.com/anonsql/anonsql/proxy"
	"github.com/anonsql/anonsql/relay"
	"github.com/anonsql/anonsql/server"
)

// upstreamFlags say which MySQL or MariaDB server owners reach through anonsql.
type upstreamFlags struct {
	upstream, listen, tls, ca string
	ready                     func(net.Addr) // for tests; may be nil
}

func (f *upstreamFlags) define(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.upstream, "upstream", "", "the owner's own MySQL or MariaDB server, such as mysql://db.example:3306 or unix:///run/mysqld/mysqld.sock; owners reach it at --owners-listen (default none)")
	flags.StringVar(&f.listen, "owners-listen", "127.0.0.1:3307", "host:port for owners, with --upstream: their server, and CALL anonymize on the same connection")
	flags.StringVar(&f.tls, "upstream-tls", "", "required, verify-ca or off: TLS to the upstream server (default required, and off for this machine)")
	flags.StringVar(&f.ca, "upstream-ca", "", "PEM file of the certificates that sign the upstream server's, with --upstream-tls=verify-ca (default the system's)")
}

// configure adds the owners' side to the server's configuration, if there is an upstream.
func (f *upstreamFlags) configure(config *server.Config) error {
	if f.upstream == "" {
		return nil
	}
	upstream, known, err := f.relay()
	if err != nil {
		return err
	}
	name, exposed := upstream.Address, server.Exposed(f.listen)
	config.Beside = func(ctx context.Context, inside server.Inside) error {
		if upstream.UpstreamTLS != nil || upstream.Network == "unix" {
			upstream.ClientTLS = inside.TLS
		}
		upstream.RequireTLS = exposed && !config.AllowPlaintext
		if upstream.RequireTLS && upstream.ClientTLS == nil {
			return fmt.Errorf("--owners-listen %s can be reached from elsewhere, so owners must use TLS, and so must anonsql to the upstream server, "+
				"which gets their passwords: name a certificate (--tls-cert, --tls-key, or --tls-self-signed) and use --upstream-tls=required, or say --allow-plaintext", f.listen)
		}
		p, err := proxy.New(proxy.Config{Upstream: upstream, Name: name, KnownAs: known, Store: inside.Catalog.Store, Connect: inside.Connect,
			Database: inside.Ours, Procedure: inside.Procedure, TableFunction: inside.TableFunction, Function: inside.Function, Variable: inside.Variable,
			Databases: inside.Databases, Logger: inside.Logger})
		if err != nil {
			return err
		}
		inside.Gauge("anonsql_owners_connected", "Owners who are logged in to the upstream server and have sent a statement.", func() float64 { return float64(p.Owners()) })
		inside.Gauge("anonsql_upstream_reached", "1 if the upstream server was reached when it was connected to last, or nobody has connected.", func() float64 {
			if p.Trouble() != nil {
				return 0
			}
			return 1
		})
		inside.Health(server.Neighbour{Name: "owners", Ready: p.Ready, Line: func() string {
			if err := p.Trouble(); err != nil {
				return fmt.Sprintf("upstream %s: %v", name, err)
			}
			return fmt.Sprintf("upstream %s: ok when it was connected to last", name)
		}})
		listener, err := net.Listen("tcp", f.listen)
		if err != nil {
			return fmt.Errorf("cannot listen on %s for owners: %w", f.listen, err)
		}
		inside.Logger.Info("ready for owners", "address", listener.Addr().String(), "upstream", name,
			"tls", upstream.ClientTLS != nil, "upstream_tls", upstream.UpstreamTLS != nil, slog.Bool("require_tls", upstream.RequireTLS))
		if f.ready != nil {
			f.ready(listener.Addr())
		}
		return p.Serve(ctx, listener)
	}
	return nil
}

// relay converts the flags to the relay's configuration, and under which address upstream is known, "" if nobody says it.
func (f *upstreamFlags) relay() (c relay.Config, known string, err error) {
	u, err := url.Parse(f.upstream)
	if err == nil {
		known = u.Query().Get("known_as")
	}
	switch {
	case err != nil || u.RawQuery != "" && (known == "" || len(u.Query()) > 1):
		return c, "", fmt.Errorf("--upstream is %q, must be mysql://host:port or unix:///path/of/socket, with ?known_as=address after it at most", f.upstream)
	case u.User != nil:
		return c, "", fmt.Errorf("--upstream has an account in it: owners log in with their own, and anonsql needs none")
	case u.Scheme == "mysql" && u.Hostname() != "" && (u.Path == "" || u.Path == "/"):
		port := u.Port()
		if port == "" {
			port = "3306"
		}
		c.Network, c.Address = "tcp", net.JoinHostPort(u.Hostname(), port)
	case u.Scheme == "unix" && u.Host == "" && u.Path != "":
		c.Network, c.Address = "unix", u.Path
	default:
		return c, "", fmt.Errorf("--upstream is %q, must be mysql://host:port or unix:///path/of/socket", f.upstream)
	}
	mode := f.tls
	if local := c.Network == "unix" || !server.Exposed(c.Address); mode == "" {
		mode = "required"
		if local {
			mode = "off"
		}
	}
	switch mode {
	case "off":
	case "required":
		c.UpstreamTLS = &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true} // MySQL's clients interpret REQUIRED in this way
	case "verify-ca":
		c.UpstreamTLS = &tls.Config{MinVersion: tls.VersionTLS12}
		if f.ca != "" {
			if c.UpstreamTLS.RootCAs, err = engine.ReadRoots(f.ca); err != nil {
				return c, "", fmt.Errorf("--upstream-ca: %w", err)
			}
		}
	default:
		return c, "", fmt.Errorf("--upstream-tls is %q, must be required, verify-ca or off", mode)
	}
	if f.ca != "" && mode != "verify-ca" {
		return c, "", fmt.Errorf("--upstream-ca is given, and --upstream-tls is %s: say --upstream-tls=verify-ca", mode)
	}
	return c, known, nil
}
