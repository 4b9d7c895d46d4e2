package crossbucket

// literalSet is Algorithm 2 as printed. The paper does not define calculate_alpha's m; it is a parameter here.
func literalSet(counts []uint32, k, l, g, m int) (beta, alpha int) {
	total := 0
	for _, n := range counts {
		total += int(n)
	}
	least := int(counts[len(counts)-1])
	if len(counts) < 2*g { // lines 2-4: the last call
		return len(counts), least
	}
	beta = g
	alpha = calculateAlpha(counts, total, beta, m)
	for alpha == 0 { // lines 8-16
		beta += k
		if len(counts)-beta < 2*l {
			return len(counts), least
		}
		alpha = calculateAlpha(counts, total, beta, m)
	}
	return beta, alpha
}
