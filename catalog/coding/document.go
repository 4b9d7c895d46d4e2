package coding

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"
)

// writeDocument writes a document in one way for equal documents: keys sorted, numbers as Go writes them, DECIMALs as numbers.
func writeDocument(v any) (string, error) {
	text, err := json.Marshal(withNumerals(v))
	return string(text), err
}

// withNumerals has the digits of DECIMALs in their place; Go writes these as texts. What has none is shared.
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

// ReadDocument reads a text of JSON, such as writeDocument has written: whole numbers exactly.
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

// Numbered has numbers in a document, in place, where a reader left their digits: whole ones exactly as int64 or uint64, others
// as float64.
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
