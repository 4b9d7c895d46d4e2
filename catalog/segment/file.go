package segment

import "os"

// newUnlinked returns an unlinked temporary file, open for writing and for reading.
func newUnlinked() (write, read *os.File, err error) {
	if write, err = os.CreateTemp("", "anonsql-segment-"); err != nil {
		return nil, nil, err
	}
	defer os.Remove(write.Name())
	if read, err = os.Open(write.Name()); err != nil {
		write.Close()
	}
	return write, read, err
}
