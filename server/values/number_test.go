package values

import (
	"strings"
	"testing"
	"time"
)

func TestCheckNumber(t *testing.T) {
	ones := strings.Repeat("1", MaxDigits)
	for text, passes := range map[string]bool{
		"": true, "12": true, ones: true, " -" + ones[2:]: true, "1e300": true, "1e9999": true, "-1.5E-9999": true, "people": true, strings.Repeat("x", 1e6): true,
		"e99999999": true, "1e" + strings.Repeat("0", 100) + "12": true,
		ones + "1": false, "  " + ones + ".1": false, "+." + ones + "1": false, "0x" + ones: false, "0b" + ones: false, "1_" + ones: false,
		"1e10000": false, "1e999999999": false, "0x1p999999999": false, "1e-999999999": false, " -1.1E+00099999": false,
		"1e" + strings.Repeat("0", 1e5) + "99999": false, strings.Repeat("1", 1e7): false,
	} {
		began := time.Now()
		if err := CheckNumber(text); (err == nil) != passes || time.Since(began) > 10*time.Second {
			t.Errorf("%.30s: %v after %v", text, err, time.Since(began))
		}
	}
}
