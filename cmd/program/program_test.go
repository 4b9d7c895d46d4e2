package program

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// asProgram makes the test's binary run the program of newRoot.
const asProgram = "ANONSQL_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		Main(newRoot())
	}
	os.Exit(m.Run())
}

// newRoot returns a program: say succeeds, fail and misuse do not, wait ends with its context, stay ignores the
// context.
func newRoot() *cobra.Command {
	root := &cobra.Command{Use: "program"}
	for name, run := range map[string]func(*cobra.Command) error{
		"say":    func(cmd *cobra.Command) error { fmt.Fprintln(cmd.OutOrStdout(), "said"); return nil },
		"fail":   func(*cobra.Command) error { return fmt.Errorf("the disk: %w", errors.New("full")) },
		"misuse": func(cmd *cobra.Command) error { return fmt.Errorf("early: %w", Misused(cmd, "--n is %d", 3)) },
		"wait": func(cmd *cobra.Command) error {
			fmt.Fprintln(cmd.OutOrStdout(), "ready")
			<-cmd.Context().Done()
			return fmt.Errorf("waiting: %w", cmd.Context().Err())
		},
		"stay": func(cmd *cobra.Command) error {
			fmt.Fprintln(cmd.OutOrStdout(), "ready")
			time.Sleep(time.Hour) // until the process is ended
			return nil
		},
	} {
		root.AddCommand(&cobra.Command{Use: name, RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd) }})
	}
	return root
}

func TestRun(t *testing.T) {
	for _, c := range []struct {
		argument, out, errs string
		code                int
	}{
		{"say", "said\n", "", 0},
		{"fail", "", "program: the disk: full\n", ExitFailed},
		{"misuse", "", "program: early: --n is 3\n'program misuse --help' shows how it is used\n", ExitFailed},
		{"--nothing", "", "program: unknown flag: --nothing\n'program --help' shows how it is used\n", ExitFailed},
		{"nothing", "", "program: unknown command \"nothing\" for \"program\"\n'program --help' shows how it is used\n", ExitFailed},
	} {
		var out, errs bytes.Buffer
		if code := Run(t.Context(), newRoot(), []string{c.argument}, &out, &errs); code != c.code || out.String() != c.out || errs.String() != c.errs {
			t.Errorf("%s: exit %d, got\n%s%s want exit %d,\n%s%s", c.argument, code, &out, &errs, c.code, c.out, c.errs)
		}
	}
}

// A context that has ended is told only by a command that ended for it.
func TestRunInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for argument, want := range map[string]struct {
		errs string
		code int
	}{
		"wait": {"program: interrupted\n", ExitInterrupted},
		"say":  {"", 0},
		"fail": {"program: the disk: full\n", ExitFailed},
	} {
		var out, errs bytes.Buffer
		if code := Run(ctx, newRoot(), []string{argument}, &out, &errs); code != want.code || errs.String() != want.errs {
			t.Errorf("%s: exit %d: %s", argument, code, &errs)
		}
	}
}

// Either signal ends the context of a process, which answers as a shell expects.
func TestSignals(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		process, errs, ended := start(t, "wait")
		if err := process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if state := <-ended; state.ExitCode() != ExitInterrupted || errs.String() != "program: interrupted\n" {
			t.Errorf("%v: %v: %s", signal, state, errs)
		}
	}
}

// A command that ignores its context ends with a second signal, by the signal.
func TestSecondSignal(t *testing.T) {
	process, errs, ended := start(t, "stay")
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for sent := 0; ; {
		select {
		case state := <-ended:
			status, ok := state.Sys().(syscall.WaitStatus)
			if !ok || status.Signal() != syscall.SIGINT || errs.Len() > 0 || sent < 2 {
				t.Errorf("after %d signals: %v: %s", sent, state, errs)
			}
			return
		case <-again.C:
			if err := process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Fatal(err)
			}
			sent++
		}
	}
}

// start runs a command in a separate process, and returns when it is ready. errs may be read after its end.
func start(t *testing.T, command string) (process *os.Process, errs *bytes.Buffer, ended <-chan *os.ProcessState) {
	t.Helper()
	cmd := exec.Command(os.Args[0], command)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	errs = new(bytes.Buffer)
	cmd.Stderr = errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // most have ended
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("%s wrote %q: %v", command, line, err)
	}
	done := make(chan *os.ProcessState, 1)
	go func() {
		_ = cmd.Wait() // the state shows how it ended
		done <- cmd.ProcessState
	}()
	return cmd.Process, errs, done
}
