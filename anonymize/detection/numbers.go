package detection

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/anonsql/anonsql/anonymize"
)

// numbersOf returns a column's least and greatest number, whether most have more than two
// decimals, and whether they are answers, 0 and 1 or 1 and 2.
func numbersOf(c *anonymize.Column, counts []int) (low, high float64, exact, answers bool) {
	low, high = math.Inf(1), math.Inf(-1)
	numbers, exactly := 0, 0
	for code, v := range c.Dictionary {
		x, ok := v.Number()
		if !ok || counts[code] == 0 {
			continue
		}
		numbers++
		low, high = min(low, x), max(high, x)
		if scaled := 100 * x; math.Abs(scaled-math.Round(scaled)) > 1e-6*max(1, math.Abs(scaled)) {
			exactly++
		}
	}
	return low, high, 2*exactly > numbers, numbers == 2 && high-low == 1 && (low == 0 || low == 1)
}

// answersOf are answers to yes-no questions.
var answersOf = words(`yes, no, y, n, true, false, t, f, unknown, dont know, refused, ja, nein, j, wahr, falsch,
	weiss nicht, oui, non, o, vrai, faux, si, s, verdadero, falso, sim, nao, nee, tak, nie, positive, negative, pos, neg,
	never, always, sometimes, often, rarely, nie, immer, manchmal, oft, selten, jamais, toujours, parfois, souvent, nunca,
	siempre, a veces`)

func isAnswer(text string) bool {
	folded := strings.Join(partsOf(strings.ToLower(text)), " ")
	return slices.Contains(answersOf, strings.ReplaceAll(folded, "don t", "dont")) || strings.IndexFunc(text, unicode.IsLetter) < 0 && (text == "0" || text == "1")
}
