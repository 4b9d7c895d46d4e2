package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/anonsql/anonsql/cmd/anonsql/importer"
	"github.com/anonsql/anonsql/cmd/program"
	"github.com/anonsql/anonsql/cmd/progress"
	"github.com/anonsql/anonsql/server"
)

func newImportRelease() *cobra.Command {
	var (
		options importer.Options
		name    string
		replace bool
	)
	cmd := &cobra.Command{
		Use:   "import-release DIR (--server host:port | --data-dir DIR)",
		Short: "Publish a release that CALL export_release has written as files",
		Long: "Publish a release that CALL export_release has written as files, on this or another server.\n" +
			"Hashes and counts are compared and the guarantees recomputed; a package that fails is refused.\n" +
			"--server sends the files to a running server, compressed, up to its max_allowed_packet; the account\n" +
			"needs the privilege FILE. --data-dir imports into a directory that no server has open, whatever the size.",
		Example: `  anonsql import-release ./adult --server 127.0.0.1:3306
  anonsql import-release ./adult/datapackage.json --data-dir ./anonsql-data --name census`,
		RunE: func(cmd *cobra.Command, arguments []string) error {
			if len(arguments) != 1 {
				return program.Misused(cmd, "%d folders are given, must be one: anonsql import-release DIR", len(arguments))
			}
			if (options.Server == "") == (options.DataDir == "") {
				return program.Misused(
					cmd,
					"say where to, one of: --server host:port of a running server, or --data-dir with a directory that no server has open",
				)
			}
			folder := arguments[0]
			if filepath.Base(folder) == "datapackage.json" {
				folder = filepath.Dir(folder)
			}
			options.Progress = cmd.ErrOrStderr()
			imported, err := importPackage(cmd.Context(), folder, options, name, replace)
			if err == nil {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "published.%s: %d records in %d groups, method %s, version %d: verified\n",
					imported.Name, imported.Rows, imported.Groups, imported.Method, imported.Version)
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&name, "name", "", "name to publish the release under (default its own)")
	flags.BoolVar(&replace, "replace", false, "put it in the place of an imported release of its name")
	accountFlags(flags, &options.Server, &options.User, &options.Password, &options.TLS)
	flags.StringVar(&options.DataDir, "data-dir", "", "directory of the catalog")
	return cmd
}

// importPackage imports a package and reads no file outside the folder.
func importPackage(ctx context.Context, folder string, options importer.Options, name string, replace bool) (*importer.SentRelease, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if options.Server != "" {
		return importer.SendRelease(ctx, options, root.FS(), name, replace)
	}
	show, end := progress.Phases(options.Progress)
	record, err := server.ImportRelease(
		ctx,
		options.DataDir,
		root.FS(),
		name,
		replace,
		func(phase string, done, total int) { show(phase, int64(done), int64(total)) },
	)
	end()
	if err != nil {
		return nil, err
	}
	return &importer.SentRelease{Name: record.Name, Method: record.Method, Version: record.Version, Rows: record.Rows, Groups: record.Groups}, nil
}
