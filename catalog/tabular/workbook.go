package tabular

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A workbook has what its sheets' cells refer to (ECMA-376, part 1, section 18).
type workbook struct {
	archive *zip.Reader
	texts   []string // shared by the cells of all sheets
	dates   []dateStyle
	is1904  bool // days are counted from 1904
	memory  int64
}

// A boundedPart is a part of a workbook, of which so many bytes may be read.
type boundedPart struct {
	io.ReadCloser
	left int64
}

var errPartTooLarge = errors.New("the workbook takes too much memory, by its texts or by one row: write it as CSV or Parquet")

// Read implements io.Reader.
func (b *boundedPart) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errPartTooLarge
	}
	return n, err
}

// open opens a part with at most so many bytes.
func (w *workbook) open(name string, most int64) (*boundedPart, error) {
	f := part(w.archive, name)
	if f == nil {
		return nil, fmt.Errorf("the workbook has no part %s", name)
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("the workbook's part %s cannot be read: %w", name, err)
	}
	return &boundedPart{r, most}, nil
}

// damaged returns the error for a part that cannot be decoded.
func damaged(part string, err error) error {
	if errors.Is(err, errPartTooLarge) {
		return err
	}
	return fmt.Errorf("the workbook's %s is damaged: %w", part, err)
}

const (
	workbookPart = "xl/workbook.xml"
	maxRow       = 16 << 20 // bounds the bytes of a row, and of a part that is no sheet
	textOverhead = 32       // bytes of a shared text besides its own
)

func part(archive *zip.Reader, name string) *zip.File {
	for _, f := range archive.File {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// isWorkbook reports whether an archive is a workbook.
func isWorkbook(archive *zip.Reader) bool { return part(archive, workbookPart) != nil }

// otherDocument names the type of another office document, "" for other archives.
func otherDocument(archive *zip.Reader) string {
	for name, is := range map[string]string{
		"xl/workbook.bin":       "a binary workbook (.xlsb)",
		"word/document.xml":     "a Word document",
		"META-INF/manifest.xml": "an OpenDocument file",
	} {
		if part(archive, name) != nil {
			return is
		}
	}
	return ""
}

// decode decodes a part of the workbook into a struct.
func (w *workbook) decode(name string, into any) error {
	r, err := w.open(name, maxRow)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := xml.NewDecoder(r).Decode(into); err != nil {
		return damaged("part "+name, err)
	}
	return nil
}

// sheetPart returns the part of the sheet called name, or of the only visible one.
func (w *workbook) sheetPart(name string) (string, error) {
	var book struct {
		Properties struct {
			Date1904 string `xml:"date1904,attr"`
		} `xml:"workbookPr"`
		Sheets []struct {
			Name  string `xml:"name,attr"`
			State string `xml:"state,attr"`
			ID    string `xml:"id,attr"` // of any namespace: Strict Open XML has another
		} `xml:"sheets>sheet"`
	}
	if err := w.decode(workbookPart, &book); err != nil {
		return "", err
	}
	w.is1904 = book.Properties.Date1904 == "1" || book.Properties.Date1904 == "true"
	var names []string
	id := ""
	for _, s := range book.Sheets {
		if s.State != "" && s.State != "visible" && s.Name != name {
			continue
		}
		names = append(names, s.Name)
		if name == "" || s.Name == name {
			id = s.ID
		}
	}
	switch {
	case id == "" && name != "":
		return "", fmt.Errorf("the workbook has no sheet %q; it has %s", name, strings.Join(quoted(names), ", "))
	case id == "":
		return "", errors.New("the workbook has no sheet")
	case name == "" && len(names) > 1:
		return "", fmt.Errorf("the workbook has %d sheets: say --sheet with one of %s", len(names), strings.Join(quoted(names), ", "))
	}
	return w.target(id)
}

// target returns the part to which a relation of the workbook leads.
func (w *workbook) target(id string) (string, error) {
	var relations struct {
		Of []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	if err := w.decode("xl/_rels/workbook.xml.rels", &relations); err != nil {
		return "", err
	}
	for _, r := range relations.Of {
		if r.ID != id {
			continue
		}
		if strings.HasPrefix(r.Target, "/") {
			return r.Target[1:], nil
		}
		return path.Join("xl", r.Target), nil
	}
	return "", fmt.Errorf("the workbook does not say where sheet %s is", id)
}

// readTexts reads the shared texts of cells. A text may consist of several formatted runs.
func (w *workbook) readTexts() error {
	const name = "xl/sharedStrings.xml"
	if part(w.archive, name) == nil {
		return nil
	}
	r, err := w.open(name, w.memory)
	if err != nil {
		return err
	}
	defer r.Close()
	d := xml.NewDecoder(r)
	for {
		token, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return damaged("part "+name, err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "si" {
			text, err := richText(d)
			if err != nil {
				return damaged("part "+name, err)
			}
			w.texts = append(w.texts, text)
			r.left -= textOverhead
		}
	}
}

// richText joins the texts of an element up to its end, without phonetic hints.
func richText(d *xml.Decoder) (string, error) {
	var b strings.Builder
	for {
		token, err := d.Token()
		if err != nil {
			return "", err
		}
		switch token := token.(type) {
		case xml.EndElement:
			if token.Name.Local == "si" || token.Name.Local == "is" {
				return b.String(), nil
			}
		case xml.StartElement:
			switch token.Name.Local {
			case "rPh":
				err = d.Skip()
			case "t":
				var text string
				err = d.DecodeElement(&text, &token)
				b.WriteString(unescaped(text))
			}
			if err != nil {
				return "", err
			}
		}
	}
}

// unescaped replaces the escapes of characters that XML cannot have or would change: _x000D_ is a carriage return, and _x005F_ the
// underscore of a text that only looks like an escape (ECMA-376, part 1, section 22.9.2.19). Half of a surrogate pair stays escaped.
func unescaped(text string) string {
	if !strings.Contains(text, "_x") {
		return text
	}
	var b strings.Builder
	for text != "" {
		unit, ok := escapedUnit(text)
		if next, both := escapedUnit(text[min(len(text), escapeLength):]); ok && both && utf16.IsSurrogate(unit) {
			if pair := utf16.DecodeRune(unit, next); pair != utf8.RuneError {
				unit, text = pair, text[escapeLength:]
			}
		}
		if !ok || utf16.IsSurrogate(unit) {
			b.WriteByte(text[0])
			text = text[1:]
			continue
		}
		b.WriteRune(unit)
		text = text[escapeLength:]
	}
	return b.String()
}

const escapeLength = len("_x000D_")

// escapedUnit returns the UTF-16 unit of the escape at a text's beginning.
func escapedUnit(text string) (unit rune, ok bool) {
	if len(text) < escapeLength || text[:2] != "_x" || text[escapeLength-1] != '_' {
		return 0, false
	}
	n, err := strconv.ParseUint(text[2:escapeLength-1], 16, 16)
	return rune(n), err == nil
}
