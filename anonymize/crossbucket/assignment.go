package crossbucket

// sensitiveSet is Algorithm 2, repaired: of the counts of what is left, in
// descending order and with n_1 m <= N, the beta most frequent values, from each
// of which alpha records are taken, so that n_1 m <= N still holds for the rest.
// Beta is the first of g, g+k, ... for which there is an alpha, else the first of
// m, m+1, ....
//
// There always is one: let N = q m + r with r < m, and c be the number of values
// of count q (none has more). Beta = max(m, c) with alpha = 1 does. If c <= m,
// what is left has counts of at most q-1 = floor((N-m)/m). If c > m, then c q <=
// q m + r, so c - m <= r/q <= r, and (N-c)/m >= q-1.
//
// total is the sum of the counts, N.
func sensitiveSet(counts []uint32, total int, p parameters) (beta, alpha int) {
	for beta = p.g; beta <= len(counts); beta += p.k {
		if alpha = calculateAlpha(counts, total, beta, p.m); alpha > 0 {
			return beta, alpha
		}
	}
	for beta = p.m; beta <= len(counts); beta++ {
		if alpha = calculateAlpha(counts, total, beta, p.m); alpha > 0 {
			return beta, alpha
		}
	}
	return 0, 0
}

// calculateAlpha is the greatest alpha <= n_beta for which both n_1 - alpha and
// n_(beta+1) are at most (N - alpha beta)/m: Xiao and Tao, m-Invariance, SIGMOD
// 2007, section 5.1. 0 if there is none.
func calculateAlpha(counts []uint32, total, beta, m int) int {
	alpha := int(counts[beta-1])
	if beta > m {
		alpha = min(alpha, (total-m*int(counts[0]))/(beta-m))
	}
	if beta < len(counts) {
		alpha = min(alpha, (total-m*int(counts[beta]))/beta)
	}
	return max(alpha, 0)
}
