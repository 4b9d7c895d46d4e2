package bucketization

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
)

const combined, eachMode = "combined", "each"

// SensitiveMode says what a method for one sensitive attribute does with several.
var SensitiveMode = anonymize.Choice("sa_mode", []string{combined, eachMode},
	"for several sensitive attributes: combined bounds the tuple of their values as one value; each bounds every attribute by itself, which is stricter")

// IsEach reports whether several sensitive attributes are protected separately.
func IsEach(in *anonymize.Input, s anonymize.Settings) bool {
	return len(in.Sensitive) > 1 && SensitiveMode.Read(s) == eachMode
}

// IsCombined reports whether several sensitive attributes are protected as one.
func IsCombined(in *anonymize.Input, s anonymize.Settings) bool {
	return len(in.Sensitive) > 1 && SensitiveMode.Read(s) == combined
}

// OneIn is [anonymize.Method.Share] for a method that bounds the share by l.
func OneIn(l anonymize.Param[int]) func(s anonymize.Settings) anonymize.Ratio {
	return func(s anonymize.Settings) anonymize.Ratio { return anonymize.NewRatio(1, uint64(l.Read(s))) }
}

// Tables declares the number of tables into which quasi-identifiers are divided; doc describes these. See [TablesOf].
func Tables(doc string) anonymize.Param[int] {
	return anonymize.Int("tables", 1, MaxRows, doc+", 1 to the number of quasi-identifiers; auto is 2, or 1 for a single quasi-identifier").
		OrAuto().Positional()
}

// TablesOf reads it. There cannot be more tables than quasi-identifiers.
func TablesOf(tables anonymize.Param[int], in *anonymize.Input, s anonymize.Settings) (int, error) {
	n, most := tables.Read(s), len(in.QuasiIdentifiers)
	switch {
	case n == 0: // auto
		return min(2, most), nil
	case n > most:
		return 0, &anonymize.ParameterError{Parameter: "tables", Value: fmt.Sprint(n),
			Rule: fmt.Sprintf("must be at most %d, the number of quasi-identifiers", most)}
	}
	return n, nil
}

// CheckSize refuses a least group size above the number of records.
func CheckSize(k int, in *anonymize.Input) error {
	if k <= in.Rows {
		return nil
	}
	return &anonymize.InfeasibleError{Parameter: "k", Given: anonymize.NewRatio(uint64(k), 1),
		Largest: anonymize.NewRatio(uint64(in.Rows), 1), Obstacle: fmt.Sprintf("the table has %d records", in.Rows)}
}
