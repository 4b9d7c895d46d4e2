package tabular

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/anonsql/anonsql/catalog/delimited"
)

// separators are those that are recognised, the most common first.
var separators = []string{",", ";", "\t", "|"}

// separatorNamed is what --delimiter says.
func separatorNamed(name string) string {
	if name == `\t` || strings.EqualFold(name, "tab") {
		return "\t"
	}
	return name
}

// showSeparator is a separator as --delimiter has it.
func showSeparator(separator string) string { return strings.ReplaceAll(separator, "\t", `\t`) }

// lineEnd is what ends the lines of a sample: a carriage return alone, as old Macs wrote, where no line feed follows any.
func lineEnd(sample []byte) string {
	if bytes.IndexByte(sample, '\n') < 0 && bytes.IndexByte(sample, '\r') >= 0 {
		return "\r"
	}
	return "\n"
}

// A reading is what a separator makes of a sample.
type reading struct {
	separator string
	fields    int // of every record
}

// readings are those in which all records have the same number of fields, and more than one. whole says that the sample is the whole text.
func readings(sample []byte, format delimited.Format, whole bool) (found []reading) {
	for _, s := range separators {
		format.FieldsTerminatedBy = s
		if fields, ok := read(sample, format, whole); ok && fields > 1 {
			found = append(found, reading{s, fields})
		}
	}
	return found
}

// read counts the fields of the records of a sample, without the last one where the text goes on, maybe inside an enclosed field.
func read(sample []byte, format delimited.Format, whole bool) (fields int, ok bool) {
	const most = 200 // records
	if !whole {
		sample = sample[:bytes.LastIndex(sample, []byte(format.LinesTerminatedBy))+1]
	}
	r, err := delimited.NewReader(bytes.NewReader(sample), format)
	if err != nil {
		return 0, false
	}
	records := 0
	for records < most {
		record, err := r.Read()
		if wrong, ok := errors.AsType[*delimited.Error](err); ok && wrong.Kind == delimited.Unclosed && !whole && records > 0 {
			break
		}
		if err == io.EOF || err != nil && !whole && records > 0 && r.Bytes() == int64(len(sample)) {
			break
		}
		if err != nil {
			return 0, false
		}
		fields = len(record)
		records++
	}
	return fields, records > 0
}

// separator recognises what separates the fields: the usual one of the file's name if it does, else the one that makes the most fields. note tells a
// choice that the user may not expect.
func separator(sample []byte, format delimited.Format, usual string, whole bool) (chosen, note string, err error) {
	found := readings(sample, format, whole)
	best := -1
	for i, r := range found {
		if r.separator == usual {
			if others := len(found) - 1; others > 0 && format.LinesTerminatedBy != "" {
				return usual, alsoRead(found, usual), nil
			}
			return usual, "", nil
		}
		if best < 0 || r.fields > found[best].fields {
			best = i
		}
	}
	if best < 0 {
		return usual, "", nil
	}
	for i, r := range found {
		if i != best && r.fields == found[best].fields {
			return "", "", fmt.Errorf(
				"'%s' and '%s' both separate every line into %d fields: say which with --delimiter",
				showSeparator(found[best].separator),
				showSeparator(r.separator),
				r.fields,
			)
		}
	}
	chosen = found[best].separator
	return chosen, fmt.Sprintf("fields are separated by '%s' (--delimiter says otherwise)", showSeparator(chosen)), nil
}

// alsoRead tells that another separator makes as regular a table.
func alsoRead(found []reading, usual string) string {
	var others []string
	for _, r := range found {
		if r.separator != usual {
			others = append(others, "'"+showSeparator(r.separator)+"'")
		}
	}
	return fmt.Sprintf("fields are separated by '%s'; %s would divide every line alike, too (--delimiter)", showSeparator(usual), strings.Join(others, " or "))
}
