package differential

import "regexp"

// A difference is named where it is right that the two answer differently.
type difference struct {
	query *regexp.Regexp
	why   string
}

// Beside these: averages, variances and quotients are compared to the decimals that MariaDB
// rounds them to; a difference of unsigned numbers that MariaDB refuses (1690) is not compared; and
// the grammar has no comparison of texts that functions make, which are bytewise here, no PI() and no STR_TO_DATE without a
// day, which MariaDB shows with six decimals and zeros, and no times of a day in texts without one (docs/mysql.md).
var differences = []difference{
	{regexp.MustCompile(`LEFT JOIN.*(FIELD|MAKE_SET)\(`), "MariaDB takes FIELD and MAKE_SET for NULL beside NULL in an outer join"},
	{regexp.MustCompile(`[&|] .*IN \(`), "MariaDB compares unsigned numbers with signed ones in IN bit by bit"},
	{regexp.MustCompile(`SPACE\(`), "spaces at the end of a text count here, as in MySQL's utf8mb4_0900 collations"},
	{regexp.MustCompile(`(INSTR|LOCATE|POSITION|FIELD|FIND_IN_SET)\(.*AS CHAR`), "a text without a column's collation has the default one in these, as in MySQL, which ignores case"},
	{regexp.MustCompile(`(LOG|LN|EXP|SQRT|POW|SIN|COS|TAN|COT|RADIANS|DEGREES).*( % |MOD\()|( % |MOD\().*(LOG|LN|EXP|SQRT|POW|SIN|COS|TAN|COT|RADIANS|DEGREES)`), "last digits of DOUBLEs become the first of a remainder"},
	{regexp.MustCompile(`(MAX|MIN)\(.*[~&|^]`), "MariaDB takes the greatest of unsigned numbers for signed beside DOUBLEs"},
	{regexp.MustCompile(`(CEIL|YEARWEEK)\(.*UNION`), "MariaDB has 99.9 for CEIL(100) in a UNION with 2.5"},
	{regexp.MustCompile(`ELT\(.*(AS DOUBLE|AS DECIMAL|AS SIGNED)`), "MariaDB's ELT of texts and dates is a date's number beside a DOUBLE"},
	{regexp.MustCompile(`UNION.*(IFNULL|COALESCE|IF)\(|(IFNULL|COALESCE|IF)\(.*UNION`), "MariaDB writes decimals of choices without their zeros where a UNION makes texts of them"},
	{regexp.MustCompile(`UNIX_TIMESTAMP|CONVERT_TZ`), "MariaDB's TIMESTAMPs end in 2038, MySQL 8's in 3001"},
	{regexp.MustCompile(`( % |MOD\().*([<>=]|UNION)|([<>=]|UNION).*( % |MOD\()|NULLIF\(.*(%|MOD)`), "MariaDB has a -0.0000 that is not 0"},
}

func named(text string) bool {
	for _, d := range differences {
		if d.query.MatchString(text) {
			return true
		}
	}
	return false
}
