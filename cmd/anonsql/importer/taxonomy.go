package importer

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"strings"

	"github.com/anonsql/anonsql/quoting"
)

// A SentTaxonomy describes the taxonomy that the server made of a file.
type SentTaxonomy struct {
	Nodes, Leaves, Height int64
	Root                  string
}

// SendTaxonomy sets a column's taxonomy from a file with one line per value, followed by its
// ancestors level by level. The server checks it and opens no file. The account needs SELECT on
// the table.
func SendTaxonomy(ctx context.Context, o Options, column string) (*SentTaxonomy, error) {
	text, err := hierarchyText(o)
	if err != nil {
		return nil, err
	}
	db, conn, err := connect(ctx, o)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	defer conn.Close()
	statement := fmt.Sprintf("CALL set_taxonomy(%s, %s, %s)",
		quoting.Hex(quoting.Name(o.Database, o.Table)), quoting.Hex(column), quoting.Hex("hierarchy="+text))
	var sent SentTaxonomy
	var ignored string
	err = conn.QueryRowContext(ctx, statement).Scan(&ignored, &ignored, &ignored, &ignored, &ignored,
		&sent.Nodes, &sent.Leaves, &sent.Height, &sent.Root)
	return &sent, err
}

// hierarchyText reads the file and writes it with semicolons.
func hierarchyText(o Options) (string, error) {
	file, err := os.ReadFile(o.File)
	if err != nil {
		return "", err
	}
	reader := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(file), "\ufeff")))
	reader.Comma, reader.FieldsPerRecord, reader.LazyQuotes = []rune(o.Delimiter)[0], -1, true
	lines, err := reader.ReadAll()
	if err != nil {
		return "", fmt.Errorf("%s: %w", o.File, err)
	}
	var text strings.Builder
	writer := csv.NewWriter(&text)
	writer.Comma = ';'
	err = writer.WriteAll(lines)
	return text.String(), err
}
