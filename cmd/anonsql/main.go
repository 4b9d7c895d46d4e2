// Command anonsql serves anonymized releases of tables about people over the
// MySQL protocol.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal ends the process at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// The process's answers: 1 for a failure, and the shell's for a Ctrl-C.
const (
	exitFailed      = 1
	exitInterrupted = 130
)

// run is main with its surroundings as arguments.
func run(ctx context.Context, arguments []string, out, errs io.Writer) int {
	root := newRoot()
	root.SetArgs(arguments)
	root.SetOut(out)
	root.SetErr(errs)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		fmt.Fprintln(errs, "anonsql: interrupted")
		return exitInterrupted
	}
	fmt.Fprintln(errs, "anonsql:", err)
	var usage usageError
	if errors.As(err, &usage) || strings.HasPrefix(err.Error(), "unknown command") {
		fmt.Fprintln(errs, usage.hint())
	}
	return exitFailed
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "anonsql",
		Short:         "Publish a table about people; let others query it with ordinary SQL",
		Version:       versionText(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usageError{cmd, err} })
	root.AddCommand(newServe(), newDemo(), newSample(), newImport(), newTaxonomy(), newImportRelease(), newReport(), newTune(), newCheck(), newBackup(), newRestore(), newVersion(), newMoved())
	return root
}

// A usageError is what the help of a command answers.
type usageError struct {
	cmd *cobra.Command
	err error
}

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func (e usageError) hint() string {
	path := "anonsql"
	if e.cmd != nil {
		path = e.cmd.CommandPath()
	}
	return fmt.Sprintf("'%s --help' shows how it is used", path)
}

func misused(cmd *cobra.Command, format string, arguments ...any) error {
	return usageError{cmd, fmt.Errorf(format, arguments...)}
}

// noArguments refuses arguments that a command has no use for.
func noArguments(cmd *cobra.Command, arguments []string) error {
	if len(arguments) > 0 {
		return misused(cmd, "%s takes flags only, not %q", cmd.Name(), arguments[0])
	}
	return nil
}
