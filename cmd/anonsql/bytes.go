package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A bytesFlag is a number of bytes: 500000000, 512MiB, 4GiB.
type bytesFlag int64

var byteUnits = []struct {
	suffix string
	bytes  float64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}}

// String implements pflag.Value.
func (b *bytesFlag) String() string {
	if *b == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*b), 10)
}

// Type implements pflag.Value.
func (*bytesFlag) Type() string { return "bytes" }

// Set implements pflag.Value.
func (b *bytesFlag) Set(text string) error {
	number, unit := text, 1.0
	for _, u := range byteUnits {
		if rest, ok := strings.CutSuffix(text, u.suffix); ok {
			number, unit = rest, u.bytes
			break
		}
	}
	value, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || value < 0 || math.IsNaN(value) || value*unit >= math.MaxInt64 {
		return fmt.Errorf("must be a number of bytes such as 500000000, 512MiB or 4GiB")
	}
	*b = bytesFlag(value * unit)
	return nil
}
