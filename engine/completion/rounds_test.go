package completion

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestRoundsMixGroups simulates the statement's draws for groups of two fragments, whose records' energies with their possible values have a standard
// deviation of 2: the rounds gain nearly as much as a sampler that runs on.
func TestRoundsMixGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for size, least := range map[int]float64{9: 0.92, 20: 0.94, 32: 0.94, 50: 0.955} {
		var started, drawn, settled float64
		for range 30_000 / size {
			g := newSimulatedGroup(random, size)
			started += g.energy()
			g.draw((&Request{Largest: uint32(size)}).rounds(), sweepsLarge)
			drawn += g.energy()
			g.draw(60, sweepsLarge)
			settled += g.energy()
		}
		if gained := (drawn - started) / (settled - started); gained < least || gained > 1.02 {
			t.Errorf("groups of %d gain %.3f of what they gain in the end, want %.2f and more", size, gained, least)
		}
	}
}

// A simulatedGroup has records with random energies for each of 14 values, and the records' values.
type simulatedGroup struct {
	random   *rand.Rand
	energies [][14]float64
	values   []int
}

func newSimulatedGroup(random *rand.Rand, size int) *simulatedGroup {
	g := &simulatedGroup{random, make([][14]float64, size), make([]int, size)}
	for i := range g.energies {
		for v := range g.energies[i] {
			g.energies[i][v] = 2 * random.NormFloat64()
		}
		g.values[i] = random.IntN(len(g.energies[i]))
	}
	return g
}

func (g *simulatedGroup) energy() (sum float64) {
	for i, v := range g.values {
		sum += g.energies[i][v]
	}
	return sum
}

// draw exchanges values within chunks, other ones in every round.
func (g *simulatedGroup) draw(rounds, sweeps int) {
	chunks := (len(g.values) + chunkRecords - 1) / chunkRecords
	for round := range rounds {
		for c := range chunks {
			var members []int
			for i := range chunkRecords {
				if place := i*chunks + (c+round*i)%chunks; place < len(g.values) {
					members = append(members, place)
				}
			}
			for range sweeps {
				for i, a := range members {
					for _, b := range members[:i] {
						g.exchange(a, b)
					}
				}
			}
		}
	}
}

func (g *simulatedGroup) exchange(a, b int) {
	u, v := g.values[a], g.values[b]
	loss := g.energies[a][u] + g.energies[b][v] - g.energies[a][v] - g.energies[b][u]
	if g.random.Float64()*(1+math.Exp(loss)) < 1 {
		g.values[a], g.values[b] = v, u
	}
}
