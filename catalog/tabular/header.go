package tabular

// A Header says what the first line is.
type Header int

const (
	// Recognised takes it for names, but fails if it looks like data; the error names the flags.
	Recognised Header = iota
	Names
	Data
)
