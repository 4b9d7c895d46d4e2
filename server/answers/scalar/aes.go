package scalar

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
)

// encryption returns AES_ENCRYPT and AES_DECRYPT in the modes aes-128-ecb, aes-192-ecb and aes-256-ecb of block_encryption_mode. ECB, MySQL's default,
// encrypts equal blocks equally. An initialization vector has no effect in these modes.
func encryption() []*builtin.Definition {
	return []*builtin.Definition{
		{Name: "aes_encrypt", Least: 2, Most: 3, Type: builtin.Constant(types.LongBlob), Value: ciphered(encrypt)},
		{Name: "aes_decrypt", Least: 2, Most: 3, Type: builtin.Constant(types.LongBlob), Value: ciphered(decrypt)},
	}
}

func ciphered(by func(block cipher.Block, text []byte) any) func(*builtin.Call, *sql.Context, []any) (any, error) {
	return func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
		text, err := coercion.Text(ctx, v[0], c.OperandType(0))
		if err != nil {
			return nil, err
		}
		key, err := coercion.Text(ctx, v[1], c.OperandType(1))
		if err != nil {
			return nil, err
		}
		size, err := keySize(ctx)
		if err != nil {
			return nil, err
		}
		block, err := aes.NewCipher(foldKey(key, size))
		if err != nil {
			return nil, err
		}
		return by(block, []byte(text)), nil
	}
}

// keySize returns the key size of the session's mode, in bytes.
func keySize(ctx *sql.Context) (int, error) {
	mode, err := ctx.GetSessionVariable(ctx, "block_encryption_mode")
	if err != nil {
		return 0, err
	}
	switch strings.ToLower(fmt.Sprint(mode)) {
	case "aes-128-ecb":
		return 16, nil
	case "aes-192-ecb":
		return 24, nil
	case "aes-256-ecb":
		return 32, nil
	}
	return 0, mysql.NewSQLError(mysql.ERNotSupportedYet, "42000", "block_encryption_mode '%v' is not supported: set it to 'aes-128-ecb', 'aes-192-ecb' or 'aes-256-ecb'", mode)
}

// foldKey XORs a key of any length into size bytes, as MySQL does without a key derivation function.
func foldKey(key string, size int) []byte {
	folded := make([]byte, size)
	for i := range len(key) {
		folded[i%size] ^= key[i]
	}
	return folded
}

// encrypt pads a text with PKCS #7 and encrypts it.
func encrypt(block cipher.Block, text []byte) any {
	padding := aes.BlockSize - len(text)%aes.BlockSize
	text = append(text, bytes.Repeat([]byte{byte(padding)}, padding)...)
	for at := 0; at < len(text); at += aes.BlockSize {
		block.Encrypt(text[at:], text[at:])
	}
	return text
}

// decrypt returns NULL if the length or the padding shows that the bytes were not encrypted with the key.
func decrypt(block cipher.Block, text []byte) any {
	if len(text) == 0 || len(text)%aes.BlockSize != 0 {
		return nil
	}
	for at := 0; at < len(text); at += aes.BlockSize {
		block.Decrypt(text[at:], text[at:])
	}
	padding := int(text[len(text)-1])
	if padding == 0 || padding > aes.BlockSize {
		return nil
	}
	text, end := text[:len(text)-padding], text[len(text)-padding:]
	if !bytes.Equal(end, bytes.Repeat([]byte{byte(padding)}, padding)) {
		return nil
	}
	return text
}
