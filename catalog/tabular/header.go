package tabular

// A Header says what the first line has.
type Header int

const (
	// Recognised: names, unless they look like data; then it is an error that names the flags.
	Recognised Header = iota
	Names
	Data
)
