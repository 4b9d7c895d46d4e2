package answers

import (
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
)

func TestDecimalKeysAreOrderedAsDecimals(t *testing.T) {
	var all []decimal.Decimal
	for _, text := range []string{"-1000000000000000000000000000000000000000000000000.5", "-100", "-99.99", "-11", "-2", "-1.51", "-1.5", "-1", "-0.51", "-0.5", "-0.05", "0", "0.05", "0.5", "0.51", "1", "1.5", "1.51", "2", "9", "10", "11", "99.9", "100.01", "1000000000000000000000000000000000000000000000000.5"} {
		all = append(all, decimal.RequireFromString(text))
	}
	if !slices.IsSortedFunc(all, func(a, b decimal.Decimal) int { return strings.Compare(decimalKey(a), decimalKey(b)) }) {
		t.Error("keys are not in the order of the decimals")
	}
	for _, same := range []string{"1.50", "01.5", "1.500"} {
		if decimalKey(decimal.RequireFromString(same)) != decimalKey(decimal.RequireFromString("1.5")) {
			t.Errorf("%s has a key of its own", same)
		}
	}
	if decimalKey(decimal.RequireFromString("-0.00")) != decimalKey(decimal.RequireFromString("0")) {
		t.Error("-0 is not 0")
	}
}
