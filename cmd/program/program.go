// Package program starts and ends the module's programs.
//
//  1. The first interrupt, or SIGTERM, ends the command's context; a second one ends
//     the process at once.
//  2. The exit status is 0 if the command succeeds, ExitInterrupted if a signal ended
//     it, and ExitFailed after any other error.
//  3. An error is printed once, on standard error, after the program's name. After a
//     usage error the next line says which help to read.
//
// It knows no command. It imports cobra and its flags, and nothing of the module.
package program

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
	"github.com/spf13/pflag"
)

// The exit codes: 1 for a failure, and the shell's for Ctrl-C.
const (
	ExitFailed      = 1
	ExitInterrupted = 130
)

// Main runs a program's root command with the process's arguments, streams and signals, and
// exits.
func Main(root *cobra.Command) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the process at once.
	context.AfterFunc(ctx, stop)
	os.Exit(Run(ctx, root, os.Args[1:], os.Stdout, os.Stderr))
}

// Run is Main with its surroundings as arguments; it returns the exit code. It replaces root's
// own messages about usage, errors and wrong flags.
func Run(ctx context.Context, root *cobra.Command, arguments []string, out, errs io.Writer) int {
	root.SilenceUsage, root.SilenceErrors = true, true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return misuse{cmd, flagError(err)} })
	root.SetArgs(arguments)
	root.SetOut(out)
	root.SetErr(errs)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		fmt.Fprintf(errs, "%s: interrupted\n", root.Name())
		return ExitInterrupted
	}
	fmt.Fprintf(errs, "%s: %v\n", root.Name(), err)
	var m misuse
	switch {
	case errors.As(err, &m):
		fmt.Fprintln(errs, hint(m.cmd))
	case strings.HasPrefix(err.Error(), "unknown command"): // cobra's error has no type
		fmt.Fprintln(errs, hint(root))
	}
	return ExitFailed
}

// mustBe says what a flag's value must be, by the type of the flag.
var mustBe = map[string]string{"int": "a whole number", "uint64": "a whole number, not below 0", "float64": "a number", "duration": "a time such as 30s or 5m",
	"bool": "true or false"}

// flagError explains a value that is not of its flag's type.
func flagError(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) || mustBe[invalid.GetFlag().Value.Type()] == "" {
		return err
	}
	flag := invalid.GetFlag()
	return fmt.Errorf("--%s is %q, must be %s", flag.Name, invalid.GetValue(), mustBe[flag.Value.Type()])
}

// A misuse is an error about which the command's help is useful.
type misuse struct {
	cmd *cobra.Command
	err error
}

func (m misuse) Error() string { return m.err.Error() }
func (m misuse) Unwrap() error { return m.err }

// Misused returns an error about a command's arguments or flags.
func Misused(cmd *cobra.Command, format string, arguments ...any) error {
	return misuse{cmd, fmt.Errorf(format, arguments...)}
}

func hint(cmd *cobra.Command) string {
	return fmt.Sprintf("'%s --help' shows how it is used", cmd.CommandPath())
}
