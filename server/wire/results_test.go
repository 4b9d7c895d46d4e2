package wire

import "testing"

func TestPlainDouble(t *testing.T) {
	for given, want := range map[string]string{
		"1.88743e+06":            "1887430",
		"1.23456789012345e+14":   "123456789012345",
		"1e+15":                  "1e15",
		"1.5e+300":               "1.5e300",
		"1.25e-06":               "0.00000125",
		"1e-15":                  "0.000000000000001",
		"-2.5e-20":               "-2.5e-20",
		"1.2345678901234568e+18": "1.2345678901234568e18",
	} {
		if got := string(plainDouble([]byte(given))); got != want {
			t.Errorf("%s is written %s, want %s", given, got, want)
		}
	}
}
