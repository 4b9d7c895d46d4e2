package tabular

import (
	"archive/zip"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// A sheetRows reads the rows of a sheet. It skips rows without a value; the first other row sets the number of columns.
type sheetRows struct {
	*workbook
	file  *boundedPart
	xml   *xml.Decoder
	row   []cell
	began bool
}

func newSheetRows(archive *zip.Reader, sheet string, memory int64) (*sheetRows, error) {
	w := &workbook{archive: archive, memory: memory}
	name, err := w.sheetPart(sheet)
	if err != nil {
		return nil, err
	}
	if err := w.readTexts(); err != nil {
		return nil, err
	}
	if err := w.readStyles(); err != nil {
		return nil, err
	}
	file, err := w.open(name, maxRow)
	if err != nil {
		return nil, err
	}
	return &sheetRows{workbook: w, file: file, xml: xml.NewDecoder(file)}, nil
}

// Close implements io.Closer.
func (s *sheetRows) Close() error { return s.file.Close() }

// A storedCell is a cell in the sheet's XML.
type storedCell struct {
	Reference string  `xml:"r,attr"` // such as B7
	Type      string  `xml:"t,attr"`
	Style     int     `xml:"s,attr"`
	Formula   *string `xml:"f"`
	Value     *string `xml:"v"`
	Inline    *inline `xml:"is"`
}

// An inline is a text stored in the cell itself.
type inline struct{ text string }

// UnmarshalXML implements xml.Unmarshaler.
func (i *inline) UnmarshalXML(d *xml.Decoder, _ xml.StartElement) (err error) {
	i.text, err = richText(d)
	return err
}

func (s *sheetRows) next() ([]cell, error) {
	for {
		s.file.left = maxRow
		token, err := s.xml.Token()
		if err == io.EOF {
			return nil, io.EOF
		}
		if err != nil {
			return nil, damaged("sheet", err)
		}
		if start, ok := token.(xml.StartElement); !ok || start.Name.Local != "row" {
			continue
		}
		any, err := s.read()
		if err != nil {
			return nil, err
		}
		if any {
			s.began = true
			return s.row, nil
		}
	}
}

// read reads a row's cells and reports whether one has a value.
func (s *sheetRows) read() (any bool, err error) {
	for i := range s.row {
		s.row[i] = cell{isNull: true}
	}
	for at := 0; ; at++ {
		token, err := s.xml.Token()
		if err != nil {
			return any, damaged("sheet", err)
		}
		if end, ok := token.(xml.EndElement); ok && end.Name.Local == "row" {
			return any, nil
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "c" {
			at--
			continue
		}
		var stored storedCell
		if err := s.xml.DecodeElement(&stored, &start); err != nil {
			return any, damaged("sheet", err)
		}
		if stored.Reference != "" {
			if at, err = columnOf(stored.Reference); err != nil {
				return any, err
			}
		}
		c, err := s.cell(stored)
		if err != nil {
			return any, fmt.Errorf("cell %s of the workbook: %w", stored.Reference, err)
		}
		if c.isNull {
			continue
		}
		any = true
		if err := s.put(at, c, stored.Reference); err != nil {
			return any, err
		}
	}
}

// put stores a cell. The first row sets the number of columns.
func (s *sheetRows) put(at int, c cell, reference string) error {
	if at >= len(s.row) && s.began {
		return fmt.Errorf(
			"cell %s of the workbook has a value, and the first row of the table ends before it: give every column a name, and the table a sheet of its own",
			reference,
		)
	}
	for at >= len(s.row) {
		s.row = append(s.row, cell{isNull: true})
	}
	s.row[at] = c
	return nil
}

// maxColumns is the greatest number of a sheet's columns.
const maxColumns = 16384

// columnOf returns the number of a column, from 0: A is 0, AA is 26.
func columnOf(reference string) (int, error) {
	n := 0
	for _, c := range reference {
		if c < 'A' || c > 'Z' {
			break
		}
		if n = n*26 + int(c-'A') + 1; n > maxColumns {
			break
		}
	}
	if n == 0 || n > maxColumns {
		return 0, fmt.Errorf("the workbook has a cell %q, which is no cell", reference)
	}
	return n - 1, nil
}

// cell converts a stored cell.
func (s *sheetRows) cell(c storedCell) (cell, error) {
	if c.Inline != nil {
		return cell{value: c.Inline.text, isText: true, isNull: c.Inline.text == ""}, nil
	}
	if c.Value == nil {
		if c.Formula != nil {
			return cell{}, fmt.Errorf("its formula has no stored result: open the workbook in a spreadsheet program, and save it")
		}
		return cell{isNull: true}, nil
	}
	value := *c.Value
	switch c.Type {
	case "s":
		at, err := strconv.Atoi(value)
		if err != nil || at < 0 || at >= len(s.texts) {
			return cell{}, fmt.Errorf("it refers to text %q of %d", value, len(s.texts))
		}
		return cell{value: s.texts[at], isText: true, isNull: s.texts[at] == ""}, nil
	case "str":
		return cell{value: unescaped(value), isText: true, isNull: value == ""}, nil
	case "b":
		return cell{value: strconv.FormatBool(value == "1" || value == "true")}, nil
	case "d":
		return cell{value: strings.TrimSuffix(strings.Replace(value, "T", " ", 1), "Z")}, nil
	case "e": // such as #N/A: --null can make it NULL
		return cell{value: value}, nil
	}
	return s.number(value, c.Style)
}

// number returns a number, or the date as which its style shows it.
func (s *sheetRows) number(value string, style int) (cell, error) {
	x, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return cell{}, fmt.Errorf("%q is no number", value)
	}
	if style >= 0 && style < len(s.dates) && s.dates[style] != noDate {
		text, err := s.moment(x, s.dates[style])
		return cell{value: text}, err
	}
	rest, minus := strings.CutPrefix(value, "-")
	rest = strings.TrimLeft(rest, "0")
	if rest != "" && strings.Trim(rest, "0123456789") == "" && strconv.FormatFloat(math.Abs(x), 'f', -1, 64) != rest { // more digits than a double has
		if minus {
			rest = "-" + rest
		}
		return cell{value: rest}, nil
	}
	const exact = 1e15
	if x > -exact && x < exact {
		return cell{value: strconv.FormatFloat(x, 'f', -1, 64)}, nil
	}
	return cell{value: strconv.FormatFloat(x, 'g', -1, 64)}, nil
}
