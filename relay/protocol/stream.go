package protocol

// FrameHeader is the size of a frame's header: three bytes of length and a sequence number. A
// payload of MaxFrame bytes continues in the next frame, so a packet has one or several frames.
const (
	FrameHeader = 4
	MaxFrame    = 1<<24 - 1
)

// headSize is the number of a packet's first bytes that Stream keeps. Answer reads at most an
// OK packet's head: two length-encoded integers, status and warnings.
const headSize = 1 + 9 + 9 + 2 + 2

// A Packet describes one packet, at its end.
type Packet struct {
	Head     []byte // its first bytes, at most 23; valid until the next call
	First    int    // payload bytes of its first frame
	Sequence byte   // of its last frame
}

// A Stream cuts the bytes of one direction into packets. It keeps only the head of the current
// packet. The zero value is at the beginning of a packet.
type Stream struct {
	// Shift is added to every sequence number, in place.
	Shift byte

	header    [FrameHeader]byte
	of        int // bytes of the header read so far
	left      int // payload bytes of the frame still to come
	full      bool
	continued bool // the frame continues a packet
	first     int
	head      [headSize]byte
	kept      int
}

// Next reads p up to the end of a packet and returns the number of bytes read. whole is false
// if p ends before the packet does.
func (s *Stream) Next(p []byte) (n int, packet Packet, whole bool) {
	for {
		if s.of < FrameHeader {
			taken := s.takeHeader(p[n:])
			n += taken
			if s.of < FrameHeader {
				return n, Packet{}, false
			}
		}
		take := min(s.left, len(p)-n)
		whole := take == s.left
		if !s.continued {
			// Next does not copy a packet that is in p as a whole.
			if whole && !s.full && s.kept == 0 {
				packet.Head = p[n : n+min(take, headSize)]
			} else {
				s.kept += copy(s.head[s.kept:], p[n:n+take])
			}
		}
		n, s.left = n+take, s.left-take
		if !whole {
			return n, Packet{}, false
		}
		s.of = 0
		if s.full {
			s.continued = true
			continue
		}
		if packet.Head == nil {
			packet.Head = s.head[:s.kept]
		}
		packet.First, packet.Sequence = s.first, s.header[3]
		s.continued, s.kept = false, 0
		return n, packet, true
	}
}

// takeHeader reads the missing bytes of a frame's header.
func (s *Stream) takeHeader(p []byte) (n int) {
	n = copy(s.header[s.of:], p)
	s.of += n
	if s.of < FrameHeader {
		return n
	}
	s.header[3] += s.Shift
	p[n-1] = s.header[3]
	s.left = get24(s.header[:])
	s.full = s.left == MaxFrame
	if !s.continued {
		s.first = s.left
	}
	return n
}

// AtBoundary reports whether only whole packets were read.
func (s *Stream) AtBoundary() bool { return s.of == 0 && !s.continued }
