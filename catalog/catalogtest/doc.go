// Package catalogtest helps to test the packages of the catalog. It has a catalog with the engine on it ([Bench]),
// sessions that run statements ([Client]), a minimal method whose releases follow their table ([Grouping]), and
// processes that tests kill ([Process]). Only tests import it.
package catalogtest
