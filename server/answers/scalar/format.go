package scalar

import (
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
)

// formatted is FORMAT, formattedDouble is FORMAT of the expressions that roundedDouble rounds.
var (
	formatted       = &builtin.Definition{Name: "format", Least: 2, Most: 3, Type: builtin.Constant(types.LongText), Choose: format(halfAway)}
	formattedDouble = &builtin.Definition{Name: "format", Least: 2, Most: 3, Type: builtin.Constant(types.LongText), Choose: format(halfEven)}
)

// makeFormat makes a call of FORMAT. The engine's uses other separators, rounds DOUBLEs differently, and fails for large numbers.
func makeFormat(arguments ...sql.Expression) (sql.Expression, error) {
	if len(arguments) < 2 || len(arguments) > 3 {
		return nil, sql.ErrInvalidArgumentNumber.New("FORMAT", "2 or 3", len(arguments))
	}
	if ofTables(arguments[0]) {
		return formattedDouble.Call(arguments...), nil
	}
	return formatted.Call(arguments...), nil
}

func format(nearly func(float64, int64) float64) func(*builtin.Call, *sql.Context, sql.Row) (any, error) {
	return func(c *builtin.Call, ctx *sql.Context, row sql.Row) (any, error) {
		v := make([]any, len(c.Operands))
		for i, e := range c.Operands {
			var err error
			if v[i], err = e.Eval(ctx, row); err != nil || v[i] == nil && i < 2 {
				return nil, err
			}
		}
		places, err := coercion.NearestBigint(ctx, v[1], c.OperandType(1))
		if err != nil {
			return nil, err
		}
		places = min(max(places, 0), types.DecimalTypeMaxScale)
		number, err := fixed(ctx, v[0], c.OperandType(0), places, nearly)
		if err != nil || len(v) == 2 {
			return english.write(number), err
		}
		return localSigns(ctx, v[2], c.OperandType(2)).write(number), nil
	}
}

// fixed formats a number with a fixed number of decimals.
func fixed(ctx *sql.Context, v any, t sql.Type, places int64, nearly func(float64, int64) float64) (string, error) {
	if types.IsInteger(t) || types.IsDecimal(t) {
		d, err := coercion.Exact(ctx, v, t)
		return d.StringFixed(int32(places)), err
	}
	f, err := coercion.Float(ctx, v, t)
	return strconv.FormatFloat(nearly(f, places), 'f', int(places), 64), err
}

// signs are the separators of numbers such as 1,234.5. size is the number of digits in the groups above the thousands.
type signs struct {
	thousands, point string
	size             int
}

var english = signs{",", ".", 3}

// signsOf maps MySQL's locales ("MySQL Server Locale Support"), in lower case, to their separators.
var signsOf = func() map[string]signs {
	of := map[string]signs{}
	for own, locales := range map[signs]string{
		{".", ",", 3}: "be_BY da_DK de_BE de_DE de_LU es_AR es_BO es_CL es_CO es_EC es_ES es_PY es_UY es_VE fo_FO hu_HU id_ID is_IS lt_LT " +
			"mn_MN nb_NO no_NO ro_RO ru_UA sq_AL tr_TR uk_UA vi_VN",
		{"", ",", 3}:  "bg_BG ca_ES de_AT el_GR eu_ES fr_BE fr_CA fr_CH fr_FR fr_LU gl_ES hr_HR it_IT nl_BE nl_NL pl_PL pt_BR pt_PT sl_SI",
		{" ", ",", 3}: "cs_CZ es_CR et_EE fi_FI lv_LV mk_MK ru_RU sk_SK sv_FI sv_SE",
		{"", ".", 3}:  "ar_SA sr_RS",
		{"'", ".", 3}: "de_CH",
		{"'", ",", 3}: "it_CH rm_CH",
		{",", ".", 2}: "en_IN ta_IN te_IN",
		english: "ar_AE ar_BH ar_DZ ar_EG ar_IN ar_IQ ar_JO ar_KW ar_LB ar_LY ar_MA ar_OM ar_QA ar_SD ar_SY ar_TN ar_YE en_AU en_CA en_GB en_NZ " +
			"en_PH en_US en_ZA en_ZW es_DO es_GT es_HN es_MX es_NI es_PA es_PE es_PR es_SV es_US gu_IN he_IL hi_IN ja_JP ko_KR ms_MY th_TH ur_PK " +
			"zh_CN zh_HK zh_TW",
	} {
		for _, locale := range strings.Fields(strings.ToLower(locales)) {
			of[locale] = own
		}
	}
	return of
}()

// localSigns returns the separators of a locale; for an unknown one the English separators, with a warning.
func localSigns(ctx *sql.Context, v any, t sql.Type) signs {
	name := "NULL"
	if v != nil {
		name, _ = coercion.Text(ctx, v, t)
	}
	own, ok := signsOf[strings.ToLower(name)]
	if !ok {
		ctx.Warn(1649, "Unknown locale: '%s'", name)
		return english
	}
	return own
}

// write inserts the separators into a number.
func (s signs) write(number string) string {
	if strings.Trim(number, "-0.") == "" {
		number = strings.TrimPrefix(number, "-")
	}
	before, after, _ := strings.Cut(number, ".")
	var out strings.Builder
	for i := range before {
		left := len(before) - i
		if i > 0 && before[i-1] != '-' && (left == 3 || left > 3 && (left-3)%s.size == 0) {
			out.WriteString(s.thousands)
		}
		out.WriteByte(before[i])
	}
	if after != "" {
		out.WriteString(s.point + after)
	}
	return out.String()
}
