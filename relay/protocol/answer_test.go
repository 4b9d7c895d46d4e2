package protocol

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Packets of answers.
const (
	okPacket, morePacket     = "\x00\x00\x00\x02\x00\x00\x00", "\x00\x00\x00\x0a\x00\x00\x00"
	eofPacket, moreEOFPacket = "\xfe\x00\x00\x02\x00", "\xfe\x00\x00\x0a\x00"
	okEOFPacket              = "\xfe\x00\x00\x02\x00\x00\x00"
	cursorPacket             = "\xfe\x00\x00\x42\x00"
	errorPacket              = "\xff\x10\x04#42000no"
	progressPacket           = "\xff\xff\xff\x01\x01\x02\x00\x00\x00\x00"
	rowPacket                = "\x01a"
	preparedPacket           = "\x00\x01\x00\x00\x00\x01\x00\x02\x00\x00\x00\x00" // one column, two parameters
	definition               = "\x03def"
)

// longRow is a row whose first value has 16 MiB, so that it begins as an EOF: its first frame says so.
var longRow = "\xfe" + strings.Repeat("x", 300)

// answers are packet by packet; end is the event of the last one.
var answers = map[string]struct {
	command Command
	flags   Capabilities
	packets []string
	end     Event
}{
	"OK":                        {Query, 0, []string{okPacket}, Ended},
	"error":                     {Query, 0, []string{errorPacket}, Ended},
	"rows":                      {Query, 0, []string{"\x02", definition, definition, eofPacket, rowPacket, rowPacket, eofPacket}, Ended},
	"rows, no EOF":              {Query, DeprecateEOF, []string{"\x02", definition, definition, rowPacket, rowPacket, okEOFPacket}, Ended},
	"no rows":                   {Query, DeprecateEOF, []string{"\x01", definition, okEOFPacket}, Ended},
	"error after rows":          {Query, 0, []string{"\x01", definition, eofPacket, rowPacket, errorPacket}, Ended},
	"error after definitions":   {Query, 0, []string{"\x01", definition, errorPacket}, Ended},
	"several results":           {Query, 0, []string{morePacket, "\x01", definition, eofPacket, rowPacket, moreEOFPacket, "\x01", definition, eofPacket, moreEOFPacket, okPacket}, Ended},
	"error after a result":      {Query, 0, []string{morePacket, errorPacket}, Ended},
	"file":                      {Query, 0, []string{"\xfbname", okPacket}, Ended},
	"file and rows":             {Query, DeprecateEOF, []string{"\xfbname", morePacket, "\x01", definition, okEOFPacket}, Ended},
	"progress":                  {Query, Progress, []string{progressPacket, progressPacket, okPacket}, Ended},
	"no progress":               {Query, 0, []string{progressPacket}, Ended},
	"cached definitions":        {StmtExecute, CacheMetadata, []string{"\x02\x00", eofPacket, rowPacket, eofPacket}, Ended},
	"cached, no EOF":            {StmtExecute, CacheMetadata | DeprecateEOF, []string{"\x02\x00", rowPacket, okEOFPacket}, Ended},
	"definitions, not cached":   {StmtExecute, CacheMetadata, []string{"\x01\x01", definition, eofPacket, rowPacket, eofPacket}, Ended},
	"cursor":                    {StmtExecute, 0, []string{"\x01", definition, cursorPacket}, Ended},
	"fetched rows":              {StmtFetch, 0, []string{"\x00\x00a", "\x00\x00b", eofPacket}, Ended},
	"long row":                  {Query, DeprecateEOF, []string{"\x01", definition, longRow, okEOFPacket}, Ended},
	"prepared":                  {StmtPrepare, 0, []string{preparedPacket, definition, definition, eofPacket, definition, eofPacket}, Ended},
	"prepared, no EOF":          {StmtPrepare, DeprecateEOF, []string{preparedPacket, definition, definition, definition}, Ended},
	"prepared without either":   {StmtPrepare, 0, []string{"\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"}, Ended},
	"prepared, only columns":    {StmtPrepare, 0, []string{"\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00", definition, eofPacket}, Ended},
	"prepared, only parameters": {StmtPrepare, 0, []string{"\x00\x01\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00", definition, eofPacket}, Ended},
	"fields":                    {FieldList, 0, []string{definition, definition, eofPacket}, Ended},
	"statistics":                {Statistics, 0, []string{"Uptime: 1"}, Ended},
	"option":                    {0x1b, 0, []string{eofPacket}, Ended},
	"another account":           {ChangeUser, 0, []string{"\xfemysql_native_password\x00", "", "\x01\x03", okPacket}, Ended},
	"no packet":                 {Query, 0, []string{""}, Unknown},
	"no columns":                {Query, 0, []string{"\xfc\x00"}, Unknown},
	"no EOF where one must be":  {Query, 0, []string{"\x01", definition, rowPacket}, Unknown},
	"short OK":                  {Query, 0, []string{"\x00\x00"}, Unknown},
	"short prepared":            {StmtPrepare, 0, []string{"\x00\x00"}, Unknown},
	"short EOF":                 {Query, 0, []string{"\x01", definition, eofPacket, "\xfe"}, Unknown},
}

// All but the last packet of an answer are Continues or, where it begins with 0xfb, Local.
func TestAnswers(t *testing.T) {
	for name, c := range answers {
		t.Run(name, func(t *testing.T) {
			a := NewAnswer(c.command, c.flags)
			for i, p := range c.packets {
				want := Continues
				if strings.HasPrefix(p, "\xfb") {
					want = Local
				}
				if i == len(c.packets)-1 {
					want = c.end
				}
				first := len(p)
				if p == longRow {
					first = MaxFrame
				}
				if got := a.Read(Packet{Head: []byte(p)[:min(len(p), headSize)], First: first}); got != want {
					t.Fatalf("packet %d, %q: event %d, must be %d", i, p, got, want)
				}
			}
		})
	}
	for _, c := range []Command{Quit, StmtClose, StmtSendLongData} {
		if NewAnswer(c, 0).Expected() {
			t.Errorf("command %#x is answered", c)
		}
	}
	for _, c := range []Command{BinlogDump, BinlogDumpGTID, TableDump, Clone} {
		if NewAnswer(c, 0).Understood() {
			t.Errorf("command %#x is understood", c)
		}
	}
}

// packets returns what a stream finds in bytes that arrive in pieces.
func packets(s *Stream, p []byte, piece func() int) (found []Packet) {
	for len(p) > 0 {
		part := p[:min(len(p), piece())]
		p = p[len(part):]
		for len(part) > 0 {
			n, packet, whole := s.Next(part)
			part = part[n:]
			if whole {
				packet.Head = slices.Clone(packet.Head)
				found = append(found, packet)
			}
		}
	}
	return found
}

// The same packets are found however the bytes are cut, and numbers are shifted in place.
func TestStream(t *testing.T) {
	for most, sizes := range map[int][]int{
		1: {0, 1, 22, 23, 24, 5000, 3}, 2: {0, 1, 22, 23, 24, 5000, 3}, 7: {24, 0, 0, 5000, 1},
		10_000: {5, MaxFrame - 1, MaxFrame, MaxFrame + 1, 3}, 1 << 30: {0, MaxFrame, 0, 2 * MaxFrame, 23},
	} {
		var sent []byte
		for i, n := range sizes {
			sent, _ = AppendPacket(sent, byte(i), bytes.Repeat([]byte{byte(i + 1)}, n))
		}
		random := rand.New(rand.NewPCG(1, uint64(most)))
		piece := func() int { return 1 + random.IntN(most) }
		p := bytes.Clone(sent)
		s := &Stream{Shift: 3}
		found := packets(s, p, piece)
		if len(found) != len(sizes) || !s.AtBoundary() {
			t.Fatalf("pieces of %d: %d packets, must be %d", most, len(found), len(sizes))
		}
		for i, n := range sizes {
			want := Packet{Head: bytes.Repeat([]byte{byte(i + 1)}, min(n, headSize)), First: min(n, MaxFrame), Sequence: byte(i + n/MaxFrame + 3)}
			if got := found[i]; !bytes.Equal(got.Head, want.Head) || got.First != want.First || got.Sequence != want.Sequence {
				t.Errorf("pieces of %d: packet %d is %v, must be %v", most, i, got, want)
			}
		}
		back := &Stream{Shift: 256 - 3}
		packets(back, p, piece)
		if !bytes.Equal(p, sent) {
			t.Errorf("pieces of %d: shifted there and back the bytes differ", most)
		}
	}
}

// FuzzAnswer: no input causes a panic, and splits make no difference.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte("\x07\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00"), byte(Query), uint64(0), uint64(1))
	f.Add([]byte("\x01\x00\x00\x01\x01\x04\x00\x00\x02\x03def\x05\x00\x00\x03\xfe\x00\x00\x02\x00"), byte(StmtExecute), uint64(DeprecateEOF), uint64(2))
	f.Fuzz(func(t *testing.T, p []byte, command byte, flags, seed uint64) {
		events := func(most int) (found []Event) {
			random := rand.New(rand.NewPCG(seed, 0))
			a := NewAnswer(Command(command), Capabilities(flags))
			if !a.Expected() {
				return nil
			}
			for _, packet := range packets(new(Stream), bytes.Clone(p), func() int { return 1 + random.IntN(most) }) {
				found = append(found, a.Read(packet))
				if last := found[len(found)-1]; last == Ended || last == Unknown {
					break
				}
			}
			return found
		}
		if whole, cut := events(1<<20), events(3); !slices.Equal(whole, cut) {
			t.Errorf("%v in one piece, %v in several", whole, cut)
		}
	})
}

// FuzzLogin: greetings and logins that are read can be written again.
func FuzzLogin(f *testing.F) {
	f.Add(append([]byte("\x0a8.0\x00"), make([]byte, 60)...))
	f.Add(append([]byte{0, 2, 0, 0}, make([]byte, 60)...))
	f.Fuzz(func(t *testing.T, p []byte) {
		if g, err := ParseGreeting(p); err == nil {
			if got := g.Offer(g.Capabilities); !bytes.Equal(got, p) {
				t.Errorf("the greeting %q becomes %q", p, got)
			}
			again, err := ParseGreeting(g.Offer(g.Capabilities &^ Hidden))
			if err != nil || again.Capabilities != g.Capabilities&^Hidden {
				t.Errorf("%#x becomes %#x, %v", g.Capabilities, again.Capabilities, err)
			}
		}
		if l, err := ParseLogin(p); err == nil {
			if got := Choose(p, l.Capabilities); !bytes.Equal(got, p) {
				t.Errorf("the login %q becomes %q", p, got)
			}
		}
	})
}
