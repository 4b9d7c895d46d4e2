package dialect

// isLock matches the UPDATE of FOR UPDATE, or the SHARE of FOR SHARE.
func (s *statement) isLock(i int) bool { return s.isWord(i, "update", "share") && s.isWord(i-1, "for") }

// NoWait replaces NOWAIT: the server looks for it in a client's text. In a routine it cannot, so NOWAIT stays.
const NoWait = "/*nowait*/"

// lock rewrites FOR SHARE as LOCK IN SHARE MODE, and drops the tables of a lock.
func (s *statement) lock(i int) {
	end := i + 1
	if s.isWord(end, "of") {
		for end += 2; s.textOf(end) == "." || s.textOf(end) == ","; {
			end += 2
		}
	}
	wait := ""
	switch {
	case s.isWord(end, "nowait") && !s.isWord(0, "create"):
		wait = " " + NoWait
		end++
	case s.isWord(end, "skip") && s.isWord(end+1, "locked") && s.isWord(i, "share"):
		end += 2
	}
	end = min(end, len(s.tokens))
	if s.isWord(i, "share") {
		s.replace(s.tokens[i-1].From, s.tokens[end-1].To, "LOCK IN SHARE MODE"+wait)
	} else if end > i+1 {
		s.replace(s.tokens[i+1].From, s.tokens[end-1].To, wait)
	}
}
