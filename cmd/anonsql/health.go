package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// maxHealthBytes is the number of bytes read of an answer: one line for the server, and one per neighbour.
const maxHealthBytes = 64 << 10

func newHealth() *cobra.Command {
	var address string
	var patience time.Duration
	cmd := &cobra.Command{
		Use:   "health [--metrics host:port]",
		Short: "Ask a running server whether it is well: exit code 0 when it is",
		Long: "Ask a running server's /healthz whether it is well, and print its answer. The exit code is 0\n" +
			"when clients can connect and the server can read its catalog, else 1. The server must run with\n" +
			"--metrics-listen. Container images use it as their health check: no other program is needed.",
		Example: `  anonsql health
  anonsql health --metrics 127.0.0.1:9200`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeoutCause(cmd.Context(), patience, fmt.Errorf("no answer from %s within %v", address, patience))
			defer cancel()
			answer, err := askHealth(ctx, address)
			if errors.Is(err, context.DeadlineExceeded) {
				err = context.Cause(ctx)
			}
			if err == nil {
				_, err = fmt.Fprintln(cmd.OutOrStdout(), answer)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&address, "metrics", "127.0.0.1:9104", "host:port that the server was given as --metrics-listen")
	cmd.Flags().DurationVar(&patience, "timeout", 4*time.Second, "how long to wait for the answer")
	return cmd
}

// askHealth returns a healthy server's answer to /healthz, and an error for all others.
func askHealth(ctx context.Context, address string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/healthz", nil)
	if err != nil {
		return "", fmt.Errorf("--metrics is %q, must be host:port: %w", address, err)
	}
	// No proxy: the question is for the server itself.
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil {
		return "", fmt.Errorf("no server answers: is one running with --metrics-listen %s? %w", address, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxHealthBytes))
	if err != nil {
		return "", err
	}
	answer := strings.TrimSpace(string(text))
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the server is not well: %s: %s", response.Status, answer)
	}
	return answer, nil
}
