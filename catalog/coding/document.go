package coding

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"
)

// writeDocument writes a canonical text, equal for equal documents: sorted keys, numbers as Go writes them, DECIMALs as numbers.
func writeDocument(v any) (string, error) {
	text, err := json.Marshal(withNumerals(v))
	return string(text), err
}

// withNumerals replaces DECIMALs, which Go would write as texts, by their digits. It shares parts without DECIMALs.
func withNumerals(v any) any {
	switch own := v.(type) {
	case decimal.Decimal:
		return json.Number(own.String())
	case []any:
		made := make([]any, len(own))
		for i, element := range own {
			made[i] = withNumerals(element)
		}
		return made
	case map[string]any:
		made := make(map[string]any, len(own))
		for name, element := range own {
			made[name] = withNumerals(element)
		}
		return made
	}
	return v
}

// ReadDocument parses a JSON text, such as one of writeDocument. Whole numbers are exact.
func ReadDocument(text string) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, io.ErrUnexpectedEOF
	}
	return Numbered(v)
}

// Numbered replaces the digits that a reader left in a document, in place, by numbers: int64 or
// uint64 for whole ones, else float64.
func Numbered(v any) (any, error) {
	var err error
	switch own := v.(type) {
	case json.Number:
		return number(own.String())
	case []any:
		for i, element := range own {
			if own[i], err = Numbered(element); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for name, element := range own {
			if own[name], err = Numbered(element); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

func number(digits string) (any, error) {
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return n, nil
	}
	if n, err := strconv.ParseUint(digits, 10, 64); err == nil {
		return n, nil
	}
	return strconv.ParseFloat(digits, 64)
}
