package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/engine"
	"github.com/anonsql/anonsql/engine/releases"
	"github.com/anonsql/anonsql/engine/tables"
	"github.com/anonsql/anonsql/server"
)

// engineFlags say which distributed engine has raw tables, and with which account anonsql uses it.
type engineFlags struct {
	url, passwordFile, tokenFile, ca string
	private, published               string
	rows                             int
}

func (f *engineFlags) define(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.url, "engine", "", "Trino and the catalog of the raw tables, such as trino://user@trino.example:8443/catalog; add ?tls=off for an engine without TLS on another machine (default none)")
	flags.StringVar(&f.passwordFile, "engine-password-file", "", "file with the password of the engine's user; read with every request")
	flags.StringVar(&f.tokenFile, "engine-token-file", "", "file with a JSON web token for the engine, instead of a password; read with every request")
	flags.IntVar(&f.rows, "engine-rows", tables.DefaultLimit, "how many rows of a table are read from the engine at most, to publish it here; a larger one is published in the engine")
	flags.StringVar(&f.private, "engine-private-schema", "anonsql_private", "schema of the engine's catalog for what leads from records to groups, while a publication runs, and for relations that are not public; for anonsql's account alone. Start once with the old schema before you change it: that drops what a killed publication has left there")
	flags.StringVar(&f.published, "engine-published-schema", "anonsql_published", "schema of the engine's catalog for the relations of public releases")
	flags.StringVar(&f.ca, "engine-ca", "", "PEM file of the certificates that sign the engine's (default the system's)")
}

// configure adds the engine's tables to the server's configuration, if there is an engine. Close the result after the server.
func (f *engineFlags) configure(config *server.Config) (io.Closer, error) {
	if f.url == "" {
		return io.NopCloser(nil), nil
	}
	if f.rows < 1 {
		return nil, fmt.Errorf("--engine-rows %d: must be 1 or more", f.rows)
	}
	if f.private == "" || f.published == "" || strings.EqualFold(f.private, f.published) {
		return nil, fmt.Errorf("--engine-private-schema is %q and --engine-published-schema %q: must be two schemas", f.private, f.published)
	}
	target, err := engine.ParseURL(f.url)
	if err != nil {
		return nil, fmt.Errorf("--engine: %w", err)
	}
	target.PasswordFile, target.TokenFile = f.passwordFile, f.tokenFile
	if f.ca != "" {
		if target.Roots, err = engine.ReadRoots(f.ca); err != nil {
			return nil, fmt.Errorf("--engine-ca: %w", err)
		}
	}
	client, err := engine.Open(target)
	if err != nil {
		return nil, fmt.Errorf("--engine: %w", err)
	}
	config.Distributed = func(host server.DistributedHost) source.Beside {
		return &releases.Home{
			Home: &tables.Home{
				Asker: client, Address: client.Address(), Catalog: target.Catalog,
				Store: host.Store, Privileges: host.Privileges, Limit: f.rows,
			},
			Kept: releases.NewStore(releases.Options{Conn: client, Address: client.Address(), Catalog: target.Catalog,
				Private: strings.ToLower(f.private), Published: strings.ToLower(f.published), Identity: host.Identity, Limit: f.rows}),
			Trouble: client.Trouble,
		}
	}
	return client, nil
}
