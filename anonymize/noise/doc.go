// Package noise adds privacy to counts: the discrete Laplace and Gaussian distributions, and the accountant who says how wide it must be.
//
// Principles:
//
//  1. A draw has exactly the distribution that it claims: [Laplace] computes with whole numbers and random bits, and with nothing
//     else, and so does [Gaussian] (Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential Privacy", 2020, Algorithms 1 to 3). Noise
//     out of floating-point logarithms can be read back from the last bits of a sum (Mironov, "On Significance of the Least
//     Significant Bits for Differential Privacy", 2012); here the noise and the counts are whole numbers, so that there is nothing to
//     read.
//  2. Random bits come from a source that the caller hands in. For a publication it must be crypto/rand: whoever knows the bits
//     subtracts the noise. No seed of this noise may be stored or published. A test hands in a source of its own.
//  3. The accountant (accountant.go) computes Laplace scales with exact fractions: what it admits is a proof, and no rounding is on either side.
//     Variances of Gaussian noise are whole numbers, rounded up; the delta of one is a bound that is computed in floating point.
//  4. An error of the source ends the draw. There is no count without noise instead.
//
// What is protected is the sensitive value of a unit, against an attacker who may know everything else: label differential privacy
// (Chaudhuri and Hsu, "Sample Complexity Bounds for Differentially Private Learning", 2011; Ghazi, Golowich, Kumar, Manurangsi and
// Zhang, "Deep Learning with Label Differential Privacy", 2021). The other attributes are published and not protected.
//
// It does not hide how long a draw takes, which depends on the noise: whoever can time single draws of a publication may learn from it
// (Jin, McMurtry, Rubinstein and Ohrimenko, "Are We There Yet? Timing and Floating-Point Attacks on Differential Privacy Systems",
// 2022). A publication draws thousands and tells when it is done.
//
// Files: laplace.go, gaussian.go, the distributions; bernoulli.go, coins that fall with probability exp(-x); accountant.go, scales and losses.
package noise
