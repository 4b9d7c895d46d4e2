package detection

import (
	"fmt"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// Blanks describes two of a column's values that differ only in surrounding blanks, "" for none. Diversity rules count them as two.
func Blanks(column string, dictionary []anonymize.Value) string {
	bare := make(map[string]string)
	for _, v := range dictionary {
		if v.Kind != anonymize.Text {
			continue
		}
		trimmed := strings.TrimSpace(v.Text)
		if other, ok := bare[trimmed]; ok {
			return fmt.Sprintf("%q and %q are two values that differ in blanks alone: TRIM(%s) makes them one", other, v.Text, column)
		}
		bare[trimmed] = v.Text
	}
	return ""
}

// AreSentences reports whether texts are free-form: hardly two are equal, so diversity rules say little.
func AreSentences(dictionary []anonymize.Value) bool {
	var written []string
	for _, v := range dictionary {
		if v.Kind == anonymize.Text {
			written = append(written, v.Text)
		}
	}
	return share(written, isSentence) >= maxSentences
}
