// Command anonsql serves anonymized releases of tables about people over the
// MySQL protocol.
package main

import (
	"github.com/spf13/cobra"

	"github.com/anonsql/anonsql/cmd/program"
	"github.com/anonsql/anonsql/cmd/version"
	"github.com/anonsql/anonsql/server"
)

func main() {
	server.DeclareWorker()
	program.Main(newRoot())
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:     "anonsql",
		Short:   "Publish a table about people; let others query it with ordinary SQL",
		Version: version.Text(),
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.AddCommand(
		newServe(),
		newDemo(),
		newSample(),
		newImport(),
		newTaxonomy(),
		newImportRelease(),
		newReport(),
		newTune(),
		newCheck(),
		newBackup(),
		newRestore(),
		newHealth(),
		newVersion(),
		newManual(),
		newWorker(),
	)
	return offer(root)
}

// newWorker returns a command for the server's own use.
func newWorker() *cobra.Command {
	return &cobra.Command{Use: server.WorkerArgument, Hidden: true, Args: noArguments, RunE: func(*cobra.Command, []string) error { return server.Work() }}
}

// noArguments refuses arguments for commands without any.
func noArguments(cmd *cobra.Command, arguments []string) error {
	if len(arguments) > 0 {
		return program.Misused(cmd, "%s takes flags only, not %q", cmd.Name(), arguments[0])
	}
	return nil
}
