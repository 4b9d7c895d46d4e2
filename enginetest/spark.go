package enginetest

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anonsql/anonsql/engine"
	"github.com/anonsql/anonsql/testsize"
)

//go:embed spark.py
var sparkProgram string

// A Spark is an engine.Conn to a Spark of one process, with the catalog spark_catalog: statements
// that the dialect writes for it run there, but that tables are Parquet where Iceberg is asked for,
// which Spark does not have by itself.
type Spark struct {
	mu      sync.Mutex
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	log     *strings.Builder
}

var _ engine.Conn = (*Spark)(nil)

// NeedSpark starts the Spark of the Python that ANONSQL_SPARK names, in a directory of the test's;
// it ends with the test. Without ANONSQL_SPARK it is missing.
func NeedSpark(t *testing.T) *Spark {
	t.Helper()
	python := os.Getenv("ANONSQL_SPARK")
	if python == "" {
		testsize.Missing(t, "ANONSQL_SPARK names no Python with pyspark")
	}
	s := &Spark{process: exec.Command(python, "-c", sparkProgram), log: &strings.Builder{}}
	s.process.Dir, s.process.Stderr = t.TempDir(), s.log
	out, err := s.process.StdoutPipe()
	if err == nil {
		s.in, err = s.process.StdinPipe()
	}
	if err == nil {
		err = s.process.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	s.out = bufio.NewReader(out)
	t.Cleanup(func() {
		s.in.Close()
		if err := s.process.Wait(); err != nil {
			t.Errorf("%v: %.4000s", err, s.log)
		}
	})
	return s
}

// Query implements engine.Conn. A statement does not end with its context.
func (s *Spark) Query(_ context.Context, text string, row func([]any) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	line, err := json.Marshal(strings.Replace(text, " USING iceberg", " USING parquet", 1))
	if err != nil {
		return err
	}
	if _, err := s.in.Write(append(line, '\n')); err != nil {
		return err
	}
	said, err := s.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("Spark has ended: %w", err)
	}
	var answer struct {
		Rows  [][][]string
		Error string
	}
	if err := json.Unmarshal(said, &answer); err != nil {
		return err
	}
	if answer.Error != "" {
		return errors.New(answer.Error)
	}
	for _, r := range answer.Rows {
		values := make([]any, len(r))
		for i, pair := range r {
			if values[i], err = sparkValue(pair); err != nil {
				return err
			}
		}
		if err := row(values); err != nil {
			return err
		}
	}
	return nil
}

// Exec implements engine.Conn. How many rows are written Spark does not say.
func (s *Spark) Exec(ctx context.Context, text string) (int64, error) {
	return 0, s.Query(ctx, text, func([]any) error { return nil })
}

// sparkValue is a value of kind and text, as a Conn has it.
func sparkValue(pair []string) (any, error) {
	if pair == nil {
		return nil, nil
	}
	switch pair[0] {
	case "boolean":
		return pair[1] == "True", nil
	case "whole":
		return strconv.ParseInt(pair[1], 10, 64)
	case "double":
		return strconv.ParseFloat(pair[1], 64)
	case "date":
		return time.Parse(time.DateOnly, pair[1])
	case "moment":
		return time.Parse(time.DateTime, pair[1])
	}
	return pair[1], nil
}
