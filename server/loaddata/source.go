package loaddata

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// open returns the text that the client sends. There is no other: the server reads no files, whatever an account's privileges are.
func open(ctx *sql.Context, load *plan.LoadData) (io.ReadCloser, error) {
	if !load.Local {
		return nil, newError(numberOptionPrevents, "LOAD DATA INFILE is refused: the server reads no files of its own; use LOAD DATA LOCAL INFILE")
	}
	if _, v, ok := sql.SystemVariables.GetGlobal("local_infile"); ok && isOff(v) {
		return nil, newError(
			numberLocalDisabled,
			"Loading local data is disabled; this must be enabled on both the client and server sides (local_infile is 0)",
		)
	}
	return ctx.LoadInfile(load.File)
}

func isOff(v any) bool {
	switch v := v.(type) {
	case int8:
		return v == 0
	case bool:
		return !v
	}
	return false
}
