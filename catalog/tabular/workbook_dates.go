package tabular

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// A dateStyle says what a number format shows of a moment.
type dateStyle uint8

const (
	noDate dateStyle = iota
	dayStyle
	momentStyle
	timeStyle
	durationStyle // hours may exceed 24
)

// builtIn are the predefined number formats of dates (ECMA-376, part 1, section 18.8.30), which workbooks do not define.
var builtIn = map[int]dateStyle{
	14: dayStyle, 15: dayStyle, 16: dayStyle, 17: dayStyle, 22: momentStyle,
	18: timeStyle, 19: timeStyle, 20: timeStyle, 21: timeStyle, 45: timeStyle, 46: durationStyle, 47: timeStyle,
	27: dayStyle, 28: dayStyle, 29: dayStyle, 30: dayStyle, 31: dayStyle, 36: dayStyle,
	50: dayStyle, 51: dayStyle, 52: dayStyle, 53: dayStyle, 54: dayStyle, 57: dayStyle, 58: dayStyle,
	32: timeStyle, 33: timeStyle, 34: timeStyle, 35: timeStyle, 55: timeStyle, 56: timeStyle,
}

// readStyles finds the cell styles that show dates.
func (w *workbook) readStyles() error {
	const name = "xl/styles.xml"
	if part(w.archive, name) == nil {
		return nil
	}
	var styles struct {
		Formats []struct {
			ID   int    `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Cells []struct {
			Format int `xml:"numFmtId,attr"`
		} `xml:"cellXfs>xf"`
	}
	if err := w.decode(name, &styles); err != nil {
		return err
	}
	custom := make(map[int]dateStyle)
	for _, f := range styles.Formats {
		custom[f.ID] = styleOf(f.Code)
	}
	for _, c := range styles.Cells {
		style, ok := custom[c.Format]
		if !ok {
			style = builtIn[c.Format]
		}
		w.dates = append(w.dates, style)
	}
	return nil
}

// styleOf looks for the letters of years, days and hours, or months alone, in a format's code, outside quotes and
// escapes. In brackets, a unit such as [h] means elapsed time, and anything else is no date.
func styleOf(code string) dateStyle {
	var day, hour, elapsed, month, digit bool
	inQuotes, inBrackets, skip := false, false, false
	opened := 0
	code = strings.ToLower(code)
sections:
	for i, c := range code {
		switch {
		case skip:
			skip = false
		case inQuotes:
			inQuotes = c != '"'
		case inBrackets:
			if inBrackets = c != ']'; !inBrackets {
				elapsed = elapsed || isUnit(code[opened:i])
			}
		case c == '"':
			inQuotes = true
		case c == '[':
			inBrackets, opened = true, i+1
		case c == '\\' || c == '_' || c == '*':
			skip = true
		case c == ';': // further sections are for negative numbers and texts
			break sections
		case c == 'm':
			month = true
		case c == '0' || c == '#':
			digit = true
		case c == 'y' || c == 'd':
			day = true
		case c == 'h' || c == 's':
			hour = true
		}
	}
	day = day || month && !digit && !hour && !elapsed // else minutes, or a sign beside a number
	return styleOfParts(day, hour, elapsed)
}

// isUnit reports whether brackets enclose hours, minutes or seconds, not a color, a language or a condition.
func isUnit(bracketed string) bool {
	return bracketed != "" && strings.Contains("hms", bracketed[:1]) && strings.Trim(bracketed, bracketed[:1]) == ""
}

func styleOfParts(day, hour, elapsed bool) dateStyle {
	switch {
	case day && (hour || elapsed):
		return momentStyle
	case day:
		return dayStyle
	case elapsed:
		return durationStyle
	case hour:
		return timeStyle
	}
	return noDate
}

// moment converts a number of days to a date, to the millisecond, in SQL's notation. Workbooks
// from 1900 count a nonexistent 29 February 1900.
func (w *workbook) moment(days float64, style dateStyle) (string, error) {
	const mostDays = 2958466 // the year 10000
	if math.IsNaN(days) || days < 0 && style != durationStyle || math.Abs(days) >= mostDays {
		return "", fmt.Errorf("%v is no date", days)
	}
	const day = 86_400_000
	milliseconds := int64(math.Round(days * day))
	if style == durationStyle {
		return duration(milliseconds), nil
	}
	rest := time.Duration(milliseconds%day) * time.Millisecond
	if style == timeStyle && milliseconds < day {
		return time.Time{}.Add(rest).Format("15:04:05.999"), nil
	}
	epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case w.is1904:
		epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case days < 60:
		epoch = epoch.AddDate(0, 0, 1)
	case days < 61:
		return "", fmt.Errorf("%v is the 29th of February 1900, a day that was none", days)
	}
	t := epoch.AddDate(0, 0, int(milliseconds/day)).Add(rest)
	if style == dayStyle && rest == 0 {
		return t.Format(time.DateOnly), nil
	}
	return t.Format("2006-01-02 15:04:05.999"), nil
}

// duration writes a time span in hours, minutes and seconds.
func duration(milliseconds int64) string {
	sign := ""
	if milliseconds < 0 {
		sign, milliseconds = "-", -milliseconds
	}
	const hour = 3_600_000
	rest := time.Time{}.Add(time.Duration(milliseconds%hour) * time.Millisecond)
	return fmt.Sprintf("%s%02d%s", sign, milliseconds/hour, rest.Format(":04:05.999"))
}
