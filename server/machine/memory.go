// Package machine finds how much memory a server's process may use. The limit leaves
// room for memory that is not counted, and is 0 if the system does not tell.
package machine

import (
	"os"
	"strconv"
	"strings"
)

// MinMemory is a memory limit that a server without work keeps, in bytes.
const MinMemory = 128 << 20

// DefaultMemoryLimit is three quarters of the memory that the process may have, in
// bytes: the machine's, or its control group's where that is less. It is 0, no limit,
// where neither can be read, or too little is left. The rest is for SQLite, for the
// files that the system keeps in memory, and for what is allocated between two looks.
func DefaultMemoryLimit() int64 {
	least := int64(0)
	for _, found := range []int64{machineMemory(), groupMemory("/sys/fs/cgroup/memory.max"), groupMemory("/sys/fs/cgroup/memory/memory.limit_in_bytes")} {
		if found > 0 && (least == 0 || found < least) {
			least = found
		}
	}
	if limit := least / 4 * 3; limit >= MinMemory {
		return limit
	}
	return 0
}

// machineMemory is 0 where it is not known.
func machineMemory() int64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "MemTotal:" && fields[2] == "kB" {
			kilobytes, _ := strconv.ParseInt(fields[1], 10, 64) // 0 for what is no number
			return kilobytes << 10
		}
	}
	return 0
}

// groupMemory is 0 where there is no such limit.
func groupMemory(file string) int64 {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil { // "max"
		return 0
	}
	return limit
}
