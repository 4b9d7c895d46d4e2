package tabular

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/anonsql/anonsql/catalog/delimited"
)

// separators are the recognised ones, the most common first.
var separators = []string{",", ";", "\t", "|"}

// ofExcel is a first line such as sep=; with which files tell Excel their separator.
var ofExcel = regexp.MustCompile("^(?i:sep)=([^\r\n\"])[\r\n]")

// separatorNamed returns the separator of --delimiter.
func separatorNamed(name string) string {
	if name == `\t` || strings.EqualFold(name, "tab") {
		return "\t"
	}
	return name
}

// showSeparator writes a separator as an argument of --delimiter.
func showSeparator(separator string) string { return strings.ReplaceAll(separator, "\t", `\t`) }

// lineEnd returns what ends the lines of a sample: a lone carriage return, as on old Macs, if no line feed is outside quotes.
func lineEnd(sample []byte) string {
	if bytes.IndexByte(sample, '\n') < 0 && bytes.IndexByte(sample, '\r') >= 0 {
		return "\r"
	}
	end, quoted := "\n", false
	for i, c := range sample {
		switch {
		case c == '"' && (quoted || i == 0 || strings.IndexByte(",;|\t\" \r\n", sample[i-1]) >= 0): // not 5" in a field
			quoted = !quoted
		case c == '\n' && !quoted:
			return "\n"
		case c == '\r' && !quoted:
			end = "\r"
		}
	}
	return end
}

// A reading is the result of splitting a sample by a separator.
type reading struct {
	separator string
	fields    int // of every record
}

// readings returns the separators by which all records have the same number of fields, more than one. whole says that the sample is the whole text.
func readings(sample []byte, format delimited.Format, whole bool) (found []reading) {
	for _, s := range separators {
		format.FieldsTerminatedBy = s
		if fields, ok := read(sample, format, whole); ok && fields > 1 {
			found = append(found, reading{s, fields})
		}
	}
	return found
}

// read counts the fields of a sample's records. If the text goes on, it ignores the last record, which may end inside an enclosed field.
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

// separator recognises the separator: the usual one for the file's name if it fits, else the
// one that makes the most fields. note mentions a choice that may surprise the user.
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

// alsoRead returns a note that another separator makes an equally regular table.
func alsoRead(found []reading, usual string) string {
	var others []string
	for _, r := range found {
		if r.separator != usual {
			others = append(others, "'"+showSeparator(r.separator)+"'")
		}
	}
	return fmt.Sprintf("fields are separated by '%s'; %s would divide every line alike, too (--delimiter)", showSeparator(usual), strings.Join(others, " or "))
}
