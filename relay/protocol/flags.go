package protocol

// Capabilities are flags that a server offers and a client chooses from. The upper 32 bits are MariaDB's.
type Capabilities uint64

// Flags that matter to the relay.
const (
	LongPassword     Capabilities = 1 << 0 // MariaDB calls it CLIENT_MYSQL: without it the upper 32 bits are sent
	ConnectWithDB    Capabilities = 1 << 3
	Compress         Capabilities = 1 << 5
	LocalFiles       Capabilities = 1 << 7
	Protocol41       Capabilities = 1 << 9
	TLS              Capabilities = 1 << 11
	Transactions     Capabilities = 1 << 13
	SecureConnection Capabilities = 1 << 15
	MultiStatements  Capabilities = 1 << 16
	MultiResults     Capabilities = 1 << 17
	PluginAuth       Capabilities = 1 << 19
	LongAuthData     Capabilities = 1 << 21 // CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA
	SessionTrack     Capabilities = 1 << 23
	DeprecateEOF     Capabilities = 1 << 24
	OptionalMetadata Capabilities = 1 << 25
	Zstandard        Capabilities = 1 << 26
	QueryAttributes  Capabilities = 1 << 27
	SeveralFactors   Capabilities = 1 << 28

	Progress         Capabilities = 1 << 32
	MultiCommand     Capabilities = 1 << 33
	ExtendedMetadata Capabilities = 1 << 35
	CacheMetadata    Capabilities = 1 << 36
)

// Hidden are the flags that change answers in ways that Answer does not follow. The relay
// neither offers them to a client nor passes them on.
const Hidden = Compress | OptionalMetadata | Zstandard | QueryAttributes | SeveralFactors | MultiCommand

// Command is the first byte of a client's command.
type Command byte

// Commands that the relay treats specially. All others are answered like a query.
const (
	Quit             Command = 0x01
	InitDB           Command = 0x02
	Query            Command = 0x03
	FieldList        Command = 0x04
	Statistics       Command = 0x09
	Ping             Command = 0x0e
	ChangeUser       Command = 0x11
	BinlogDump       Command = 0x12
	TableDump        Command = 0x13
	StmtPrepare      Command = 0x16
	StmtExecute      Command = 0x17
	StmtSendLongData Command = 0x18
	StmtClose        Command = 0x19
	StmtReset        Command = 0x1a
	SetOption        Command = 0x1b
	StmtFetch        Command = 0x1c
	BinlogDumpGTID   Command = 0x1e
	ResetConnection  Command = 0x1f
	Clone            Command = 0x20
	StmtBulkExecute  Command = 0xfa // MariaDB's
)

// Status is a server's status at the end of every result.
type Status uint16

// Flags of a Status.
const (
	InTransaction Status = 0x0001
	Autocommit    Status = 0x0002
	MoreResults   Status = 0x0008
	CursorExists  Status = 0x0040

	// OfSession are the flags of the session, not of one result: transactions, autocommit, backslashes in literals, ANSI_QUOTES.
	OfSession = InTransaction | Autocommit | 0x0200 | 0x2000 | 0x8000
)

// First bytes of packets.
const (
	headOK    = 0x00
	headMore  = 0x01 // AuthMoreData
	headLocal = 0xfb // a server asks for a file
	headEOF   = 0xfe
	headError = 0xff
)

// progressCode in place of an error packet's number marks a report of progress.
const progressCode = 0xffff
