package evaluation

import (
	"math"

	"gonum.org/v1/plot"
)

// numberTicks marks four to eight round numbers.
type numberTicks struct{}

func (numberTicks) Ticks(low, high float64) []plot.Tick {
	if !(low < high) {
		return []plot.Tick{{Value: low, Label: Number(low)}}
	}
	step := roundStep((high - low) / 4)
	var ticks []plot.Tick
	for i := math.Ceil(low/step - 1e-9); i*step <= high*(1+1e-12); i++ {
		// Twelve digits drop what the multiplication adds to 0.3.
		scale := math.Pow(10, 12-math.Ceil(math.Log10(max(math.Abs(low), math.Abs(high)))))
		value := math.Round(i*step*scale)/scale + 0 // not minus 0
		ticks = append(ticks, plot.Tick{Value: value, Label: Number(value)})
	}
	return ticks
}

// roundStep returns the greatest number of the form 1, 2 or 5 times a power of ten that is at most x.
func roundStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, digit := range []float64{5, 2} {
		if digit*power <= x {
			return digit * power
		}
	}
	return power
}

// logTicks marks powers of ten, and also their doubles and fivefolds if there are few powers.
type logTicks struct{}

func (logTicks) Ticks(low, high float64) []plot.Tick {
	if low <= 0 {
		return numberTicks{}.Ticks(low, high)
	}
	few := math.Log10(high/low) < 2.5
	var ticks []plot.Tick
	for e := math.Floor(math.Log10(low)); math.Pow(10, e) <= high; e++ {
		for digit := 1.0; digit < 10; digit++ {
			t := plot.Tick{Value: digit * math.Pow(10, e)}
			if digit == 1 || few && (digit == 2 || digit == 5) {
				t.Label = Number(t.Value)
			}
			if low <= t.Value && t.Value <= high {
				ticks = append(ticks, t)
			}
		}
	}
	return ticks
}
