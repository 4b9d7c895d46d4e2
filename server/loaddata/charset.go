package loaddata

import (
	"io"
	"strings"

	"github.com/anonsql/anonsql/catalog/delimited"
)

// decoder returns a function that converts a text from the character set to UTF-8.
func decoder(charset string) (func(io.Reader) io.Reader, error) {
	switch strings.ToLower(charset) {
	case "", "utf8", "utf8mb3", "utf8mb4", "ascii", "binary":
		// Text columns refuse bytes that are not UTF-8.
		return func(r io.Reader) io.Reader { return r }, nil
	case "latin1":
		return delimited.Latin1, nil
	}
	return nil, newError(numberUnknownCharset, "LOAD DATA: CHARACTER SET "+charset+" is not supported; utf8mb4, utf8mb3, utf8, ascii, latin1 and binary are")
}
