// The program cluster starts a Trino cluster for tests, prints its URL, and ends it when its standard input does:
//
//	go run ./enginetest/cluster
//	ANONSQL_ENGINE_URL=trino://... go test ./engine/...
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/anonsql/anonsql/enginetest"
)

func main() {
	c, err := enginetest.Launch(enginetest.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer c.Kill()
	fmt.Println(c.URL)
	_, _ = io.Copy(io.Discard, os.Stdin)
}
