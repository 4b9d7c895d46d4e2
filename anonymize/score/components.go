package score

import (
	"cmp"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// maxComponents is the greatest number of principal components that are kept.
const maxComponents = 10

// components returns the scores as points with dimensions coordinates per record: their square roots, whose distance is
// Hellinger's, on the axes of greatest variance. spread is the standard deviation on the first axis.
func (m *Model) components() (points []float32, dimensions int, spread float64) {
	mean, covariance := m.moments()
	eigenvalue, eigenvector := eigen(covariance)
	order := anonymize.Ints(m.values)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(eigenvalue[b], eigenvalue[a]) })
	order = order[:min(m.values-1, maxComponents)]
	order = slices.DeleteFunc(order, func(i int) bool { return eigenvalue[i] <= 1e-12 })
	if len(order) == 0 {
		return nil, 0, 0
	}
	points = make([]float32, m.rows*len(order))
	for record := range m.rows {
		for d, axis := range order {
			sum := 0.0
			for v, p := range m.ScoreOf(uint32(record)) {
				sum += (math.Sqrt(float64(p)) - mean[v]) * eigenvector[v][axis]
			}
			points[record*len(order)+d] = float32(sum)
		}
	}
	return points, len(order), math.Sqrt(eigenvalue[order[0]])
}

// moments returns the mean and the covariance of the square roots.
func (m *Model) moments() (mean []float64, covariance [][]float64) {
	mean, covariance = make([]float64, m.values), make([][]float64, m.values)
	for v := range covariance {
		covariance[v] = make([]float64, m.values)
	}
	root := make([]float64, m.values)
	for record := range m.rows {
		for v, p := range m.ScoreOf(uint32(record)) {
			root[v] = math.Sqrt(float64(p))
			mean[v] += root[v]
		}
		for v, x := range root {
			for u, y := range root[:v+1] {
				covariance[v][u] += x * y
			}
		}
	}
	for v := range mean {
		mean[v] /= float64(m.rows)
	}
	for v := range covariance {
		for u := range v + 1 {
			covariance[v][u] = covariance[v][u]/float64(m.rows) - mean[v]*mean[u]
			covariance[u][v] = covariance[v][u]
		}
	}
	return mean, covariance
}

// rounds is the greatest number of sweeps of eigen; a matrix of 256 rows takes about ten.
const rounds = 60

// eigen returns the eigenvalues of a symmetric matrix and its eigenvectors, in columns, by Jacobi's
// cyclic method (Golub and Van Loan, Matrix Computations, Section 8.5). It destroys the matrix.
func eigen(a [][]float64) (eigenvalue []float64, eigenvector [][]float64) {
	n := len(a)
	eigenvalue, eigenvector = make([]float64, n), make([][]float64, n)
	for i := range n {
		eigenvector[i] = make([]float64, n)
		eigenvector[i][i] = 1
	}
	for range rounds {
		rotated := false
		for p := range n {
			for q := p + 1; q < n; q++ {
				if math.Abs(a[p][q]) > 1e-14*(math.Abs(a[p][p])+math.Abs(a[q][q]))+1e-300 {
					rotate(a, eigenvector, p, q)
					rotated = true
				}
			}
		}
		if !rotated {
			break
		}
	}
	for i := range n {
		eigenvalue[i] = a[i][i]
	}
	return eigenvalue, eigenvector
}

// rotate zeroes a[p][q].
func rotate(a, eigenvector [][]float64, p, q int) {
	tau := (a[q][q] - a[p][p]) / (2 * a[p][q])
	t := 1 / (math.Abs(tau) + math.Sqrt(1+tau*tau))
	if tau < 0 {
		t = -t
	}
	c := 1 / math.Sqrt(1+t*t)
	s := t * c
	for k := range a {
		a[k][p], a[k][q] = c*a[k][p]-s*a[k][q], s*a[k][p]+c*a[k][q]
	}
	for k := range a {
		a[p][k], a[q][k] = c*a[p][k]-s*a[q][k], s*a[p][k]+c*a[q][k]
		eigenvector[k][p], eigenvector[k][q] = c*eigenvector[k][p]-s*eigenvector[k][q], s*eigenvector[k][p]+c*eigenvector[k][q]
	}
}
