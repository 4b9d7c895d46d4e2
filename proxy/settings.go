package proxy

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/anonsql/anonsql/upstream"
)

// settings selects the upstream session's settings that affect our results: SQL modes, numbering of weeks, the
// greatest number of a SELECT's rows, the time of SET timestamp, the language of names of days and months, and
// how long it waits for a command.
const settings = "FIND_IN_SET('ANSI_QUOTES', @@SESSION.sql_mode) > 0, FIND_IN_SET('PIPES_AS_CONCAT', @@SESSION.sql_mode) > 0, " +
	"FIND_IN_SET('NO_BACKSLASH_ESCAPES', @@SESSION.sql_mode) > 0, @@SESSION.default_week_format, " +
	"IF(@@SESSION.sql_select_limit < 1 << 62, @@SESSION.sql_select_limit, 'DEFAULT'), " +
	"IF(ABS(@@SESSION.timestamp - UNIX_TIMESTAMP(SYSDATE())) > 2, @@SESSION.timestamp, 'DEFAULT'), CAST(@@SESSION.lc_time_names AS BINARY), @@SESSION.wait_timeout"

// Positions of the settings in the answer.
const (
	ansiQuotes = iota
	pipesAsConcat
	noEscapes
	weekFormat
	selectLimit
	timestamp
	timeNames
	waitTimeout
	settingsAsked
)

// settle returns the statement that applies the settings that anonsql supports to its session.
func settle(of []string) string {
	modes := ""
	for at, mode := range []string{ansiQuotes: "ANSI_QUOTES", pipesAsConcat: "PIPES_AS_CONCAT"} {
		if of[at] == "1" {
			modes += "," + mode
		}
	}
	return fmt.Sprintf("SET SESSION sql_mode = CONCAT(@@GLOBAL.sql_mode, '%s'), default_week_format = %s, sql_select_limit = %s, timestamp = %s",
		modes, of[weekFormat], of[selectLimit], of[timestamp])
}

// named matches functions and formats that write names of days and months.
var named = regexp.MustCompile(`(?i)dayname|monthname|(date|time)_format|from_unixtime|str_to_date`)

// refuseSettings refuses a statement that anonsql would read or answer differently from the upstream session.
func refuseSettings(text string, of []string) error {
	switch language := of[timeNames]; {
	case of[noEscapes] == "1" && strings.ContainsRune(text, 0x5c):
		return &upstream.Error{Number: 1235, State: "42000", Message: "anonsql reads a backslash in a text as MySQL does by default, and not by " +
			"NO_BACKSLASH_ESCAPES of your session: SET SESSION sql_mode without it, or use CHAR(92)"}
	case !strings.HasPrefix(language, "en_") && named.MatchString(text):
		return &upstream.Error{Number: 1235, State: "42000", Message: "anonsql has names of days and months in English alone, and lc_time_names of your session is " +
			language + ": SET lc_time_names = 'en_US'"}
	}
	return nil
}
