package texts

import (
	"fmt"
	"strings"
)

// Detail is the width of a detail such that "| measure of 26 columns | value of 10 |
// detail |" fits a terminal.
const Detail = Terminal - len("| ") - 26 - len(" | ") - 10 - len(" | ") - len(" |")

// Lines wraps a text at width bytes. Lines after the first begin with two spaces. A
// longer word gets a line of its own.
func Lines(text string, width int) (lines []string) {
	if len(text) <= width {
		return []string{text}
	}
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+len(" ")+len(word) > width {
			lines, line = append(lines, line), " "
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// List returns a text followed by a list. It keeps at least the first name, and counts the
// names that do not fit the width.
func List(about string, names []string, width int) string {
	text := about + strings.Join(names, ", ")
	for shown := len(names) - 1; len(text) > width && shown > 0; shown-- {
		text = fmt.Sprintf("%s%s, %d more", about, strings.Join(names[:shown], ", "), len(names)-shown)
	}
	return text
}
