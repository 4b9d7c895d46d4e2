package loaddata

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// open returns the text of the statement: from the client for LOCAL, otherwise from a file inside secure_file_priv.
func open(ctx *sql.Context, load *plan.LoadData) (io.ReadCloser, error) {
	if load.Local {
		if _, v, ok := sql.SystemVariables.GetGlobal("local_infile"); ok && isOff(v) {
			return nil, newError(
				numberLocalDisabled,
				"Loading local data is disabled; this must be enabled on both the client and server sides (local_infile is 0)",
			)
		}
		return ctx.LoadInfile(load.File)
	}
	_, v, _ := sql.SystemVariables.GetGlobal("secure_file_priv")
	dir, _ := v.(string)
	if dir == "" {
		return nil, newError(
			numberOptionPrevents,
			"LOAD DATA INFILE reads files of the server only below secure_file_priv, which is not set; use LOAD DATA LOCAL INFILE",
		)
	}
	return openBelow(dir, load.File)
}

// openBelow opens a file inside dir. It refuses a path that leaves dir through dots or a symbolic link.
func openBelow(dir, path string) (io.ReadCloser, error) {
	refused := newError(numberOptionPrevents, "LOAD DATA INFILE: the file is not below secure_file_priv: "+quote([]byte(path)))
	relative := path
	if filepath.IsAbs(path) {
		var err error
		if relative, err = filepath.Rel(dir, path); err != nil {
			return nil, refused
		}
	}
	if !filepath.IsLocal(relative) {
		return nil, refused
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, newError(numberCannotRead, "LOAD DATA INFILE: the directory of secure_file_priv cannot be opened")
	}
	defer root.Close()
	// Opening a named pipe would block.
	if info, err := root.Stat(relative); err != nil || !info.Mode().IsRegular() {
		return nil, notReadable(path, err, refused)
	}
	file, err := root.Open(relative)
	if err != nil {
		return nil, notReadable(path, err, refused)
	}
	return file, nil
}

func notReadable(path string, err, refused error) error {
	var failed *os.PathError
	switch {
	case err == nil:
		return newError(numberCannotRead, "LOAD DATA INFILE: not a regular file: "+quote([]byte(path)))
	case errors.As(err, &failed) && strings.Contains(failed.Err.Error(), "escapes"): // os has no error type for a path that leaves an os.Root
		return refused
	case os.IsNotExist(err):
		return newError(numberFileNotFound, "LOAD DATA INFILE: no such file: "+quote([]byte(path)))
	}
	return newError(numberCannotRead, "LOAD DATA INFILE: the file cannot be read: "+quote([]byte(path)))
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
