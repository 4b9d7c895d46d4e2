package values

import "strings"

// A class says how large a function's result is, and what the function takes while
// it works, by its arguments.
type class struct {
	kind kind
	// times is how many bytes the result may have for a byte of the arguments, which
	// is looked at before; 0: the result is looked at when it is made.
	times int64
	// works is how many bytes the function takes meanwhile for a byte of its
	// arguments, beside its result.
	works int64
}

// inflated is how many bytes UNCOMPRESS may make of one.
const inflated = 1000

type kind int

const (
	// unknown is looked at as text.
	unknown kind = iota
	// small results are numbers, times, or texts of less than a kilobyte.
	small
	// chosen results are one of the arguments.
	chosen
	// text results are texts, bytes or geometries.
	text
	// document functions read JSON; their result is text, a number or JSON.
	document
	// pretty is JSON_PRETTY, which indents each element by its depth.
	pretty
	// search is JSON_SEARCH, which says the path of each text that it finds.
	search
	// aggregate functions are bounded while they accumulate (aggregates.go).
	aggregate
)

// classes has a line for each behaviour.
var classes = byName(map[class]string{
	{kind: small}: "abs acos adddate ascii asin atan atan2 avg bin bin_to_uuid bit_and bit_count bit_length bit_or bit_xor ceil ceiling " +
		"charset collation coercibility connection_id conv convert_tz cos cot count crc32 curdate current_date current_time current_timestamp current_user curtime " +
		"database date datediff date_add date_sub datetime day dayname dayofmonth dayofweek dayofyear degrees exp extract floor found_rows " +
		"from_days get_format get_lock hour inet_aton inet_ntoa inet6_aton inet6_ntoa is_binary is_free_lock is_ipv4 is_ipv4_compat is_ipv4_mapped " +
		"is_ipv6 is_used_lock is_uuid isnull last_day last_insert_id last_insert_uuid length ln localtime localtimestamp " +
		"log log10 log2 md5 microsecond minute mod month " +
		"monthname now ntile octet_length ord pi pow power quarter radians rand random_bytes rank dense_rank percent_rank release_all_locks release_lock " +
		"round row_count " +
		"row_number schema second sha sha1 sha2 sign sin sleep sqrt std stddev stddev_pop stddev_samp str_to_date subdate sum sysdate tan time " +
		"time_to_sec timediff timestamp timestampdiff to_days uncompressed_length unix_timestamp user utc_timestamp uuid uuid_to_bin validate_password_strength " +
		"variance var_pop var_samp version week weekday weekofyear year yearweek format char_length character_length " +
		"st_area st_distance st_dimension st_equals st_equal st_intersects st_isclosed st_length st_perimeter st_within regexp_instr regexp_like " +
		"timestampadd makedate truncate session_user system_user current_role __anon_assigned __anon_removed __anon_signed " +
		"__anon_unsigned __anon_decimal __anon_double __anon_date __anon_datetime __anon_time __anon_div __anon_not __anon_bits __anon_exact __anon_number interval oct " +
		"benchmark to_seconds period_add period_diff sec_to_time maketime addtime subtime utc_date utc_time",
	{kind: chosen}: "any_value coalesce elt first first_value greatest if ifnull lag last last_value lead least max min nullif values __anon_as nth_value count_distinct",

	// Texts that are looked at when they are made.
	{kind: text}: "concat concat_ws replace repeat space lpad rpad regexp_replace load_file weight_string point st_pointfromtext insert make_set export_set __anon_char __anon_text",
	{kind: text, works: 1}: "aes_encrypt aes_decrypt compress from_base64 unhex lcase lower ucase upper ltrim rtrim trim strcmp field " +
		"instr locate position soundex regexp_substr gtid_subtract",
	// They spread the text over four bytes for a character.
	{kind: text, works: 5}: "left right mid substr substring reverse",
	// They cut the text into pieces of 16 bytes each.
	{kind: text, works: 17}:       "find_in_set substring_index",
	{kind: text, times: inflated}: "uncompress",
	{kind: text, times: 2}:        "hex quote",
	{kind: text, times: 4}:        "char",
	// %W is Wednesday; a date takes 30 bytes of itself.
	{kind: text, times: 8}:           "date_format time_format from_unixtime",
	{kind: text, times: 2, works: 1}: "to_base64",

	// A coordinate of 8 bytes has a text of up to 24; each point is an object of 32.
	{kind: text, times: 6, works: 8}: "st_astext st_aswkt st_asgeojson st_geomfromgeojson",
	{kind: text, works: 32}: "linestring polygon multipoint multilinestring multipolygon geometrycollection geomcollection st_asbinary st_aswkb st_endpoint " +
		"st_geomcollfromtext st_geomcollfromtxt st_geomcollfromwkb st_geometrycollectionfromwkb st_geometrycollectionfromtext " +
		"st_geometryfromtext st_geomfromtext st_geometryfromwkb st_geomfromwkb st_longitude st_latitude st_linefromtext st_linefromwkb st_linestringfromtext " +
		"st_linestringfromwkb st_mlinefromtext st_mlinefromwkb st_multilinestringfromtext st_multilinestringfromwkb st_mpointfromtext st_mpointfromwkb " +
		"st_multipointfromtext st_multipointfromwkb st_mpolyfromwkb st_mpolyfromtext st_multipolygonfromwkb st_multipolygonfromtext st_pointfromwkb " +
		"st_polyfromtext st_polyfromwkb st_polygonfromtext st_polygonfromwkb st_srid st_startpoint st_swapxy st_x st_y",

	{kind: document, works: 2}: "json_array json_array_append json_array_insert json_contains json_contains_path json_depth json_extract json_insert json_keys " +
		"json_length json_merge json_merge_patch json_merge_preserve json_object json_overlaps json_remove json_replace json_schema_valid " +
		"json_schema_validation_report json_set json_storage_free json_storage_size json_table json_type json_unquote json_valid json_value " +
		"vec_distance vec_distance_cosine vec_distance_l2_squared __anon_json",
	{kind: document, times: 6, works: 2}: "json_quote",
	{kind: pretty, works: 4}:             "json_pretty",
	{kind: search, works: 4}:             "json_search",

	{kind: aggregate}: "group_concat json_arrayagg jsonarray json_objectagg",
})

func byName(lines map[class]string) map[string]class {
	all := map[string]class{}
	for c, names := range lines {
		for _, name := range strings.Fields(names) {
			all[name] = c
		}
	}
	return all
}

func classOf(function string) class { return classes[strings.ToLower(function)] }
