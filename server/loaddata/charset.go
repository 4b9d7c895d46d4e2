package loaddata

import (
	"io"
	"strings"

	"github.com/anonsql/anonsql/catalog/delimited"
)

// decoder returns what makes UTF-8 of a text in the character set.
func decoder(charset string) (func(io.Reader) io.Reader, error) {
	switch strings.ToLower(charset) {
	case "", "utf8", "utf8mb3", "utf8mb4", "ascii", "binary":
		// Bytes that are not UTF-8 are refused where a column is text.
		return func(r io.Reader) io.Reader { return r }, nil
	case "latin1":
		return delimited.Latin1, nil
	}
	return nil, newError(numberUnknownCharset, "LOAD DATA: CHARACTER SET "+charset+" is not supported; utf8mb4, utf8mb3, utf8, ascii, latin1 and binary are")
}
