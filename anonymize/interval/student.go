package interval

import "math"

// student returns the half width of the interval of a level in standard errors, for a standard
// error with freedom degrees of freedom, at least 1: the quantile (1 + level) / 2 of Student's
// t.
func student(level float64, freedom int) float64 {
	low, high := 0.0, 1.0
	for studentWithin(high, freedom) < level {
		high *= 2
	}
	for range 60 {
		if middle := (low + high) / 2; studentWithin(middle, freedom) < level {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// studentWithin returns the probability that |t| <= x, a finite sum for integer degrees of
// freedom (Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.7.3 and 26.7.4).
func studentWithin(x float64, freedom int) float64 {
	angle := math.Atan(x / math.Sqrt(float64(freedom)))
	sine, cosine := math.Sincos(angle)
	if freedom%2 == 0 {
		sum, term := 1.0, 1.0
		for k := 2; k < freedom; k += 2 {
			term *= cosine * cosine * float64(k-1) / float64(k)
			sum += term
		}
		return sine * sum
	}
	sum, term := 0.0, cosine
	for k := 1; k < freedom; k += 2 {
		sum += term
		term *= cosine * cosine * float64(k+1) / float64(k+2)
	}
	return 2 / math.Pi * (angle + sine*sum)
}
