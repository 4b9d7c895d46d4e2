package interval

import (
	"encoding/json"
	"fmt"
)

// Stored is the form in which widths are stored with a release, and sent.
type Stored struct {
	Factors *Widths `json:",omitempty"`
}

// Decode returns the widths of a stored calibration, nil for none: the release was published without intervals.
func Decode(text json.RawMessage) (*Widths, error) {
	if len(text) == 0 || string(text) == "null" {
		return nil, nil
	}
	s := &Stored{}
	err := json.Unmarshal(text, s)
	if err == nil {
		err = s.Factors.check()
	}
	if err != nil {
		return nil, fmt.Errorf("the stored widths of intervals are damaged: %w", err)
	}
	return s.Factors, nil
}

// Public returns the publishable part of a stored calibration: only the widths, in a form that
// Decode reads; nothing for none.
func Public(text json.RawMessage) (json.RawMessage, error) {
	widths, err := Decode(text)
	if err != nil || widths == nil {
		return nil, err
	}
	return json.Marshal(Stored{widths})
}
