"""The allowlist for SQL of pipelines: nodes of Spark's parsed plan, functions and hints.

Grammar that a later Spark adds is refused until it is listed here.
"""

PACKAGE = "org.apache.spark.sql.catalyst."

# Node classes by package below PACKAGE.
_PLANS = """
    Aggregate Distinct Except Filter Generate GlobalLimit Intersect Join LateralJoin LimitAll
    LocalLimit LocalRelation Offset OneRowRelation Pivot Project RepartitionByExpression Sample Sort
    SubqueryAlias Union Unpivot UnresolvedHint UnresolvedWith WithWindowDefinition
"""
_UNRESOLVED = """
    MultiAlias UnresolvedAlias UnresolvedAttribute UnresolvedExtractValue UnresolvedFunction
    UnresolvedGenerator UnresolvedHaving UnresolvedInlineTable UnresolvedOrdinal
    UnresolvedPipeAggregateOrdinal UnresolvedQualify UnresolvedRelation UnresolvedStar
    UnresolvedStarExceptOrReplace UnresolvedSubqueryColumnAliases UnresolvedTVFAliases
    UnresolvedTableValuedFunction
"""
_EXPRESSIONS = """
    Add Alias And AttributeReference BitwiseAnd BitwiseNot BitwiseOr BitwiseXor CaseWhen Cast
    Coalesce Collate Concat CreateNamedStruct Cube CurrentDate CurrentRow CurrentTime
    CurrentTimestamp Divide EqualNullSafe EqualTo Exists GreaterThan GreaterThanOrEqual GroupingSets
    ILike In InSubquery IntegralDivide IsNotNull IsNull LambdaFunction LateralSubquery LessThan
    LessThanOrEqual Like LikeAll LikeAny ListQuery Literal Lower Multiply NamedArgumentExpression
    Not NotLikeAll NotLikeAny Or Overlay PipeExpression PipeOperator RLike Remainder Rollup
    ScalarSubquery SemiStructuredExtract ShiftLeft ShiftRight ShiftRightUnsigned SortOrder
    SpecifiedWindowFrame StringLocate StringTrim StringTrimLeft StringTrimRight Substring Subtract
    TimestampAdd TimestampDiff UnaryMinus UnaryPositive UnboundedFollowing UnboundedPreceding
    UnresolvedCollation UnresolvedNamedLambdaVariable UnresolvedWindowExpression UnspecifiedFrame
    WindowExpression WindowSpecDefinition WindowSpecReference
"""
NODES = frozenset(
    [f"plans.logical.{name}" for name in _PLANS.split()]
    + [f"analysis.{name}" for name in _UNRESOLVED.split()]
    + [f"expressions.{name}" for name in _EXPRESSIONS.split()]
    + [f"expressions.aggregate.{name}" for name in ("AnyValue", "First", "Last")]
)

# Refused built-in functions, with the reason in the message.
_CALLS = "it can call any Java method"
_FILES = "it returns a file, which events do not have"
_DRIVER = "it returns values of the driver, not of the event"
_ENDS = "one record would stop the pipeline for good; use a rule to make such a record invalid"
_TRIED = "one record with an invalid value would fail the query; use {}"
_TWINS = ("aes_decrypt", "to_number", "url_decode", "validate_utf8")
_READS = "it reads a file of the driver"
_DTD = "it opens files and addresses in the DOCTYPE of a record"
_XPATHS = "boolean double float int long number short string"
REFUSED = {
    **dict.fromkeys(("reflect", "java_method", "try_reflect"), _CALLS),
    **dict.fromkeys(
        ("input_file_name", "input_file_block_start", "input_file_block_length"), _FILES
    ),
    **dict.fromkeys(
        (
            "current_catalog",
            "current_database",
            "current_path",
            "current_schema",
            "current_user",
            "session_user",
            "user",
            "version",
        ),
        _DRIVER,
    ),
    **dict.fromkeys(("raise_error", "assert_true"), _ENDS),
    **dict.fromkeys(("xpath", *(f"xpath_{kind}" for kind in _XPATHS.split())), _DTD),
    **{name: _TRIED.format(f"try_{name}") for name in _TWINS},
    **dict.fromkeys(("from_protobuf", "to_protobuf"), _READS),
}
# Functions whose further arguments are options, some of which name files or URLs: the maximum
# number of arguments.
WITHOUT_OPTIONS = {"from_avro": 2, "from_xml": 2, "schema_of_avro": 1, "schema_of_xml": 1}
# Allowed table-valued functions: those that only generate rows from their arguments.
_GENERATORS = """
    explode explode_outer inline inline_outer json_tuple posexplode posexplode_outer stack
    variant_explode variant_explode_outer
"""
GENERATORS = frozenset(_GENERATORS.split())
# Names without brackets that Spark resolves to functions, unless a column has that name.
BARE_FUNCTIONS = frozenset(
    ("current_user", "session_user", "user", "current_catalog", "current_database", "current_path",
     "current_schema")
)  # fmt: skip
# Allowed qualifiers of function names.
BUILTIN = (("builtin",), ("system", "builtin"))
_HINTS = """
    broadcast broadcastjoin mapjoin merge mergejoin shuffle_merge shuffle_hash
    shuffle_replicate_nl coalesce repartition repartition_by_range rebalance
"""
HINTS = frozenset(_HINTS.split())
# Allowed parameters of hints: numbers and names.
HINT_NODES = frozenset(("expressions.Literal", "analysis.UnresolvedAttribute"))
