package texts

import (
	"fmt"
	"strings"
)

// Detail is how many columns a detail has beside a measure and its value: "| measure of 26
// columns | value of 10 | detail |" fits a terminal.
const Detail = Terminal - len("| ") - 26 - len(" | ") - 10 - len(" | ") - len(" |")

// Lines breaks a text between words into lines of a width; those behind the first begin
// with two spaces. A longer word is a line, too.
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

// List is a list behind a text, in a width: names that do not fit are counted, but for the
// first.
func List(about string, names []string, width int) string {
	text := about + strings.Join(names, ", ")
	for shown := len(names) - 1; len(text) > width && shown > 0; shown-- {
		text = fmt.Sprintf("%s%s, %d more", about, strings.Join(names[:shown], ", "), len(names)-shown)
	}
	return text
}
