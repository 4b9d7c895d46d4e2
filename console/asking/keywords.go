package asking

import (
	"slices"
	"strings"

	"github.com/anonsql/anonsql/quoting"
)

// keywords need backticks as names: without them the server's parser does not take them for columns.
var keywords = strings.Fields("accessible add all alter analyze and application_password_admin as asc asensitive audit_abort_exempt audit_admin authentication_policy_admin " +
	"backup_admin before between bigint binary binlog_admin binlog_encryption_admin bit_and bit_or bit_xor blob both by call cascade case change " +
	"char character check clone_admin collate column condition connection_admin constraint continue convert copy create cross cube cume_dist " +
	"current_date current_time current_timestamp current_user cursor database databases date_add day_hour day_microsecond day_minute day_second " +
	"dec decimal declare default delayed delete dense_rank desc describe deterministic distinct distinctrow div double drop dual each else elseif " +
	"empty enclosed encrypted encryption_key_admin encryption_key_id escape escaped except exclusive exists exit explain false fetch " +
	"firewall_admin firewall_exempt firewall_user first_value float float4 float8 flush_optimizer_costs flush_status flush_tables " +
	"flush_user_resources for force foreign format from fulltext function generated get grant group group_concat group_replication_admin " +
	"group_replication_stream grouping groups having high_priority hour_microsecond hour_minute hour_second if ignore in index infile inner " +
	"innodb_redo_log_archive innodb_redo_log_enable inout inplace insensitive insert int int1 int2 int3 int4 int8 integer intersect interval into " +
	"io_after_gtids io_before_gtids is itef_quotes iterate join json_arrayagg json_objectagg json_table key keys kill lag last_value lateral lead " +
	"leading leave left like limit linear lines load localtime localtimestamp lock long longblob longtext loop low_priority master_bind " +
	"master_ssl_verify_server_cert match maxvalue mediumblob mediumint mediumtext middleint minute_microsecond minute_second mod modifies natural " +
	"ndb_stored_user next no_write_to_binlog not now nth_value ntile null numeric of off on optimize optimizer_costs option optionally or order " +
	"out outer outfile over page_checksum page_compressed page_compression_level partition passwordless_user_admin percent_rank " +
	"persist_ro_variables_admin plan precision primary procedure purge range rank read read_write reads real recursive references regexp release " +
	"rename repeat replace replication_applier replication_slave_admin require resignal resource_group_admin resource_group_user restrict return " +
	"revoke right rlike role_admin row row_number rows schema schemas second_microsecond select sensitive sensitive_variables_observer separator " +
	"session_variables_admin set set_user_id shared show show_routine signal skip_query_rewrite smallint spatial specific sql sql_big_result " +
	"sql_cache sql_calc_found_rows sql_no_cache sql_small_result sqlexception sqlstate sqlwarning ssl starting std stddev stddev_pop stddev_samp " +
	"stored straight_join substr substring system system_time system_variables_admin table table_encryption_admin terminated then tinyblob " +
	"tinyint tinytext to tp_connection_admin trailing transactional trigger true undo union unique unlock unsigned update usage use using " +
	"utc_date utc_time utc_timestamp values var_pop var_samp varbinary varchar varcharacter variance varying vector version_token_admin " +
	"versioning virtual when where while window with write xa_recover_admin xor year_month yes zerofill")

// FunctionNames are the functions that anonsql adds to SQL and the usual aggregates, for completion.
var FunctionNames = []string{
	"ANON_ACTUAL",
	"ANON_DETECT",
	"ANON_HIGH",
	"ANON_INTERVAL_HIGH",
	"ANON_INTERVAL_LOW",
	"ANON_LOW",
	"ANON_PRIVACY",
	"ANON_RELATIVE_ERROR",
	"ANON_STDERR",
	"ANON_UTILITY",
	"AVG",
	"COUNT",
	"GROUP BY",
	"MAX",
	"MEDIAN",
	"MIN",
	"ORDER BY",
	"SELECT",
	"SUM",
	"WHERE",
}

// Name returns a name, with backticks only if necessary.
func Name(name string) string {
	strange := func(r rune) bool { return r >= 0x80 || !inWord(byte(r)) || r == '@' }
	_, found := slices.BinarySearch(keywords, strings.ToLower(name))
	if found || name == "" || name[0] >= '0' && name[0] <= '9' || name[0] == '_' || strings.ContainsFunc(name, strange) {
		return quoting.Name(name)
	}
	return name
}
