package datapackage

import (
	"bufio"
	"context"
	"io"
	"strconv"
	"strings"
)

// missingTexts are possible texts of a missing value, the best first.
var missingTexts = []string{"", `\N`, "NULL", "<NULL>"}

// missingText returns a text for missing values that no value has.
func (t *table) missingText() string {
	taken := make(map[string]bool)
	for _, c := range t.columns {
		if c.kind != textKind && c.kind != binaryKind {
			continue
		}
		for _, v := range c.values {
			if !v.IsNull() {
				taken[c.kind.text(v)] = true
			}
		}
	}
	for _, text := range missingTexts {
		if !taken[text] {
			return text
		}
	}
	return unique("missing", "", taken)
}

// checkedRows is the number of rows between two checks of the context.
const checkedRows = 1 << 14

// writeCSV writes RFC 4180 with plain line feeds.
func writeCSV(ctx context.Context, w io.Writer, t *table, missing string) error {
	out := bufio.NewWriterSize(w, 1<<16)
	texts := make([][]string, len(t.columns))
	line := []byte{}
	for i := range t.columns {
		c := &t.columns[i]
		texts[i] = c.fields(missing)
		line = append(append(line, quotedField(c.name)...), ',')
	}
	line[len(line)-1] = '\n'
	if _, err := out.Write(line); err != nil {
		return err
	}
	for row := range t.rows {
		if row%checkedRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line = line[:0]
		for i := range t.columns {
			code := t.columns[i].codes[row]
			if texts[i] == nil {
				line = strconv.AppendUint(line, uint64(code), 10)
			} else {
				line = append(line, texts[i][code]...)
			}
			line = append(line, ',')
		}
		line[len(line)-1] = '\n'
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// fields returns a column's texts by code; nil for numbers.
func (c *tableColumn) fields(missing string) []string {
	if c.isNumbers() {
		return nil
	}
	list := make([]string, len(c.values))
	for i, v := range c.values {
		if v.IsNull() {
			list[i] = quotedField(missing)
		} else {
			list[i] = quotedField(c.kind.text(v))
		}
	}
	return list
}

// quotedField quotes texts that a reader could misread, including those with surrounding
// spaces, which some readers trim.
func quotedField(text string) string {
	if !strings.ContainsAny(text, ",\"\r\n") && strings.TrimSpace(text) == text {
		return text
	}
	return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
}
