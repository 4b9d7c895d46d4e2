// Package noise makes noise for private counts: the discrete Laplace and Gaussian distributions, and the accountant that computes their scales.
//
// Principles:
//
//  1. A draw has exactly the distribution that it claims: [Laplace] and [Gaussian] compute with integers and random bits only (Canonne, Kamath and
//     Steinke, "The Discrete Gaussian for Differential Privacy", 2020, Algorithms 1 to 3). Noise from floating-point logarithms can be recovered
//     from the last bits of a sum (Mironov, "On Significance of the Least Significant Bits for Differential Privacy", 2012). Here noise and counts
//     are integers, so there is nothing to recover.
//  2. The caller passes in the source of random bits. For a publication it must be crypto/rand: an attacker who knows the bits
//     subtracts the noise. No seed of this noise may be stored or published. Tests pass in a source of their own.
//  3. The accountant (accountant.go) computes Laplace scales with exact fractions, without rounding, so its verdicts are proofs. Variances of
//     Gaussian noise are integers, rounded up; their delta is a bound computed in floating point.
//  4. An error of the source ends the draw with an error, never with a count without noise.
//
// What is protected is the sensitive value of a unit, against an attacker who may know everything else: label differential privacy
// (Chaudhuri and Hsu, "Sample Complexity Bounds for Differentially Private Learning", 2011; Ghazi, Golowich, Kumar, Manurangsi and
// Zhang, "Deep Learning with Label Differential Privacy", 2021). The other attributes are published and not protected.
//
// It does not hide how long a draw takes, which depends on the noise: an attacker who can time single draws of a publication may learn
// from it (Jin, McMurtry, Rubinstein and Ohrimenko, "Are We There Yet? Timing and Floating-Point Attacks on Differential Privacy
// Systems", 2022). A publication draws thousands and reports only its end.
//
// Files: laplace.go, gaussian.go, the distributions; bernoulli.go, coins that fall with probability exp(-x); accountant.go, scales and losses.
package noise
