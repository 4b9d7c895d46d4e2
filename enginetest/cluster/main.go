// The program cluster starts a Trino cluster for tests, prints its URL and, in a second line, the
// directory of its files, and ends it when its standard input does:
//
//	go run ./enginetest/cluster
//	ANONSQL_ENGINE_URL=trino://... ANONSQL_ENGINE_FILES=/... go test ./engine/...
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/anonsql/anonsql/enginetest"
)

func main() {
	if err := enginetest.Prepare(); err != nil && !errors.Is(err, enginetest.ErrMissing) {
		fmt.Fprintln(os.Stderr, "nodes start without an archive of classes:", err)
	}
	c, err := enginetest.Launch(enginetest.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer c.Kill()
	fmt.Printf("%s\n%s\n", c.URL, c.Directory)
	_, _ = io.Copy(io.Discard, os.Stdin)
}
