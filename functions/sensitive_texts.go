package functions

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize/detection"
)

// warnOfTexts warns where different texts of a sensitive attribute need not be different secrets, so that rules that count values promise less than they say.
func (p *publication) warnOfTexts(ctx *sql.Context) {
	for _, f := range p.release.Fragments {
		for _, c := range f.Columns {
			if !slices.Contains(p.Record.Sensitive, c.Name) {
				continue
			}
			if detection.AreSentences(c.Dictionary) {
				ctx.Warn(mysql.ERUnknownError, "%s is written freely: its texts may name people, and texts that differ may say the same, "+
					"which no rule of diversity sees; publish a code of what they say instead", c.Name)
			} else if blanks := detection.Blanks(c.Name, c.Dictionary); blanks != "" {
				ctx.Warn(mysql.ERUnknownError, "%s; rules of diversity count them as different", blanks)
			}
		}
	}
}
