package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// A syncBuffer is written by the server while the test reads it.
type syncBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// serve with its flags: a certificate of its own, metrics, a log of JSON lines;
// the signal's context ends it with exit code 0.
func TestServe(t *testing.T) {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	dir := filepath.Join(t.TempDir(), "data")
	var out, errs syncBuffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"serve", "--data-dir", dir, "--listen", "127.0.0.1:0", "--tls-self-signed", "--require-tls",
			"--metrics-listen", ":0", "--log-format", "json"}, &out, &errs)
	}()
	for !strings.Contains(errs.String(), "ready for clients") {
		select {
		case code := <-ended:
			t.Fatalf("it ended with %d: %s", code, errs.String())
		case <-time.After(20 * time.Millisecond):
		}
	}
	stop()
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d", code)
	}
	messages := map[string]map[string]any{}
	for _, line := range strings.Split(strings.TrimSpace(errs.String()), "\n") {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		messages[entry["msg"].(string)] = entry
	}
	if print, _ := messages["TLS"]["sha256"].(string); strings.Count(print, ":") != 31 {
		t.Errorf("the fingerprint is %q", print)
	}
	if address, _ := messages["metrics"]["address"].(string); !strings.HasPrefix(address, "127.0.0.1:") {
		t.Errorf("metrics are at %q", address)
	}
	if _, err := os.Stat(filepath.Join(dir, "tls-key.pem")); err != nil {
		t.Error(err)
	}
}

func TestServeFlagsAreChecked(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		arguments []string
		says      string
	}{
		{[]string{"--log-format", "xml"}, "must be text or json"},
		{[]string{"--require-tls"}, "--tls-self-signed"},
		{[]string{"--tls-self-signed", "--tls-cert", "c", "--tls-key", "k"}, "not both"},
		{[]string{"--metrics-listen", "nowhere"}, "host:port"},
		{[]string{"--listen", "0.0.0.0:0"}, "ALTER USER 'root'@'localhost' IDENTIFIED BY"},
	} {
		arguments := append([]string{"serve", "--data-dir", dir}, c.arguments...)
		if _, errs, code := play(t, arguments...); code != exitFailed || !strings.Contains(errs, c.says) {
			t.Errorf("%v: exit %d, %s", c.arguments, code, errs)
		}
	}
}
